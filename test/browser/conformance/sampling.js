// Rows 26 to 41: the interval, states, and when samples are taken.
//
// Machines that run tests are busy: what is compared are clocks, never how long something took.

import { stacksOf } from '../support/conformance.js';

const isPolyfill = (target) => !target.isNative;
const SLACK = 0.2; // ms: what the coarsest rounding of two timestamps can come to

export default [
  {
    row: 26,
    title: 'sampleInterval tells the interval in effect',
    page() {
      const live = [10, 20, 1000].map((sampleInterval) => new Profiler({ sampleInterval, maxBufferSize: 1 }));
      const seen = live.map((profiler) => profiler.sampleInterval);
      for (const profiler of live) profiler.stop();
      return seen;
    },
    check(seen) {
      expect(seen).toEqual([10, 20, 1000]);
    },
  },
  {
    row: 27,
    title: 'intervals between the ticks of the browser',
    page(env) {
      const wanted = [0, 0.5, 1, -0, 10.5, 11, 19.9, 25, 1000, 2147483.647];
      const read = () => wanted.map((sampleInterval) => {
        const profiler = new Profiler({ sampleInterval, maxBufferSize: 1 });
        profiler.stop();
        return profiler.sampleInterval;
      });
      const seen = { plain: read() };
      if (!env.isNative) {
        profilyfill.install({ force: true, intervalFloor: 10 });
        seen.floor = read();
        profilyfill.install({ force: true, intervalFloor: 1 });
      }
      return seen;
    },
    check(seen, { target }) {
      expect(seen).toEqual(target.isNative
        ? { plain: [10, 10, 10, 10, 10, 20, 20, 30, 1000, 2147490] }
        : { plain: [1, 1, 1, 1, 10.5, 11, 19.9, 25, 1000, 2147483.647],
          floor: [10, 10, 10, 10, 10.5, 11, 19.9, 25, 1000, 2147483.647] });
    },
  },
  {
    row: 28,
    title: 'samples are as far apart as sampleInterval says',
    async page() {
      const live = [2.5, 10.5, 25].map((sampleInterval) =>
        new Profiler({ sampleInterval, maxBufferSize: 1000 }));
      spin(110);
      const intervals = live.map((profiler) => profiler.sampleInterval);
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      return traces.map(({ samples }, i) =>
        ({ interval: intervals[i], times: samples.map(({ timestamp }) => timestamp) }));
    },
    check(seen, { target }) {
      for (const { interval, times } of seen) {
        expect(times.length).toBeGreaterThanOrEqual(target.isNative ? 1 : 3);
        // Native's true rate is another than it says: 10.5 ms are reported as 10 and served as 20.
        if (target.isNative) continue;
        times.forEach((time, i) => {
          expect(Math.abs(time - times[0] - i * interval)).toBeLessThan(SLACK);
        });
      }
    },
  },
  {
    row: 29,
    title: 'the interval is fixed, and readable when stopped',
    async page() {
      const profiler = new Profiler({ sampleInterval: 20, maxBufferSize: 10 });
      const before = profiler.sampleInterval;
      Reflect.set(profiler, 'sampleInterval', 50);
      const during = profiler.sampleInterval;
      await profiler.stop();
      return [before, during, profiler.sampleInterval];
    },
    check(seen) {
      expect(seen).toEqual([20, 20, 20]);
    },
  },
  {
    row: 30,
    title: 'a profiler has started when it is made',
    page() {
      const profiler = new Profiler(OPTIONS);
      const seen = [profiler.stopped, 'start' in profiler];
      profiler.stop();
      return seen;
    },
    check(seen) {
      expect(seen).toEqual([false, false]);
    },
  },
  {
    row: 31,
    title: 'stopped is true from stop() on, for good',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 2 });
      const seen = [profiler.stopped];
      spin(40);
      await idle(20); // the buffer is full
      seen.push(profiler.stopped);
      const promise = profiler.stop();
      seen.push(profiler.stopped);
      await promise;
      profiler.stop().catch(() => {});
      profiler.dispatchEvent(new Event('samplebufferfull'));
      seen.push(profiler.stopped);
      return seen;
    },
    check(seen) {
      expect(seen).toEqual([false, false, true, true]);
    },
  },
  {
    row: 32,
    title: 'nothing pauses a profiler: idle and hidden times have samples without stacks',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const start = performance.now();
      await idle(60);
      document.dispatchEvent(new Event('visibilitychange'));
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
      document.dispatchEvent(new Event('freeze'));
      const middle = performance.now();
      await idle(60);
      const end = performance.now();
      const stopped = profiler.stopped;
      const { samples } = await profiler.stop();
      return {
        stopped,
        before: samples.filter((s) => s.timestamp > start && s.timestamp < middle).length,
        after: samples.filter((s) => s.timestamp > middle && s.timestamp < end).length,
      };
    },
    check(seen) {
      expect(seen.stopped).toBe(false);
      expect(seen.before).toBeGreaterThanOrEqual(1);
      expect(seen.after).toBeGreaterThanOrEqual(1);
    },
  },
  {
    row: 33,
    title: 'a synchronous loop is sampled while it runs, with its callers',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const start = performance.now();
      let end;
      (function outer() {
        (function inner() {
          while (performance.now() < start + 120);
          end = performance.now();
        })();
      })();
      return { start, end, trace: await profiler.stop() };
    },
    check({ start, end, trace }, { target }) {
      const during = trace.samples.filter((s) => s.timestamp >= start && s.timestamp <= end);
      expect(during.length).toBeGreaterThanOrEqual(target.isNative ? 2 : 5);
      expect(stacksOf(trace, during)).toContain('page > outer > inner');
    },
  },
  {
    row: 34,
    title: 'the first sample is taken in the constructor, of the function that calls it',
    async page() {
      function makes() {
        const before = performance.now();
        const profiler = new Profiler(OPTIONS);
        return { profiler, before, after: performance.now() };
      }
      const { profiler, before, after } = makes();
      return { before, after, trace: await profiler.stop() };
    },
    check({ before, after, trace }) {
      const [first] = trace.samples;
      expect(first.timestamp).toBeGreaterThanOrEqual(before - SLACK);
      expect(first.timestamp).toBeLessThanOrEqual(after + SLACK);
      expect(stacksOf(trace, [first])).toEqual(['page > makes']);
    },
  },
  {
    row: 35,
    title: 'samples of idle times have a timestamp and nothing else',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const start = performance.now();
      await idle(120);
      const end = performance.now();
      const { samples } = await profiler.stop();
      return { samples: samples.filter((s) => s.timestamp > start + 1 && s.timestamp < end - 1), start, end };
    },
    check({ samples, start, end }, { target }) {
      const without = samples.filter((sample) => !('stackId' in sample));
      expect(new Set(without.map((sample) => Object.keys(sample).join()))).toEqual(new Set(['timestamp']));
      expect(without.length).toBeGreaterThanOrEqual(target.isNative ? 1 : 5);
      if (target.isNative) return;
      expect(without).toHaveLength(samples.length);
      expect(Math.abs(samples.length - (end - start) / 10)).toBeLessThanOrEqual(2);
    },
  },
  {
    row: 36,
    title: 'several profilers run at a time and stop in any order',
    async page() {
      const a = new Profiler(OPTIONS);
      spin(30);
      const b = new Profiler({ sampleInterval: 20, maxBufferSize: 100 });
      spin(30);
      const c = new Profiler(OPTIONS);
      spin(30);
      const order = { b: await b.stop(), stopped: [a.stopped, b.stopped, c.stopped].join() };
      spin(30);
      return { ...order, a: await a.stop(), c: await c.stop() };
    },
    check({ a, b, c, stopped }) {
      expect(stopped).toBe('false,true,false');
      for (const trace of [a, b, c]) expect(stacksOf(trace)).toContain('page > spin');
      const span = ({ samples }) => samples.at(-1).timestamp - samples[0].timestamp;
      expect(span(a)).toBeGreaterThan(100);
      expect(b.samples[0].timestamp).toBeGreaterThanOrEqual(a.samples[0].timestamp + 30);
      expect(c.samples[0].timestamp).toBeGreaterThanOrEqual(b.samples[0].timestamp + 30);
      expect(a.samples.at(-1).timestamp).toBeGreaterThan(b.samples.at(-1).timestamp);
    },
  },
  {
    row: 37,
    title: 'starting a profiler leaves the samples of others in order',
    only: isPolyfill,
    async page() {
      const a = new Profiler(OPTIONS);
      const traces = [];
      for (let i = 0; i < 8; i++) {
        const b = new Profiler({ sampleInterval: 7, maxBufferSize: 100 });
        spin(12);
        traces.push(await b.stop());
      }
      traces.push(await a.stop());
      return traces.map(({ samples }) => samples.map(({ timestamp }) => timestamp));
    },
    check(seen) {
      expect(seen.at(-1).length).toBeGreaterThanOrEqual(9);
      for (const times of seen) {
        times.forEach((time, i) => {
          // Neither an extra sample nor one out of order.
          if (i) expect(time - times[i - 1]).toBeGreaterThan(6.5);
        });
      }
    },
  },
  {
    row: 38,
    title: 'nothing after stop() is in the trace',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const other = new Profiler(OPTIONS);
      spin(30);
      const promise = profiler.stop();
      const end = performance.now();
      (function later() { spin(40); })();
      const trace = await promise;
      await other.stop();
      return { end, trace };
    },
    check({ end, trace }) {
      expect(trace.samples.length).toBeGreaterThanOrEqual(2);
      expect(trace.samples.filter(({ timestamp }) => timestamp > end + SLACK)).toEqual([]);
      expect(trace.frames.filter(({ name }) => name === 'later')).toEqual([]);
    },
  },
  {
    row: 39,
    title: 'one sample an interval',
    async page() {
      const live = [10, 20, 30].map((sampleInterval) =>
        new Profiler({ sampleInterval, maxBufferSize: 1000 }));
      const start = performance.now();
      spin(130);
      await idle(50);
      const end = performance.now();
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      return { elapsed: end - start, counts: traces.map((trace) => trace.samples.length) };
    },
    check({ elapsed, counts }, { target }) {
      [10, 20, 30].forEach((interval, i) => {
        const due = elapsed / interval + 1;
        // Native adds samples when others start, and misses some on a busy machine.
        expect(counts[i]).toBeLessThanOrEqual(due + (target.isNative ? 5 : 1.1));
        expect(counts[i]).toBeGreaterThanOrEqual(target.isNative ? 1 : due - 1.1);
      });
    },
  },
  {
    row: 40,
    title: 'timestamps are on the clock of performance.now()',
    async page(env) {
      const before = performance.now();
      const profiler = new Profiler(OPTIONS);
      spin(30);
      const { samples } = await profiler.stop();
      const after = performance.now();
      // An iframe has an origin of its own, long after ours.
      const iframe = await addFrame(`${env.base}frame.html`);
      const their = iframe.contentWindow;
      const start = their.performance.now();
      const theirs = new their.Profiler(OPTIONS);
      their.spin(30);
      const trace = await theirs.stop();
      const end = their.performance.now();
      iframe.remove();
      return {
        ours: { before, after, samples },
        theirs: { before: start, after: end, samples: trace.samples },
      };
    },
    check(seen) {
      for (const { before, after, samples } of [seen.ours, seen.theirs]) {
        expect(samples.length).toBeGreaterThanOrEqual(2);
        for (const { timestamp } of samples) {
          expect(timestamp).toBeGreaterThanOrEqual(before - SLACK);
          expect(timestamp).toBeLessThanOrEqual(after + SLACK);
        }
      }
    },
  },
  {
    row: 41,
    title: 'timestamps are as coarse as performance.now()',
    async page() {
      const live = [10, 7, 3.3333].map((sampleInterval) =>
        new Profiler({ sampleInterval, maxBufferSize: 1000 }));
      spin(60);
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      return traces.map(({ samples }) => samples.map(({ timestamp }) => timestamp));
    },
    check(seen) {
      for (const times of seen) {
        expect(times.length).toBeGreaterThanOrEqual(3);
        for (const time of times) expect(Math.abs(time * 10 - Math.round(time * 10))).toBeLessThan(1e-4);
      }
    },
  },
];
