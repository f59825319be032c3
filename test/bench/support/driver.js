/**
 * What the benchmarks' pages run, sent as text: a classic script that is not instrumented.
 */

/** Repeats the program in tasks, as a page would, with a profiler at work. */
export const DRIVER = `
'use strict';
// Both are seen by name in the truth, so long do they take.
function benchStart() { for (const end = performance.now() + 12; performance.now() < end;); }
function benchEnd() { for (const end = performance.now() + 12; performance.now() < end;); }

const channel = new MessageChannel();
let goOn;
channel.port1.onmessage = () => goOn();
const nextTask = () => new Promise((resolve) => { goOn = resolve; channel.port2.postMessage(0); });
const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function loadScript(url) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = resolve;
    script.onerror = () => reject(new Error('cannot load ' + url));
    script.src = url;
    document.head.append(script);
  });
}

/**
 * ms: how long altogether; taskMs: how long a task; interval: of the profiler.
 * Returns the trace, what time of the page's clock it is about, and for how many ms of it JavaScript ran.
 */
async function measureAccuracy({ ms, taskMs, interval }) {
  const profiler = new Profiler({ sampleInterval: interval, maxBufferSize: 1e6 });
  await idle(100);
  benchStart();
  await nextTask();
  const from = performance.now();
  let running = 0, runs = 0;
  for (let now = from; now - from < ms;) {
    await nextTask();
    const start = performance.now();
    do {
      const result = program.run();
      if (result && typeof result.then === 'function') await result;
      runs++;
      now = performance.now();
    } while (now - start < taskMs);
    running += now - start;
  }
  const to = performance.now();
  await nextTask();
  benchEnd();
  const trace = await profiler.stop();
  return { trace, from, to, running, runs };
}
`;

/** @param {string} polyfill the script element's source */
export const page = (polyfill) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<body>${polyfill}<script src="driver.js"></script>`;
