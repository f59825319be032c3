// What the SDKs need of a Profiler, each of it where an SDK does need it.
//
// That of the interface itself is shown by the conformance rows: plain objects that can be cloned (row 54),
// EventTargets (row 6) with `stopped` and `sampleInterval` (rows 2, 26), a second stop() (row 52), a full
// buffer (rows 42 to 50), times, and what samples, stacks and frames leave out (rows 35 to 41, 55).

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { addIngest } from '../../demo/ingest.js';
import { BROWSERS, launch } from './support/browsers.js';
import { CLOCK } from './support/clock.js';
import { hide } from './support/hide.js';
import { SPIN, servePage } from './support/pages.js';
import { sleep } from './support/processes.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const DATADOG =
  join(dirname(fileURLToPath(import.meta.resolve('@datadog/browser-rum/package.json'))), 'bundle');

const SENTRY =
  "dsn: 'https://abc@o1.ingest.example.com/1', integrations: [Sentry.browserProfilingIntegration()]";

/** Starts an SDK whose end-point is told by `run`, in an instrumented classic script. */
const start = {
  sentry: (run) => `Sentry.init({ ${SENTRY}, tunnel: 'ingest/sentry/${run}',
    profileSessionSampleRate: 1, profileLifecycle: 'manual' });`,
  sentry9: (run) => `Sentry.init({ ${SENTRY}, tunnel: 'ingest/sentry/${run}',
    tracesSampleRate: 1, profilesSampleRate: 1 });`,
  datadog: (run) => `let status;
    DD_RUM.init({ clientToken: 'pub0', applicationId: '00000000-0000-4000-8000-000000000000',
      sessionSampleRate: 100, profilingSampleRate: 100, allowUntrustedEvents: true,
      proxy: location.href.replace(/[^/]*$/, 'ingest/datadog/${run}'),
      beforeSend({ _dd: { profiling } }) { status = profiling?.status; return true; } });
    async function running() {
      for (; status !== 'running'; await sleep(50)) DD_RUM.addAction('look');
    }`,
};

const COMMON = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const faults = [];
addEventListener('error', ({ message }) => { faults.push(message); });
addEventListener('unhandledrejection', ({ reason }) => { faults.push(String(reason)); });
`;

/** Samples with a function of that name on the stack. */
const samplesOf = ({ frames, samples }, name) =>
  samples.filter(({ stack }) => stack.some((at) => frames[at].name === name));

const sdks = {};

beforeAll(async () => {
  const bundle = async (sdk) => (await build({
    stdin: { contents: `export * from '${sdk}'`, resolveDir: root }, bundle: true, write: false,
    minify: true, format: 'iife', globalName: 'Sentry',
  })).outputFiles[0].text;
  [sdks.sentry, sdks.sentry9] = await Promise.all([bundle('sentry-11'), bundle('sentry-9')]);
  sdks.datadog = readFileSync(join(DATADOG, 'datadog-rum.js'), 'utf8');
});

// Of six samples and more. A busy machine that stops the process at the end of a loop gives the others to the
// loop's caller.
const LEAST = 2;

describe.each(BROWSERS)('%s', (name) => {
  let browser;
  let server;
  let tab;
  let profilesOf;
  let count = 0;

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({
      roots: [join(root, 'wasm-out')],
      modes: {
        strict: { 'Content-Security-Policy': "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; " +
          "connect-src 'self'; worker-src 'self' blob:; img-src data:" },
      },
    })]);
    tab = await browser.newPage();
    profilesOf = addIngest(server);
    server.file('/next.html', '<!doctype html>');
    for (const file of readdirSync(join(DATADOG, 'chunks'))) {
      server.file(`/page/chunks/${file}`, readFileSync(join(DATADOG, 'chunks', file)));
    }
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const waitFor = async (run, wanted) => {
    const end = Date.now() + 15_000;
    while (profilesOf(run).length < wanted && Date.now() < end) await sleep(30);
    expect(profilesOf(run)).toHaveLength(wanted);
    // What has come first need not have begun first.
    return profilesOf(run).sort((a, b) => a.samples[0].time - b.samples[0].time);
  };

  /** Puts a page on the server that starts an SDK and runs `code`. */
  function serve(sdk, code, { clock, attributes = '' } = {}) {
    const run = `run-${name}-${count++}`;
    servePage(server, 'page', {
      first: clock ? { 'clock.js': clock } : {},
      attributes, // positions off: a trace is there at once
      plain: { 'sdk.js': sdks[sdk] },
      classic: { 'a.js': `${COMMON}${SPIN}${start[sdk](run)}${code}` },
    });
    return run;
  }

  /** Runs a page to its end; returns what `code` has set `window.done` to, and the profiles that came. */
  async function runSdk(sdk, code, { wanted = 1, mode = 'plain', ...options } = {}) {
    const run = serve(sdk, `(async () => { ${code} })().then((value) => {
      window.done = { ...value, faults };
    }, (error) => { window.done = { faults: [String(error)] }; });`, options);
    await tab.goto(server.url('page.html', mode));
    const { faults, ...seen } = await tab.waitFor('window.done', { delay: 200 });
    expect(faults).toEqual([]);
    return { ...seen, profiles: await waitFor(run, wanted) };
  }

  test('started, and stopped, before the wasm is there', async () => {
    const { kind, profiles: [profile] } = await runSdk('sentry', `
      Sentry.uiProfiler.startProfiler();
      spin(150);
      Sentry.uiProfiler.stopProfiler();
      return { kind: profilyfill.coreKind() };`);
    expect(kind).toBe('none');
    expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
  });

  test('profilers that overlap: Sentry 9', async () => {
    const { profiles } = await runSdk('sentry9', `
      const span = (name) => Sentry.withScope(() =>
        Sentry.startInactiveSpan({ name, op: 'task', forceTransaction: true }));
      const outer = span('outer');
      spin(100);
      const inner = span('inner');
      spin(100);
      outer.end();
      spin(100);
      inner.end();
      await sleep(100);
      await Sentry.flush(2000);`, { wanted: 2 });
    expect(profiles.map(({ raw }) => raw.transactions[0].name)).toEqual(['outer', 'inner']);
    for (const profile of profiles) {
      const samples = samplesOf(profile, 'spin');
      expect(samples.length).toBeGreaterThanOrEqual(LEAST);
      expect(samples.at(-1).time - samples[0].time).toBeGreaterThan(80);
    }
  });

  test('a second stop(): Sentry 9 calls it when a span is longer than 30 s', async () => {
    const { profiles: [profile] } = await runSdk('sentry9', `
      const span = Sentry.startInactiveSpan({ name: 'long', op: 'task', forceTransaction: true });
      spin(60);
      jump(30_000);
      await sleep(500);
      span.end();
      await sleep(100);
      await Sentry.flush(2000);`, { clock: CLOCK, attributes: 'data-positions="off"' });
    expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
  });

  test('the buffer is full at 30 s of a chunk of 60 s: Sentry goes on', async () => {
    const { profiles } = await runSdk('sentry', `
      Sentry.uiProfiler.startProfiler();
      await sleep(50);
      (function busy() { spin(20); jump(31_000); spin(20); })();
      await sleep(50);
      jump(29_500); // now it asks for the chunk, and begins the next one
      await sleep(50);
      spin(200);
      Sentry.uiProfiler.stopProfiler();
      await sleep(50);
      await Sentry.flush(2000);`, { wanted: 2, clock: CLOCK });
    const [full, next] = profiles;
    expect(full.samples).toHaveLength(3000);
    expect(samplesOf(full, 'busy').length).toBeGreaterThan(2900);
    expect(Math.abs(full.samples.at(-1).time - full.samples[0].time - 29_990)).toBeLessThan(1);
    expect(samplesOf(next, 'spin').length).toBeGreaterThanOrEqual(LEAST);
  });

  test('Datadog begins anew when the buffer is full', async () => {
    const { profiles } = await runSdk('datadog', `
      await running();
      (function busy() { for (let i = 0; i < 3; i++) { spin(20); jump(32_000, true); } spin(20); })();
      await sleep(100);
      spin(200);
      jump(5000, true);
      DD_RUM.stopSession();`, { wanted: 2, clock: CLOCK });
    const [full, next] = profiles;
    expect(full.samples).toHaveLength(9000);
    expect(samplesOf(full, 'busy').length).toBeGreaterThan(8000);
    expect(samplesOf(next, 'spin').length).toBeGreaterThanOrEqual(LEAST);
  });

  test('the page is hidden: Datadog pauses, and begins anew when it is seen', async () => {
    const run = serve('datadog', `
      running().then(() => { spin(200); jump(6000, true); window.ready = true; });
      window.finish = () => { spin(200); jump(6000, true); DD_RUM.stopSession(); return faults; };`,
    { clock: CLOCK });
    await tab.goto(server.url('page.html'));
    await tab.waitFor('window.ready');
    const show = await hide(browser, tab);
    const [before] = await waitFor(run, 1);
    await show();
    await tab.waitFor('!document.hidden');
    await sleep(300);
    expect(await tab.evaluate('finish()')).toEqual([]);
    const [, after] = await waitFor(run, 2);
    for (const profile of [before, after]) {
      expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
    }
    expect(after.samples[0].time).toBeGreaterThan(before.samples.at(-1).time);
  });

  // It sends by a fetch without `keepalive`, which Firefox and WebKit abandon with the page: so the page
  // sends the same once more.
  test('the page is left: Datadog has the profile in time', async () => {
    const run = serve('datadog', `
      running().then(() => { spin(200); jump(6000, true); window.ready = true; });`, { clock: `${CLOCK}
      const ownFetch = fetch;
      window.fetch = (...args) => {
        const [url, { body } = {}] = args;
        if (window.ready && body instanceof FormData) {
          navigator.sendBeacon(url.replace('run-', 'left-'), body);
        }
        return ownFetch(...args);
      };` });
    await tab.goto(server.url('page.html'));
    await tab.waitFor('window.ready');
    await tab.goto(server.url('next.html'));
    const [profile] = await waitFor(run.replace('run-', 'left-'), 1);
    expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
  });

  test("Sentry sets Error.stackTraceLimit, and wraps timers and listeners: its frames stay, deep stacks too",
    async () => {
      const { limits, profiles: [profile] } = await runSdk('sentry', `
        const limits = [Error.stackTraceLimit];
        const deep = (depth) => { const n = depth ? deep(depth - 1) : spin(60); return n + 1; };
        Sentry.uiProfiler.startProfiler();
        await new Promise((resolve) => {
          setTimeout(function timed() { deep(80); resolve(); });
        });
        const button = document.createElement('button');
        button.addEventListener('click', function clicked() { spin(60); });
        button.click();
        limits.push(Error.stackTraceLimit);
        Sentry.uiProfiler.stopProfiler();
        await sleep(50);
        await Sentry.flush(2000);
        return { limits };`);
      expect(limits).toEqual([50, 50]);
      const { frames } = profile;
      for (const [func, depth] of [['timed', 83], ['clicked', 3]]) {
        const samples = samplesOf(profile, func);
        expect(samples.length).toBeGreaterThanOrEqual(LEAST);
        // Taken in spin(), which is not where the last one need be.
        const { stack } = samples[1];
        expect(stack.length).toBeGreaterThanOrEqual(depth);
        const at = stack.findIndex((id) => frames[id].name === func);
        expect(frames[stack[at + 1]].url).toMatch(/page\/sdk\.js$/);
      }
      expect(frames.filter(({ url }) => /profilyfill/.test(url))).toEqual([]);
    });

  describe('a Content Security Policy', () => {
    const code = `
      const refused = [];
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
        refused.push(effectiveDirective + ' ' + blockedURI);
      });
      Sentry.uiProfiler.startProfiler();
      await sleep(100);
      for (let i = 0; i < 3; i++) {
        spin(100);
        await sleep(20);
      }
      Sentry.uiProfiler.stopProfiler();
      await sleep(50);
      await Sentry.flush(2000);
      while (profilyfill.coreKind() === 'none') await sleep(50);
      return { refused, kind: profilyfill.coreKind() };`;

    const modes = ['strict', 'isolated+strict'];
    test.each(modes)('as the README has it: nothing is refused (%s)', async (mode) => {
      const { refused, kind, profiles: [profile] } = await runSdk('sentry', code, { mode });
      expect([kind, refused]).toEqual(['wasm', []]);
      expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
    });

    test('without wasm-unsafe-eval profiles come from the twin', async () => {
      const { kind, profiles: [profile] } = await runSdk('sentry', code, { mode: 'csp' });
      expect(kind).toBe('twin');
      expect(samplesOf(profile, 'spin').length).toBeGreaterThanOrEqual(LEAST);
    });
  });
});
