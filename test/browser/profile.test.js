// What profiling finds out, in every browser, with and without shared memory, and where the page's
// policy refuses wasm (mode csp: the JS twin of the core).

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { checkShape, describeStack, runPage, servePage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MODES = ['plain', 'isolated', 'csp'];

// Each function is busy for a time that it measures itself, so that its share is known exactly.
const ATTRIBUTION = `
const MS = 150;
const big = JSON.stringify(Array.from({ length: 20000 }, (_, i) => ({ i, s: 'x' + i })));

function loops() {
  const end = performance.now() + MS;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 1000; i++) n += Math.sqrt(i);
  return n;
}
function parses() {
  const end = performance.now() + MS;
  do JSON.parse(big); while (performance.now() < end);
}
function callsPlain() {
  plainSpin(MS);
}
function visits(value) {
  if (value) for (const key in value) if (key === 'never') throw new Error(key);
  return String(value).length;
}
function slowThenCalls() {
  const end = performance.now() + MS;
  while (performance.now() < end) {
    plainSpin(12);
    visits({ a: 1 });
  }
}
function slowTail(ms) {
  return plainSpin(ms);
}
function callsSlowTails() {
  for (let i = 0; i < 10; i++) slowTail(MS / 10);
}
const sorts = () => {
  const end = performance.now() + MS;
  while (performance.now() < end) [3, 1, 2].sort(function compare(a, b) { plainSpin(1); return a - b; });
};
function* generates() {
  const end = performance.now() + MS;
  while (performance.now() < end) { plainSpin(5); yield 1; }
}
function consumes() {
  for (const value of generates()) if (!value) return;
}
function throws() {
  try { plainSpin(MS); throw new Error('x'); } catch { return 1; }
}
async function awaits() {
  plainSpin(MS / 2);
  await new Promise((resolve) => setTimeout(resolve, MS));
  plainSpin(MS / 2);
}

const work = {
  loops, parses, callsPlain, slowThenCalls, callsSlowTails, sorts, consumes, throws, awaits,
};

export async function main() {
  const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 10000 });
  await new Promise((resolve) => setTimeout(resolve, 100)); // wasm and ticker may start
  const spans = {};
  for (const name of Object.keys(work)) {
    const start = performance.now();
    await work[name]();
    spans[name] = [start, performance.now()];
    await null;
  }
  const idleStart = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 150));
  const idleEnd = performance.now();
  const trace = await profiler.stop();
  return {
    trace, spans, idleStart, idleEnd, interval: profiler.sampleInterval, core: profilyfill.coreKind(),
    counters: profilyfill.counters(), isolated: crossOriginIsolated,
  };
}
main().then((result) => { window.done = result; }, (error) => { window.done = String(error.stack); });
`;
const PLAIN_SPIN = `
function plainSpin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) n += Math.sqrt(n + 1);
  return n;
}
`;

// Where the time of each piece of work has to go, and on which stack.
const EXPECTED = {
  loops: { loops: 1 },
  parses: { parses: 1 },
  callsPlain: { callsPlain: 1 },
  slowThenCalls: { slowThenCalls: 1 },
  callsSlowTails: { 'callsSlowTails > slowTail': 1 },
  sorts: { 'sorts > compare': 1 },
  consumes: { 'consumes > generates': 1 },
  throws: { throws: 1 },
  awaits: { awaits: 0.5, '': 0.5 },
};

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
    servePage(server, 'attribution', {
      modules: { 'work.js': ATTRIBUTION }, plain: { 'plain.js': PLAIN_SPIN },
    });
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  describe.each(MODES)('%s page', (mode) => {
    const measure = async () => {
      const result = await runPage(browser, server, 'attribution', mode);
      expect(result).toEqual(expect.objectContaining({ trace: expect.anything() }));
      const { trace, spans, interval, core, counters, isolated, idleStart, idleEnd } = result;
      checkShape(trace);
      expect(core).toBe(mode === 'csp' ? 'twin' : 'wasm');
      // WebKitGTK has no shared memory even where the page is isolated.
      expect(isolated).toBe(mode === 'isolated');
      expect(Object.values(counters).every((count) => count === 0)).toBe(true);
      const idle = trace.samples.filter((s) => s.timestamp > idleStart + 10 && s.timestamp < idleEnd - 10);
      expect(idle.length).toBeGreaterThan(0.7 * (idleEnd - idleStart - 20) / interval);
      expect(idle.filter((s) => s.stackId !== undefined)).toEqual([]);
      const wrong = [];
      for (const [work, [start, end]] of Object.entries(spans)) {
        const samples = trace.samples.filter((s) => s.timestamp > start && s.timestamp <= end);
        const due = (end - start) / interval;
        expect(Math.abs(samples.length - due)).toBeLessThanOrEqual(1.5);
        const counts = {};
        for (const { stackId } of samples) {
          const stack = stackId === undefined ? ''
            : describeStack(trace, stackId).replace(/^main( > |$)/, '');
          counts[stack] = (counts[stack] ?? 0) + 1;
        }
        for (const [stack, share] of Object.entries(EXPECTED[work])) {
          const got = counts[stack] ?? 0;
          // Two ticks, and a tenth, may fall beside: the clock of a plain page is coarse.
          if (Math.abs(got - share * due) > 2 + 0.1 * due) {
            wrong.push(`${work}: ${stack} got ${got} of ${share * due}: ${JSON.stringify(counts)}`);
          }
        }
      }
      return wrong;
    };

    test('time is charged to the function that spent it', async () => {
      let wrong = await measure();
      if (!wrong.length) return;
      // A busy machine that stops the process between two polls makes a sample wrong, but not twice of three.
      wrong = [...wrong, ...await measure(), ...await measure()];
      const work = (text) => text.slice(0, text.indexOf(' got '));
      expect(wrong.filter((one) => wrong.filter((other) => work(other) === work(one)).length > 1)).toEqual([]);
    });
  });
});
