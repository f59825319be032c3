/**
 * The installed package in real browsers, in all the ways that pages use it: by script tag, as ES modules,
 * and through Vite and webpack; where wasm may run, and where the page's policy refuses it.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage } from '../unit/support/package.js';
import { BROWSERS, launch } from './support/browsers.js';
import { startServer } from './support/server.js';

const LOOP = 400; // ms that a page's code runs
const INTERVAL = 10;

// What the core has to be in each mode of the test server. A silent fallback is a failure.
const KINDS = { plain: 'wasm', isolated: 'wasm', 'csp-wasm': 'wasm', csp: 'twin' };

let installed;
let server;
let sites;

beforeAll(async () => {
  installed = installPackage();
  const builder = fileURLToPath(new URL('support/sites.js', import.meta.url));
  execFileSync(process.execPath, [builder, installed.project], {
    stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' },
  });
  sites = JSON.parse(readFileSync(join(installed.project, 'sites.json'), 'utf8'));
  server = await startServer({ roots: join(installed.project, 'sites') });
});

afterAll(async () => {
  await server?.close();
  installed?.remove();
});

/** Stacks as texts, innermost function first, each with the number of samples that have it. */
function countStacks({ samples, stacks, frames, resources }) {
  const counts = new Map();
  for (const { stackId } of samples) {
    const functions = [];
    for (let id = stackId; id !== undefined; id = stacks[id].parentId) {
      const { name, resourceId, line, column } = frames[stacks[id].frameId];
      functions.push({ name, url: resources[resourceId], line, column });
    }
    const key = JSON.stringify(functions);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({ functions: JSON.parse(key), count }));
}

/** The trace of a page's run: the two functions where they are defined, their callers, and nothing else. */
function checkRun({ trace, looped, ended, before }, url, [spin, crunch]) {
  const loop = trace.samples.filter(({ timestamp }) => timestamp >= looped && timestamp <= ended);
  const expected = (ended - looped) / INTERVAL;
  expect(loop.length).toBeGreaterThanOrEqual(0.8 * expected);
  expect(loop.length).toBeLessThanOrEqual(1.1 * expected + 1);
  trace.samples.forEach(({ timestamp }, i) => {
    expect(timestamp).toBeGreaterThan(i === 0 ? before - 1.1 : trace.samples[i - 1].timestamp);
  });

  const stacks = countStacks({ ...trace, samples: loop });
  const ours = (functions) => functions.filter((frame) => frame.url === url)
    .map(({ name, line, column }) => ({ name, line, column }));
  let inCrunch = 0;
  for (const { functions, count } of stacks) {
    const own = ours(functions);
    // One function of the page called them; nothing of the profiler is above or below.
    expect(functions.slice(0, own.length)).toEqual(own.map((frame) => ({ ...frame, url })));
    expect(functions.length - own.length).toBe(1);
    expect([[crunch, spin], [spin], [crunch], []]).toContainEqual(own);
    if (own.length === 2) inCrunch += count;
  }
  // In truth nearly all of it; how near traces come to the truth is for other tests to say.
  expect(inCrunch / loop.length).toBeGreaterThan(0.6);
}

describe.each(BROWSERS)('%s', (name) => {
  let browser;
  let page;

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
  });

  afterAll(() => browser?.close());

  /** Opens a page that is there once its scripts, modules too, have run. */
  async function open(site, mode) {
    await page.goto(server.url(site.page, mode));
    await page.waitFor(() => typeof globalThis.run === 'function', { timeout: 20_000 });
  }

  const run = (ms) => page.evaluate((time) => globalThis.run(time), ms);

  const USES = name === 'chromium'
    ? ['script tag', 'ES modules', 'Vite, auto', 'Vite, named', 'webpack, auto', 'webpack, named']
    : ['script tag', 'ES modules'];

  // What bundlers make of the package does not depend on more than what the core is.
  const modesOf = (use) => Object.entries(KINDS)
    .filter(([mode]) => !/Vite|webpack/.test(use) || mode === 'isolated' || mode === 'csp');

  describe.each(USES)('%s', (use) => {
    test.each(modesOf(use))('on a page served as %s: the core is the %s', async (mode, kind) => {
      const site = sites.find((candidate) => candidate.name === use);
      const from = server.log.length;
      await open(site, mode);
      const { faults, ...result } = await run(LOOP);
      expect(result.kind).toBe(kind);
      expect(result.polyfill).toBe(true);
      expect(Object.entries(faults).filter(([, count]) => count > 0)).toEqual([]);
      checkRun(result, server.url(site.busy, mode), site.functions);

      // Again, with everything loaded.
      const second = await run(LOOP / 2);
      checkRun(second, server.url(site.busy, mode), site.functions);

      // The twin, which a bundler may have named, is loaded where wasm is refused, and nowhere else.
      const twins = server.log.slice(from).filter(({ url }) => /twin|473/.test(url));
      expect(twins).toHaveLength(kind === 'twin' ? 1 : 0);
    });
  });

  test.each(Object.entries(KINDS))(
    'a profiler made and stopped right after the script tag, on a page served as %s', async (mode, kind) => {
      await open(sites.find((site) => site.name === 'script tag'), mode);
      await page.waitFor(() => globalThis.early.trace || globalThis.early.error);
      const { trace, before, after, ...early } = await page.evaluate(() => globalThis.early);
      expect(early).toEqual({ kind: 'none', stopped: true, installed: 'polyfill' });
      // One sample, of the function that made the profiler (conformance row 34).
      expect(trace.samples).toHaveLength(1);
      expect(trace.samples[0].timestamp).toBeGreaterThanOrEqual(before);
      expect(trace.samples[0].timestamp).toBeLessThanOrEqual(after);
      const url = server.url('script-tag/early.js', mode);
      const [{ functions }] = countStacks(trace);
      expect(functions.map((frame) => frame.url)).toEqual([url, url]); // the function, the top level
      // It is not instrumented: its own text tells where they are.
      expect(functions.map(({ name: one, line, column }) => [one, line, column]))
        .toEqual([['', 2, 6], ['', 1, 1]]);
      expect(await page.evaluate(() => profilyfill.coreKind())).toBe(kind);
    });

  test.each(USES.filter((use) => /modules|named/.test(use)))('%s: workers get Profiler', async (use) => {
    await open(sites.find((site) => site.name === use), 'plain');
    expect(await page.evaluate(() => new Promise((resolve) => {
      const code = 'postMessage(typeof Profiler)';
      const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
      worker.onmessage = ({ data }) => resolve(data);
    }))).toBe('function');
  });
});
