// What `profilyfill calibrate` puts first into pages: counts how often the polls are passed, and in whose
// segments the ticks of a clock fall. A script of its own, for any browser whose page is isolated.
(() => {
  'use strict';
  const { SharedArrayBuffer, Atomics, Worker, fetch, navigator, JSON, Math } = globalThis;
  const SITES = 1 << 20;
  const TICK = 0.05; // ms, on average: at random, so as not to fall into step with the page
  // Ticks in one segment: more are a collection of garbage, or code that always takes long. The command
  // tells which.
  const LONG = 4;
  const RAISED = 0;
  const TICKS = 20; // cells beside the polls'
  const LOST = 21; // us in which the worker had no processor
  const GAP = 0.3; // ms between two looks at the clock: the worker had none
  const MAX = 0x7fffffff;
  const REPORT = 1000; // ms
  const script = document.currentScript;
  const to = script.src.replace(/calibrator\.js.*/, 'counts');

  if (!globalThis.crossOriginIsolated || !SharedArrayBuffer) {
    const text = `profilyfill: this page is not cross-origin isolated, and cannot be calibrated: ${location}`;
    console.error(text);
    fetch(to, { method: 'POST', body: JSON.stringify({ fault: text }) });
    return;
  }

  const ticker = `onmessage = ({ data: c }) => {
    for (let time = performance.now();;) {
      const end = performance.now() - Math.log(1 - Math.random()) * ${TICK};
      do {
        const before = time;
        time = performance.now();
        if (time - before > ${GAP}) Atomics.add(c, ${LOST}, (time - before) * 1000);
      } while (time < end);
      Atomics.add(c, ${TICKS}, 1);
      Atomics.store(c, ${RAISED}, ${MAX});
    }
  };`;
  const c = new Int32Array(new SharedArrayBuffer(256));
  const make = () => new Float64Array(SITES);
  const visits = make();
  const hits = make();
  const longTicks = make();
  const longs = make();
  let seen = 0; // ticks
  let last = 0; // the highest number of a poll that was hit

  const mute = () => { c[1] = c[2] = c[3] = MAX; };
  mute();

  /** Whether anybody has called the function whose entry is polled: else the page was idle before. */
  function isCalled() {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 8;
    const lines = new Error().stack.split('\n');
    Error.stackTraceLimit = limit;
    // Of this function, the handler and the polled one.
    let frames = -3;
    for (let i = 0; i < lines.length; i++) {
      if (/:\d+:\d+\)?$/.test(lines[i]) && !/^\s*at async |\*/.test(lines[i])) frames++;
    }
    return frames > 0;
  }

  function poll(code) {
    // The clock has just begun: passes from before have no ticks that go with them.
    if (seen === 0 && c[TICKS] > 0) visits.fill(0);
    const kind = code & 3;
    const site = code >> 2;
    const ticks = c[TICKS] - seen;
    mute();
    if (kind === 1 || kind === 3 || isCalled()) {
      if (ticks > LONG) {
        longTicks[site] += ticks;
        longs[site]++;
      } else hits[site] += ticks;
      if (site > last) last = site;
    }
    c[RAISED] = 0;
    // What this has taken is nobody's.
    seen = c[TICKS];
  }

  Object.defineProperty(globalThis, Symbol.for('profilyfill'), {
    // The polyfill may be here, too, and would like to have the polls.
    value: { c, t: [], v: visits, get p() { return poll; }, set p(other) {} },
  });

  const worker = new Worker(URL.createObjectURL(new Blob([ticker], { type: 'text/javascript' })));
  worker.postMessage(c);

  let since = performance.now();
  let counted = 0;
  let lost = 0;
  /** What has come since the last report. */
  function report() {
    const now = performance.now();
    const ticks = c[TICKS];
    const sites = [];
    for (let site = 0; seen > 0 && site < SITES; site++) {
      // Numbers are given out without gaps: what has not run is between what has, but not for long.
      if (site > last + 100_000) break;
      if (!visits[site]) continue;
      if (site > last) last = site;
      sites.push([site, visits[site], hits[site], longTicks[site], longs[site]]);
      visits[site] = hits[site] = longTicks[site] = longs[site] = 0;
    }
    const text = JSON.stringify({
      ms: now - since, ticks: ticks - counted, lost: (c[LOST] - lost | 0) / 1000, sites,
    });
    since = now;
    counted = ticks;
    lost = c[LOST];
    return text;
  }
  setInterval(() => {
    fetch(to, { method: 'POST', body: report() }).catch(() => {});
  }, REPORT);
  addEventListener('pagehide', () => navigator.sendBeacon(to, report()));
})();
