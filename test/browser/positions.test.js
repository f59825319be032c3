// Where functions are defined whose scripts are not instrumented: their frames lie between
// instrumented ones, and the script is read when the trace is built.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from './support/browsers.js';
import { checkShape, runPage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Instrumented: what calls the other scripts, and what they call. Nothing is in tail position, which
// would cost JavaScriptCore the frame.
const SPIN = `
function spin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}
window.profile = function profile(...calls) {
  const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 10000 });
  // In rounds: on a busy machine a page's thread may be off for as long as one call takes.
  for (let round = 0; round < 3; round++) for (const call of calls) call(spin);
  return profiler;
};
// A machine may be too busy for all of it to be read while stop() waits: what is late is in a later trace.
window.tracePlaced = async function tracePlaced(names, ...calls) {
  for (const end = performance.now() + 15_000;;) {
    const trace = await profile(...calls).stop();
    const placed = trace.frames.filter(({ line }) => line).map(({ name }) => name);
    if (names.every((name) => placed.includes(name)) || performance.now() > end) return trace;
  }
};
window.finish = (promise) => promise.then((value) => { window.done = value; },
  (error) => { window.done = { error: String(error && error.stack || error) }; });`;

// Not instrumented. Characters outside of ASCII, since columns are not bytes.
const KINDS = `(() => { /* ä € 𝒳 */ function declared(work) { return work(50) + 1; }
const arrow = async  (work) => { declared(work); };
const o = {
  method  (work) { arrow(work); return 1; },
  get accessor () { this.method(this.work); return 1; },
  ['comp' + 'uted'](work) { o.work = work; return o.accessor + 1; },
};
class Base { constructor  (work) { this.value = o.computed(work); } }
class Derived extends Base { #hidden(work) { return work(50) + 1; } shown(work) { return this.#hidden(work) + 1; } }
window.NAME = function
  (work) { const it = new Derived(work); return it.shown(work) + 1; };
})();`;

/** Line and column of a text within another. */
function at(code, text, shift = 0) {
  const offset = code.indexOf(text) + shift;
  const before = code.slice(0, offset).split('\n');
  return `${before.length}:${before.at(-1).length + 1}`;
}

const EXPECTED = [
  `Derived ${at(KINDS, 'class Derived')}`, // native has a frame for a default constructor of this kind
  `declared ${at(KINDS, '(work) { return')}`, `arrow ${at(KINDS, 'async')}`,
  `method ${at(KINDS, '(work) { arrow')}`, `get accessor ${at(KINDS, '() {')}`,
  ` ${at(KINDS, '(work) { o.work')}`, `Base ${at(KINDS, '(work) { this')}`,
  `#hidden ${at(KINDS, '(work) { return work(50) + 1; } shown')}`, `shown ${at(KINDS, '(work) { return this')}`,
  ` ${at(KINDS, '(work) { const it')}`,
].sort();

const simple = (name) => `\n  window.${name} = function ${name} (work) { return work(60) + 1; };\n`;
const placeOf = (name) => `${name} ${at(simple(name), '(work)')}`;

// Functions enough to take a parser a while, in so many characters.
function bulk(length) {
  let code = '';
  for (let i = 0; code.length < length; i++) {
    code += `function f${i}(a, b) { for (let k = a * ${i}; k < b; k++) a.push((v) => [v, b, { k, a }]); }\n`;
  }
  return code;
}

const MODES = {
  plain: {},
  native: { 'Document-Policy': 'js-profiling' },
  quiet: { 'Content-Security-Policy': "connect-src 'none'" },
  alone: { 'Content-Security-Policy': "worker-src 'none'" },
};

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(name), startServer({ roots: [`${root}wasm-out`], modes: MODES }),
    ]);
    server.file('/spin.js', instrument(SPIN, { sourceType: 'script' }).code);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const HEAD = (attributes = '') => '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">' +
    `<script src="profilyfill.iife.js" ${attributes}></script><script src="spin.js"></script>`;
  let pages = 0;

  /** Serves a page whose last script is `run`, instrumented; what it finishes with. */
  async function open(body, run, { mode = 'plain', head = HEAD(), query = '', headers = {} } = {}) {
    const id = `positions${pages++}`;
    server.file(`/${id}.js`, instrument(run, { sourceType: 'script' }).code);
    server.file(`/${id}.html`, { body: `${head}${body}\n<script src="${id}.js"></script>`, headers });
    const result = await runPage(browser, server, id, mode, { query });
    if (result?.error) throw new Error(result.error);
    return { id, ...result };
  }

  const framesOf = (trace, url) => trace.frames.filter((f) => trace.resources[f.resourceId] === url)
    .map((f) => `${f.name} ${f.line}:${f.column}`).sort();
  // JavaScriptCore prints URLs without their query.
  const printed = (url) => (name === 'webkit' ? url.replace(/[?#].*/, '') : url);
  const asked = (from) => server.log.slice(from).map(({ url }) => url);

  /** What became of window.NAME() of scripts, each made by simple(NAME) or the like. */
  const callAll = (...names) => `finish((async () => {
    const profiler = profile(${names.map((one) => `(spin) => window.${one}(spin)`).join()});
    return { trace: await profiler.stop(), core: profilyfill.coreKind() };
  })());`;

  test('external scripts, classic and modules, blob: and data:', async () => {
    const code = (one) => KINDS.replace('NAME', one);
    server.file('/classic.js', code('classic'));
    server.file('/module.mjs', `${code('module')} export {};`);
    const { trace, urls } = await open(`
      <script>fetch = () => { throw new Error('the page has its own'); };</script>
      <script src="classic.js?v=1#top"></script><script type="module" src="module.mjs"></script>`, `
      finish((async () => {
        const urls = { classic: new URL('classic.js?v=1', location).href, module: new URL('module.mjs', location).href };
        const load = (src) => new Promise((resolve, reject) => {
          const script = document.createElement('script');
          script.src = src; script.onload = resolve; script.onerror = reject;
          document.head.append(script);
        });
        const code = (one) => ${JSON.stringify(KINDS)}.replace('NAME', one);
        urls.blob = URL.createObjectURL(new Blob([code('blob')], { type: 'text/javascript' }));
        await load(urls.blob);
        urls.data = 'data:text/javascript;charset=utf-8,' + encodeURIComponent(code('data'));
        await load(urls.data);
        while (!window.module) await new Promise((resolve) => setTimeout(resolve, 10));
        const profiler = profile(...Object.keys(urls).map((one) => (spin) => window[one](spin)));
        return { trace: await profiler.stop(), urls };
      })());`);
    checkShape(trace);
    // JavaScriptCore prints no place for it.
    const expected = name !== 'webkit' ? EXPECTED : EXPECTED.filter((place) => !place.startsWith('Derived'));
    for (const url of Object.values(urls)) {
      expect([url, framesOf(trace, printed(url))]).toEqual([url, expected]);
    }
  });

  test('scripts of other origins: with CORS only', async () => {
    const cors = { headers: { 'Access-Control-Allow-Origin': '*' } };
    server.file('/cors.js', { ...cors, body: simple('cors') });
    server.file('/secret.js', simple('secret'));
    const other = (file) => `${server.otherOrigin}/plain/${file}`;
    const { trace } = await open(`
      <script crossorigin src="${other('cors.js')}"></script><script src="${other('secret.js')}"></script>`,
    callAll('cors', 'secret'));
    checkShape(trace);
    expect(framesOf(trace, other('cors.js'))).toEqual([placeOf('cors')]);
    expect(trace.resources.filter((url) => url.includes('secret'))).toEqual([]);
    expect(trace.frames.some((frame) => frame.name === 'secret')).toBe(false);
  });

  test('what cannot be read, or is not what ran, is shown without a position', async () => {
    const second = (one, answer) => {
      let asked = 0;
      server.file(`/${one}.js`, () => (asked++ ? answer : simple(one)));
    };
    second('gone', { status: 404, body: simple('gone') });
    second('changed', `\n\n${simple('changed')}`);
    second('broken', `${simple('broken').slice(0, -2)}(;`); // as long, and not JavaScript
    // Across origins nobody tells how long it was: only the name shows that it is another text.
    const cors = { headers: { 'Access-Control-Allow-Origin': '*' } };
    let others = 0;
    server.file('/other.js', () => ({ ...cors, body: simple(others++ ? 'another' : 'other') }));
    server.file('/huge.js', `${simple('huge')}/*${'x'.repeat(5e6)}*/`);
    server.file('/large.js', `${simple('large')}/*${'x'.repeat(2e6)}*/`);
    const names = ['gone', 'changed', 'broken', 'other', 'huge', 'large'];
    const urls = names.map((one) => (one === 'other'
      ? `${server.otherOrigin}/plain/other.js` : server.url(`${one}.js`)));
    const { trace, again } = await open(
      urls.map((url) => `<script crossorigin src="${url}"></script>`).join('\n'), `finish((async () => {
        const calls = ${JSON.stringify(names)}.map((one) => (spin) => window[one](spin));
        const trace = await tracePlaced(['large'], ...calls);
        return { trace, again: await profile(...calls).stop() };
      })());`);
    checkShape(trace);
    names.forEach((one, i) => {
      const expected = one === 'large' ? placeOf(one) : `${one} undefined:undefined`;
      for (const each of [trace, again]) expect([one, framesOf(each, urls[i])]).toEqual([one, [expected]]);
    });
    // Nothing is asked for a third time, and what has failed does not hide the script.
    for (const one of names) {
      expect(server.log.filter(({ url }) => url.endsWith(`/${one}.js`)).length).toBeLessThanOrEqual(2);
    }
  });

  test('a bundle of 5 MB is read in a worker, and the page goes on meanwhile', async () => {
    server.file('/bundle.js', `${simple('bundle')}/*${'x'.repeat(3_400_000)}*/\n${bulk(1_500_000)}`);
    const from = server.log.length;
    const { trace, later, took, gap } = await open('<script src="bundle.js"></script>', `
      // The longest time between two tasks while something is waited for.
      let gap = 0;
      async function watch(promise) {
        const { port1, port2 } = new MessageChannel();
        let last = performance.now(), isOver = false;
        port1.onmessage = () => {
          const now = performance.now();
          gap = Math.max(gap, now - last);
          last = now;
          if (!isOver) setTimeout(() => port2.postMessage(0));
        };
        port2.postMessage(0);
        const value = await promise;
        isOver = true;
        return value;
      }
      const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const isPlaced = ({ frames }) => frames.some(({ name, line }) => name === 'bundle' && line);
      finish((async () => {
        const start = performance.now();
        const trace = await watch(profile((spin) => bundle(spin)).stop());
        let later = trace;
        while (!isPlaced(later) && performance.now() < start + 25_000) {
          await watch(idle(500));
          later = await profile((spin) => bundle(spin)).stop();
        }
        return { trace, later, took: performance.now() - start, gap };
      })());`);
    for (const each of [trace, later]) checkShape(each);
    expect(framesOf(later, server.url('bundle.js'))).toEqual([placeOf('bundle')]);
    expect(asked(from).filter((url) => url.endsWith('/bundle.js')).length).toBeLessThanOrEqual(2);
    expect(gap).toBeLessThan(took / 3);
  });

  test('large scripts without a worker: up to 1 MB; with one from another origin', async () => {
    server.file('/medium.js', `${simple('medium')}/*${'x'.repeat(900_000)}*/`);
    server.file('/large.js', `${simple('large')}/*${'x'.repeat(1_100_000)}*/`);
    const scripts = `<script>Worker = () => { throw new Error('the page has its own'); };</script>
      <script src="medium.js"></script><script src="large.js"></script>`;
    const file = 'profilyfill-positions.js';
    const cases = [
      ['alone', HEAD(), 1, 'large undefined:undefined'],
      ['plain', HEAD(), 2, placeOf('large')],
      ['plain', HEAD().replace('profilyfill.iife', `${server.otherOrigin}/plain/profilyfill.iife`), 2,
        placeOf('large')],
    ];
    for (const [i, [mode, head, loads, large]] of cases.entries()) {
      const from = server.log.length;
      const wanted = large === placeOf('large') ? ['medium', 'large'] : ['medium'];
      const { trace } = await open(scripts, `finish((async () => ({
        trace: await tracePlaced(${JSON.stringify(wanted)}, (spin) => medium(spin), (spin) => large(spin)),
      }))());`, { mode, head });
      checkShape(trace);
      const found = ['medium.js', 'large.js'].flatMap((one) => framesOf(trace, server.url(one, mode)));
      expect([i, found]).toEqual([i, [placeOf('medium'), large]]);
      expect([i, asked(from).filter((url) => url.endsWith(file)).length]).toEqual([i, loads]);
    }
  });

  test('requests refused, or a file that is not there, cost the positions only', async () => {
    server.file('/plain.js', simple('plain'));
    const script = '<script src="plain.js"></script>';
    const { trace } = await open(script, callAll('plain'), { mode: 'quiet' });
    checkShape(trace);
    expect(framesOf(trace, server.url('plain.js', 'quiet'))).toEqual(['plain undefined:undefined']);

    server.file('/alone/profilyfill.iife.js', readFileSync(`${root}wasm-out/profilyfill.iife.js`));
    const head = HEAD().replace('profilyfill.iife.js', 'alone/profilyfill.iife.js');
    const alone = await open(script, callAll('plain'), { head });
    checkShape(alone.trace);
    expect(framesOf(alone.trace, server.url('plain.js'))).toEqual(['plain undefined:undefined']);
  });

  test('tables in files of their own are read when a trace is built', async () => {
    const instrumented = (one) => instrument(KINDS.replace('NAME', one), { separateTable: true });
    const serve = (one, table) => {
      const { code, table: made } = instrumented(one);
      server.file(`/${one}.js`, code);
      if (table !== null) server.file(`/${one}.js.functions.json`, table ?? made);
    };
    serve('apart');
    serve('missing', null);
    serve('other', instrument('function declared() {}', { separateTable: true }).table);
    serve('spoilt', '{"version":2,');
    // A cache has kept that of an earlier build.
    let lateAsked = 0;
    serve('late', () => ({
      headers: { 'Cache-Control': 'no-cache' },
      body: lateAsked++ ? instrumented('late').table : instrumented('another').table.replace(/"id":"\w+"/, '"id":"1"'),
    }));
    const names = ['apart', 'missing', 'other', 'spoilt', 'late'];
    const scripts = names.map((one) => `<script src="${one}.js?v=1"></script>`).join('\n');
    const from = server.log.length;
    const { trace } = await open(scripts, `finish((async () => ({
      trace: await tracePlaced(['#hidden'], ${names.map((one) => `(spin) => window.${one}(spin)`).join()}),
    }))());`);
    checkShape(trace);
    for (const one of names) {
      const frames = framesOf(trace, printed(server.url(`${one}.js?v=1`)));
      const isThere = one === 'apart' || one === 'late';
      const isRight = (frame) =>
        (isThere ? EXPECTED.includes(frame) || frame.startsWith('Derived') : frame.endsWith(' undefined:undefined'));
      expect([one, frames.filter((frame) => !isRight(frame))]).toEqual([one, []]);
      const place = isThere ? at(KINDS, '(work) { return') : 'undefined:undefined';
      expect([one, frames]).toEqual([one, expect.arrayContaining([`declared ${place}`])]);
    }
    // The scripts themselves are not read again.
    const again = asked(from).filter((url) => /\/apart\.js\?/.test(url));
    expect(again).toHaveLength(1);
    expect(asked(from).filter((url) => url.endsWith('/apart.js.functions.json?v=1'))).toHaveLength(1);
  });

  test('the core may be its twin', async () => {
    server.file('/twin.js', KINDS.replace('NAME', 'twin'));
    const { trace, core } = await open('<script src="twin.js"></script>', callAll('twin'), { mode: 'csp' });
    checkShape(trace);
    expect(core).toBe('twin');
    const isShown = (frame) => name !== 'webkit' || !frame.startsWith('Derived');
    expect(framesOf(trace, server.url('twin.js', 'csp'))).toEqual(EXPECTED.filter(isShown));
  });

  test('nothing is loaded where nothing is missing, where it is switched off, or too late', async () => {
    server.file('/plain.js', simple('plain'));
    const script = '<script src="plain.js"></script>';
    const cases = [
      [HEAD(), '', 'finish((async () => ({ trace: await profile((spin) => { spin(60); }).stop() }))());'],
      [HEAD('data-positions="off"'), script, callAll('plain')],
      [HEAD(), script, `Object.defineProperty(document, 'hidden', { get: () => true });${callAll('plain')}`],
      [HEAD(), script, `finish(new Promise((resolve) => {
        addEventListener('pagehide', () => {
          const profiler = profile((spin) => plain(spin));
          profiler.stop().then((trace) => resolve({ trace }));
        });
        // The core is there by then.
        profile().stop().then(() => dispatchEvent(new Event('pagehide')));
      }));`],
    ];
    for (const [i, [head, body, run]] of cases.entries()) {
      const from = server.log.length;
      const { trace } = await open(body, run, { head });
      checkShape(trace);
      const plain = framesOf(trace, server.url('plain.js'));
      expect([i, plain]).toEqual([i, i === 0 ? [] : ['plain undefined:undefined']]);
      expect(asked(from).filter((url) => url.includes('positions.js'))).toEqual([]);
      expect(asked(from).filter((url) => url.endsWith('/plain.js')).length).toBeLessThanOrEqual(1);
    }
  });

  test('a server that does not answer costs 2 s, and other profilers run on meanwhile', async () => {
    let requests = 0;
    server.file('/slow.js', () => ({ body: simple('slow'), delay: requests++ ? 5_000 : 0 }));
    const { trace, took, other, left } = await open('<script src="slow.js"></script>', `finish((async () => {
      const running = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });
      const first = profile((spin) => slow(spin));
      const start = performance.now();
      const trace = await first.stop();
      const took = performance.now() - start;
      const second = profile((spin) => slow(spin)), from = performance.now();
      // A page that is left while it waits gets its trace at once.
      const promise = second.stop();
      window.dispatchEvent(new Event('pagehide'));
      await promise;
      return { trace, took, left: performance.now() - from, other: await running.stop() };
    })());`);
    checkShape(trace);
    expect(framesOf(trace, server.url('slow.js'))).toEqual(['slow undefined:undefined']);
    expect(took).toBeGreaterThan(1500);
    expect(took).toBeLessThan(4000);
    expect(left).toBeLessThan(1000);
    expect(other.samples.length).toBeGreaterThan(took / 10 * 0.8);
  });

  test('inline scripts that scripts have made', async () => {
    const code = (one) => `function ${one}(work) { return work(60) + 1; }`;
    // On the second line of the document, and of the script that is made: printed as one place by engines
    // that count the lines of the latter from 1.
    const page = (made) => [`<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">`,
      `<script>${code('upper')}</script>`, '<p>', '<p>', `<script>${code('lower')}</script>`,
      made && `<script>{ const made = document.createElement('script');
        made.text = "\\nwindow.made = function (work) { return work(60) + 1; };"; document.head.append(made); }</script>`,
      HEAD().replace('<!doctype html>', '')].join('\n');
    for (const made of [false, true]) {
      const { trace, url } = await open('', `finish((async () => {
        const calls = [(spin) => upper(spin), (spin) => lower(spin)];
        if (window.made) calls.push((spin) => made(spin));
        return { trace: await profile(...calls).stop(), url: location.href };
      })());`, { head: page(made), headers: { 'Cache-Control': 'max-age=600' } });
      checkShape(trace);
      const frames = framesOf(trace, url);
      expect(frames).toContain('lower 5:23');
      expect(frames).toContain(made ? 'upper undefined:undefined' : 'upper 2:23');
      expect(frames.filter((frame) => /^(made)? \d/.test(frame) && !frame.endsWith(' 1:1'))).toEqual([]);
    }
  });

  if (name === 'chromium') {
    test('positions and names are those that native reports', async () => {
      server.file('/plain.js', KINDS.replace('NAME', 'plain').replaceAll('work(50)', 'work(150)'));
      const { polyfill, native, urls } = await open('<script src="plain.js"></script>', `finish((async () => {
        const native = new NativeProfiler({ sampleInterval: 10, maxBufferSize: 10000 });
        const polyfill = profile((spin) => plain(spin), (spin) => plain(spin));
        return { polyfill: await polyfill.stop(), native: await native.stop(),
          urls: { plain: new URL('plain.js', location).href } };
      })());`, {
        mode: 'native',
        head: `<script>window.NativeProfiler = Profiler;</script>${HEAD('data-force')}`,
      });
      checkShape(polyfill);
      expect(framesOf(polyfill, urls.plain)).toEqual(framesOf(native, urls.plain));
      expect(framesOf(polyfill, urls.plain)).toHaveLength(EXPECTED.length);
    });
  }

  test('inline scripts of a document of which some are instrumented, whatever became of its address', async () => {
    const head = `${HEAD()}\n<script>${simple('upper')}</script>`;
    const line = head.split('\n').length;
    const own = instrument('\nfunction own(work) { return work(50) + 1; }', { sourceType: 'script', line, column: 9 });
    const body = `<script>${own.code}</script>\n<script>${simple('lower')}</script>`;
    const text = `${head}${body}`;
    const { trace, first, urls } = await open(body, `finish((async () => {
      const urls = [location.href];
      const first = await profile((spin) => own(spin)).stop();
      history.pushState(null, '', 'elsewhere?q=2#two');
      location.hash = 'three';
      urls.push(location.href);
      const calls = [(spin) => upper(spin), (spin) => own(spin), (spin) => lower(spin)];
      return { first, trace: await profile(...calls).stop(), urls };
    })());`, { head, headers: { 'Cache-Control': 'max-age=600' }, query: '?q=1#one' });
    const url = printed(urls[0].replace(/#.*/, ''));
    expect(urls[1]).toMatch(/elsewhere\?q=2#three$/);
    for (const each of [first, trace]) {
      checkShape(each);
      expect(each.resources.filter((resource) => /html|elsewhere/.test(resource))).toEqual([url]);
    }
    expect(framesOf(first, url).filter((frame) => !/^ /.test(frame))).toEqual([`own ${line + 1}:13`]);
    const place = (one) => at(text.replace(own.code, '\n'), `${one} (work)`, one.length + 1);
    expect(framesOf(trace, url)).toEqual(
      [`lower ${place('lower')}`, `own ${line + 1}:13`, `upper ${place('upper')}`]);
  });

  test('inline scripts of a document', async () => {
    const one = (id) => `function ${id}(work) { return work(50) + 1; }`;
    const body = ['', '<!-- <script>', one('trap'), '</script> -->', '<p title="<script>',
      one('trap'), '</script>">ä€𝒳</p><b>x</b><script>', `  ${one('first')}</script><script>${one('second')}</script>`,
      `<template><script>${one('trap')}</script></template><textarea><script>${one('trap')}</script></textarea>`,
      `<script type="text/plain">${one('trap')}</script><i>`,
      `</i><script type="module">window.third = ${one('third')}; export {};</script>`,
      `<script><!-- "<script>x</script>"`, `${one('fourth')} //--></script>`,
      `<script`, '  type="text/javascript" data-x=">">', `;;${one('fifth')}</script>`].join('\n');
    const text = `${HEAD()}${body}`;
    const { id, trace, url } = await open(body, `finish((async () => {
      while (!window.third) await new Promise((resolve) => setTimeout(resolve, 10));
      const profiler = profile((spin) => first(spin), (spin) => second(spin), (spin) => third(spin),
        (spin) => fourth(spin), (spin) => fifth(spin));
      return { trace: await profiler.stop(), url: location.href };
    })());`, { headers: { 'Cache-Control': 'max-age=600' }, query: '?q=1' });
    checkShape(trace);
    expect(url).toContain(id);
    const names = ['first', 'second', 'third', 'fourth', 'fifth'];
    expect(framesOf(trace, printed(url))).toEqual(
      names.map((n) => `${n} ${at(text, `${n}(work)`, n.length)}`).sort());
  });
});
