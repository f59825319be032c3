// Rows 75 to 84: what may not be seen, and what is not there.

import { busy, stacksOf } from '../support/conformance.js';

const SLOW = busy(55);

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
    row: 78,
    title: 'scripts from elsewhere that came with CORS are shown, alone in their task',
    async page(env) {
      const src = `${env.otherOrigin}/plain/shared.js`;
      await addScript({ src, crossOrigin: 'anonymous' });
      const profiler = await new Promise((resolve) => {
        window.haveProfiler = resolve;
        setTimeout(window.shared, 0);
      });
      return { src, trace: await profiler.stop() };
    },
    files: {
      'shared.js': ({ code }) => ({
        body: code(`function shared() {
          const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
          ${SLOW}
          haveProfiler(profiler);
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
