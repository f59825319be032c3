import { marked } from 'marked';

const text = '# Title\n\nSome *text*, `code`, [links](https://example.com/) and\n\n- lists\n\n'.repeat(20);

export const render = (ms) => {
  globalThis.busy = 'render';
  const end = performance.now() + ms;
  let html;
  do html = marked.parse(text); while (performance.now() < end);
  return html;
};
