/**
 * What the benchmarks' pages run, sent as text: a classic script that is not instrumented.
 */

/** Repeats the program in tasks, as a page would, with a profiler at work. */
export const DRIVER = `
'use strict';
// Both are seen by name in the truth, so long do they take, on a busy machine, too.
function benchStart() { for (const end = performance.now() + 30; performance.now() < end;); }
function benchEnd() { for (const end = performance.now() + 30; performance.now() < end;); }

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
 * Returns the trace, when benchStart() began and what time of the page's clock the trace is about, for how many ms of it JavaScript ran, and how
 * many ms a run takes.
 */
async function measureAccuracy({ ms, taskMs, interval }) {
  const profiler = new Profiler({ sampleInterval: interval, maxBufferSize: 1e6 });
  await idle(100);
  const origin = performance.now();
  benchStart();
  await nextTask();
  const from = performance.now();
  let running = 0;
  const runs = [];
  for (let now = from; now - from < ms;) {
    await nextTask();
    const start = now = performance.now();
    do {
      const before = now;
      const result = program.run();
      if (result && typeof result.then === 'function') await result;
      now = performance.now();
      runs.push(now - before);
    } while (now - start < taskMs);
    running += now - start;
  }
  const to = performance.now();
  await nextTask();
  benchEnd();
  const trace = await profiler.stop();
  // The slower ones had to share the processor.
  runs.sort((a, b) => a - b);
  const fast = runs.slice(0, Math.ceil(runs.length / 2));
  return { trace, origin, from, to, running, run: fast.reduce((sum, ms) => sum + ms, 0) / fast.length };
}

let profiler = null;

/** Loads a program; what it computes, as text, and ms a run. */
async function loadProgram(url) {
  await loadScript(url);
  const result = JSON.stringify(await program.run());
  let ms = Infinity;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await program.run();
    ms = Math.min(ms, performance.now() - start);
  }
  return { result, ms };
}

/** For finding out which process runs the page. */
function spin(ms) { for (const end = performance.now() + ms; performance.now() < end;); }

async function startProfiling(isNative, interval) {
  profiler = new (isNative ? NativeProfiler : Profiler)({ sampleInterval: interval, maxBufferSize: 1e6 });
  await idle(30);
}

/** So many runs, in tasks; the ms that they took by the page's clock. */
async function runProgram(repeats, taskMs) {
  const { run } = program;
  let task = performance.now();
  const start = task;
  for (let i = 0; i < repeats; i++) {
    const result = run();
    if (result && typeof result.then === 'function') await result;
    if (performance.now() - task < taskMs) continue;
    await nextTask();
    task = performance.now();
  }
  await nextTask();
  return performance.now() - start;
}

/** Compiles and runs both variants as inline scripts; means of the ms: clocks are coarse. */
async function measureLoad(urls, rounds) {
  const texts = {};
  for (const name of Object.keys(urls)) texts[name] = await (await fetch(urls[name])).text();
  const times = { plain: 0, polled: 0 };
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? ['polled', 'plain'] : ['plain', 'polled']) {
      await nextTask();
      const script = document.createElement('script');
      // Another text each time: no cache of compiled code shall know it.
      script.textContent = texts[name] + '\\n//' + performance.now() + name;
      const start = performance.now();
      document.head.append(script);
      times[name] += (performance.now() - start) / rounds;
      script.remove();
    }
  }
  return times;
}
`;

/** @param {string} polyfill the script element's source */
export const page = (polyfill) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<body>${polyfill}<script src="driver.js"></script>`;
