// How the measuring of memory is loaded: by script tag, as modules, where wasm is refused, and beside the
// profiler, which wraps Worker as well.

import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { runPage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const WORKER = `
self.kept = new Uint8Array(2e6);
const seen = [];
onmessage = ({ data }) => {
  seen.push(data);
  if (data === 'tell') postMessage({ seen, profiler: typeof Profiler, href: location.href });
};`;

const head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>';

// Makes a worker, lets it be measured, and asks it what it has seen.
const PAGE = `
const ask = (worker) => new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage('tell');
});
async function run(type) {
  const messages = [];
  const worker = new Worker(type + '-worker.js?q', { type });
  worker.addEventListener('message', ({ data }) => { messages.push(data); });
  worker.postMessage('first');
  await ask(worker);
  const before = await performance.measureUserAgentSpecificMemory();
  const told = await ask(worker);
  worker.terminate();
  const after = await performance.measureUserAgentSpecificMemory();
  const find = ({ breakdown }) => breakdown
    .filter(({ attribution: [only] }) => only && only.scope === 'DedicatedWorkerGlobalScope')
    .map(({ bytes, attribution: [{ url }] }) => ({ bytes, url }));
  return { before: find(before), after: find(after), told, messages: messages.length };
}`;

const SCRIPTS = {
  memory: '<script src="measure-memory.iife.js"></script>',
  profiler: '<script src="profilyfill.iife.js" data-workers></script>',
};

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
    server.file('/classic-worker.js', `importScripts('measure-memory.iife.js');${WORKER}`);
    server.file('/module-worker.js', `import './esm/measure-memory-auto.js';${WORKER}`);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const expectMeasured = ({ before, after, told, messages }, type, profiler) => {
    const href = server.url(`${type}-worker.js?q`);
    expect(before).toEqual([{ bytes: expect.any(Number), url: href }]);
    expect(before[0].bytes).toBeGreaterThanOrEqual(2e6);
    expect(after).toEqual([]);
    expect(told).toEqual({ seen: ['first', 'tell', 'tell'], profiler, href });
    expect(messages).toBe(2); // its own answers, and nothing of ours
  };

  test.each([
    ['before', ['memory', 'profiler']], ['after', ['profiler', 'memory']],
  ])('loaded %s the profiler, both work in workers', async (when, order) => {
    server.file(`/${when}.html`, `${head}${order.map((one) => SCRIPTS[one]).join('')}<script>${PAGE}
      run('classic').then(async (first) => { window.done = [first, await run('classic')]; },
        (error) => { window.done = String(error.stack); });
    </script>`);
    const done = await runPage(browser, server, when, 'plain');
    // The profiler's first worker is a try, which is started in another way than those that follow.
    expect(done).toHaveLength(2);
    for (const result of done) expectMeasured(result, 'classic', 'function');
  });

  test('as modules: one instance, in pages and in module workers', async () => {
    server.file('/modules.html', `${head}<script>${PAGE}</script><script type="module">
      import './esm/measure-memory-auto.js';
      import { coreKind, install, registerRoot } from './esm/measure-memory.js';
      const installed = [install(), coreKind()];
      const end = registerRoot('hidden', () => hidden);
      const hidden = Array.from({ length: 1e4 }, (x, i) => ({ i }));
      const sizes = [(await performance.measureUserAgentSpecificMemory()).bytes];
      end();
      sizes.push((await performance.measureUserAgentSpecificMemory()).bytes);
      window.done = { installed, sizes, kind: coreKind(), result: await run('module') };
    </script>`);
    const { installed, sizes, kind, result } = await runPage(browser, server, 'modules', 'plain');
    expect(installed).toEqual(['polyfill', 'none']);
    expect(kind).toBe('wasm');
    expect(sizes[0] - sizes[1]).toBeGreaterThan(100_000);
    expectMeasured(result, 'module', 'undefined');
  });

  test('where a policy refuses wasm the twin takes over', async () => {
    server.file('/twin-page.js', `
      const measure = () => performance.measureUserAgentSpecificMemory();
      Promise.all([measure(), measure()]).then((results) => {
        window.done = { results, kind: profilyfillMemory.coreKind() };
      }, (error) => { window.done = String(error); });`);
    server.file('/twin.html', `${head}<iframe id="é" src="./about:blank"></iframe>
      <script src="measure-memory.iife.js"></script><script src="twin-page.js"></script>`);
    const { results, kind } = await runPage(browser, server, 'twin', 'csp');
    expect(kind).toBe('twin');
    for (const { bytes, breakdown } of results) {
      expect(breakdown.reduce((sum, entry) => sum + entry.bytes, 0)).toBe(bytes);
      expect(bytes).toBeLessThan(60_000); // the twin's own memory is not the page's
      expect(breakdown.find(({ attribution: [only] }) => only?.container).attribution[0].container).toEqual(
        { id: 'é', src: './about:blank' });
    }
  });
});
