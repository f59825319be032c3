// Profiling in workers: the same build, loaded there or by the option `workers`. Each worker has its own
// time origin (row 40).

import { fileURLToPath } from 'node:url';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from './support/browsers.js';
import { checkShape, countSelf, runPage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const WORK = `
function spin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}
async function profile() {
  const before = performance.now();
  const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 1000 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  spin(80);
  const trace = await profiler.stop();
  return { trace, before, after: performance.now(), url: location.href, kind: globalThis.profilyfillKind() };
}
`;
const CLASSIC = `importScripts('/plain/profilyfill.iife.js');
self.profilyfillKind = () => profilyfill.installed + ' ' + profilyfill.coreKind();`;
const MODULE = `import { install, coreKind } from '/plain/esm/index.js';
const installed = install();
self.profilyfillKind = () => installed + ' ' + coreKind();`;
const REPLY = `
const answer = (port) => profile().then(
  (value) => port.postMessage(value), (error) => port.postMessage({ error: String(error.stack) }));
`;
const ON = {
  dedicated: 'onmessage = () => answer(self);',
  shared: 'onconnect = ({ ports: [port] }) => answer(port);',
  service: `onmessage = ({ source }) => answer(source);
    oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim());`,
};
const worker = (kind, head, sourceType) =>
  instrument(`${head}\n${WORK}${REPLY}${ON[kind]}`, { sourceType }).code;

const START = {
  dedicated: `const worker = new Worker(url, { type });
    worker.onerror = (event) => reply({ data: { error: event.message } });
    worker.onmessage = reply; worker.postMessage(0);`,
  shared: `const worker = new SharedWorker(url, { type });
    worker.onerror = (event) => reply({ data: { error: 'the worker has not started' } });
    worker.port.onmessage = reply; worker.port.start();`,
  service: `navigator.serviceWorker.onmessage = reply;
    const scope = url.replace('-worker.js', '.html');
    navigator.serviceWorker.register(url, { type, scope }).then(async () => {
      const { active } = await navigator.serviceWorker.ready; active.postMessage(0);
    }).catch((error) => reply({ data: { error: String(error) } }));`,
};

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const cases = [
    ['dedicated', 'classic'], ['dedicated', 'module'], ['shared', 'classic'], ['shared', 'module'],
    ['service', 'classic'], ['service', 'module'],
  ];
  test.each(cases)('a %s worker (%s script) profiles itself', async (kind, type) => {
    const id = `${kind}-${type}`;
    const isModule = type === 'module';
    server.file(`/${id}-worker.js`, worker(kind, isModule ? MODULE : CLASSIC, isModule ? 'module' : 'script'));
    server.file(`/${id}.js`, `const url = '${id}-worker.js', type = '${type}';
      const reply = ({ data }) => { window.done = data; };
      ${START[kind]}`);
    server.file(`/${id}.html`, `<!doctype html><script src="${id}.js"></script>`);
    const result = await runPage(browser, server, id, 'plain');
    expect(result).not.toHaveProperty('error');
    const { trace, before, after, url, kind: core } = result;
    checkShape(trace);
    expect(core).toBe('polyfill wasm');
    expect(trace.samples[0].timestamp).toBeGreaterThanOrEqual(before);
    expect(trace.samples.at(-1).timestamp).toBeLessThanOrEqual(after);
    expect(after).toBeLessThan(60_000); // since the worker began, not the page or the epoch
    const [spin] = Object.entries(countSelf(trace)).filter(([key]) => key.startsWith('spin '));
    // Of 15: one tick at each end, the coarse clock, and what a busy machine takes.
    expect(spin[1]).toBeGreaterThanOrEqual(10);
    expect(trace.resources).toEqual([url]);
    const idle = trace.samples.filter((sample) => sample.stackId === undefined);
    expect(idle.length).toBeGreaterThanOrEqual(8);
  });
});

// The option `workers` ---------------------------------------------------------------------------------

// Profiles its own top level, when all that started it is still on the stack, and what it does later.
const WRAPPED = `
function spin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}
const OPTIONS = { sampleInterval: 5, maxBufferSize: 1000 };
const before = performance.now();
const first = typeof Profiler === 'function' ? new Profiler(OPTIONS) : null;
spin(30);
const early = [];
onmessage = async ({ data }) => {
  early.push(data.go ? 'go' : data);
  if (!data.go) return;
  const result = { early, before, href: location.href, name: self.name, has: first !== null };
  if (first) {
    const hub = globalThis[Symbol.for('profilyfill')];
    // A worker cannot be started by one that is busy.
    const isTicking = () => crossOriginIsolated && hub.c[17] === 1;
    for (let i = 0; i < 100 && data.ticker && !isTicking(); i++) await new Promise((f) => setTimeout(f, 20));
    const second = new Profiler(OPTIONS);
    spin(60);
    result.traces = [await first.stop(), await second.stop()];
    result.isTicking = isTicking();
  }
  postMessage({ ...result, after: performance.now() });
};
onunhandledrejection = ({ reason }) => postMessage({ error: String(reason && reason.stack || reason) });`;
const WRAPPED_CODE = {
  classic: instrument(WRAPPED, { sourceType: 'script' }).code,
  module: instrument(`${WRAPPED}\nexport {};`, { sourceType: 'module' }).code,
};

// In the page: starts a worker, greets it, and tells what came back.
const GREET = `
const CODE = ${JSON.stringify(WRAPPED_CODE)};
const blobUrl = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
const MAKE = {
  network: (type) => new Worker('deep/' + type + '.js', { type, name: 'mine' }),
  data: (type) => new Worker('data:text/javascript,' + encodeURIComponent(CODE[type]),
    { type, name: 'mine' }),
  blob(type) {
    const url = blobUrl(CODE[type]);
    const worker = new Worker(url, { type, name: 'mine' });
    URL.revokeObjectURL(url); // as nearly everybody does
    return worker;
  },
};
const greet = (worker, ticker) => new Promise((resolve) => {
  worker.onmessage = ({ data, isTrusted, target, currentTarget }) => {
    resolve({ ...data, isTrusted, targets: target === worker && currentTarget === worker,
      own: Object.getOwnPropertyNames(worker) });
    worker.terminate();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    resolve({ error: [event.type, event.constructor.name, event.message, event.lineno].join() });
  };
  worker.postMessage('one');
  worker.postMessage('two');
  worker.postMessage({ go: true, ticker });
});
const violations = [];
addEventListener('securitypolicyviolation', ({ blockedURI }) => violations.push(blockedURI.split(':')[0]));
const finish = (promise) => promise.then((value) => { window.done = value; },
  (error) => { window.done = { error: String(error.stack) }; });
`;

// What a page and its workers can see, of a wrapped Worker and of the browser's own.
const SAME = `
const outcome = {};
const event = (url, options) => new Promise((resolve) => {
  const worker = new Worker(url, options);
  const end = (value) => { worker.terminate(); resolve(value); };
  worker.onmessage = ({ data }) => end(data);
  worker.onerror = (error) => {
    error.preventDefault();
    end([error.type, error.constructor.name, error.message, error.filename, error.lineno].join());
  };
});
const thrown = (f) => { try { f(); return 'nothing'; } catch (error) { return error.name; } };
const kind = (url, options) => event(url, options).then((text) => String(text).slice(0, 5));
class Mine extends Worker {
  hello() { return 'mine'; }
}
async function look() {
  const { value, ...flags } = Object.getOwnPropertyDescriptor(window, 'Worker');
  outcome.shape = [flags, value.name, value.length, String(value).replace(/\s+/g, ' ').slice(0, 9),
    Worker.prototype.constructor === Worker, Object.getPrototypeOf(Worker) === EventTarget,
    Object.prototype.toString.call(new Worker('deep/echo.js'))];
  outcome.throws = [() => Worker('deep/echo.js'), () => new Worker(), () => new Worker(Symbol()),
    () => new Worker('http://['), () => new Worker('deep/echo.js', { type: 'neither' }),
    () => new Worker('deep/echo.js', 'module'), () => new Worker('deep/echo.js', { type: null }),
    () => new Worker('deep/echo.js', { get type() { throw new RangeError(); } }),
  ].map(thrown);
  const mine = new Mine('deep/echo.js');
  const made = Reflect.construct(Worker, ['deep/echo.js'], Mine);
  outcome.subclass = [mine.hello(), made.hello(), mine instanceof Mine, mine instanceof Worker,
    made instanceof EventTarget, new Worker('deep/echo.js') instanceof Mine];
  // Messages as they are when they are posted, with what they transfer.
  outcome.echo = await new Promise((resolve) => {
    const worker = new Worker('deep/echo.js');
    const answers = [];
    worker.onmessage = ({ data }) => { if (answers.push(data) === 4) resolve([answers, bytes.byteLength]); };
    const bytes = new Uint8Array([1, 2, 3]), changing = { a: 1 }, { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => { if (answers.push(data) === 4) resolve([answers, bytes.byteLength]); };
    worker.postMessage(changing);
    changing.a = 2;
    worker.postMessage(bytes, [bytes.buffer]);
    worker.postMessage({ port: port2 }, { transfer: [port2] });
    worker.postMessage('last');
    outcome.clone = thrown(() => worker.postMessage(() => {}));
  });
  outcome.echo[0].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)); // two channels
  outcome.classic = await event('deep/urls.js?x=1#hash');
  outcome.module = await event('deep/urls.mjs?x=1#hash', { type: 'module' });
  outcome.based = await event(new URL('deep/throws.js', location.href));
  outcome.missing = await event('deep/missing.js');
  outcome.moduleThrows = await event('deep/throws.js', { type: 'module' });
  outcome.syntax = await kind('deep/syntax.js');
  // Firefox may tell of no error where one script of a module worker fails and another is still loading.
  if (!navigator.userAgent.includes('Firefox')) {
    outcome.modules = [await event('deep/missing.js', { type: 'module' }),
      await kind('deep/syntax.js', { type: 'module' })];
  }
  const gone = blobUrl('postMessage(1)');
  URL.revokeObjectURL(gone);
  outcome.gone = [await kind(gone), await kind('data:text/plain,%7B')];
  return outcome;
}
finish(look());
`;
const URLS = `
const parts = ({ href, origin, protocol, host, hostname, port, pathname, search, hash }) =>
  [href, origin, protocol, host, hostname, port, pathname, search, hash];
async function look(extra) {
  const request = new XMLHttpRequest();
  request.open('GET', 'text.json', false);
  request.send();
  let receiver;
  try {
    Object.getOwnPropertyDescriptor(WorkerLocation.prototype, 'href').get.call({});
  } catch (error) {
    receiver = error.name;
  }
  return {
    parts: parts(location), text: String(location), origin: self.origin, receiver,
    location: [location instanceof WorkerLocation, Object.prototype.toString.call(location)],
    fetched: await (await fetch('text.json')).json(), xhr: request.responseText, url: request.responseURL,
    request: [new Request('../up').url, new Request('x') instanceof Request, Request.name, fetch.name],
    nested: await new Promise((resolve) => {
      const worker = new Worker('echo.js');
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage('nested');
    }),
    imported: (await import('./value.mjs')).value, ...extra,
  };
}
`;
const SAME_FILES = {
  'echo.js': `onmessage = ({ data }) => {
    if (data?.port) data.port.postMessage('port');
    else postMessage({ got: data });
  };`,
  'lib.js': 'self.lib = location.pathname;',
  'value.mjs': 'export const value = 42;',
  'text.json': '[1]',
  'throws.js': '\n\nthrow new Error("thrown");',
  'syntax.js': '\n\nlet let = 1 +;',
  'urls.js': `importScripts('lib.js', './lib.js');${URLS}
    look({ lib }).then(postMessage, (error) => postMessage(String(error)));`,
  'urls.mjs': `${URLS}
    look({ meta: import.meta.url }).then(postMessage, (error) => postMessage(String(error)));`,
};

// The timers that revoke URLs 10 s late, sooner.
const HASTE = `
const { setTimeout: slow, URL: { createObjectURL: create, revokeObjectURL: revoke } } = window;
window.setTimeout = (f, ms, ...rest) => slow(f, ms === 10_000 ? 300 : ms, ...rest);
window.live = new Set();
URL.createObjectURL = (blob) => { const url = create(blob); live.add(url); return url; };
URL.revokeObjectURL = (url) => { live.delete(url); revoke(url); };
`;

const CSP = {
  // Only scripts of the origin may be workers.
  refusing: { 'Content-Security-Policy': "worker-src 'self'" },
  // Workers may be of blob: URLs, and may load nothing.
  confining: { 'Content-Security-Policy': "worker-src 'self' blob:; script-src 'nonce-n'" },
  // No wasm: the core's twin is loaded, by importScripts or import().
  twin: { 'Content-Security-Policy': "script-src 'nonce-n' 'self' blob:" },
  cors: { 'Access-Control-Allow-Origin': '*' },
};

describe.each(BROWSERS)('%s, option workers', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(name), startServer({ roots: [`${root}wasm-out`], modes: CSP }),
    ]);
    for (const [type, code] of Object.entries(WRAPPED_CODE)) server.file(`/deep/${type}.js`, code);
    for (const [file, code] of Object.entries(SAME_FILES)) server.file(`/deep/${file}`, code);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  /** Runs code of a page that has the polyfill with these attributes. */
  function run(id, attributes, code, { mode = 'plain', before = '' } = {}) {
    server.file(`/${id}.html`, ['<!doctype html><link rel="icon" href="data:,">',
      before && `<script>${before}</script>`,
      `<script nonce="n" src="profilyfill.iife.js" ${attributes}></script>`,
      `<script nonce="n">${GREET}${code}</script>`].join('\n'));
    return runPage(browser, server, id, mode);
  }

  test.each(['plain', 'isolated'])('every kind of worker on %s pages profiles itself', async (mode) => {
    // Memory is shared where the page is isolated, and with workers of its origin. In Firefox a worker had
    // better start none.
    const hasTicker = mode === 'isolated' && name === 'chromium';
    const results = await run('kinds', 'data-workers', `finish((async () => {
      const results = {};
      for (const type of ['classic', 'module']) {
        for (const from of ['network', 'blob', 'data']) {
          results[from + ' ' + type] = await greet(MAKE[from](type), from !== 'data' && ${hasTicker});
        }
      }
      return { results, violations };
    })());`, { mode: `${mode}+cors` });
    expect(results).not.toHaveProperty('error');
    expect(results.violations).toEqual([]);
    for (const [kind, result] of Object.entries(results.results)) {
      const { traces, before, after, href, isTicking, ...rest } = result;
      expect([kind, rest]).toEqual([kind, {
        early: ['one', 'two', 'go'], name: 'mine', has: true, isTrusted: true, targets: true, own: [],
      }]);
      expect(href).toMatch({ n: /\/deep\/(classic|module)\.js$/, b: /^blob:http/, d: /^data:/ }[kind[0]]);
      if (kind[0] !== 'd') expect([kind, isTicking]).toEqual([kind, hasTicker]);
      for (const trace of traces) {
        checkShape(trace);
        expect([kind, trace.resources]).toEqual([kind, [href]]);
        const names = trace.frames.map((frame) => `${frame.name} ${frame.line}:${frame.column}`);
        // The top level, the handler and spin: nothing of what has started the worker.
        expect(names.filter((one) => !/^( 1:1|onmessage 13:13|spin 2:14)$/.test(one))).toEqual([]);
        expect(countSelf(trace)).toHaveProperty(['spin 2:14']);
        // Since the worker began, not the page.
        expect(trace.samples[0].timestamp).toBeGreaterThanOrEqual(before - 0.2);
        expect(trace.samples.at(-1).timestamp).toBeLessThanOrEqual(after);
      }
    }
  });

  test('nobody can tell a wrapped worker from the browser\'s own', async () => {
    const native = await run('same', '', SAME);
    const wrapped = await run('same', 'data-workers', SAME);
    expect(native).not.toHaveProperty('error');
    expect(native.classic).toHaveProperty('nested', { got: 'nested' });
    expect(wrapped).toEqual(native);
  });

  test('methods that pages and subclasses have around a worker\'s own stay', async () => {
    const code = `finish((async () => {
      const url = URL.createObjectURL(
        new Blob(['onmessage = ({ data }) => postMessage(data)'], { type: 'text/javascript' }));
      const echo = (worker) => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); });
      class Calls extends Worker {
        count = 0;
        postMessage(job, note) {
          this.note = note;
          super.postMessage(job.id);
          return ++this.count;
        }
      }
      const calls = new Calls(url);
      const returned = [calls.postMessage({ id: 1, run() {} }, 'a note')];
      const echoed = [await echo(calls)];
      returned.push(calls.postMessage({ id: 2, run() {} }, 'another'), calls.note);
      const worker = new Worker(url, { type: 'module' });
      const own = worker.postMessage.bind(worker);
      const seen = [];
      worker.postMessage = (data) => { seen.push(data); own(data); };
      worker.postMessage('a');
      echoed.push(await echo(worker));
      worker.postMessage('b');
      echoed.push(await echo(worker));
      return { returned, echoed, seen, own: Object.keys(worker) };
    })());`;
    const native = await run('methods', '', code);
    expect(native).toEqual(
      { returned: [1, 2, 'another'], echoed: [1, 'a', 'b'], seen: ['a', 'b'], own: ['postMessage'] });
    expect(await run('methods', 'data-workers', code)).toEqual(native);
  });

  test.each([
    ['refuses blob: workers', 'refusing', ['network', 'network', 'network'], 1],
    ['lets them load nothing', 'confining', ['network', 'network', 'network'], 1],
  ])('where the policy %s they start as the page has asked', async (what, mode, kinds, most) => {
    const { results, violations } = await run(`policy-${mode}`, 'data-workers', `finish((async () => {
      const results = [];
      for (const from of ${JSON.stringify(kinds)}) results.push(await greet(MAKE[from]('classic')));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { results, violations };
    })());`, { mode });
    for (const { early, has, name: own, targets, href } of results) {
      expect({ early, has, own, targets }).toEqual({
        early: ['one', 'two', 'go'], has: false, own: 'mine', targets: true,
      });
      expect(href).toBe(server.url('deep/classic.js', mode));
    }
    // The try with the first one settled it: the others are the browser's own.
    expect(results.slice(1).map(({ isTrusted, own }) => [isTrusted, own])).toEqual([[true, []], [true, []]]);
    expect(violations.length).toBeLessThanOrEqual(most);
  });

  test.each(['classic', 'module'])('in %s workers the twin serves where wasm is refused', async (type) => {
    const from = server.log.length;
    const { traces, href } = await run(`twin-${type}`, 'data-workers',
      `finish(greet(MAKE.network('${type}')));`, { mode: 'twin' });
    for (const trace of traces) {
      expect(trace.resources).toEqual([href]);
      expect(countSelf(trace)).toHaveProperty(['spin 2:14']);
    }
    expect(server.log.slice(from).some(({ url }) => url.endsWith('/profilyfill-twin.js'))).toBe(true);
  });

  test('workers and their workers inherit the options (row 24)', async () => {
    server.file('/deep/ask.js', `onmessage = ({ data: depth }) => {
      let answer;
      try {
        const { sampleInterval } = new Profiler({ sampleInterval: 1, maxBufferSize: 1 });
        answer = [sampleInterval];
      } catch (error) {
        answer = [error.name];
      }
      if (!depth) return postMessage(answer);
      const worker = new Worker('ask.js');
      worker.onmessage = ({ data }) => postMessage([...answer, ...data]);
      worker.postMessage(depth - 1);
    };`);
    const ask = `const ask = () => new Promise((resolve) => {
      const worker = new Worker('deep/ask.js');
      worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
      worker.postMessage(1);
    });`;
    const install = (options) => `profilyfill.install(${JSON.stringify(options)});`;
    const answers = await run('inherit', 'data-force', `${ask}finish((async () => {
      ${install({ force: true, workers: true, intervalFloor: 25 })}
      const answers = [await ask()];
      ${install({ force: true, workers: true, documentPolicy: false })}
      return [...answers, await ask()];
    })());`);
    expect(answers).toEqual([[25, 25], ['NotAllowedError', 'NotAllowedError']]);
  });

  test('workers that have ended leave nothing', async () => {
    const { most, left, answered } = await run('ended', 'data-workers', `finish((async () => {
      let most = 0, answered = 0;
      const echo = blobUrl('onmessage = ({ data }) => postMessage(data);');
      for (let round = 0; round < 10; round++) {
        await Promise.all(Array.from({ length: 4 }, (none, i) => new Promise((resolve) => {
          const worker = new Worker(i % 2 ? echo : 'deep/echo.js');
          worker.onmessage = () => { worker.terminate(); answered++; resolve(); };
          worker.postMessage(i);
          if (i > 1) { worker.terminate(); resolve(); }
        })));
        most = Math.max(most, live.size);
      }
      URL.revokeObjectURL(echo);
      await new Promise((resolve) => slow(resolve, 1500));
      return { most, left: live.size, answered };
    })());`, { before: HASTE });
    expect(answered).toBe(20);
    expect(most).toBeGreaterThan(1);
    expect(left).toBe(0);
  });

  if (name === 'chromium') {
    test('nor does the page\'s memory grow with them', async () => {
      server.file('/deep/brief.js', `const profiler = new Profiler({ sampleInterval: 1, maxBufferSize: 9 });
        profiler.stop().then(({ samples }) => postMessage(samples.length));`);
      server.file('/memory.html', '<!doctype html><script src="profilyfill.iife.js" data-workers></script>');
      const page = await browser.newPage();
      const session = await page.native.createCDPSession();
      /** The bytes in use when so many workers have come and gone. */
      const measure = async (count) => {
        await page.evaluate(async (left) => {
          const start = () => new Promise((resolve, reject) => {
            const worker = new Worker('deep/brief.js');
            worker.onmessage = ({ data: samples }) => {
              worker.terminate();
              if (samples) resolve();
              else reject(new Error('it has not been profiled'));
            };
            worker.onerror = ({ message }) => reject(new Error(message));
          });
          for (; left; left -= 4) await Promise.all([start(), start(), start(), start()]);
        }, count);
        await session.send('HeapProfiler.collectGarbage');
        return (await session.send('Runtime.getHeapUsage')).usedSize;
      };
      try {
        await page.goto(server.url('memory.html', 'isolated'));
        const before = await measure(4);
        // Fewer than the objects of a worker that is still there take.
        expect(await measure(40) - before).toBeLessThan(40 * 400);
      } finally {
        await page.close();
      }
    });
  }
});
