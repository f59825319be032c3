/**
 * Datadog's pattern for long: it stops its profiler every minute and starts the next one. The SDK is driven
 * by timers and clocks alone, so its minutes are shortened; the polyfill has the time that really passes.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addIngest } from '../../../demo/ingest.js';
import { SPIN, servePage } from './pages.js';
import { sleep } from './processes.js';

const DATADOG =
  join(dirname(fileURLToPath(import.meta.resolve('@datadog/browser-rum/package.json'))), 'bundle');

/** Before the polyfill: what it holds of the page. */
const COUNT = `(() => {
  const timers = new Set();
  let memory;
  window.live = () => ({ timers: timers.size, workers, core: memory?.buffer.byteLength ?? 0 });
  let workers = 0;
  const { setTimeout: set, clearTimeout: clear, Worker: NativeWorker } = window;
  window.setTimeout = (call, ms, ...args) => {
    if (!new Error().stack.includes('profilyfill.iife')) return set(call, ms, ...args);
    const timer = set(() => { timers.delete(timer); call(); }, ms);
    timers.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => { timers.delete(timer); clear(timer); };
  window.Worker = class extends NativeWorker {
    constructor(...args) { super(...args); workers++; }
    terminate() { workers--; super.terminate(); }
  };
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...args) => {
    const made = await instantiate(...args);
    memory = Object.values(made.instance.exports).find((one) => one instanceof WebAssembly.Memory);
    return made;
  };
})();`;

/** Behind it and before the SDK: a minute is \`scale\` times as short. */
const shorten = (scale) => `(() => {
  const { now } = Performance.prototype;
  const { now: today } = Date;
  const { setTimeout: set } = window;
  const start = performance.now();
  const began = Date.now();
  Performance.prototype.now = function () { return start + (now.call(this) - start) * ${scale}; };
  Date.now = () => began + (today() - began) * ${scale};
  window.setTimeout = (call, ms = 0, ...args) => set(call, ms / ${scale}, ...args);
})();`;

// By the page's short time, too: a tenth of the time is busy.
const work = (scale) => `${SPIN}
  DD_RUM.init({ clientToken: 'pub0', applicationId: '00000000-0000-4000-8000-000000000000',
    sessionSampleRate: 100, profilingSampleRate: 100, allowUntrustedEvents: true,
    proxy: location.href.replace(/[^/]*$/, 'ingest/datadog/' + location.hash.slice(1)) });
  window.timer = setInterval(() => spin(${20 * scale}), 200);
  window.finish = () => { clearInterval(window.timer); DD_RUM.stopSession(); };`;

/**
 * @param {import('./browsers.js').Browser} browser
 * @param {import('../../../demo/server.js').Server} server
 * @param {object} options
 * @param {string} options.mode
 * @param {number} options.seconds how long
 * @param {number} options.scale how much shorter a minute is
 * @param {(page: import('./browsers.js').Page) => Promise<object>} [options.look] what else to note, 20 times
 * @returns {Promise<{ notes: object[], left: object, errors: object[],
 *   profiles: import('../../../demo/ingest.js').Received[] }>}
 *   `notes`: as `seconds` go by: `sessions` that have arrived, `timers`, `workers` and bytes of the `core`;
 *   `left`: the same when all has been stopped
 */
export async function soak(browser, server, { mode, seconds, scale, look = async () => ({}) }) {
  const run = `soak-${browser.name}-${mode}`;
  const profilesOf = addIngest(server);
  for (const file of readdirSync(join(DATADOG, 'chunks'))) {
    server.file(`/soak/chunks/${file}`, readFileSync(join(DATADOG, 'chunks', file)));
  }
  servePage(server, 'soak', {
    first: { 'count.js': COUNT },
    plain: { 'shorten.js': shorten(scale), 'sdk.js': readFileSync(join(DATADOG, 'datadog-rum.js'), 'utf8') },
    classic: { 'a.js': work(scale) },
  });
  const page = await browser.newPage();
  try {
    await page.goto(`${server.url('soak.html', mode)}#${run}`);
    const notes = [];
    const note = async () => ({
      sessions: profilesOf(run).length, ...await page.evaluate('live()'), ...await look(page),
    });
    const start = Date.now();
    for (let turn = 1; turn <= 20; turn++) {
      await sleep(start + turn * seconds * 50 - Date.now());
      notes.push({ seconds: Math.round((Date.now() - start) / 1000), ...await note() });
    }
    await page.evaluate('finish()');
    await sleep(1500);
    return { notes, left: await note(), profiles: profilesOf(run), errors: page.errors };
  } finally {
    await page.close();
  }
}
