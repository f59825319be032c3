// Chromium's own Profiler as the reference: on a page with the header, it and the polyfill (forced)
// profile the same runs of the demo at the same time, and have to say the same.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from './support/browsers.js';
import { checkShape, runPage, servePage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const RUNS = 4;
const INTERVAL = 10;

const label = (trace, { name, line, column, resourceId }) =>
  `${name} ${line}:${column} ${trace.resources[resourceId]}`;

/**
 * Adds the time of each sample, until the next one but no more than 1.5 intervals, to the function
 * that it found running: native takes bursts of samples while code is compiled, and has none with
 * a stack for long stretches, so counting samples would count those bursts.
 */
function addSelf(times, trace, { start, end }) {
  const samples = trace.samples.filter((s) => s.timestamp >= start && s.timestamp < end)
    .sort((a, b) => a.timestamp - b.timestamp);
  samples.forEach(({ timestamp, stackId }, i) => {
    if (stackId === undefined) return;
    const frame = trace.frames[trace.stacks[stackId].frameId];
    // Native sees the polyfill at work; the polyfill does not see itself.
    if (trace.resources[frame.resourceId]?.includes('profilyfill')) return;
    const next = samples[i + 1]?.timestamp ?? end;
    const key = label(trace, frame);
    times[key] = (times[key] ?? 0) + Math.min(next - timestamp, 1.5 * INTERVAL);
  });
}

function overlap(a, b) {
  const total = (times) => Object.values(times).reduce((sum, time) => sum + time, 0);
  return Object.keys(a).reduce(
    (sum, key) => sum + Math.min(a[key] / total(a), (b[key] ?? 0) / total(b)), 0);
}

describe('chromium with the header', () => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch('chromium'), startServer({ roots: [`${root}wasm-out`] }),
    ]);
    servePage(server, 'pair', {
      first: { 'keep.js': 'window.NativeProfiler = Profiler;' },
      attributes: 'data-force',
      modules: {
        'main.js': readFileSync(`${root}demo/main.js`, 'utf8'),
        'generate.js': readFileSync(`${root}demo/generate.js`, 'utf8'),
      },
      load: ['main.js'],
      plain: {
        'run.js': `
          window.forced = Profiler !== NativeProfiler && profilyfill.installed;
          let native, start;
          document.addEventListener('click', () => {
            native = new NativeProfiler({ sampleInterval: ${INTERVAL}, maxBufferSize: 10000 });
            start = performance.now();
          }, true);
          document.addEventListener('trace', async ({ detail: { trace } }) => {
            const pair = { polyfill: trace, native: await native.stop() };
            window.done = { ...pair, start, end: performance.now(), forced };
          });`,
      },
      body: '<button id="generate">generate!</button>',
    });
    servePage(server, 'auto', { modules: {}, plain: { 'see.js': 'window.done = profilyfill.installed;' } });
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  test('native and polyfill agree on what is hot, where it is, and how hot', async () => {
    const times = { native: {}, polyfill: {} };
    const places = { native: new Set(), polyfill: new Set() };
    for (let run = 0; run < RUNS; run++) {
      const result = await runPage(browser, server, 'pair', 'native', {
        before: (page) => page.click('#generate'),
      });
      expect(result.forced).toBe('polyfill');
      checkShape(result.polyfill);
      for (const who of ['native', 'polyfill']) {
        addSelf(times[who], result[who], result);
        for (const frame of result[who].frames) places[who].add(label(result[who], frame));
      }
    }
    const hot = ['main.js', 'generate.js'].flatMap((file) =>
      [...places.native].filter((place) => place.endsWith(`/pair/${file}`)));
    // handleClick, genPrimes, isPrime, at the same places; native may miss the first.
    expect(hot.length).toBeGreaterThanOrEqual(2);
    expect([...places.polyfill].filter((place) => !place.includes('run.js')).sort())
      .toEqual(expect.arrayContaining(hot.filter((place) => !/^ 1:1 /.test(place)).sort()));
    expect(overlap(times.native, times.polyfill)).toBeGreaterThanOrEqual(0.9);
  });

  test('native is left alone where it works, and replaced where it throws', async () => {
    expect(await runPage(browser, server, 'auto', 'native')).toBe('native');
    expect(await runPage(browser, server, 'auto', 'plain')).toBe('polyfill');
  });
});
