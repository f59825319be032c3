/**
 * The engines' own profilers, which tell what really ran.
 *
 * Each entry starts a browser and returns `{ version, run, close }`; `run(url, { program, settings, ... })`
 * opens the page, starts the engine's profiler, loads the program, measures, and returns
 * `{ result, reference }`: what the page's driver returned, and what readDevTools() or readGecko() made of
 * the engine's profile.
 */
import { readDevTools, readGecko } from './profiles.js';

/** Microseconds between two samples of the truth. */
const CHROMIUM_INTERVAL = 200;

async function startChromium({ launch }) {
  const browser = await launch('chromium');
  return {
    version: browser.version,
    close: () => browser.close(),
    async run(url, { program, settings, ...reading }) {
      const page = await browser.newPage();
      try {
        await page.goto(url);
        const devTools = await page.native.createCDPSession();
        await devTools.send('Profiler.enable');
        await devTools.send('Profiler.setSamplingInterval', { interval: CHROMIUM_INTERVAL });
        // Before the program is loaded: code that is optimised earlier has no inlining positions, and its
        // callees would be charged to their callers.
        await devTools.send('Profiler.start');
        await page.evaluate((address) => globalThis.loadScript(address), program);
        const result = await page.evaluate((options) => globalThis.measureAccuracy(options), settings);
        const { profile } = await devTools.send('Profiler.stop');
        return { result, reference: readDevTools(profile, reading) };
      } finally {
        await page.close();
      }
    },
  };
}

const FIREFOX_INTERVAL = 0.5; // ms
const FIREFOX_ENTRIES = 2 ** 24; // of 8 bytes: a minute of deep stacks

/** What the profiler knows of the threads that ran the program; runs in the browser's own realm. */
const GET_THREADS = `async (url) => {
  const { meta: { categories }, processes, threads } = await Services.profiler.getProfileDataAsync();
  Services.profiler.StopProfiler();
  return JSON.stringify([{ threads }, ...processes].flatMap((process) => process.threads)
    .filter(({ stringTable }) => stringTable.some((text) => text.includes(' (' + url + ':')))
    .map(({ samples, stackTable, frameTable, stringTable }) => (
      { samples, stackTable, frameTable, stringTable, categories: categories.map(({ name }) => name) })));
}`;

async function startFirefox({ launch }) {
  const browser = await launch('firefox', {
    args: ['--remote-allow-system-access'],
    // Room for a profile of several MB, and as many processes as pages: none runs two programs.
    timeout: 90_000,
    prefs: { 'dom.ipc.processCount': 4 },
  });
  const { connection } = browser.native;
  const tree = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const target = { context: tree.result.contexts[0].context };
  const inBrowser = async (expression) => {
    const { result } = await connection.send('script.evaluate', { expression, target, awaitPromise: true });
    if (result.type !== 'success') throw new Error(result.exceptionDetails.text);
    return result.result.value;
  };
  return {
    version: browser.version,
    close: () => browser.close(),
    async run(url, { program, settings, ...reading }) {
      const page = await browser.newPage();
      try {
        await page.goto(url);
        await inBrowser(`Services.profiler.StartProfiler(${FIREFOX_ENTRIES}, ${FIREFOX_INTERVAL}, ['js'],
          ['GeckoMain']).then(() => 0)`);
        await page.evaluate((address) => globalThis.loadScript(address), program);
        const result = await page.evaluate((options) => globalThis.measureAccuracy(options), settings);
        const threads = JSON.parse(await inBrowser(`(${GET_THREADS})(${JSON.stringify(program)})`));
        if (threads.length !== 1) throw new Error(`${threads.length} threads ran the program`);
        return { result, reference: readGecko(threads[0], reading) };
      } finally {
        await page.close();
      }
    },
  };
}

/** By name of the browser. */
export const TRUTHS = { chromium: startChromium, firefox: startFirefox };
