// Rows 42 to 57: the buffer, its event, and stop().

export default [
  {
    row: 42,
    title: 'a trace has no more samples than maxBufferSize',
    async page() {
      const sizes = [0, 1, 2, 5];
      const live = sizes.map((maxBufferSize) => new Profiler({ sampleInterval: 10, maxBufferSize }));
      spin(150);
      const traces = await Promise.all(live.map((profiler) => profiler.stop()));
      return traces.map((trace) => trace.samples.length);
    },
    check(seen) {
      expect(seen).toEqual([0, 1, 2, 5]);
    },
  },
  {
    row: 43,
    title: 'the event is fired for the first sample that finds no room',
    async page(env) {
      const never = 2_000_000; // ms: only the constructor takes a sample
      const heard = [];
      const listen = (name, profiler) => new Promise((resolve) => {
        profiler.addEventListener('samplebufferfull', () => { heard.push(name); resolve(); });
      });
      const none = new Profiler({ sampleInterval: never, maxBufferSize: 0 });
      await Promise.race([listen('none', none), idle(5000)]);
      const one = new Profiler({ sampleInterval: never, maxBufferSize: 1 });
      listen('one', one);
      await idle(env.isNative ? 0 : 60); // native adds samples when it likes
      const two = new Profiler({ sampleInterval: 10, maxBufferSize: 2 });
      // Though the others, which are due much later, were there first.
      await Promise.race([listen('two', two), idle(5000)]);
      const traces = await Promise.all([none.stop(), one.stop(), two.stop()]);
      return { heard, counts: traces.map((trace) => trace.samples.length) };
    },
    check(seen, { target }) {
      expect(seen.counts).toEqual([0, 1, 2]);
      const heard = target.isNative ? seen.heard.filter((name) => name !== 'one') : seen.heard;
      expect(heard).toEqual(['none', 'two']);
    },
  },
  {
    row: 44,
    title: 'the event is fired once, and on that profiler only',
    async page() {
      const heard = { small: 0, large: 0 };
      const small = new Profiler({ sampleInterval: 10, maxBufferSize: 2 });
      const large = new Profiler(OPTIONS);
      small.addEventListener('samplebufferfull', () => { heard.small++; });
      large.addEventListener('samplebufferfull', () => { heard.large++; });
      for (let i = 0; i < 3; i++) {
        spin(40);
        await idle(20);
      }
      await Promise.all([small.stop(), large.stop()]);
      await idle(20);
      return heard;
    },
    check(seen) {
      expect(seen).toEqual({ small: 1, large: 0 });
    },
  },
  {
    row: 45,
    title: 'the event comes in a later task of its own',
    async page() {
      const log = [];
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1 });
      const heard = new Promise((resolve) => {
        profiler.addEventListener('samplebufferfull', () => {
          log.push('event');
          Promise.resolve().then(() => { log.push('microtask of the event'); resolve(); });
        });
      });
      spin(50);
      log.push('first script');
      for (let i = 0; i < 20; i++) await null;
      spin(20);
      log.push('microtask');
      await heard;
      await profiler.stop();
      return log;
    },
    check(seen) {
      expect(seen).toEqual(['first script', 'microtask', 'event', 'microtask of the event']);
    },
  },
  {
    row: 46,
    title: 'the event is a plain Event',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1 });
      const heard = new Promise((resolve) => {
        profiler.addEventListener('samplebufferfull', function (event) {
          resolve({
            type: event.type, bubbles: event.bubbles, cancelable: event.cancelable, composed: event.composed,
            target: event.target === profiler, currentTarget: event.currentTarget === profiler,
            self: this === profiler, plain: Object.getPrototypeOf(event) === Event.prototype,
            phase: event.eventPhase, path: event.composedPath().length, trusted: event.isTrusted,
          });
        });
      });
      spin(30);
      const seen = await heard;
      await profiler.stop();
      return seen;
    },
    check(seen, { target }) {
      expect(seen).toEqual({
        type: 'samplebufferfull', bubbles: false, cancelable: false, composed: false,
        target: true, currentTarget: true, self: true, plain: true, phase: 2, path: 1,
        // No script can make an event that is trusted.
        trusted: target.isNative,
      });
    },
  },
  {
    row: 47,
    title: 'in the listener the profiler is not stopped, and stop() gives the trace',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 3 });
      const heard = new Promise((resolve) => {
        profiler.addEventListener('samplebufferfull', () => {
          const before = profiler.stopped;
          const promise = profiler.stop();
          resolve({ before, after: profiler.stopped, promise });
        });
      });
      spin(50);
      const { before, after, promise } = await heard;
      return { before, after, samples: (await promise).samples.length };
    },
    check(seen) {
      expect(seen).toEqual({ before: false, after: true, samples: 3 });
    },
  },
  {
    row: 48,
    title: 'after the event a later stop() still gives the full buffer',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 3 });
      const heard = new Promise((resolve) => {
        profiler.addEventListener('samplebufferfull', resolve, { once: true });
      });
      spin(50);
      await heard;
      await idle(40);
      const stopped = profiler.stopped;
      return { stopped, samples: (await profiler.stop()).samples.length };
    },
    check(seen) {
      expect(seen).toEqual({ stopped: false, samples: 3 });
    },
  },
  {
    row: 49,
    title: 'a full buffer takes nothing more',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 2 });
      spin(50);
      const full = performance.now();
      await idle(0);
      (function late() { spin(60); })();
      return { full, trace: await profiler.stop() };
    },
    check({ full, trace }) {
      expect(trace.samples).toHaveLength(2);
      expect(trace.samples.every(({ timestamp }) => timestamp <= full)).toBe(true);
      expect(trace.frames.some(({ name }) => name === 'late')).toBe(false);
    },
  },
  {
    row: 50,
    title: 'no event after stop()',
    async page() {
      let heard = 0;
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1 });
      profiler.addEventListener('samplebufferfull', () => { heard++; });
      spin(50);
      const { samples } = await profiler.stop();
      await idle(60);
      return { heard, samples: samples.length };
    },
    check(seen) {
      expect(seen).toEqual({ heard: 0, samples: 1 });
    },
  },
  {
    row: 51,
    title: 'stop() returns a promise and has stopped when it returns',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const promise = profiler.stop();
      const seen = [profiler.stopped, Object.getPrototypeOf(promise) === Promise.prototype];
      await promise;
      return seen;
    },
    check(seen) {
      expect(seen).toEqual([true, true]);
    },
  },
  {
    row: 52,
    title: 'a second stop() is rejected, by a promise of its own',
    async page() {
      const profiler = new Profiler(OPTIONS);
      const first = profiler.stop();
      const second = profiler.stop();
      const pending = await second.catch((error) => [nameOf(error), error.code, error.message]);
      await first;
      const third = profiler.stop();
      return { pending, settled: await rejection(third),
        distinct: new Set([first, second, third]).size };
    },
    check(seen) {
      expect(seen).toEqual({
        pending: ['DOMException InvalidStateError', 11, expect.stringContaining('Profiler already stopped.')],
        settled: 'DOMException InvalidStateError', distinct: 3,
      });
    },
  },
  {
    row: 53,
    title: 'stop() never settles synchronously, and settles in a microtask once the core is loaded',
    async page() {
      await new Profiler(OPTIONS).stop();
      const log = [];
      const profiler = new Profiler(OPTIONS);
      spin(20);
      const task = new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => { log.push('task'); resolve(); };
        port2.postMessage(0);
      });
      const promise = profiler.stop().then(() => { log.push('settled'); });
      log.push('script');
      await Promise.all([task, promise]);
      return log;
    },
    check(seen, { target }) {
      // Native's task is another one.
      expect(seen).toEqual(target.isNative ? ['script', 'task', 'settled'] : ['script', 'settled', 'task']);
    },
  },
  {
    row: 54,
    title: 'a trace is made of fresh plain objects and arrays',
    async page() {
      const live = [new Profiler(OPTIONS), new Profiler(OPTIONS)];
      spin(30);
      await idle(30);
      const [a, b] = await Promise.all(live.map((profiler) => profiler.stop()));
      const wrong = [];
      let objects = 0;
      (function look(value, path) {
        if (typeof value !== 'object' || value === null) {
          if (value === undefined || value === null) wrong.push(path);
          return;
        }
        objects++;
        const prototype = Array.isArray(value) ? Array.prototype : Object.prototype;
        if (Object.getPrototypeOf(value) !== prototype) wrong.push(`${path}: prototype`);
        if (!Object.isExtensible(value)) wrong.push(`${path}: fixed`);
        for (const [key, { value: member, writable, enumerable, configurable }] of
          Object.entries(Object.getOwnPropertyDescriptors(value))) {
          if (Array.isArray(value) && key === 'length') continue;
          if (!writable || !enumerable || !configurable) wrong.push(`${path}.${key}: flags`);
          look(member, `${path}.${key}`);
        }
      })(a, 'trace');
      const text = JSON.stringify(a);
      return { wrong, objects, same: JSON.stringify(JSON.parse(text)) === text,
        distinct: a !== b && a.samples !== b.samples && a.frames[0] !== b.frames[0] };
    },
    check(seen) {
      expect(seen).toEqual({ wrong: [], objects: expect.any(Number), same: true, distinct: true });
      expect(seen.objects).toBeGreaterThan(10);
    },
  },
  {
    row: 55,
    title: 'keys are in lexicographic order, and absent where there is nothing to tell',
    async page() {
      const profiler = new Profiler(OPTIONS);
      spin(30);
      await idle(50);
      const trace = await profiler.stop();
      const keys = (list) => [...new Set(list.map((item) => Object.keys(item).join()))].sort();
      return {
        trace: Object.keys(trace).join(), frames: keys(trace.frames), stacks: keys(trace.stacks),
        samples: keys(trace.samples),
      };
    },
    check(seen, { dictionaries, target }) {
      const order = (name) => dictionaries[name].members.map((member) => member.name).sort().join();
      expect(seen.trace).toBe(order('ProfilerTrace'));
      // Native has frames by name only: functions of the DOM.
      expect(seen.frames.filter((keys) => !(target.isNative && keys === 'name')))
        .toEqual([order('ProfilerFrame')]);
      expect(seen.stacks).toEqual(['frameId', order('ProfilerStack')]);
      expect(seen.samples).toEqual([order('ProfilerSample'), 'timestamp']);
    },
  },
];
