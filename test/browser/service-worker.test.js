// The service worker: pages of a site without a build, as they are at their first visit, with polls from the
// next on, and when it is updated, taken away, offline or at fault.

import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BROWSERS, launch } from './support/browsers.js';
import { checkShape } from './support/pages.js';
import { startServer } from './support/server.js';
import { register } from './support/service-worker.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

// Nothing is called in tail position, which would cost JavaScriptCore the frame.
const busy = (name) => `  function ${name}(ms) { const end = performance.now() + ms; let n = 0;
    while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
    return n; }`;

const CALL = `function profile(...calls) {
  const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 10000 });
  // In rounds: on a busy machine a page's thread may be off for as long as one call takes.
  for (let round = 0; round < 3; round++) for (const call of calls) call(25);
  return profiler.stop();
}`;

const hash = (code) => `sha256-${createHash('sha256').update(code).digest('base64')}`;

const SCRIPTS = {
  '/classic.js': `\n${busy('classic')}`,
  '/module.js': `import { imported } from './imported.js';\n${busy('module')}
    Object.assign(window, { module, imported });`,
  '/imported.js': `export ${busy('imported')}`,
  '/whole.js': busy('whole'),
  '/cors.js': { body: busy('cors'), headers: { 'Access-Control-Allow-Origin': '*' } },
  '/opaque.js': busy('opaque'),
  '/western.js': {
    body: Buffer.from(`window.western = 'é'; /* é */ ${busy('european')}`, 'latin1'),
    type: 'text/javascript; charset=windows-1252',
  },
  '/old/moved.js': { status: 302, headers: { Location: '../new/moved.js' } },
  '/new/moved.js': `import './beside.js'; window.moved = import.meta.url;`,
  '/new/beside.js': 'window.beside = import.meta.url;',
  '/worker.js': `importScripts('profilyfill.iife.js', 'classic.js');\n${CALL}\n${busy('working')}
    onmessage = async () => postMessage(await profile(working, classic));`,
};

const inline = (name) => busy(name).replace(/\n\s*/g, ' ');

/** The page. Two scripts share a line. */
const page = (other, head = '') => `<!doctype html>
<meta charset="utf-8"><link rel="icon" href="data:,">${head}
<script src="profilyfill.iife.js"></script><script>${CALL}</script>
<p>é<script>${inline('first')}</script><script nonce="n">${inline('second')}</script>
<script src="classic.js"></script><script src="western.js"></script>
<script src="whole.js" integrity="${hash(SCRIPTS['/whole.js'])}"></script>
<script crossorigin src="${other}/cors.js"></script><script src="${other}/opaque.js"></script>
<script type="module" src="module.js"></script><script type="module" src="old/moved.js"></script>
<script type="application/json">{ "busy": "function" }</script>`;

/** Line and column of a function within a text. */
function placeOf(name, text) {
  const before = text.slice(0, text.indexOf(`function ${name}(`) + 9 + name.length).split('\n');
  return `${name} ${before.length}:${before.at(-1).length + 1}`;
}

/** The named functions of a trace, by their file. */
function functionsOf(trace, names) {
  checkShape(trace);
  return Object.fromEntries(trace.frames.filter(({ name }) => names.includes(name))
    .map(({ name, line, column, resourceId }) => [`${name} ${line}:${column}`, trace.resources[resourceId]]));
}

describe.each(BROWSERS)('%s', (name) => {
  let browser, server, tab;

  const MODES = Object.fromEntries(['own', 'isolation', 'fault', 'off', 'update'].map((mode) => [mode, {}]));
  MODES.hash = {
    'Content-Security-Policy': `script-src 'self' 'nonce-n' '${hash(inline('first'))}' '${hash(CALL)}' http:`,
  };

  async function openServer() {
    const opened = await startServer({ roots: [`${root}wasm-out`], files: SCRIPTS, modes: MODES });
    opened.file('/page.html', page(`${opened.otherOrigin}/plain`));
    return opened;
  }

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), openServer()]);
    tab = await browser.newPage();
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  /** Names of functions that have polls. */
  const polled = () => tab.evaluate(() => [
    'first', 'second', 'classic', 'module', 'imported', 'european', 'whole', 'cors', 'opaque',
  ].filter((one) => /\$h/.test(window[one])));

  const ALL = ['first', 'second', 'classic', 'module', 'imported', 'european', 'cors'];

  /** Goes there for the first time and registers a worker; then once more, with it. */
  async function visit(mode, worker, home = server) {
    await tab.goto(home.url('page.html', mode));
    await register(tab, home.url(worker, mode));
    await tab.goto(home.url('page.html', mode));
  }

  const counters = () => tab.evaluate(() => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.controller.postMessage('profilyfill-counters', [port2]);
  }));

  test('the first visit is as without; then traces have the functions where they are', async () => {
    await tab.goto(server.url('page.html'));
    await register(tab, server.url('profilyfill-service-worker.js'));
    expect(await tab.evaluate('navigator.serviceWorker.controller')).toBe(null);
    expect(await polled()).toEqual([]);

    await tab.goto(server.url('page.html'));
    expect(await polled()).toEqual(ALL);
    const { trace, working, facts } = await tab.evaluate(async () => {
      const trace = await window.profile((ms) => first(ms), (ms) => second(ms), (ms) => classic(ms),
        (ms) => module(ms), (ms) => imported(ms), (ms) => european(ms));
      const worker = new Worker('worker.js');
      const working = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(0);
      });
      const { western, moved, beside } = window;
      return { trace, working, facts: [western, moved, beside, document.scripts.length] };
    });
    const text = page(`${server.otherOrigin}/plain`);
    const at = (one, file) => [placeOf(one, SCRIPTS[file]), server.url(file)];
    expect(functionsOf(trace, ALL)).toEqual(Object.fromEntries([
      ...['first', 'second'].map((one) => [placeOf(one, text), server.url('page.html')]),
      at('classic', '/classic.js'), at('module', '/module.js'), at('imported', '/imported.js'),
      ['european ' + placeOf('european', SCRIPTS['/western.js'].body.toString('latin1')).split(' ')[1],
        server.url('western.js')],
    ]));
    expect(functionsOf(working, ['working', 'classic'])).toEqual(
      Object.fromEntries([at('working', '/worker.js'), at('classic', '/classic.js')]));
    expect(facts).toEqual(['é', server.url('new/moved.js'), server.url('new/beside.js'), 12]);
    expect(await counters()).toMatchObject({ failed: 0, lastFailure: '' });
  });

  test('back and forward, and an update', async () => {
    await visit('update', 'profilyfill-service-worker.js?precision=high');
    await tab.goto(server.url('classic.js', 'update'));
    await tab.evaluate('void setTimeout(() => history.back())');
    await tab.waitFor('document.readyState === "complete" && !!window.module', { delay: 300 });
    expect(await polled()).toEqual(ALL);
    // Another address, so another worker, which waits until no page of the old one is left.
    await tab.evaluate(async (url) => {
      await navigator.serviceWorker.register(url);
    }, server.url('profilyfill-service-worker.js?exclude=**/classic.js', 'update'));
    await tab.waitFor(async () => !!(await navigator.serviceWorker.getRegistration()).waiting);
    // Not by the driver, which waits for more than Firefox tells of a page that it had kept.
    await tab.evaluate('void (window.stale = true, setTimeout(() => location.reload()))');
    await tab.waitFor('!window.stale && document.readyState === "complete" && !!window.module',
      { delay: 300 });
    expect(await polled()).toEqual(ALL);
    const old = tab;
    tab = await browser.newPage();
    await old.close(); // one that is left may be kept
    await tab.goto(server.url('classic.js', 'csp'));
    await tab.waitFor(async (scope) => {
      const { active } = await navigator.serviceWorker.getRegistration(scope);
      return active.scriptURL.includes('exclude');
    }, { args: [server.url('', 'update')] });
    await tab.goto(server.url('page.html', 'update'));
    expect(await polled()).toEqual(ALL.filter((one) => one !== 'classic'));
    server.file('/classic.js', SCRIPTS['/classic.js'].replace('classic', 'renewed'));
    server.file('/module.js', SCRIPTS['/module.js'].replace('{ module,', '{ changed: true, module,'));
    await tab.goto(server.url('page.html', 'update'));
    expect(await tab.evaluate('[typeof renewed, changed]')).toEqual(['function', true]);
    for (const file of ['/classic.js', '/module.js']) server.file(file, SCRIPTS[file]);

    await tab.evaluate(async () => (await navigator.serviceWorker.getRegistration()).unregister());
    await tab.goto(server.url('page.html', 'update'));
    expect(await polled()).toEqual([]);
    expect(await tab.evaluate('navigator.serviceWorker.controller')).toBe(null);
  });

  test('integrity and hashes of a policy hold', async () => {
    await visit('hash', 'profilyfill-service-worker.js');
    expect(await polled()).toEqual(ALL.filter((one) => one !== 'first'));
    expect(await tab.evaluate('[typeof first, typeof whole, typeof profile].join()'))
      .toBe('function,function,function');
  });

  test('pages become isolated, with their workers', async () => {
    await visit('isolation', 'profilyfill-service-worker.js?isolate=require-corp');
    expect(await tab.evaluate('crossOriginIsolated')).toBe(true);
    expect(await tab.evaluate(() => new Promise((resolve) => {
      const worker = new Worker('worker.js');
      worker.onmessage = ({ data }) => resolve(data.samples.length > 0);
      worker.onerror = () => resolve('refused');
      worker.postMessage(0);
    }))).toBe(true);
  });

  test('visits that are not sampled are as without', async () => {
    await visit('off', 'profilyfill-service-worker.js?samplingRate=0');
    expect(await tab.evaluate('!!navigator.serviceWorker.controller')).toBe(true);
    expect(await polled()).toEqual([]);
  });

  describe('a worker of the site', () => {
    const bundle = async (code) => (await build({
      stdin: { contents: code, resolveDir: root }, bundle: true, write: false, format: 'iife',
    })).outputFiles[0].text;

    test('serves from its own cache, offline too', async () => {
      const home = await openServer();
      try {
        home.file('/own.js', await bundle(`
          import { start } from './js/service-worker.js';
          const look = async ({ request }) => (await caches.match(request)) ?? fetch(request);
          start({ fetch: look });
          addEventListener('fetch', (event) => event.respondWith(look(event)));
          addEventListener('install', (event) => event.waitUntil(caches.open('site').then((cache) =>
            cache.addAll(['page.html', 'profilyfill.iife.js', 'classic.js', 'western.js', 'whole.js',
              'module.js', 'imported.js']))));`));
        await visit('own', 'own.js', home);
        await home.close();
        await tab.goto(home.url('page.html', 'own'));
        expect(await polled()).toEqual(ALL.filter((one) => one !== 'cors'));
        await expect(tab.goto(home.url('other.html', 'own'))).rejects.toThrow();
      } finally {
        await home.close();
      }
    });

    test('with a fault of ours hands on what came', async () => {
      server.file('/fault.js', await bundle(`
        import { start } from './js/service-worker.js';
        // Not of this object itself, which WebKit makes anew when it has been collected.
        CacheStorage.prototype.open = () => { throw new Error('fault'); };
        start();`));
      await visit('fault', 'fault.js');
      expect(await polled()).toEqual(['first', 'second']);
      const { failed, lastFailure } = await counters();
      expect(failed).toBeGreaterThanOrEqual(5);
      expect(lastFailure).toMatch(/: fault$/);
    });
  });
});
