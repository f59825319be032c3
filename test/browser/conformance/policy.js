// Rows 7, 20 to 25, 85 and 86: where there is a Profiler that works.

import { busy } from '../support/conformance.js';

// In a worker: profiles itself and tells what came of it.
const WORKER = `
function work() { ${busy(60)} }

async function answer() {
  if (typeof Profiler !== 'function') return { type: typeof Profiler };
  try {
    const before = performance.now();
    const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
    work();
    const trace = await profiler.stop();
    const after = performance.now();
    return {
      type: typeof Profiler, error: null, isInstance: profiler instanceof EventTarget,
      isInTime: trace.samples.every(({ timestamp }) => timestamp >= before - 0.1 && timestamp <= after),
      leaves: trace.samples.map(({ stackId }) =>
        stackId === undefined ? '' : trace.frames[trace.stacks[stackId].frameId].name),
      origin: performance.timeOrigin, before, resources: trace.resources,
    };
  } catch (error) {
    return { type: typeof Profiler, error: String(error) };
  }
}

onmessage = async () => { postMessage(await answer()); };
globalThis.onconnect = ({ ports: [port] }) => {
  port.onmessage = async () => { port.postMessage(await answer()); };
};
`;

const isPolyfill = (target) => !target.isNative;

export default [
  {
    row: 7,
    title: 'exposure in windows and in workers',
    async page(env) {
      const seen = { window: typeof Profiler };
      const url = `${env.base}conformance-worker.js`;
      const dedicated = new Worker(url);
      seen.dedicated = await ask(dedicated, 'run');
      dedicated.terminate();
      const module = new Worker(`${env.base}conformance-worker.mjs`, { type: 'module' });
      seen.module = await ask(module, 'run');
      module.terminate();
      seen.shared = await ask(new SharedWorker(url), 'run');
      return seen;
    },
    files: {
      'conformance-worker.js': ({ code, target }) =>
        code(`${target.isNative ? '' : "importScripts('profilyfill.iife.js');"}${WORKER}`),
      'conformance-worker.mjs': ({ code, target }) =>
        code(`${target.isNative ? '' : "import './esm/auto.js';"}${WORKER}`, { sourceType: 'module' }),
    },
    check(seen, { target }) {
      expect(seen.window).toBe('function');
      for (const kind of ['dedicated', 'module', 'shared']) {
        // Chromium's own is for windows only; ours is wherever it was loaded.
        expect([kind, seen[kind]]).toEqual([kind, target.isNative ? { type: 'undefined' }
          : expect.objectContaining({ type: 'function', error: null, isInstance: true })]);
      }
    },
  },
  {
    row: 40,
    title: "a worker's samples count from the worker's own time origin",
    uses: 7,
    only: isPolyfill,
    check(seen) {
      for (const { before, isInTime, leaves, resources } of [seen.dedicated, seen.module, seen.shared]) {
        expect(isInTime).toBe(true);
        expect(leaves).toContain('work');
        expect(before).toBeLessThan(60_000);
        expect(resources).toEqual([expect.stringMatching(/\/conformance-worker\.m?js$/)]);
      }
    },
  },
  {
    row: 24,
    title: 'blob: workers have what their code loads, and a policy of their own',
    async page(env) {
      const code = await (await fetch(`${env.base}policy-worker.js`)).text();
      const start = (text) => {
        const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        return ask(new Worker(url), 'run');
      };
      const load = env.isNative ? '' : `importScripts('${env.base}profilyfill.iife.js');`;
      return {
        allowed: await start(`${load}${code}`),
        refused: env.isNative ? null
          : await start(`${load}profilyfill.install({ documentPolicy: false });${code}`),
      };
    },
    files: {
      'policy-worker.js': ({ code }) => code(`
        function answer() {
          if (typeof Profiler !== 'function') return typeof Profiler;
          try {
            new Profiler({ sampleInterval: 10, maxBufferSize: 1 }).stop();
            return 'constructed';
          } catch (error) {
            return error.name;
          }
        }
        onmessage = () => { postMessage(answer()); };`),
    },
    check(seen, { target }) {
      expect(seen).toEqual(target.isNative ? { allowed: 'undefined', refused: null }
        : { allowed: 'constructed', refused: 'NotAllowedError' });
    },
  },
  {
    row: 20,
    title: 'js-profiling-mode: eager, lazy, and tokens that are unknown',
    async page() {
      const seen = {};
      for (const mode of ['eager', 'lazy', 'bogus', 'both', 'plain', 'native']) {
        const iframe = await addFrame(`/${mode}/frame.html`);
        const { Profiler: P, profilyfill: api } = iframe.contentWindow;
        seen[mode] = { thrown: constructing(OPTIONS, P), installed: api && api.installed };
        iframe.remove();
      }
      return seen;
    },
    check(seen, { target }) {
      for (const mode of ['eager', 'lazy', 'bogus']) {
        // No script can read the header, so ours works with any, and with none.
        expect([mode, seen[mode].thrown])
          .toEqual([mode, target.isNative ? 'DOMException NotAllowedError' : 'nothing']);
      }
    },
  },
  {
    row: 21,
    title: 'the boolean js-profiling',
    uses: 20,
    check(seen, { target }) {
      expect([seen.both.thrown, seen.native.thrown]).toEqual(['nothing', 'nothing']);
      expect(seen.plain.thrown).toBe(target.isNative ? 'DOMException NotAllowedError' : 'nothing');
      if (target.isNative) return;
      // With the header Chromium's own works, and is left alone.
      const kind = target.engine === 'chromium' ? 'native' : 'polyfill';
      expect([seen.both.installed, seen.native.installed]).toEqual([kind, kind]);
    },
  },
  {
    row: 22,
    title: 'eager and lazy look the same',
    uses: 20,
    check(seen) {
      expect(seen.eager).toEqual(seen.lazy);
    },
  },
  {
    row: 23,
    title: 'with js-profiling-mode alone, what ships refuses, and the polyfill takes over',
    uses: 20,
    check(seen, { target }) {
      const expected = target.isNative ? { thrown: 'DOMException NotAllowedError' }
        : { thrown: 'nothing', installed: 'polyfill' };
      expect([seen.eager, seen.lazy]).toEqual([expected, expected]);
    },
  },
  {
    row: 25,
    title: 'the page can switch profiling off by an option or an attribute',
    only: isPolyfill,
    async page(env) {
      const iframe = await addFrame(`${env.base}off.html`);
      const attribute = constructing(OPTIONS, iframe.contentWindow.Profiler);
      iframe.remove();
      return { attribute, option: await withoutPolicy(env, (P) => constructing(OPTIONS, P)),
        again: constructing(OPTIONS) };
    },
    files: {
      'off.html': '<!doctype html><script src="profilyfill.iife.js" data-document-policy="off"></script>',
    },
    check(seen) {
      const refused = 'DOMException NotAllowedError';
      expect(seen).toEqual({ attribute: refused, option: refused, again: 'nothing' });
    },
  },
  {
    row: 85,
    title: 'pages cannot force a sample',
    page() {
      const profiler = new Profiler(OPTIONS);
      profiler.stop();
      const names = [];
      for (let object = profiler; object; object = Object.getPrototypeOf(object)) {
        names.push(...Object.getOwnPropertyNames(object));
      }
      return names.filter((name) => /force|sample(?!Interval)/i.test(name));
    },
    check(seen) {
      expect(seen).toEqual([]);
    },
  },
  {
    row: 86,
    title: 'there is no permission to ask for, and http will do',
    async page() {
      let query = 'no permissions';
      if (navigator.permissions) {
        query = await navigator.permissions.query({ name: 'js-profiling' }).then(() => 'known', nameOf);
      }
      const { featurePolicy } = document;
      const features = featurePolicy ? featurePolicy.features() : [];
      return { query, features: features.filter((name) => name.includes('profil')),
        protocol: location.protocol, works: constructing(OPTIONS) };
    },
    check(seen) {
      expect(['no permissions', 'TypeError']).toContain(seen.query);
      expect(seen).toMatchObject({ features: [], protocol: 'http:', works: 'nothing' });
    },
  },
];
