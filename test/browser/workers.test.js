// Profiling in workers: the same build, loaded there. Each worker has its own time origin (row 40).

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
    navigator.serviceWorker.register(url, { type }).then(async () => {
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
    ['service', 'classic'],
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
    // One tick at each end, and the coarse clock.
    expect(spin[1]).toBeGreaterThanOrEqual(13);
    expect(trace.resources).toEqual([url]);
    const idle = trace.samples.filter((sample) => sample.stackId === undefined);
    expect(idle.length).toBeGreaterThanOrEqual(8);
  });
});
