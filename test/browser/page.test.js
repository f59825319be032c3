// How the polyfill gets along with the page: it changes nothing, breaks nothing, and hides what has
// to be hidden. Rows are those of the conformance table.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from './support/browsers.js';
import { SPIN, checkShape, countSelf, describeStack, runPage, servePage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const OPTIONS = '{ sampleInterval: 5, maxBufferSize: 10000 }';
const finish = (body) => `
(async () => { ${body} })().then(
  (value) => { window.done = value; },
  (error) => { window.done = { error: String(error) + (error && error.stack) }; },
);`;
const IDLE = (ms) => `await new Promise((resolve) => setTimeout(resolve, ${ms}));`;

// Where wasm may run and where it may not, for what depends on the core.
const CORES = ['plain', 'csp'];

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(name, name === 'chromium' ? { extensions: [`${root}test/data/extension`] } : {}),
      startServer({ roots: [`${root}wasm-out`] }),
    ]);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  let pages = 0;
  const run = async (page, mode = 'plain', options = {}) => {
    const id = `page${pages++}`;
    servePage(server, id, page);
    const result = await runPage(browser, server, id, mode, options);
    if (result?.error) throw new Error(result.error);
    return result;
  };
  const busyStacks = (trace) => [...new Set(trace.samples.filter((s) => s.stackId !== undefined)
    .map((s) => describeStack(trace, s.stackId)))];

  test('new right after the script tag and stop() right after new work', async () => {
    const { trace, kind, stopped } = await run({
      classic: { 'a.js': `${SPIN} function first() {
        const profiler = new Profiler({ sampleInterval: 10000, maxBufferSize: 10 });
        const promise = profiler.stop();
        window.kind = profilyfill.coreKind();
        window.stopped = profiler.stopped;
        return promise;
      }
      first().then((trace) => { window.done = { trace, kind, stopped }; });` },
    });
    checkShape(trace);
    expect(kind).toBe('none'); // nothing is compiled before it is needed
    expect(stopped).toBe(true);
    expect(trace.samples).toHaveLength(1); // row 34
    expect(describeStack(trace, trace.samples[0].stackId)).toBe(' > first');
    expect(trace.frames.at(-1)).toMatchObject({ line: 8, column: 16 });
  });

  test('ticks that come due between new and stop() are of the code that ran meanwhile', async () => {
    const { trace } = await run({
      plain: { 'plain.js': SPIN.replace('spin', 'plainSpin') },
      classic: { 'a.js': `function first() {
        const profiler = new Profiler(${OPTIONS});
        window.plainSpin(60); // no poll behind it: only its name is known when it runs
        return profiler.stop();
      }
      first().then((trace) => { window.done = { trace }; });` },
    });
    checkShape(trace);
    expect(trace.samples.length).toBeGreaterThanOrEqual(12);
    expect(busyStacks(trace)).toEqual([' > first']);
    expect(trace.samples.every((sample) => sample.stackId !== undefined)).toBe(true);
  });

  test.each(CORES)('what is captured before the core is there is kept (%s page)', async (mode) => {
    const { trace } = await run({
      classic: { 'a.js': `${SPIN} function early() {
        const profiler = new Profiler(${OPTIONS});
        spin(150);
        return profiler.stop();
      }
      early().then((trace) => { window.done = { trace }; });` },
    }, mode);
    checkShape(trace);
    expect(trace.samples.length).toBeGreaterThanOrEqual(29);
    // When a busy machine stops the process at the end of a loop, that time falls to the caller.
    expect(countSelf(trace)['spin 2:14']).toBeGreaterThanOrEqual(15);
  });

  test('a page without a live profiler keeps its timers to itself, and no worker is left', async () => {
    const { before, during, after, later, workers, ended } = await run({
      first: { 'count.js': `
        window.calls = 0; window.workers = 0; window.ended = 0;
        for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame', 'queueMicrotask']) {
          const native = window[name];
          window[name] = function (...args) {
            if (new Error().stack.includes('profilyfill.iife')) calls++; // not the test's own
            return native.apply(window, args);
          };
        }
        const NativeWorker = Worker;
        window.Worker = class extends NativeWorker {
          constructor(...args) { super(...args); workers++; }
          terminate() { ended++; super.terminate(); }
        };
        window.nativeTimeout = (ms) => new Promise((resolve) => {
          const channel = new MessageChannel(), end = performance.now() + ms;
          channel.port1.onmessage = () => {
            if (performance.now() >= end) resolve(); else channel.port2.postMessage(0);
          };
          channel.port2.postMessage(0);
        });` },
      classic: { 'a.js': `${SPIN} ${finish(`
        spin(30); await nativeTimeout(50);
        const before = calls;
        const profiler = new Profiler(${OPTIONS});
        spin(30); await nativeTimeout(60);
        const during = calls - before;
        await profiler.stop();
        const base = calls;
        spin(30); await nativeTimeout(60);
        const after = calls - base;
        const hub = globalThis[Symbol.for('profilyfill')];
        const start = Array.from(hub.c.slice(0, 4));
        spin(20);
        const later = start.map((count, cell) => count - hub.c[cell]);
        return { before, during, after, later, workers, ended };`)}` },
    }, 'isolated');
    expect(before).toBe(0);
    expect(during).toBeGreaterThan(0);
    expect(after).toBe(0);
    expect([later[0], later[1] > 0]).toEqual([0, true]); // polls only count
    expect(workers).toBe(name === 'webkit' ? 0 : 1);
    expect(ended).toBe(workers);
  });

  test("the page's prepareStackTrace is not called, and its Error is as it was", async () => {
    const result = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        let prepared = 0;
        const own = (error, sites) => { prepared++; return sites; };
        Error.prepareStackTrace = own;
        Error.stackTraceLimit = 3;
        function deep(n) { return n ? deep(n - 1) + 1 : spin(60); }
        const profiler = new Profiler(${OPTIONS});
        deep(50);
        const trace = await profiler.stop();
        const seen = { prepared, limit: Error.stackTraceLimit, same: Error.prepareStackTrace === own,
          keys: Object.keys(Error).sort().join() };
        delete Error.prepareStackTrace;
        delete Error.stackTraceLimit;
        const second = new Profiler(${OPTIONS});
        deep(50);
        const trace2 = await second.stop();
        return { trace, trace2, seen, isLimited: Object.hasOwn(Error, 'stackTraceLimit') };`)}` },
    });
    expect(result.seen).toEqual({
      prepared: 0, limit: 3, same: true, keys: expect.stringMatching(/prepareStackTrace/),
    });
    // Where the page has taken the limit away it stays away.
    expect(result.isLimited).toBe(false);
    for (const trace of [result.trace, result.trace2]) {
      checkShape(trace);
      const deepest = Math.max(...busyStacks(trace).map((stack) => stack.split(' > deep').length - 1));
      // JavaScriptCore takes no stack at all once the page has deleted the limit.
      if (name !== 'webkit' || trace === result.trace) expect(deepest).toBe(51);
    }
  });

  test.each(CORES)('a page that patches what we use is sampled all the same (%s page)', async (mode) => {
    const { trace, refused } = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        const profiler = new Profiler(${OPTIONS});
        ${IDLE(60)}
        const evil = () => { throw new Error('patched'); };
        const saved = [];
        for (const [object, key] of [[Array.prototype, 'push'], [Array.prototype, 'indexOf'],
          [Array.prototype, 'splice'], [Array.prototype, 'map'], [JSON, 'parse'], [Math, 'min'],
          [Math, 'max'], [Math, 'random'], [performance, 'now'], [TextEncoder.prototype, 'encodeInto'],
          [TextDecoder.prototype, 'decode'], [Reflect, 'apply'], [Promise.prototype, 'then'],
          [window, 'setTimeout'], [window, 'Error'], [window, 'WeakRef'], [WeakRef.prototype, 'deref'],
          [window, 'DOMException']]) {
          saved.push([object, key, Object.getOwnPropertyDescriptor(object, key)]);
        }
        const now = performance.now.bind(performance);
        function busy() { const end = now() + 80; let n = 0; while (now() < end) n++; return n; }
        for (let i = 0; i < saved.length; i++) saved[i][0][saved[i][1]] = evil;
        busy();
        const other = new Profiler(${OPTIONS});
        const promise = profiler.stop(), again = profiler.stop();
        for (let i = 0; i < saved.length; i++) {
          const [object, key, descriptor] = saved[i];
          if (descriptor) Object.defineProperty(object, key, descriptor); else delete object[key];
        }
        const trace = await promise;
        await other.stop();
        const refused = await again.catch((error) => error instanceof DOMException && error.name);
        return { trace, refused };`)}` },
    }, mode);
    checkShape(trace);
    expect(refused).toBe('InvalidStateError');
    expect(countSelf(trace)['busy 23:22']).toBeGreaterThanOrEqual(5); // of 16 on a quiet machine
  });

  test('a frozen Error costs stack depth, nothing else', async () => {
    const { trace } = await run({
      first: { 'freeze.js': 'Object.freeze(Error);' },
      classic: { 'a.js': `${SPIN} ${finish(`
        const profiler = new Profiler(${OPTIONS});
        spin(60);
        return { trace: await profiler.stop() };`)}` },
    });
    checkShape(trace);
    expect(countSelf(trace)['spin 2:14']).toBeGreaterThanOrEqual(6);
  });

  if (name === 'chromium') {
    test('scripts of extensions do not show, whichever way they run', async () => {
      servePage(server, 'extended', { classic: { 'a.js': `${SPIN} ${finish(`
        while (!window.viaInjected) ${IDLE(10)}
        const stacks = [];
        const work = () => { stacks.push(new Error().stack); return spin(40); };
        document.addEventListener('work', function handle() { work(); });
        const profiler = new Profiler(${OPTIONS});
        (function calls() {
          viaMain(work);
          viaInjected(work);
          document.dispatchEvent(new Event('ask'));
        })();
        return { trace: await profiler.stop(), stacks };`)}` } });
      const { trace, stacks } = await runPage(browser, server, 'extended', 'plain');
      checkShape(trace);
      const seen = ['viaMain', 'viaInjected'].map((one) => `${one} \\(chrome-extension://`);
      expect(stacks).toEqual([...seen.map((one) => expect.stringMatching(one)), expect.any(String)]);
      expect(trace.resources).toEqual([server.url('extended/a.js')]);
      expect(trace.frames.filter((frame) => frame.name.startsWith('via'))).toEqual([]);
      const found = busyStacks(trace).filter((stack) => stack.endsWith('work > spin'));
      expect(found.sort()).toEqual([' > calls > handle > work > spin', ' > calls > work > spin']);
    });
  }

  test('our own frames never show: constructor, events, timers', async () => {
    const { trace, full, urls, fired } = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        class Mine extends Profiler { constructor(...args) { super(...args); spin(60); } }
        const outer = new Mine(${OPTIONS});
        const small = new Profiler({ sampleInterval: 5, maxBufferSize: 4 });
        let fired = 0;
        const heard = new Promise((resolve) => {
          small.addEventListener('samplebufferfull', function onFull(event) {
            fired++;
            spin(40);
            resolve({ type: event.type, same: event.target === small, stopped: small.stopped });
          });
        });
        spin(60);
        const syncFired = fired;
        const event = await heard;
        ${IDLE(50)}
        const full = { ...event, syncFired, trace: await small.stop() };
        return { trace: await outer.stop(), full, fired,
          urls: [...document.scripts].map((s) => s.src) };`)}` },
    });
    checkShape(trace);
    checkShape(full.trace);
    expect(urls.some((url) => url.endsWith('/profilyfill.iife.js'))).toBe(true);
    expect(trace.resources.filter((url) => url.includes('profilyfill'))).toEqual([]);
    const stacks = busyStacks(trace);
    expect(stacks).toContain('onFull > spin');
    expect(stacks.some((stack) => stack.endsWith('Mine > spin'))).toBe(true);
    expect(trace.frames.filter((frame) => !(frame.line > 0))).toEqual([]); // ours have no table
    // Rows 42 to 49.
    expect(full).toMatchObject({ type: 'samplebufferfull', same: true, stopped: false, syncFired: 0 });
    expect(full.trace.samples).toHaveLength(4);
    expect(fired).toBe(1);
  });

  const CLOCKS = ['plain', 'isolated'];
  test.each(CLOCKS)('profilers of different intervals keep their samples apart (%s page)', async (mode) => {
    const { traces, ends } = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        const live = [], ends = [], traces = [];
        for (const sampleInterval of [1, 5, 10, 16.7, 50]) {
          live.push(new Profiler({ sampleInterval, maxBufferSize: 1000 }));
          spin(20);
        }
        spin(100);
        ${IDLE(100)}
        for (const profiler of live.reverse()) {
          ends.unshift(performance.now());
          traces.unshift(await profiler.stop());
          spin(20);
        }
        return { traces, ends };`)}` },
    }, mode);
    const steps = mode === 'isolated' ? 200 : 10; // a millisecond (row 41)
    [1, 5, 10, 16.7, 50].forEach((interval, i) => {
      const trace = traces[i];
      checkShape(trace);
      const due = (ends[i] - trace.samples[0].timestamp) / interval + 1;
      expect(Math.abs(trace.samples.length - due)).toBeLessThanOrEqual(2);
      trace.samples.forEach(({ timestamp }, k) => {
        expect(Math.abs(timestamp - trace.samples[0].timestamp - k * interval)).toBeLessThan(0.2);
        expect(Math.abs(timestamp * steps - Math.round(timestamp * steps))).toBeLessThan(1e-6);
      });
    });
  });

  test.each([['25', 25], ['0', 1], ['Infinity', 1], ['x', 1]])('data-interval-floor="%s"', async (text, floor) => {
    const attributes = `data-interval-floor="${text}"`;
    const { seen } = await run({ attributes, classic: { 'a.js': `
      const profiler = new Profiler({ sampleInterval: 0, maxBufferSize: 1 });
      profiler.stop();
      window.done = { seen: profiler.sampleInterval };` } });
    expect(seen).toBe(floor);
  });

  test('scripts of every kind are placed in their files', async () => {
    const { trace, urls } = await run({
      classic: { 'a.js': `${SPIN}
        window.spin = spin;
        ${finish(`
        ${IDLE(50)}
        const urls = {};
        const load = (src, type) => new Promise((resolve, reject) => {
          const script = document.createElement('script');
          if (type) script.type = type;
          script.src = src; script.onload = resolve; script.onerror = reject;
          document.head.append(script);
        });
        const profiler = new Profiler(${OPTIONS});
        const code = await (await fetch(location.pathname.replace('.html', '/extra.js'))).text();
        urls.dynamic = new URL(location.pathname.replace('.html', '/extra.js?v=1'), location.href).href;
        await load(urls.dynamic);
        urls.blob = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        await load(urls.blob);
        urls.blobModule = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
        await import(urls.blobModule);
        (0, eval)(code + '\\n//# sourceURL=' + location.origin + '/evaluated.js');
        urls.evaluated = location.origin + '/evaluated.js';
        return { trace: await profiler.stop(), urls };`)}`,
      'extra.js': `
        (function placed() {
          spin(40);
          const end = performance.now() + 40; let n = 0;
          while (performance.now() < end) n++;
        })();`,
      },
    });
    checkShape(trace);
    const found = trace.frames.filter((f) => f.name === 'placed')
      .map((f) => `${f.line}:${f.column} ${trace.resources[f.resourceId]}`);
    // JavaScriptCore prints URLs without their query.
    const printed = (url) => `2:25 ${name === 'webkit' ? url.replace(/\?.*/, '') : url}`;
    // JavaScriptCore prints no place for eval'd code, whatever its sourceURL: such frames stay out.
    if (name === 'webkit') {
      expect(found.filter((place) => place.includes('evaluated.js'))).toEqual([]);
      delete urls.evaluated;
    }
    for (const url of Object.values(urls)) expect(found).toContain(printed(url));
  });

  test('inline scripts are placed in their document', async () => {
    const inline = (code, line, column) => instrument(code, { sourceType: 'script', line, column }).code;
    const own = 'const end = performance.now() + 30; while (performance.now() < end);';
    const first = `\nfunction one() { spin(30); ${own} }\n`;
    const second = `function two() { one(); ${own} }`;
    server.file('/spin.js', instrument(`${SPIN} window.spin = spin;`).code);
    server.file('/inline.html', [
      '<!doctype html><meta charset="utf-8">',
      '<script src="profilyfill.iife.js"></script><script src="spin.js"></script>',
      `<script>${inline(first, 3, 9)}</script>`, // lines 3 to 5
      `<b>x</b><script>${inline(second, 6, 17)}</script>`,
      `<script>const profiler = new Profiler(${OPTIONS}); two();`,
      'profiler.stop().then((trace) => { window.done = { trace, url: location.href }; });</script>',
    ].join('\n'));
    const { trace, url } = await runPage(browser, server, 'inline', 'plain');
    checkShape(trace);
    const places = trace.frames.map(({ name: called, line, column, resourceId }) =>
      `${called} ${line}:${column} ${trace.resources[resourceId]}`);
    expect(places).toContain(`one 4:13 ${url}`);
    expect(places).toContain(`two 6:29 ${url}`);
    expect(busyStacks(trace).some((stack) => stack.endsWith('two > one'))).toBe(true);
  });

  test('scripts of other origins stay out unless they came with CORS', async () => {
    const other = (file) => `${server.otherOrigin}/plain/${file}`;
    const code = (name) => instrument(`function ${name}() { const end = performance.now() + 60;
      while (performance.now() < end) spin(1); }`).code;
    server.file('/secret.js', code('secret'));
    server.file('/open.js', { body: code('open_'), headers: { 'Access-Control-Allow-Origin': '*' } });
    server.file('/origins.html', [
      '<!doctype html><script src="profilyfill.iife.js"></script><script src="spin.js"></script>',
      `<script src="${other('secret.js')}"></script>`,
      `<script crossorigin src="${other('open.js')}"></script>`,
      '<script src="origins.js"></script>',
    ].join('\n'));
    server.file('/origins.js', instrument(`(function main() {
      const profiler = new Profiler(${OPTIONS});
      secret();
      open_();
      profiler.stop().then((trace) => { window.done = { trace }; });
    })();`).code);
    server.file('/spin.js', instrument(`${SPIN} window.spin = spin;`).code);
    const { trace } = await runPage(browser, server, 'origins', 'plain');
    checkShape(trace);
    expect(trace.resources.some((url) => url.includes('secret'))).toBe(false);
    expect(trace.frames.some((frame) => frame.name === 'secret')).toBe(false);
    expect(busyStacks(trace)).toEqual(expect.arrayContaining([' > main > spin', ' > main > open_ > spin']));
  });

  test('scripts that a redirect has taken to another origin stay out (row 77)', async () => {
    const code = (name) => instrument(`function ${name}() { const end = performance.now() + 60;
      while (performance.now() < end) spin(1); }`).code;
    server.file('/spin.js', instrument(`${SPIN} window.spin = spin;`).code);
    server.file('/elsewhere.js', {
      body: code('elsewhere'), headers: { 'Access-Control-Allow-Origin': '*' },
    });
    server.file('/moved.js', {
      status: 302, body: '', headers: { Location: `${server.otherOrigin}/plain/elsewhere.js` },
    });
    server.file('/here.js', code('here'));
    server.file('/moved-here.js', {
      status: 302, body: '', headers: { Location: `${server.origin}/plain/here.js` },
    });
    server.file('/redirects.js', instrument(`(function main() {
      const profiler = new Profiler(${OPTIONS});
      elsewhere();
      here();
      profiler.stop().then((trace) => { window.done = { trace }; });
    })();`).code);
    const scripts = ['profilyfill.iife.js', 'spin.js', 'moved.js', 'moved-here.js', 'redirects.js'];
    server.file('/redirects.html', scripts.map((src) => `<script src="${src}"></script>`).join('\n'));
    const { trace } = await runPage(browser, server, 'redirects', 'plain');
    checkShape(trace);
    expect(trace.frames.some((frame) => frame.name === 'elsewhere')).toBe(false);
    expect(busyStacks(trace)).toEqual(expect.arrayContaining([' > main > spin', ' > main > here > spin']));
  });

  test('functions of an iframe stay out, those that it calls are seen (row 75)', async () => {
    const frame = (name) => `function ${name}(callback) { for (let i = 0; i < 3; i++) callback(); }`;
    server.file('/frame-plain.js', frame('viaPlain'));
    server.file('/frame-polled.js', instrument(frame('viaPolled')).code);
    server.file('/frame.html',
      '<script src="frame-plain.js"></script><script src="frame-polled.js"></script>');
    server.file('/spin.js', instrument(`${SPIN} window.spin = spin;`).code);
    server.file('/realms.js', instrument(`onload = function main() {
      const profiler = new Profiler(${OPTIONS});
      const { viaPlain, viaPolled } = frames[0];
      viaPlain(function called() { spin(20); });
      viaPolled(function called() { spin(20); });
      profiler.stop().then((trace) => { window.done = { trace }; });
    };`).code);
    server.file('/realms.html', '<script src="profilyfill.iife.js"></script><script src="spin.js"></script>' +
      '<script src="realms.js"></script><iframe src="frame.html"></iframe>');
    const { trace } = await runPage(browser, server, 'realms', 'plain');
    checkShape(trace);
    expect(trace.resources.filter((url) => url.includes('frame'))).toEqual([]);
    const stacks = busyStacks(trace);
    // WebKit's strict-mode tail calls aside, callers are linked across the frame that is left out.
    expect(stacks).toContain('main > called > spin');
    expect(stacks.filter((stack) => stack.includes('via'))).toEqual([]);
  });

  test('scripts of one URL and several texts, here and in an iframe, keep their own positions', async () => {
    const work = (one) => `function ${one}(ms) { spin(ms); return 1; }`;
    // Where one has a function, the next has another one, or none.
    const texts = [
      `\n${work('first')} window.calls = [first];`,
      `\n${work('second')} ${work('first')} window.calls.push(second, first);`,
      `\n// in the iframe\n ${work('second')} window.calls = [second];`,
    ];
    const modules = [1, 2].map((version) =>
      `${'\n'.repeat(version)}${' '.repeat(version)}export ${work('renewed')}`);
    const polled = (code, options) => instrument(code, { precision: 'high', ...options }).code;
    let current = 0;
    server.file('/several.js', () => polled(texts[current]));
    server.file('/next', () => texts[++current]);
    server.file('/renewed.js', ({ query }) => polled(modules[query.get('t') - 1], { sourceType: 'module' }));
    server.file('/busy.js', polled(`${SPIN} window.spin = spin;`));
    const load = ['profilyfill.iife.js', 'busy.js', 'several.js']
      .map((file) => `<script src="${file}"></script>`).join('');
    server.file('/inner.html', load);
    server.file('/several.html', `<body>${load}<script>${finish(`
      const load = (name, attributes) => new Promise((resolve, reject) => {
        const element = Object.assign(document.createElement(name), attributes);
        element.onload = resolve;
        element.onerror = reject;
        document.body.append(element);
      });
      await fetch('next');
      await load('script', { src: 'several.js' });
      await fetch('next');
      await load('iframe', { src: 'inner.html' });
      for (const version of [1, 2]) {
        const { renewed } = await import('./renewed.js?t=' + version);
        window.calls.push(renewed);
      }
      const profiled = (window) => {
        const profiler = new window.Profiler(${OPTIONS});
        for (let round = 0; round < 3; round++) for (const call of window.calls) call(30);
        return profiler.stop();
      };
      return [await profiled(window), await profiled(frames[0])];`)}</script>`);
    const traces = await runPage(browser, server, 'several', 'plain');
    if (traces.error) throw new Error(traces.error);
    const placesOf = (trace) => trace.frames.filter((frame) => /^(first|second|renewed)$/.test(frame.name))
      .map((frame) => `${frame.name} ${frame.line}:${frame.column}`).sort();
    const place = (one, text) => {
      const lines = text.slice(0, text.indexOf(`${one}(`)).split('\n');
      return `${one} ${lines.length}:${lines.at(-1).length + one.length + 1}`;
    };
    for (const trace of traces) checkShape(trace);
    expect(placesOf(traces[0])).toEqual([
      place('first', texts[0]), place('first', texts[1]), place('second', texts[1]),
      ...modules.map((text) => place('renewed', text)),
    ].sort());
    expect(placesOf(traces[1])).toEqual([place('second', texts[2])]);
  });

  test.each(CORES)('a hostile name or text changes nothing but a counter (%s page)', async (mode) => {
    const { trace, counters } = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        const evil = {
          ['x\\n    at forged (https://evil.example/a.js:1:1)']() { spin(20); return 1; },
          ['y'.repeat(3e6)]() { spin(20); return 1; },
          ['\\0\\ud800@(']() { spin(20); return 1; },
        };
        const profiler = new Profiler(${OPTIONS});
        for (const key of Object.keys(evil)) evil[key]();
        spin(30);
        const trace = await profiler.stop();
        return { trace, counters: profilyfill.counters() };`)}` },
    }, mode);
    checkShape(trace);
    expect(trace.resources.filter((url) => url.includes('evil'))).toEqual([]);
    expect(countSelf(trace)['spin 2:14']).toBeGreaterThanOrEqual(6);
    expect(counters).toMatchObject({ lostSamples: 0, malformedTables: 0 });
  });

  test.each(CORES)('a stack that is nearly full breaks neither page nor sampler (%s page)', async (mode) => {
    const { trace, message, depth } = await run({
      classic: { 'a.js': `${SPIN} ${finish(`
        let depth = 0;
        function dive() { depth++; dive(); return depth; }
        const profiler = new Profiler({ sampleInterval: 1, maxBufferSize: 100000 });
        let message;
        for (let i = 0; i < 30; i++) {
          try { depth = 0; dive(); } catch (error) { message = error.constructor.name; }
        }
        spin(30);
        return { trace: await profiler.stop(), message, depth };`)}` },
    }, mode);
    checkShape(trace);
    expect(['RangeError', 'InternalError']).toContain(message);
    expect(depth).toBeGreaterThan(1000);
    expect(Math.max(...busyStacks(trace).map((stack) => stack.split(' > ').length))).toBeLessThanOrEqual(255);
    expect(countSelf(trace)['spin 2:14']).toBeGreaterThanOrEqual(15);
  });

  test('an instrumented page without the polyfill computes what it computes', async () => {
    const { value, type } = await run({
      polyfill: '',
      classic: { 'a.js': `${SPIN} ${finish(`
        spin(30);
        let sum = 0;
        for (let i = 0; i < 1e6; i++) sum += i % 7;
        return { value: sum, type: typeof globalThis.profilyfill };`)}` },
    });
    expect(value).toBe(2999997);
    expect(type).toBe('undefined');
  });

  test('a bundle of polyfill and page, instrumented as a whole, does not go round in circles', async () => {
    const { outputFiles: [{ text }] } = await build({
      stdin: {
        contents: `import { Profiler, counters } from './wasm-out/esm/index.js';
          ${SPIN} ${finish(`
          const profiler = new Profiler({ sampleInterval: 1, maxBufferSize: 10000 });
          spin(60);
          ${IDLE(60)}
          spin(60);
          return { trace: await profiler.stop(), counters: counters() };`)}`,
        resolveDir: root,
      },
      bundle: true, minify: true, write: false, format: 'iife', external: ['./profilyfill-*.mjs'],
    });
    const page = { polyfill: '', plain: { 'bundle.js': instrument(text).code } };
    for (const mode of ['plain', 'isolated']) {
      const { trace, counters } = await run(page, mode);
      checkShape(trace);
      expect(counters).toMatchObject({ lostSamples: 0, lostStacks: 0, lostCaptures: 0 });
      expect(trace.samples.filter((s) => s.stackId !== undefined).length).toBeGreaterThan(100);
      expect(trace.samples.filter((s) => s.stackId === undefined).length).toBeGreaterThan(30);
    }
  });

  test('scripts that ran before the polyfill are sampled too', async () => {
    server.file('/spin.js', instrument(`${SPIN} window.spin = spin;`).code);
    server.file('/late.js', `setTimeout(() => {
      const profiler = new Profiler(${OPTIONS}); spin(60);
      profiler.stop().then((trace) => { window.done = { trace }; });
    });`);
    server.file('/late.html', '<!doctype html><script src="spin.js"></script>' +
      '<script src="profilyfill.iife.js"></script><script src="late.js"></script>');
    const { trace } = await runPage(browser, server, 'late', 'isolated');
    checkShape(trace);
    expect(countSelf(trace)['spin 2:14']).toBeGreaterThanOrEqual(6);
  });
});
