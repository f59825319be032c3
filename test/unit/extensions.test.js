/**
 * What startProfiler() and lateness() do without a page: options, circular buffers, and what waits for a
 * core that never comes (the sources in js/ hold none).
 */
import { beforeAll, describe, expect, test } from '@jest/globals';

let api;
let backlog;
let settings;

beforeAll(async () => {
  globalThis.__PROFILYFILL_FORMAT__ = 'esm';
  // One after the other: jest's loader of modules wants it so.
  api = await import('../../js/index.js');
  backlog = await import('../../js/backlog.js');
  ({ settings } = await import('../../js/settings.js'));
});

const OPTIONS = { sampleInterval: 1, maxBufferSize: 20 };
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

describe('startProfiler()', () => {
  test('makes a Profiler', async () => {
    const profiler = api.startProfiler(OPTIONS);
    expect(profiler).toBeInstanceOf(api.Profiler);
    expect(Object.getPrototypeOf(profiler)).toBe(api.Profiler.prototype);
    expect(Reflect.ownKeys(profiler)).toEqual(Reflect.ownKeys(new EventTarget()));
    expect([profiler.sampleInterval, profiler.stopped]).toEqual([1, false]);
    await profiler.stop();
    await expect(profiler.stop()).rejects.toThrow('already stopped');
  });

  test('puts nothing on the prototype', () => {
    expect(Reflect.ownKeys(api.Profiler.prototype))
      .toEqual(['constructor', 'sampleInterval', 'stopped', 'stop', Symbol.toStringTag]);
  });

  test.each([
    { circular: 1 }, { circular: 'yes' }, { circular: null }, { executing: {} }, { executing: 0 },
  ])('refuses %p', (extension) => {
    expect(() => api.startProfiler({ ...OPTIONS, ...extension }))
      .toThrow(expect.objectContaining({ name: 'TypeError', code: 'ERR_PROFILYFILL_OPTION' }));
  });

  test('throws what the constructor throws', () => {
    for (const options of [undefined, null, 7, 'x', {}, { sampleInterval: NaN, maxBufferSize: 1 },
      { sampleInterval: -1, maxBufferSize: 1 }, { sampleInterval: 1 }]) {
      let expected;
      try {
        new api.Profiler(options);
      } catch (error) {
        expected = error;
      }
      expect(expected).toBeDefined();
      expect(() => api.startProfiler(options)).toThrow(expected);
    }
    settings.documentPolicy = false;
    try {
      expect(() => api.startProfiler(OPTIONS)).toThrow(expect.objectContaining({ name: 'NotAllowedError' }));
    } finally {
      settings.documentPolicy = true;
    }
  });

  test('counts with other profilers: 100 at a time', async () => {
    const profilers = Array.from({ length: 100 }, (_, i) => (i % 2
      ? api.startProfiler(OPTIONS) : new api.Profiler(OPTIONS)));
    expect(() => api.startProfiler(OPTIONS)).toThrow('maximum concurrent');
    // Nothing stays of the one that failed.
    await profilers.pop().stop();
    profilers.push(new api.Profiler({ sampleInterval: 1, maxBufferSize: 3 }));
    await sleep(20);
    const traces = await Promise.all(profilers.map((profiler) => profiler.stop()));
    expect(traces.at(-1).samples).toHaveLength(3);
    expect(traces[0].samples[0].timestamp).toBe(Math.min(...traces[0].samples.map((s) => s.timestamp)));
  });

  test('reading its options may make other profilers', async () => {
    let inner;
    const outer = api.startProfiler({
      circular: true,
      sampleInterval: 1,
      get maxBufferSize() {
        inner = new api.Profiler({ sampleInterval: 1, maxBufferSize: 5 });
        return 5;
      },
    });
    await sleep(40);
    const [kept, first] = [await outer.stop(), await inner.stop()];
    expect([kept.samples.length, first.samples.length]).toEqual([5, 5]);
    expect(kept.samples[0].timestamp).toBeGreaterThan(first.samples[4].timestamp);
  });
});

describe('a circular buffer', () => {
  test('holds the last samples, and is never full', async () => {
    const profiler = api.startProfiler({ ...OPTIONS, circular: true });
    let events = 0;
    profiler.addEventListener('samplebufferfull', () => events++);
    await sleep(80);
    const end = performance.now();
    const { samples, ...tables } = await profiler.stop();
    expect(tables).toEqual({ frames: [], resources: [], stacks: [] });
    expect(samples).toHaveLength(20);
    expect(samples[0].timestamp).toBeGreaterThan(end - 60);
    samples.slice(1).forEach(({ timestamp }, i) => {
      expect(timestamp - samples[i].timestamp).toBeCloseTo(1, 0);
    });
    expect(events).toBe(0);
  });

  test('of no size keeps nothing', async () => {
    const profiler = api.startProfiler({ sampleInterval: 1, maxBufferSize: 0, circular: true });
    let events = 0;
    profiler.addEventListener('samplebufferfull', () => events++);
    await sleep(20);
    expect((await profiler.stop()).samples).toEqual([]);
    await sleep(5);
    expect(events).toBe(0);
  });

  test('does not grow while there is no core', () => {
    const make = (limit) => ({ limit, queued: 0, discarded: false });
    const [circular, small, plain] = [make(3000), make(7), make(0)];
    const drop = { leaf: 1, wrapper: false };
    const peak = [0, 0];
    for (let i = 0; i < 100_000; i++) {
      const capture = backlog.makeCapture(i % 100 ? null : new Error(), drop, 0);
      backlog.add(capture, circular, i);
      backlog.add(capture, small, i);
      if (i % 100 === 0) backlog.add(capture, plain, i);
      backlog.keep(capture);
      peak[0] = Math.max(peak[0], circular.queued);
      peak[1] = Math.max(peak[1], small.queued);
    }
    expect(peak[0]).toBeLessThan(3000 + 10_000);
    expect(peak[1]).toBeLessThan(10_000);
    const times = (session) => backlog.readTimes(session).map(({ timestamp }) => timestamp);
    expect(times(circular)).toEqual(Array.from({ length: 3000 }, (_, i) => 97_000 + i));
    expect(times(small)).toEqual(Array.from({ length: 7 }, (_, i) => 99_993 + i));
    expect(times(plain)).toEqual(Array.from({ length: 1000 }, (_, i) => 100 * i));
    expect([circular.queued, small.queued, plain.queued]).toEqual([3000, 7, 1000]);
  });
});

describe('lateness()', () => {
  const ZERO = { samples: 0, polls: 0, mean: 0, max: 0, p50: 0, p95: 0, p99: 0, uncovered: 0 };

  test('is for profilers of ours', () => {
    for (const value of [undefined, null, {}, new EventTarget(), api.Profiler.prototype]) {
      expect(() => api.lateness(value)).toThrow(TypeError);
    }
  });

  test('tells of time in which no timer could run, also after stop()', async () => {
    const profiler = new api.Profiler({ sampleInterval: 5, maxBufferSize: 1000 });
    expect(api.lateness(profiler)).toEqual(ZERO);
    await sleep(30);
    const before = api.lateness(profiler).uncovered;
    const start = performance.now();
    while (performance.now() < start + 120);
    const took = performance.now() - start;
    await sleep(1);
    const after = api.lateness(profiler);
    expect(after.uncovered - before).toBeGreaterThan(took - 10);
    expect(after.uncovered - before).toBeLessThan(took + 100);
    expect(after).toEqual({ ...ZERO, uncovered: after.uncovered });
    await profiler.stop();
    expect(api.lateness(profiler).uncovered).toBeGreaterThanOrEqual(after.uncovered);
  });
});

describe('its arithmetic', () => {
  test('percentiles are powers of two, but for the largest', async () => {
    const { noteLateness } = await import('../../js/lateness.js');
    const { brand } = await import('../../js/brand.js');
    const { makeLateness } = await import('../../js/lateness.js');
    const session = { interval: 10, lateness: makeLateness() };
    const profiler = {};
    brand(profiler, session);
    for (let i = 0; i < 90; i++) noteLateness(session, 0.3, true);
    for (let i = 0; i < 9; i++) noteLateness(session, 9.9, true);
    noteLateness(session, 35, true);
    noteLateness(session, 9.9, false); // a timer's
    noteLateness(session, 10, false);
    const { mean, ...rest } = api.lateness(profiler);
    expect(rest).toEqual({ samples: 103, polls: 100, max: 35, p50: 0.5, p95: 16, p99: 16, uncovered: 45 });
    expect(mean).toBeCloseTo((27 + 89.1 + 35) / 100);
    noteLateness(session, 0, true);
    noteLateness(session, 59_999, true);
    expect(api.lateness(profiler)).toMatchObject({ max: 59_999, p50: 0.5, p99: 64 });
  });
});
