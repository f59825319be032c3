import hljs from 'highlight.js';
import { marked } from 'marked';
import { deflate } from 'pako';
import { useEffect, useMemo, useState } from 'react';

const TEXT = '# Title\n\n```js\nconst answer = 42;\n```\n';

export default function Editor() {
  const [text, setText] = useState(TEXT);
  const [words, setWords] = useState(0);
  const html = useMemo(() => marked.parse(text), [text]);
  useEffect(() => {
    const worker = new Worker(new URL('../worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<number>) => setWords(data);
    worker.postMessage(text);
    return () => worker.terminate();
  }, [text]);
  return (
    <section>
      <textarea value={text} onInput={(event: any) => setText(event.target.value)} />
      <div dangerouslySetInnerHTML={{ __html: html }} />
      <pre dangerouslySetInnerHTML={{ __html: hljs.highlightAuto(text).value }} />
      <p>{words} words, {deflate(new TextEncoder().encode(text)).length} bytes</p>
    </section>
  );
}
