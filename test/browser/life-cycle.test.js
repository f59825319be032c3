// Pages that are hidden, frozen, left and gone back to, or removed. What nobody could look at is not made up,
// and nothing is left behind.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { busy } from './support/conformance.js';
import { hide } from './support/hide.js';
import { SPIN, checkShape, describeStack, runPage, servePage } from './support/pages.js';
import { sleep } from './support/processes.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const INTERVAL = 10;
const MODES = ['kept', 'isolated+kept'];

const PAGE = {
  classic: { 'a.js': `${SPIN}
    const log = []; // what happened when
    const put = (what) => { log.push({ what, time: performance.now(), isHidden: document.hidden }); };
    addEventListener('visibilitychange', () => put(document.hidden ? 'hidden' : 'shown'));
    addEventListener('pageshow', ({ persisted }) => { if (persisted) put('back'); });
    let profiler, counted = 0;
    (function count() { counted++; setTimeout(count, ${INTERVAL}); })();
    window.put = put;
    window.start = () => {
      log.length = 0;
      profiler = new Profiler({ sampleInterval: ${INTERVAL}, maxBufferSize: 10000 });
      put('start');
    };
    window.work = function work() { (function runs() { ${busy(40)} })(); };
    window.timers = () => counted;
    window.finish = async () => {
      put('finish');
      return { trace: await profiler.stop(), log };
    };` },
  plain: { 'plain.js': SPIN.replace('spin', 'plainSpin') },
};

async function goBack({ name }, page) {
  // Chromium keeps no page for a script that goes back before the user has done anything.
  if (name === 'chromium') await page.native.goBack();
  else await page.evaluate(() => { setTimeout(() => history.back(), 50); });
  await page.waitFor(() => typeof window.start === 'function');
}

/** Samples between two times: `idle` without a stack, `busy` by their stacks. */
function between(trace, from, to) {
  const samples = trace.samples.filter(({ timestamp }) => timestamp > from && timestamp < to);
  const busy = samples.filter(({ stackId }) => stackId !== undefined);
  return { idle: samples.length - busy.length, busy: busy.map((s) => describeStack(trace, s.stackId)) };
}

/** Each on a tick of the profiler's, none twice. */
function checkTimes({ samples }) {
  samples.forEach(({ timestamp }, i) => {
    if (i) expect(timestamp).toBeGreaterThan(samples[i - 1].timestamp);
    const ticks = (timestamp - samples[0].timestamp) / INTERVAL;
    expect(Math.abs(ticks - Math.round(ticks))).toBeLessThan(0.02);
  });
}

/** From one time to another there is a sample for each tick, give or take those at the ends, mostly idle. */
function checkIdle(trace, from, to) {
  const { idle, busy } = between(trace, from, to);
  expect(Math.abs(idle + busy.length - (to - from) / INTERVAL)).toBeLessThanOrEqual(2);
  expect(idle).toBeGreaterThan(busy.length);
}

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(name, name === 'chromium' ? { throttled: true } : {}),
      // Browsers keep no page that may not be stored.
      startServer({ roots: [`${root}wasm-out`], modes: { kept: { 'Cache-Control': 'no-cache' } } }),
    ]);
    servePage(server, 'page', PAGE);
    server.file('/next.html', '<!doctype html>');
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const open = async (mode, f) => {
    const page = await browser.newPage();
    try {
      await page.goto(server.url('/page.html', mode));
      const timesOf = ({ log }, ...whats) =>
        whats.map((what) => log.find((entry) => entry.what === what)?.time);
      await f(page, timesOf);
      const isFault = ({ kind, text }) => kind !== 'console' && !text.startsWith('Content-Security-Policy');
      expect(page.errors.filter(isFault)).toEqual([]);
    } finally {
      await page.close();
    }
  };

  describe.each(MODES)('%s page', (mode) => {
    test('hidden: samples are of code that runs and of timers', () => open(mode, async (page, timesOf) => {
      await page.evaluate('start()');
      await sleep(100);
      // A long task that has no polls, in a page that is seen: idle as far as we can tell.
      await page.evaluate("(put('task'), plainSpin(200), put('idle'))");
      await sleep(100);
      const show = await hide(browser, page);
      await page.waitFor('document.hidden');
      await sleep(1300);
      const timers = await page.evaluate('timers()');
      await sleep(1300);
      await page.evaluate("(put('work'), work(), put('worked'))");
      await sleep(100);
      const own = await page.evaluate('timers()') - timers;
      await show();
      await page.waitFor('!document.hidden');
      await sleep(300);
      const result = await page.evaluate('finish()');
      const { trace } = result;
      checkShape(trace);
      checkTimes(trace);
      const [task, idle, hidden, work, worked, shown, finish] =
        timesOf(result, 'task', 'idle', 'hidden', 'work', 'worked', 'shown', 'finish');
      checkIdle(trace, task, idle);
      const ticks = (shown - hidden) / INTERVAL;
      expect(own).toBeLessThan(ticks / 4); // timers were slow: else this shows nothing
      expect(between(trace, hidden, shown).idle).toBeLessThan(ticks / 8);
      expect(between(trace, work, worked).busy).toContain('work > runs');
      checkIdle(trace, shown, finish);
    }));

    test('an iframe that is removed while it profiles takes nothing along', async () => {
      servePage(server, 'frame', { classic: { 'f.js': `${SPIN}
        window.profiler = new Profiler({ sampleInterval: ${INTERVAL}, maxBufferSize: 10 });
        window.spin = spin;` } });
      servePage(server, 'outer', {
        body: '<iframe src="frame.html"></iframe>',
        classic: { 'o.js': `${SPIN}
          addEventListener('error', ({ message }) => { window.done = { error: message }; });
          onload = async () => {
            const iframe = document.querySelector('iframe');
            const { spin: theirSpin, profiler: theirs } = iframe.contentWindow;
            const profiler = new Profiler({ sampleInterval: ${INTERVAL}, maxBufferSize: 10000 });
            let settled = 0;
            theirSpin(30);
            iframe.remove();
            theirSpin(30);
            theirs.stop().finally(() => { settled++; }); // never (row 56)
            theirSpin(30);
            const from = performance.now();
            (function runs() { ${busy(60)} })();
            const to = performance.now();
            await new Promise((resolve) => setTimeout(resolve, 100));
            const end = performance.now();
            const trace = await profiler.stop();
            window.done ??= { trace, from, to, end, settled, stopped: theirs.stopped };
          };` },
      });
      const { trace, from, to, end, ...rest } = await runPage(browser, server, 'outer', mode, { keep: false });
      expect(rest).toEqual({ settled: 0, stopped: true });
      checkShape(trace);
      checkTimes(trace);
      const stacks = between(trace, from, to).busy;
      expect(stacks.filter((stack) => stack === 'onload > runs').length).toBeGreaterThanOrEqual(3);
      checkIdle(trace, to, end);
    });

    test('listeners, timers and workers go with the last profiler', async () => {
      servePage(server, 'rest', {
        first: { 'count.js': `
          window.live = { listeners: 0, workers: 0, timers: 0 };
          const ours = () => new Error().stack.includes('profilyfill.iife');
          const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
          EventTarget.prototype.addEventListener = function (...args) {
            if (ours()) live.listeners++;
            return add.apply(this, args);
          };
          EventTarget.prototype.removeEventListener = function (...args) {
            if (ours()) live.listeners--;
            return remove.apply(this, args);
          };
          const timers = new Set(), { setTimeout: set, clearTimeout: clear } = window;
          const note = () => { live.timers = timers.size; };
          window.setTimeout = (f, ms) => {
            if (!ours()) return set(f, ms);
            const timer = set(() => { timers.delete(timer); note(); f(); }, ms);
            timers.add(timer);
            note();
            return timer;
          };
          window.clearTimeout = (timer) => { timers.delete(timer); note(); clear(timer); };
          const NativeWorker = Worker;
          window.Worker = class extends NativeWorker {
            constructor(...args) { super(...args); live.workers++; }
            terminate() { live.workers--; super.terminate(); }
          };` },
        classic: { 'a.js': `${SPIN} (async () => {
          const seen = [];
          const note = () => { seen.push({ ...live }); };
          const make = () => new Profiler({ sampleInterval: 5, maxBufferSize: 100 });
          for (let turn = 0; turn < 2; turn++) {
            const profilers = [make(), make()];
            spin(20);
            await profilers[0].stop();
            note();
            await profilers[1].stop();
            note();
          }
          return seen;
        })().then((seen) => { window.done = seen; }, (error) => { window.done = String(error.stack); });` },
      });
      const workers = mode === 'kept' || name === 'webkit' ? 0 : 1;
      const during = { listeners: 1, workers, timers: 1 };
      const after = { listeners: 0, workers: 0, timers: 0 };
      expect(await runPage(browser, server, 'rest', mode, { keep: false }))
        .toEqual([during, after, during, after]);
    });
  });

  test.each([...MODES, 'csp+kept'])('left and gone back to: what was started goes on (%s page)',
    (mode) => open(mode, async (page, timesOf) => {
      await page.evaluate('start()');
      await sleep(200);
      await page.goto(server.url('/next.html', mode));
      await sleep(1000);
      await goBack(browser, page);
      await sleep(200);
      await page.evaluate("(put('work'), work(), put('worked'))");
      await sleep(50);
      const result = await page.evaluate('finish()');
      expect(await page.evaluate('profilyfill.coreKind()')).toBe(mode === 'csp+kept' ? 'twin' : 'wasm');
      const { trace } = result;
      checkShape(trace);
      checkTimes(trace);
      const [start, hidden, shown, back, work, worked] =
        timesOf(result, 'start', 'hidden', 'shown', 'back', 'work', 'worked');
      expect(back).toBeGreaterThan(hidden + 900); // the page was kept
      checkIdle(trace, start, hidden);
      expect(between(trace, hidden, shown).idle).toBeLessThanOrEqual(4);
      checkIdle(trace, shown, work);
      expect(between(trace, work, worked).busy).toContain('work > runs');
    }));

  if (name === 'chromium') {
    test('frozen: no samples of that time', () => open('isolated+kept', async (page, timesOf) => {
      await page.evaluate('start()');
      await sleep(100);
      const session = await page.native.createCDPSession();
      await session.send('Page.setWebLifecycleState', { state: 'frozen' });
      await sleep(1000);
      await session.send('Page.setWebLifecycleState', { state: 'active' });
      const result = await page.evaluate('finish()');
      const { trace } = result;
      checkTimes(trace);
      const [start, hidden, finish] = timesOf(result, 'start', 'hidden', 'finish');
      expect(finish - hidden).toBeGreaterThan(900);
      checkIdle(trace, start, hidden);
      expect(between(trace, hidden, finish).idle).toBeLessThanOrEqual(4);
    }));
  }
});
