// The SDKs that look for `Profiler`, unmodified, in pages where the polyfill has put one: what they send
// arrives, and tells what was running and where that is defined.
//
// Every SDK sends from every browser in both kinds of pages; the ways to load the polyfill and to put polls
// into the code are spread over these, so that each browser has each pair of them.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addIngest } from '../../demo/ingest.js';
import { BROWSERS, launch } from './support/browsers.js';
import { findFunctions } from './support/find-functions.js';
import { sleep } from './support/processes.js';
import { startServer } from './support/server.js';
import { register } from './support/service-worker.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const BUSY = 400; // ms
const INTERVAL = 10; // of all SDKs

/** [SDK, mode, how the polyfill is loaded, what puts in the polls] */
const CASES = {
  chromium: [
    ['sentry-11', 'plain', 'vite', 'plugin'], ['sentry-11', 'isolated', 'tag', 'worker'],
    ['sentry-10', 'plain', 'webpack', 'worker'], ['sentry-10', 'isolated', 'webpack', 'plugin'],
    ['sentry-9', 'plain', 'tag', 'plugin'], ['sentry-9', 'isolated', 'vite', 'worker'],
    ['datadog-7', 'plain', 'tag', 'worker'], ['datadog-7', 'isolated', 'vite', 'plugin'],
  ],
  firefox: [
    ['sentry-11', 'plain', 'tag', 'worker'], ['sentry-11', 'isolated', 'vite', 'plugin'],
    ['sentry-10', 'plain', 'webpack', 'plugin'], ['sentry-10', 'isolated', 'webpack', 'worker'],
    ['sentry-9', 'plain', 'vite', 'worker'], ['sentry-9', 'isolated', 'tag', 'plugin'],
    ['datadog-7', 'plain', 'vite', 'plugin'], ['datadog-7', 'isolated', 'webpack', 'worker'],
  ],
  webkit: [
    ['sentry-11', 'plain', 'vite', 'plugin'], ['sentry-11', 'isolated', 'tag', 'worker'],
    ['sentry-10', 'plain', 'webpack', 'worker'], ['sentry-10', 'isolated', 'webpack', 'plugin'],
    ['sentry-9', 'plain', 'tag', 'plugin'], ['sentry-9', 'isolated', 'vite', 'worker'],
    ['datadog-7', 'plain', 'webpack', 'plugin'], ['datadog-7', 'isolated', 'vite', 'worker'],
  ],
};

/** Chromium says so whenever it is asked for a native Profiler that it refuses. */
const REFUSAL = /^Document policy violation: js-profiling/;

let out;
let server;
let profilesOf;
const browsers = {};
const results = {};
const idOf = (...parts) => parts.join('-');

/** Loads a case's page, has it work, and waits for what arrives. */
async function run(browser, page, [sdk, mode, load, by]) {
  const id = idOf(browser.name, sdk, mode, load, by);
  const isWorker = by === 'worker';
  const served = isWorker ? mode.replace('plain', 'sw').replace('isolated', 'isolated+sw') : mode;
  if (isWorker) {
    await page.goto(server.url('first.html', served));
    await register(page, server.url('profilyfill-service-worker.js', served));
  }
  const folder = join(load, isWorker ? 'plain' : 'polled');
  await page.goto(`${server.url(`${folder}/${sdk}.html`, served)}?run=${id}`);
  await page.waitFor(() => typeof globalThis.run === 'function', { timeout: 20_000 });
  page.errors.length = 0;
  await page.evaluate((ms) => { globalThis.run(ms).then(() => { globalThis.done = true; }); }, BUSY);
  await page.waitFor(() => globalThis.done, { delay: sdk === 'datadog-7' ? 5500 : BUSY, every: 100 });
  for (const end = Date.now() + 10_000; !profilesOf(id).length && Date.now() < end;) await sleep(50);
  const [started, ended] = await page.evaluate('[started, ended]');
  return {
    profiles: profilesOf(id), started, ended, errors: [...page.errors],
    base: server.url(folder, served),
  };
}

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'profilyfill-sdks-'));
  const builder = fileURLToPath(new URL('support/build-sdk-apps.js', import.meta.url));
  const build = (load) => promisify(execFile)(process.execPath, [builder, out, load], {
    cwd: root, env: { ...process.env, NODE_OPTIONS: '' },
  });
  await Promise.all([build('webpack'), build('vite').then(() => build('tag'))]);
  server = await startServer({
    roots: [out, join(root, 'wasm-out')],
    modes: { sw: {} },
    files: { '/first.html': '<!doctype html><link rel="icon" href="data:,">' },
  });
  profilesOf = addIngest(server);
  // Datadog's pages are idle for most of their time, which the other browsers can use.
  await Promise.all(BROWSERS.map(async (name) => {
    const browser = browsers[name] = await launch(name);
    const page = await browser.newPage();
    for (const one of CASES[name]) {
      results[idOf(name, ...one)] = await run(browser, page, one).catch((error) => ({ error }));
    }
  }));
}, 600_000);

afterAll(async () => {
  await Promise.all(Object.values(browsers).map((browser) => browser.close()));
  await server?.close();
  if (out) rmSync(out, { recursive: true, force: true });
});

/** The built script that has the busy code, without polls, and its map. */
function findBusyScript(load, sdk, by) {
  const variant = load === 'tag' && by === 'plugin' ? 'bundled' : 'plain';
  const folder = join(out, load, variant);
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.js'))) {
    const code = readFileSync(join(folder, name), 'utf8');
    if (!code.includes('busy') || (load !== 'vite' && variant !== 'plain' && name !== `${sdk}.js`)) continue;
    if (load === 'webpack' && name !== `${sdk}.js`) continue;
    const functions = findFunctions(code, 'module');
    if (functions.crunch) return { name, code, functions };
  }
  throw new Error(`no busy code in ${folder}`);
}

const samplesWith = ({ frames }, samples, { url, name, line, column }) => samples.filter(({ stack }) =>
  stack.some((at) => frames[at].url === url && frames[at].name === name && frames[at].line === line &&
    frames[at].column === column)).length;

/** Throws unless all that a backend needs is there, and in order. */
function checkProfile({ frames, stacks, samples }) {
  expect(frames.length).toBeGreaterThan(0);
  expect(stacks.length).toBeGreaterThan(0);
  expect(samples.length).toBeGreaterThan(0);
  for (const frame of frames) {
    expect(typeof frame.name).toBe('string');
    if (frame.url === undefined) expect([frame.line, frame.column]).toEqual([undefined, undefined]);
    else expect(frame.url).not.toMatch(/profilyfill/);
  }
  for (const stack of stacks) expect(stack.every((at) => at in frames)).toBe(true);
  samples.slice(1).forEach(({ time }, i) => expect(time).toBeGreaterThan(samples[i].time));
}

/** Where a position of a script leads by its source map. */
const resolve = (mapPath, { line, column }) =>
  originalPositionFor(new TraceMap(readFileSync(mapPath, 'utf8')), { line, column: column - 1 });

const report = [];

describe.each(BROWSERS)('%s', (browser) => {
  test.each(CASES[browser])('%s, %s page, polyfill by %s, polls by %s', (...one) => {
    const [sdk, mode, load, by] = one;
    const { error, profiles, started, ended, errors, base } = results[idOf(browser, ...one)];
    if (error) throw error;
    expect(profiles).toHaveLength(1);
    const [profile] = profiles;
    checkProfile(profile);

    const script = findBusyScript(load, sdk, by);
    const url = `${base}/${script.name}`;
    const busy = profile.samples.filter(({ time }) => time >= started && time <= ended);
    const stacked = busy.filter(({ stack }) => stack.length);
    const count = (name, samples) => samplesWith(profile, samples, { url, ...script.functions[name] });
    const [work, crunch] = ['work', 'crunch'].map((name) => count(name, profile.samples));
    const share = count('work', stacked) / stacked.length;
    report.push({
      browser, sdk, mode, load, by, bytes: profile.bytes, samples: profile.samples.length,
      stacked: profile.samples.filter(({ stack }) => stack.length).length, share,
    });
    expect(work).toBeGreaterThanOrEqual(0.7 * BUSY / INTERVAL);
    // About 1 on a quiet machine; here three browsers and other tests share it.
    expect(share).toBeGreaterThan(0.6);
    expect(crunch).toBeGreaterThan(0.5 * work);
    expect(errors.filter(({ text }) => !(browser === 'chromium' && REFUSAL.test(text)))).toEqual([]);

    // Debug ids, and the maps that they stand for.
    if (load === 'tag') expect(profile.debugIds).toEqual({});
    else if (sdk === 'datadog-7' && load === 'vite') {
      expect(profile.debugIds[url]).toBe(`datadog-${script.name.replace('.js', '')}`);
    } else if (sdk !== 'datadog-7') {
      const id = profile.debugIds[url];
      const folder = join(out, load, by === 'plugin' ? 'polled' : 'plain');
      const [found] = readdirSync(folder)
        .filter((name) => name.endsWith(by === 'plugin' ? '.plain.map' : '.js.map'))
        .filter((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).debugId === id);
      expect(found).toMatch(new RegExp(`^${script.name}(\\.plain)?\\.map$`));
      const source = readFileSync(join(root, 'test/apps/sdks/busy.js'), 'utf8');
      for (const [name, original] of Object.entries(findFunctions(source, 'module'))) {
        const { source: file, line } = resolve(join(folder, found), script.functions[name]);
        expect(file).toMatch(/busy\.js$/);
        expect(line).toBe(original.line);
      }
    }
  });
});

test('what they have sent, for the record', () => {
  expect(report).toHaveLength(Object.values(CASES).flat().length);
  mkdirSync(join(root, 'wasm-out/test'), { recursive: true });
  writeFileSync(join(root, 'wasm-out/test/sdks.json'), JSON.stringify(report, undefined, 1));
});
