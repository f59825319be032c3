/** The service worker without a browser: what it changes of documents and scripts, and what it leaves. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { instrument } from '../../js/instrument.js';
import { makeTest } from '../../js/file-patterns.js';
import { ScriptCache } from '../../js/service-worker/cache.js';
import { DocumentRewriter } from '../../js/service-worker/document.js';
import { detectEncoding, insert } from '../../js/service-worker/encoding.js';
import { parseQuery } from '../../js/service-worker/options.js';
import { openWorker } from './support/service-worker.js';

const F = 'function f(a){for(;;)a()}'; // gets polls

const latin1 = (text) => Buffer.from(text, 'latin1');

const TYPE = { 'content-type': 'text/html' };

/**
 * The document as it is sent, in pieces of so many bytes, and the calls of instrument().
 */
async function rewrite(document, headers = TYPE, size = Infinity) {
  const calls = [];
  const left = [];
  const rewriter = new DocumentRewriter('https://site.example/a/b', new Headers(headers), {
    instrument(code, options) {
      calls.push({ code, ...options });
      try {
        return instrument(code, options).insertions;
      } catch (error) {
        if (error.code === 'ERR_PROFILYFILL_SYNTAX') return [];
        throw error;
      }
    },
    leave: (url) => left.push(url),
    leaveAll: () => left.push('all'),
  });
  const bytes = Buffer.from(document);
  const parts = [];
  for (let at = 0; at < bytes.length; at += size) {
    parts.push(await rewriter.write(bytes.subarray(at, at + size)));
  }
  parts.push(rewriter.end());
  return { made: Buffer.concat(parts), parts, calls, left };
}

/** The text with each marked script as it should be: `«...»`. */
function expected(text) {
  const plain = text.replace(/[«»]/g, '');
  const moved = new Map();
  let at = 0;
  const made = text.replace(/«(.*?)»/gs, (whole, code, offset) => {
    const before = text.slice(0, offset).replace(/[«»]/g, '');
    const lines = before.split(/\r\n?|\n/);
    const shift = moved.get(lines.length) ?? 0;
    const { insertions, code: polled } = instrument(code, {
      line: lines.length, column: lines.at(-1).length + 1, moved: shift,
      sourceType: /type=["']?module["']?[^>]*>$/.test(before) ? 'module' : 'script',
    });
    const last = /[^\r\n]*$/.exec(code).index;
    const isOne = last === 0;
    moved.set(lines.length + (code.match(/\r\n?|\n/g)?.length ?? 0), (isOne ? shift : 0) + insertions
      .filter(({ offset: place }) => place >= last).reduce((sum, { text: { length } }) => sum + length, 0));
    at++;
    return polled;
  });
  expect(at).toBeGreaterThan(0);
  return { plain, made };
}

describe('documents', () => {
  test.each([
    ['a script', `<!doctype html>\n<title>ä</title>\n <script>«${F}»</script>\n<p>x`],
    ['several on a line', `<p>é<script>«${F}»</script><script>«${F}»</script>
<script>«${F}\n${F}»</script>` +
      `<b><script>«;${F}»</script>`],
    ['modules, nonces, odd attributes',
      `<script type="module" nonce=x>«export ${F}»</script>` +
      `<SCRIPT data-a='>' type=" text/JavaScript ">«${F}»</SCRIPT >`],
    ['line ends', `<p>\r\n<script>«\r\n${F}\r\n\t${F}»</script>\r` +
      `<script>«${F}»</script>\n\r\n<script>«${F}»</script>`],
    ['what only looks like a script', `<!-- <script>${F}</script> --><title><script>${F}</script></title>
      <textarea><script>${F}</script></textarea><noscript><script>${F}</script></noscript>
      <a title="<script>${F}</script>"></a><template><script>${F}</script></template>
      <svg><script>${F}</script><style><script>${F}</script></style></svg><![CDATA[<script>]]>
      <script>«${F}»</script>`],
    ['other types', [
      'application/json', 'importmap', 'speculationrules', 'text/template', 'text/x-handlebars', 'text/babel',
    ].map((type) => `<script type="${type}">${F}</script>`).join('\n') +
      `<script src="a.js">${F}</script><script>«${F}»</script>`],
    ['text that is markup to some',
      `<script>«"<!-- <script> </script>"; ${F}\n-->»</script><script>«${F}»</script>`],
    ['what cannot be parsed, or has no code',
      `<script>${F} (</script><script></script><script> </script><script>«${F}»</script>`],
    ['declarative shadow roots',
      `<div><template shadowrootmode="open"><script>«${F}»</script></template></div>`],
    ['tables', `<table><script>«${F}»</script><tr><td><script>«${F}»</script></table>`],
    ['a script without end', `<script>«${F}»</script><script>${F}`],
  ])('%s', async (name, text) => {
    const { plain, made } = expected(text);
    for (const size of [Infinity, 1, 7]) {
      const result = await rewrite(plain, { 'content-type': 'text/html; charset=utf-8' }, size);
      expect([size, result.made.toString()]).toEqual([size, made]);
    }
  });

  test('are sent on but for the script that is arriving', async () => {
    const { parts } = await rewrite(`<p>1<script>${F}</script><p>2`, TYPE, 4);
    const before = Buffer.concat(parts.slice(0, 3)).toString();
    expect(before).toBe('<p>1<script>');
    expect(parts.slice(3, 8).every(({ length }) => length === 0)).toBe(true);
  });

  test('that have polls stay as they are', async () => {
    const { made } = await rewrite(`<script>${F}</script><p><script type=module>${F}</script>`);
    expect((await rewrite(made)).made).toEqual(made);
  });

  test('keep their encoding', async () => {
    const cases = [
      ['text/html; charset="windows-1252"', '<p>\xe4<script>"\xe4";', 'windows-1252'],
      ['text/html', '<meta charset=latin1><p>\xe4<script>"\xe4";', 'windows-1252'],
      ['text/html', '<meta http-equiv=Content-Type content="text/html; charset=koi8-r"><script>"\xc1";',
        'koi8-r'],
      // The second byte of the character is a backslash.
      ['text/html;charset=shift_jis', '<p>\x95\x5c<script>"\x95\x5c";', 'shift_jis'],
      ['text/html;charset=gb18030', '<script>"\x84\x31\xa4\x37";/*\xb0\xa1*/', 'gb18030'],
      ['text/html', '\xef\xbb\xbf<meta charset=latin1><script>"\xc3\xa4";', 'utf-8'],
    ];
    for (const [type, start, encoding] of cases) {
      const bytes = latin1(`${start}${F}</script><p>\xff`);
      const { made, calls } = await rewrite(bytes, { 'content-type': type });
      const decoded = new TextDecoder(encoding).decode(latin1(start));
      const column = decoded.indexOf('<script>') + 9;
      const head = decoded.slice(column - 1);
      const call = { code: head + F, sourceType: 'script', line: 1, column, moved: 0 };
      expect([type, calls]).toEqual([type, [call]]);
      const polled = instrument(head + F, { sourceType: 'script', column }).insertions;
            const from = start.indexOf('<script>') + 8;
      const to = start.length + F.length;
      expect(made).toEqual(Buffer.concat([
        bytes.subarray(0, from), insert(bytes.subarray(from, to), encoding, polled), bytes.subarray(to)]));
      // Taken away again, the insertions leave what there was.
      let back = made.toString('latin1');
      for (const { text } of polled) back = back.replace(text, '');
      expect(back).toBe(bytes.toString('latin1'));
    }
  });

  test('of encodings that are not like ASCII, or are another than they say, stay as they are', async () => {
    for (const [type, bytes] of [
      ['text/html; charset=utf-16', Buffer.from(`<script>${F}</script>`, 'utf16le')],
      ['text/html', Buffer.from(`\ufeff<script>${F}</script>`, 'utf16le')],
      ['text/html; charset=iso-2022-jp', latin1(`<script>${F}</script>`)],
      ['text/html', latin1(`<script>"\xe4";${F}</script>`)],
      ['text/html; charset=utf-8', latin1(`<script>"\xe4";${F}</script>\x00`)],
      ['text/html', latin1(`<script>"\x00";${F}</script>`)],
    ]) {
      for (const size of [Infinity, 3]) {
        const { made, left } = await rewrite(bytes, { 'content-type': type }, size);
        expect(made).toEqual(bytes);
        expect(left).toEqual(/utf-16|2022/.test(type) || bytes[0] === 0xff ? ['all'] : []);
      }
    }
  });

  test('have scripts that a policy allows by their hash: these stay as they are', async () => {
    const hash = (code, bits = 256) => createHash(`sha${bits}`).update(code).digest('base64');
    const url = (text) => text.replaceAll('+', '-').replaceAll('/', '_');
    const covered = `${F}\r\nf`;
    const text = covered.replace('\r', '');
    const blank = covered.replace(/[^\r\n]/g, ' ');
    const rest = expected(`<script>${blank}</script><script>«${F}»</script>`);
    const plain = `<script>${covered}</script><script>${F}</script>`;
    const made = `<script>${covered}</script>${rest.made.slice(rest.made.indexOf('</script>') + 9)}`;
    for (const policy of [
      `script-src 'nonce-x' 'sha256-${hash(text)}'`, `default-src 'SHA384-${url(hash(text, 384))}'`,
      `script-src 'self', script-src-elem 'sha512-${hash(text, 512)}' 'sha256-${hash('x')}'`,
    ]) {
      for (const name of ['Content-Security-Policy', 'Content-Security-Policy-Report-Only']) {
        const result = await rewrite(plain, { ...TYPE, [name]: policy });
        expect(result.made.toString()).toBe(made);
      }
      const meta = `<meta http-equiv="Content-Security-policy" content="${policy}">\n`;
      const result = await rewrite(meta + plain);
      expect(result.calls.map(({ code }) => code)).toEqual([F]);
    }
    const policy = `script-src 'sha256-${hash('x')}'`;
    const other = await rewrite(plain, { ...TYPE, 'Content-Security-Policy': policy });
    expect(other.calls).toHaveLength(2);
  });

  test('tell which files must not change', async () => {
    const document = `<script integrity=x src=1.js></script><link rel=modulepreload href=/2.js integrity=x>
      <script type=importmap>{ "integrity": { "./3.js": "x", "https://cdn.example/4.js": "x" } }</script>
      <base href="//other.example/c/"><base href="/d/"><script type=module integrity=x src="5.js"></script>
      <script integrity src=6.js></script><template><script integrity=x src=7.js></script></template>
      <script type=importmap>{</script><script integrity=x src="http://["></script>`;
    const Link = '</8.js>;rel=preload, <9.js>; rel=preload; integrity=x';
    const { made, left } = await rewrite(document, { ...TYPE, Link }, 5);
    expect(made.toString()).toBe(document);
    expect(left.sort()).toEqual(['https://cdn.example/4.js', 'https://other.example/c/5.js',
      'https://site.example/2.js', 'https://site.example/a/1.js', 'https://site.example/a/3.js',
      'https://site.example/a/9.js']);
  });

  test('a fault leaves the rest as it is', async () => {
    const rewriter = new DocumentRewriter('https://site.example/', new Headers(TYPE), {
      instrument() { throw new Error('fault'); }, leave() {}, leaveAll() {},
    });
    const pieces = ['<p><script>1;', 'x</script><p>', '<script>2</script>'].map((text) => Buffer.from(text));
    const sent = [];
    for (const piece of pieces) sent.push(await rewriter.write(piece));
    sent.push(rewriter.end());
    expect(Buffer.concat(sent)).toEqual(Buffer.concat(pieces));
  });
});

test('encodings of scripts', () => {
  expect(detectEncoding(latin1('x'), undefined)).toBe('utf-8');
  expect(detectEncoding(latin1('x'), 'latin1')).toBe('windows-1252');
  expect(detectEncoding(latin1('\xef\xbb\xbfx'), 'latin1')).toBe('utf-8');
  for (const mark of ['\xfe\xff', '\xff\xfe']) {
    expect(detectEncoding(latin1(mark), 'utf-8')).toBe(undefined);
  }
  for (const label of ['utf-16be', 'no such', 'iso-2022-kr']) {
    expect(detectEncoding(latin1('x'), label)).toBe(undefined);
  }
  const text = 'a😀é\u2028b';
  const insertions = Array.from(text, (unit) => ({ offset: text.indexOf(unit), text: '|' }));
  expect(Buffer.from(insert(Buffer.from(text), 'utf-8', insertions)).toString()).toBe('|a|😀|é|\u2028|b');
});

test('options in a query', () => {
  expect(parseQuery('?include=a/**&include=b.js&exclude=c&samplingRate=0.5&isolate=require-corp' +
    '&precision=low&minFunctionSize=9&executing')).toEqual({
    include: ['a/**', 'b.js'], exclude: ['c'], samplingRate: 0.5, isolate: 'require-corp', precision: 'low',
    minFunctionSize: 9, executing: true,
  });
  const cases = [
    '?samplingrate=1', '?samplingRate=', '?samplingRate=2', '?isolate=1', '?precision=x', '?include=',
    '?fetch=x', '?minFunctionSize=-1',
  ];
  for (const query of cases) {
    expect(() => openWorker(() => parseQuery(query))).toThrow(
      expect.objectContaining({ code: 'ERR_PROFILYFILL_OPTION' }));
  }
  expect(makeTest('include', 'https://cdn.example/**')('https://cdn.example/a/b.js')).toBe(true);
});

describe('requests and responses', () => {
  const SCRIPT = { 'content-type': 'text/javascript' };
  const POLLED = instrument(F, { sourceType: 'script' }).code;
  let served;
  const answer = (body = F, headers = SCRIPT) => new Response(body, { headers });
  const serve = (body, headers) => { served = () => answer(body, headers); };
  beforeEach(() => serve());
  afterEach(() => jest.restoreAllMocks());
  const open = (options) => openWorker(() => ({ ...options, fetch: (event) => served(event) }));
  const textOf = async (response) => (await response).text();

  test('a script gets polls, and keeps what else it is', async () => {
    serve(F, { ...SCRIPT, 'Content-Length': '9', 'Content-Encoding': 'gzip', SourceMap: 'x.map', 'X-A': 'b',
      'Content-Security-Policy': "default-src 'self'" });
    const worker = open();
    const response = await worker.request('/a.js');
    expect(await response.text()).toBe(POLLED);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/javascript', sourcemap: 'x.map', 'x-a': 'b',
      'content-security-policy': "default-src 'self'",
    });
    expect(response.status).toBe(200);
    expect(worker.counters()).toMatchObject({ scripts: 1, failed: 0 });
  });

  test('modules, workers and scripts of other origins', async () => {
    const worker = open();
    const module = `export ${F}`;
    serve(module);
    const polled = instrument(module).code;
    expect(await textOf(worker.request('/m.js', { mode: 'cors' }))).toBe(polled);
    expect(await textOf(worker.request('https://cdn.example/m.js', { mode: 'cors' }))).toBe(polled);
    for (const destination of ['worker', 'sharedworker']) {
      expect(await textOf(worker.request('/w.js', { destination, mode: 'same-origin' }))).toBe(polled);
    }
  });

  test('what is none of ours is not even looked at', () => {
    const worker = open({ exclude: ['vendor/**', 'https://cdn.example/**'], include: ['**', '/'] });
    for (const [url, request] of [
      ['/a.js', { integrity: 'sha256-x' }], ['/a.js', { method: 'POST' }],
      ['/a.js', { headers: { Range: 'bytes=0-9' } }], ['/a.css', { destination: 'style' }],
      ['/a.js', { destination: 'serviceworker' }], ['/a.js', { destination: '' }],
      ['/a.json', { destination: 'json' }], ['/a.js', { destination: 'audioworklet' }],
      ['https://other.example/a.js', { mode: 'no-cors' }], ['/vendor/x/a.js', {}],
      ['https://cdn.example/a.js', { mode: 'cors' }], ['/profilyfill.iife.js', {}],
      ['/x/profilyfill-service-worker.js?a', { destination: 'worker' }], ['/', { destination: 'embed' }],
    ]) expect([url, request, worker.request(url, request)]).toEqual([url, request, undefined]);
    expect(worker.request('/a.js')).toBeInstanceOf(Promise);
    expect(worker.request('/', { destination: 'document', mode: 'navigate' })).toBeInstanceOf(Promise);
  });

  test('what a document gives an integrity to is not looked at in this page', async () => {
    const worker = open();
    serve('<script src=a.js integrity=x></script>', TYPE);
    const page = { destination: 'document', mode: 'navigate', resultingClientId: '1' };
    await textOf(worker.request('/', page));
    serve();
    expect(worker.request('/a.js', { clientId: '1' })).toBe(undefined);
    expect(await textOf(worker.request('/a.js', { clientId: '2' }))).toBe(POLLED);
    expect(await textOf(worker.request('/b.js', { clientId: '1' }))).toBe(POLLED);
    const wide = Buffer.from('<script src=a.js integrity=x>', 'utf16le');
    serve(wide, { 'content-type': 'text/html;charset=utf-16' });
    await textOf(worker.request('/', page));
    expect(worker.request('/b.js', { clientId: '1' })).toBe(undefined);
  });

  test('what cannot be dealt with is handed on as it is', async () => {
    const worker = open();
    for (const [body, headers, more] of [
      [F, { 'content-type': 'application/json' }], [F, { 'content-type': 'text/css' }],
      [F, { 'content-type': 'text/html' }], [`${F}(`, SCRIPT], ['{"a": 1}', SCRIPT], [POLLED, SCRIPT],
      [latin1(`"\xe4";${F}`), SCRIPT],
      [Buffer.from(F, 'utf16le'), { 'content-type': 'text/javascript;charset=utf-16' }],
      [F, { ...SCRIPT, 'content-length': '20000000' }], [null, SCRIPT],
      [F, SCRIPT, ['type', 'opaque']], [F, SCRIPT, ['type', 'opaqueredirect']],
      [F, SCRIPT, ['type', 'error']],
      [F, SCRIPT, ['redirected', true]], [F, SCRIPT, ['status', 404]],
    ]) {
      let original;
      served = () => {
        original = answer(body, headers);
        if (more) Object.defineProperty(original, more[0], { value: more[1] });
        return original;
      };
      const response = await worker.request('/a.js');
      expect([headers, more, response === original]).toEqual([headers, more, true]);
      expect(response.bodyUsed).toBe(false);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(body ?? ''));
    }
    expect(worker.counters().failed).toBe(2); // those with an error of syntax
  });

  test('charsets', async () => {
    const worker = open();
    const code = `"ä";${F}`;
    for (const [bytes, type, encoding] of [
      [latin1(code), 'text/javascript; charset=iso-8859-1', 'latin1'],
      [Buffer.from(code), 'text/javascript', 'utf8'],
      [Buffer.from(`\ufeff${code}`), 'text/javascript; charset=iso-8859-1', 'utf8'],
    ]) {
      serve(bytes, { 'content-type': type });
      const made = Buffer.from(await (await worker.request('/c.js')).arrayBuffer());
      const mark = bytes[0] === 0xef ? '\ufeff' : '';
      expect(made.toString(encoding)).toBe(instrument(mark + code, { sourceType: 'script' }).code);
    }
  });

  test('the cache, by ETag or text', async () => {
    const worker = open();
    const load = async (etag, body = F, more = {}) => {
      serve(body, { ...SCRIPT, ...(etag ? { ETag: etag } : {}), ...more });
      const text = await textOf(worker.request('/a.js#x'));
      await worker.idle();
      const { scripts, cached } = worker.counters();
      return [text.includes('profilyfill'), scripts, cached];
    };
    expect(await load('"1"')).toEqual([true, 1, 0]);
    expect(await load('"1"', 'not even looked at')).toEqual([true, 1, 1]);
    expect(await load('"2"')).toEqual([true, 2, 1]);
    expect(await load('W/"2"')).toEqual([true, 3, 1]);
    expect(await load()).toEqual([true, 3, 2]);
    expect(await load(undefined, `${F};`)).toEqual([true, 4, 2]);
    expect(await load(undefined, '(', {})).toEqual([false, 4, 2]);
    const { failed } = worker.counters();
    expect(await load(undefined, '(')).toEqual([false, 4, 2]);
    expect(worker.counters().failed).toBe(failed); // known
    expect(await load('"3"', F, { 'Cache-Control': 'private, no-store' })).toEqual([true, 5, 2]);
    expect(await load('"3"')).toEqual([true, 6, 2]);
    await worker.activate();
    expect(await load('"3"')).toEqual([true, 7, 2]);
    expect(await worker.stored()).toBe(1);
  });

  test('the cache has its bounds', async () => {
    const worker = open();
    const cache = new ScriptCache('profilyfill https://site.example/');
    const large = new Uint8Array(9_000_000);
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((i) => cache.put(`/${i}.js`, 'any', '"1"', large)));
    expect(await worker.stored()).toBe(5);
    expect(await cache.get('/2.js', 'any', '"1"')).toBe(undefined);
    expect(await cache.get('/7.js', 'any', '"1"')).toHaveLength(large.length);
    await Promise.all(Array.from({ length: 510 }, (_, i) => cache.put(`/many/${i}.js`, 'any', '"1"', null)));
    expect(await worker.stored()).toBe(500);
    expect(await cache.get('/many/509.js', 'any', '"1"')).toBe(null);
  });

  test('faults of ours leave the response as it is', async () => {
    const worker = open();
    worker.caches.open = () => { throw new Error('no cache'); };
    expect(await textOf(worker.request('/a.js'))).toBe(F);
    const lastFailure = 'https://site.example/a.js: no cache';
    expect(worker.counters()).toMatchObject({ failed: 1, lastFailure });
    served = () => { throw new TypeError('offline'); };
    await expect(worker.request('/a.js')).rejects.toThrow('offline');
  });

  test('documents stream, and stay what they are', async () => {
    const worker = open();
    const document = { destination: 'document', mode: 'navigate' };
    serve(`<script>${F}</script>`, { ...TYPE, 'Content-Length': '3' });
    const response = await worker.request('/', document);
    const { code } = instrument(F, { sourceType: 'script', column: 9 });
    expect(await response.text()).toBe(`<script>${code}</script>`);
    expect(response.headers.has('content-length')).toBe(false);
    for (const [headers, more] of [
      [{ 'content-type': 'application/xhtml+xml' }],
      [{ ...TYPE, 'Content-Disposition': 'attachment; filename=x' }],
      [TYPE, ['type', 'opaqueredirect']],
    ]) {
      let original;
      served = () => {
        original = answer(`<script>${F}</script>`, headers);
        if (more) Object.defineProperty(original, more[0], { value: more[1] });
        return original;
      };
      expect(await worker.request('/', document) === original).toBe(true);
    }
  });

  test('isolation', async () => {
    const worker = open({ isolate: 'credentialless', exclude: '**' });
    const headersOf = async (url, request, body, type) => {
      serve(body, type);
      const response = await worker.request(url, request);
      expect(await response.text()).toBe(body);
      return ['opener', 'embedder'].map((one) => response.headers.get(`cross-origin-${one}-policy`));
    };
    const document = { destination: 'document', mode: 'navigate' };
    expect(await headersOf('/a', document, `<script>${F}</script>`, TYPE))
      .toEqual(['same-origin', 'credentialless']);
    expect(await headersOf('/w.js', { destination: 'worker', mode: 'same-origin' }, F, SCRIPT))
      .toEqual([null, 'credentialless']);
    expect(worker.request('/a.js')).toBe(undefined);
  });

  test('visits are sampled or not as a whole', async () => {
    const document = { destination: 'document', mode: 'navigate' };
    const worker = open({ samplingRate: 0.5 });
    let draw = 0;
    jest.spyOn(Math, 'random').mockImplementation(() => draw);
    serve();
    const isPolled = async (restarted) => { // by a page that was there before
      const response = await (restarted ?? worker).request('/a.js');
      return response !== undefined && (await response.text()) !== F;
    };
    await worker.request('/', document);
    expect(await isPolled()).toBe(true);
    draw = 0.9;
    expect(await isPolled(worker.restart())).toBe(true);
    worker.clients = [{}];
    await worker.request('/2', document); // of the same visit
    expect(await isPolled()).toBe(true);
    worker.clients = [];
    expect(await worker.request('/3', document)).toBeInstanceOf(Response);
    expect(worker.request('/a.js')).toBe(undefined);
    expect(await isPolled(worker.restart())).toBe(false);
    expect(open({ samplingRate: 0 }).request('/', document)).toBe(undefined);
  });
});
