// Rows 75 to 84: what may not be seen, and what is not there.

import { createHash } from 'node:crypto';
import { allowsEval, busy, stacksOf } from '../support/conformance.js';

const SLOW = busy(55);

// The ways by which a script comes into a page, and whether its functions may be seen: by the
// specification, and by a polyfill, which cannot tell in what mode a module of another origin's was
// requested that no element names, nor what an element was like that is gone.
const WAYS = {
  dynamic: [true, true],
  integrity: [true, true],
  integrityThere: [true, true],
  credentials: [true, true],
  plainThere: [false, false],
  twiceThere: [false, false], // asked for with CORS, which is refused, and without
  moduleThere: [true, true],
  graph: [true, true],
  graphThere: [true, false],
  imported: [true, true],
  importedThere: [true, false],
  movedHere: [true, true],
  movedThere: [false, false],
  movedBack: [false, false],
  movedOpen: [true, true],
  preloaded: [true, true],
  preloadedThere: [false, false],
  modulePreloaded: [true, true],
  removed: [true, true],
  removedThere: [true, false],
};

// Not instrumented: nothing but the page tells how they came.
const wayCode = (name) =>
  `(globalThis.ways ??= {}).${name} = function ${name}() { spin(40); return 1; };`;
const CORS = { 'Access-Control-Allow-Origin': '*' };
const wayFile = (name) => ({
  body: `${name === 'graph' ? 'import "./graphInner.js"; import "./graphOuter.js";' : ''}${wayCode(name)}`,
  headers: name === 'twiceThere' ? {} : CORS,
});
const moved = (name, origin) => ({ server }) =>
  ({ status: 302, headers: { ...CORS, Location: `${server[origin]}/plain/${name}.js` } });

export default [
  {
    row: 75,
    title: 'functions of another realm are not shown',
    async page(env) {
      const iframe = await addFrame(`${env.base}realm.html`);
      const profiler = new Profiler(OPTIONS);
      (function calls() { iframe.contentWindow.theirs(function back() { spin(50); }); })();
      const trace = await profiler.stop();
      iframe.remove();
      return trace;
    },
    files: {
      'realm.html': ({ polyfill }) => `<!doctype html>${polyfill}<script src="realm.js"></script>`,
      'realm.js': `function theirs(callback) { ${SLOW} callback(); ${SLOW} }`,
    },
    check(seen, { target }) {
      expect(seen.samples.length).toBeGreaterThanOrEqual(5);
      // Native decides by the function that is running, for the whole stack; the specification by frame.
      if (target.isNative) return;
      expect(stacksOf(seen)).toContain('page > calls > back > spin');
      expect(seen.frames.map(({ name }) => name)).not.toContain('theirs');
      expect(seen.resources.some((url) => url.includes('realm'))).toBe(false);
    },
  },
  {
    row: 76,
    title: 'classic scripts from elsewhere, without CORS, are not shown',
    async page(env) {
      await addScript({ src: `${env.otherOrigin}/plain/muted.js` });
      const profiler = new Profiler(OPTIONS);
      await idle(20);
      await new Promise((resolve) => { window.afterMuted = resolve; setTimeout(window.muted, 0); });
      return profiler.stop();
    },
    files: { 'muted.js': `function muted() { ${SLOW} ${SLOW} setTimeout(afterMuted, 0); }` },
    check(seen) {
      expect(seen.samples.length).toBeGreaterThanOrEqual(8);
      expect(seen.frames.map(({ name }) => name)).not.toContain('muted');
      expect(seen.resources.some((url) => url.includes('muted'))).toBe(false);
    },
  },
  {
    row: 77,
    title: 'the same after a redirect from here to elsewhere',
    async page(env) {
      await addScript({ src: `${env.base}redirect.js` });
      const profiler = new Profiler(OPTIONS);
      await idle(20);
      (function calls() { window.redirected(); })();
      return profiler.stop();
    },
    files: {
      'redirect.js': ({ server }) => ({
        status: 302, headers: { Location: `${server.otherOrigin}/plain/redirected.js` },
      }),
      'redirected.js': `function redirected() { ${SLOW} ${SLOW} }`,
    },
    check(seen) {
      expect(seen.samples.length).toBeGreaterThanOrEqual(8);
      expect(seen.frames.map(({ name }) => name)).not.toContain('redirected');
      expect(seen.resources.some((url) => url.includes('redirect'))).toBe(false);
    },
  },
  {
    row: 76,
    title: 'each way to load a script: what came without CORS from elsewhere is not shown',
    async page(env) {
      const here = (name) => `${env.base}${name}.js`;
      const there = (name) => `${env.otherOrigin}/plain/${name}.js`;
      const { integrity, integrityThere } = await (await fetch(`${env.base}integrity.json`)).json();
      const link = (properties) => new Promise((resolve) => {
        document.head.append(Object.assign(document.createElement('link'), properties, {
          onload: resolve, onerror: resolve,
        }));
        setTimeout(resolve, 300); // some engines know no modulepreload
      });
      const remove = () => { document.head.lastElementChild.remove(); };
      await addScript({ src: here('dynamic') });
      await addScript({ src: here('integrity'), integrity });
      await addScript({ src: there('integrityThere'), integrity: integrityThere, crossOrigin: '' });
      await addScript({ src: there('credentials'), crossOrigin: 'use-credentials' });
      await addScript({ src: there('plainThere') });
      await addScript({ src: there('twiceThere'), crossOrigin: '' }).catch(() => {});
      await addScript({ src: there('twiceThere') });
      await addScript({ src: there('moduleThere'), type: 'module' });
      await addScript({ src: here('graph'), type: 'module' });
      await import(here('imported'));
      await import(there('importedThere'));
      await addScript({ src: here('movedHere') });
      await addScript({ src: here('movedThere') });
      await addScript({ src: there('movedBack') });
      await addScript({ src: here('movedOpen'), crossOrigin: '' });
      await link({ rel: 'preload', as: 'script', href: here('preloaded') });
      await addScript({ src: here('preloaded') });
      await link({ rel: 'preload', as: 'script', href: there('preloadedThere'), crossOrigin: '' });
      await addScript({ src: there('preloadedThere') });
      await link({ rel: 'modulepreload', href: here('modulePreloaded') });
      await addScript({ src: here('modulePreloaded'), type: 'module' });
      await addScript({ src: here('removed') });
      remove();
      await addScript({ src: there('removedThere'), crossOrigin: '' });
      remove();
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });
      for (const name in ways) ways[name]();
      const { frames, resources } = await profiler.stop();
      return {
        called: Object.keys(ways),
        shown: frames.filter(({ name }) => name in ways)
          .map(({ name, resourceId }) => [name, resources[resourceId]]),
      };
    },
    files: {
      ...Object.fromEntries(Object.keys(WAYS).map((name) => [`${name}.js`, () => wayFile(name)])),
      'credentials.js': ({ request }) => ({
        body: wayCode('credentials'),
        headers: {
          'Access-Control-Allow-Origin': request.headers.origin, 'Access-Control-Allow-Credentials': 'true',
        },
      }),
      'graphInner.js': () => wayCode('graphInner'),
      'graphOuter.js': ({ server }) => `import "${server.otherOrigin}/plain/graphThere.js";`,
      'movedHere.js': moved('atHome', 'origin'),
      'movedThere.js': moved('away', 'otherOrigin'),
      'movedBack.js': moved('back', 'origin'),
      'movedOpen.js': moved('open', 'otherOrigin'),
      'atHome.js': () => wayFile('movedHere'),
      'away.js': () => wayFile('movedThere'),
      'back.js': () => wayFile('movedBack'),
      'open.js': () => wayFile('movedOpen'),
      'integrity.json': () => {
        const hash = (name) => `sha256-${createHash('sha256').update(wayFile(name).body).digest('base64')}`;
        return JSON.stringify({ integrity: hash('integrity'), integrityThere: hash('integrityThere') });
      },
    },
    check({ called, shown }, { target }) {
      const all = { graphInner: [true, true], ...WAYS };
      expect(called.sort()).toEqual(Object.keys(all).sort());
      // JavaScriptCore prints the address that a redirect has led to, which no element has.
      const isLost = (name) => target.engine === 'webkit' && /^moved/.test(name);
      const expected = Object.keys(all)
        .filter((name) => all[name][target.isNative ? 0 : 1] && !isLost(name));
      const names = [...new Set(shown.map(([name]) => name))].sort();
      expect(names).toEqual(expected.sort());
    },
  },
  {
    row: 76,
    title: 'in workers: what importScripts() and import have brought',
    only: (target) => !target.isNative,
    async page(env) {
      const run = (url, options) => {
        const worker = new Worker(url, options);
        return ask(worker, env).finally(() => worker.terminate());
      };
      return { classic: await run('ways-worker.js'), module: await run('ways-worker.mjs', { type: 'module' }) };
    },
    files: {
      'ways-worker.js': ({ code }) => code(`importScripts('profilyfill.iife.js', 'ways-run.js');
        onmessage = async ({ data: { base, otherOrigin } }) => {
          importScripts(base + 'imported.js', base + 'movedHere.js', otherOrigin + '/plain/plainThere.js',
            base + 'movedThere.js');
          postMessage(await run());
        };`),
      'ways-worker.mjs': ({ code }) => code(`import { install } from './esm/index.js';
        import './graph.js';
        import './ways-run.js';
        install();
        onmessage = async ({ data: { base } }) => { postMessage(await run()); };`, { sourceType: 'module' }),
      'ways-run.js': `globalThis.spin = function spin(ms) { ${busy(40)} };
        globalThis.run = async function run() {
          const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
          for (const name in ways) ways[name]();
          const { frames } = await profiler.stop();
          const shown = frames.map(({ name }) => name).filter((name) => name in ways);
          return { called: Object.keys(ways).sort(), shown: shown.sort() };
        };`,
    },
    check(seen) {
      expect(seen).toEqual({
        classic: {
          called: ['imported', 'movedHere', 'movedThere', 'plainThere'], shown: ['imported', 'movedHere'],
        },
        module: { called: ['graph', 'graphInner', 'graphThere'], shown: ['graph', 'graphInner'] },
      });
    },
  },
  {
    row: 71,
    title: "code that gives itself the URL of another origin's, or of an extension's, is not shown",
    only: (target) => !target.isNative && allowsEval(target),
    async page() {
      const urls = ['https://elsewhere.example/x.js', 'chrome-extension://abcdefghijklmnop/x.js',
        'moz-extension://0b5b6a1c-0000-4000-8000-000000000000/x.js', 'safari-web-extension://ABC/x.js',
        'webkit-masked-url://hidden/', 'resource://gre/x.js', 'x.js', 'about:blank'];
      const profiler = new Profiler(OPTIONS);
      for (const url of urls) {
        (0, eval)(`(function claimed() { spin(20); return 1; })()\n//# sourceURL=${url}`);
      }
      return profiler.stop();
    },
    check(seen) {
      expect(stacksOf(seen)).toContain('page > spin');
      expect(seen.frames.map(({ name }) => name)).not.toContain('claimed');
    },
  },
  {
    row: 78,
    title: 'scripts from elsewhere that came with CORS are shown, alone in their task',
    async page(env) {
      const src = `${env.otherOrigin}/plain/shared.js`;
      await addScript({ src, crossOrigin: 'anonymous' });
      const trace = await new Promise((resolve) => {
        window.haveTrace = resolve;
        setTimeout(window.shared, 0);
      });
      return { src, trace };
    },
    files: {
      'shared.js': ({ code }) => ({
        body: code(`function shared() {
          const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
          ${SLOW}
          haveTrace(profiler.stop());
        }`),
        headers: { 'Access-Control-Allow-Origin': '*' },
      }),
    },
    check({ src, trace }) {
      expect(stacksOf(trace)).toContain('shared');
      expect(trace.resources).toEqual([src]);
    },
  },
  {
    row: 79,
    title: 'what is left out is skipped: its caller is the parent of its callee',
    async page(env) {
      await addScript({ src: `${env.otherOrigin}/plain/between.js` });
      const profiler = new Profiler(OPTIONS);
      (function caller() { between(function callee() { spin(60); }); })();
      return profiler.stop();
    },
    files: { 'between.js': 'function between(callback) { callback(); return 1; }' },
    check(seen) {
      expect(stacksOf(seen)).toContain('page > caller > callee > spin');
      expect(seen.frames.map(({ name }) => name)).not.toContain('between');
    },
  },
  {
    row: 80,
    title: 'samples have no markers',
    async page() {
      const profiler = new Profiler(OPTIONS);
      spin(20);
      for (let i = 0; i < 30; i++) {
        document.body.append(document.createElement('p'));
        void document.body.offsetHeight;
      }
      await idle(30);
      return profiler.stop();
    },
    check(seen) {
      expect(seen.samples.length).toBeGreaterThanOrEqual(3);
      for (const sample of seen.samples) expect(sample).not.toHaveProperty('marker');
    },
  },
  {
    row: 81,
    title: 'a page that is not isolated has no markers',
    async page() {
      const profiler = new Profiler(OPTIONS);
      spin(30);
      const { samples } = await profiler.stop();
      return { isolated: crossOriginIsolated, count: samples.length,
        marked: samples.filter((sample) => 'marker' in sample).length };
    },
    check(seen) {
      expect(seen).toEqual({ isolated: false, count: expect.any(Number), marked: 0 });
      expect(seen.count).toBeGreaterThanOrEqual(1);
    },
  },
  {
    row: 82,
    title: 'a sample has a timestamp, perhaps a stackId, and nothing else',
    uses: 80,
    check(seen) {
      for (const sample of seen.samples) {
        expect(['stackId,timestamp', 'timestamp']).toContain(Object.keys(sample).join());
      }
    },
  },
  {
    row: 83,
    title: 'the sample of the constructor has no marker',
    uses: 80,
    check(seen) {
      expect(Object.keys(seen.samples[0])).toEqual(['stackId', 'timestamp']);
    },
  },
  {
    row: 84,
    title: 'ids of stacks count from 0, whatever the engine numbers',
    uses: 80,
    check(seen) {
      const ids = new Set(seen.samples.map(({ stackId }) => stackId).filter((id) => id !== undefined));
      expect(Math.max(...ids)).toBeLessThan(seen.stacks.length);
      expect(Math.min(...ids)).toBeGreaterThanOrEqual(0);
    },
  },
];
