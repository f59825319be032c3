/**
 * The engines' own profilers, which tell what really ran.
 *
 * Each entry starts a browser and returns `{ version, run, close }`; `run(url, { program, settings, ... })`
 * opens the page, starts the engine's profiler, loads the program, measures, and returns
 * `{ result, reference }`: what the page's driver returned, and what readDevTools() or readGecko() made of the
 * engine's profile.
 */
import { readDevTools } from './profiles.js';

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

/** By name of the browser. */
export const TRUTHS = { chromium: startChromium };
