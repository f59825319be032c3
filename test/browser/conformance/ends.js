// Rows 19, 56 and 57: how profilers end that nobody stops. They come last, since native goes on
// sampling for removed iframes.

export default [
  {
    row: 57,
    title: 'a dropped profiler ends silently and frees its place (row 18)',
    async page() {
      const events = [];
      function fill() {
        for (let i = 0; i < 100; i++) {
          const profiler = new Profiler({ sampleInterval: 1000, maxBufferSize: 1000 });
          profiler.addEventListener('samplebufferfull', () => { events.push(i); });
        }
      }
      fill();
      const full = constructing(OPTIONS);
      let freed = 'TypeError';
      const end = performance.now() + 20_000;
      while (freed !== 'nothing' && performance.now() < end) {
        await collect();
        freed = constructing(OPTIONS);
      }
      return { full, freed, events };
    },
    check(seen) {
      expect(seen).toEqual({ full: 'TypeError', freed: 'nothing', events: [] });
    },
  },
  {
    row: 19,
    title: 'the Profiler of a removed iframe can still be constructed',
    async page(env) {
      const iframe = await addFrame(`${env.base}frame.html`);
      const P = iframe.contentWindow.Profiler;
      iframe.remove();
      let profiler;
      const error = thrown(() => { profiler = new P(OPTIONS); });
      return { error, stopped: profiler && profiler.stopped };
    },
    check(seen) {
      expect(seen).toEqual({ error: 'nothing', stopped: false });
    },
  },
  {
    row: 56,
    title: 'when its iframe is removed a profiler goes silent',
    async page(env) {
      const iframe = await addFrame(`${env.base}frame.html`);
      const their = iframe.contentWindow;
      const profiler = new their.Profiler({ sampleInterval: 10, maxBufferSize: 2 });
      let heard = 0;
      profiler.addEventListener('samplebufferfull', () => { heard++; });
      their.spin(15);
      iframe.remove();
      await idle(50);
      const seen = { stopped: profiler.stopped };
      let promise;
      seen.thrown = thrown(() => { promise = profiler.stop(); });
      seen.settled = await Promise.race([
        promise.then((trace) => Object.keys(trace).join(), nameOf), idle(200).then(() => 'never'),
      ]);
      return { ...seen, heard };
    },
    check(seen, { target }) {
      expect(seen).toMatchObject({ stopped: false, thrown: 'nothing' });
      expect({ target: target.id, ...seen }).toMatchObject({ heard: 0, settled: 'never' });
    },
  },
];
