// Rows 8 to 19: what the constructor makes of its argument, and when it refuses.

export default [
  {
    row: 8,
    title: 'anything but an object throws',
    page() {
      return {
        none: thrown(() => new Profiler()),
        wrong: [undefined, null, true, 0, 1, NaN, '', 'x', Symbol('x'), 1n, {}, [], () => {}]
          .map((value) => constructing(value)),
        right: [
          Object.assign(() => {}, OPTIONS), Object.assign([], OPTIONS), Object.create(OPTIONS),
          Object.assign(Object.create(null), OPTIONS), new Proxy(OPTIONS, {}),
        ].map((value) => constructing(value)),
      };
    },
    check(seen) {
      expect(seen.none).toBe('TypeError');
      expect(seen.wrong).toEqual(Array(13).fill('TypeError'));
      expect(seen.right).toEqual(Array(5).fill('nothing'));
    },
  },
  {
    row: 9,
    title: 'both members are required',
    page() {
      return [{ sampleInterval: 10 }, { maxBufferSize: 10 }, { sampleInterval: undefined, maxBufferSize: 10 },
        { sampleInterval: 10, maxBufferSize: undefined }].map((value) => constructing(value));
    },
    check(seen, { idl, options }) {
      expect(options.members.every(({ required }) => required)).toBe(true);
      expect(options.members).toHaveLength(2);
      expect(idl.name).toBe('Profiler');
      expect(seen).toEqual(Array(4).fill('TypeError'));
    },
  },
  {
    row: 10,
    title: 'members are read and converted in lexicographic order, each once',
    page() {
      const log = [];
      const member = (name, value) => ({ valueOf() { log.push(`convert ${name}`); return value; } });
      const options = new Proxy({}, {
        get(target, name) { log.push(`get ${String(name)}`); return member(String(name), 10); },
        has(target, name) { log.push(`has ${String(name)}`); return true; },
        ownKeys() { log.push('keys'); return []; },
      });
      const first = constructing(options);
      const thrower = {
        get maxBufferSize() { throw new SyntaxError('first'); },
        get sampleInterval() { throw new EvalError('second'); },
      };
      const early = { maxBufferSize: Symbol('x'), get sampleInterval() { throw new EvalError('second'); } };
      return { first, log, order: constructing(thrower), early: constructing(early) };
    },
    check(seen, { options }) {
      const names = options.members.map(({ name }) => name).sort();
      expect(seen).toEqual({
        first: 'nothing', log: names.flatMap((name) => [`get ${name}`, `convert ${name}`]),
        order: 'SyntaxError', early: 'TypeError',
      });
    },
  },
  {
    row: 11,
    title: 'sampleInterval is a restricted double',
    page() {
      const made = (sampleInterval) => constructing({ sampleInterval, maxBufferSize: 10 });
      const text = new Profiler({ sampleInterval: '20', maxBufferSize: 10 });
      const object = new Profiler({ sampleInterval: { valueOf: () => 40 }, maxBufferSize: 10 });
      const seen = { text: text.sampleInterval, object: object.sampleInterval };
      text.stop();
      object.stop();
      return {
        ...seen,
        bad: [NaN, Infinity, -Infinity, 'x', Symbol('x'), 1n, {}, [1, 2]].map(made),
        good: ['', '20', true, null, [30], ' 0x10 '].map(made),
      };
    },
    check(seen, { options }) {
      const { idlType } = options.members.find(({ name }) => name === 'sampleInterval');
      expect(idlType.idlType).toBe('DOMHighResTimeStamp');
      expect(seen).toEqual({
        text: 20, object: 40, bad: Array(8).fill('TypeError'), good: Array(6).fill('nothing'),
      });
    },
  },
  {
    row: 12,
    title: 'maxBufferSize is converted by ToUint32',
    async page() {
      const values = [2 ** 32 + 1, 1.9, NaN, -(2 ** 32) + 1, Infinity, '2', null, 2 ** 32, -0.5, true];
      const large = [Number.MAX_SAFE_INTEGER, -1, 2 ** 32 - 1, 1e6];
      const live = [...values, ...large].map((maxBufferSize) =>
        new Profiler({ sampleInterval: 10, maxBufferSize }));
      spin(100);
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      const counts = traces.map((trace) => trace.samples.length);
      return {
        small: counts.slice(0, values.length), large: counts.slice(values.length),
        bad: [Symbol('x'), 1n].map((maxBufferSize) => constructing({ sampleInterval: 10, maxBufferSize })),
      };
    },
    check(seen, { options }) {
      const { idlType, extAttrs } = options.members.find(({ name }) => name === 'maxBufferSize');
      expect([idlType.idlType, extAttrs.length]).toEqual(['unsigned long', 0]);
      expect(seen.small).toEqual([1, 1, 0, 1, 0, 2, 0, 0, 0, 1]);
      expect(Math.min(...seen.large)).toBeGreaterThanOrEqual(3);
      expect(seen.bad).toEqual(['TypeError', 'TypeError']);
    },
  },
  {
    row: 13,
    title: 'the largest buffers cost nothing ahead',
    async page(env) {
      const live = [];
      for (let i = 0; i < 50; i++) {
        live.push(new Profiler({ sampleInterval: 10, maxBufferSize: 2 ** 32 - 1 - i }));
      }
      spin(15);
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      return {
        counts: traces.map((trace) => trace.samples.length),
        lost: env.isNative ? 0 : profilyfill.counters().lostSamples,
      };
    },
    check(seen) {
      expect(Math.min(...seen.counts)).toBeGreaterThanOrEqual(1);
      expect(seen.lost).toBe(0);
    },
  },
  {
    row: 14,
    title: 'conversion errors come before the policy check and the range check',
    page(env) {
      return withoutPolicy(env, (P) => ({
        off: [{}, { maxBufferSize: 1 }, { maxBufferSize: Symbol('x'), sampleInterval: 10 },
          { maxBufferSize: 1, sampleInterval: NaN }, undefined].map((value) => constructing(value, P)),
        range: [{ maxBufferSize: Symbol('x'), sampleInterval: -1 }, { sampleInterval: -1 }]
          .map((value) => constructing(value)),
      }));
    },
    check(seen) {
      expect(seen).toEqual({ off: Array(5).fill('TypeError'), range: Array(2).fill('TypeError') });
    },
  },
  {
    row: 15,
    title: 'intervals out of range throw',
    page() {
      const made = (sampleInterval) => constructing({ sampleInterval, maxBufferSize: 1 });
      return {
        bad: [-1, -0.001, -1e300, 2147483.648, 1e308].map(made),
        good: [0, -0, 5e-324, 2147483.647].map(made),
        tiny: made(-0.0001),
      };
    },
    check(seen, { target }) {
      expect(seen).toEqual({
        bad: Array(5).fill('RangeError'), good: Array(4).fill('nothing'),
        // Native rounds to microseconds first; the specification does not.
        tiny: target.isNative ? 'nothing' : 'RangeError',
      });
    },
  },
  {
    row: 16,
    title: 'NotAllowedError where no policy allows it',
    page(env) {
      return withoutPolicy(env, (P) => {
        try {
          return String(new P(OPTIONS));
        } catch (error) {
          return [nameOf(error), error.code];
        }
      });
    },
    check(seen) {
      expect(seen).toEqual(['DOMException NotAllowedError', 0]);
    },
  },
  {
    row: 17,
    title: 'the range is checked before the policy',
    page(env) {
      return withoutPolicy(env, (P) => constructing({ sampleInterval: -1, maxBufferSize: 1 }, P));
    },
    check(seen, { target }) {
      expect(seen).toBe(target.isNative ? 'DOMException NotAllowedError' : 'RangeError');
    },
  },
  {
    row: 18,
    title: 'no more than 100 at a time; stopping one frees its place',
    async page() {
      const live = [];
      const error = thrown(() => { for (;;) live.push(new Profiler(OPTIONS)); });
      const made = live.length;
      let message;
      try { new Profiler(OPTIONS); } catch (e) { message = e.message; }
      const stops = [live.pop().stop()];
      live.push(new Profiler(OPTIONS));
      const again = thrown(() => new Profiler(OPTIONS));
      for (const profiler of live) stops.push(profiler.stop());
      await Promise.all(stops);
      return { made, error, message, again };
    },
    check(seen) {
      expect(seen).toEqual({
        made: 100, error: 'TypeError', again: 'TypeError',
        message: expect.stringContaining('Reached maximum concurrent amount of profilers'),
      });
    },
  },
];
