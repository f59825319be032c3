/**
 * `make soak`: Datadog's restarts for SECONDS (600) in each browser, one after the other, with what the page
 * and the browser hold meanwhile.
 *
 *   node test/soak.js [SECONDS] [BROWSER...]
 */
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startServer } from '../demo/server.js';
import { BROWSERS, launch } from './browser/support/browsers.js';
import { soak } from './browser/support/soak.js';

const SCALE = 20; // a minute of the SDK's takes 3 s
const [seconds = 600, ...names] = process.argv.slice(2);

/** MB that a browser's processes have to themselves, as Linux counts them; all that carry its profile's name. */
function measureProcesses(mark) {
  let kilobytes = 0;
  const parents = new Map();
  const ours = new Set();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      parents.set(pid, parent);
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)) ours.add(pid);
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid) => pid !== undefined && (ours.has(pid) || isOurs(parents.get(pid)));
  for (const pid of parents.keys()) {
    try {
      if (!isOurs(pid)) continue;
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
    } catch {
      // It has ended.
    }
  }
  return Math.round(kilobytes / 102.4) / 10;
}

for (const name of names.length ? names : BROWSERS) {
  const browser = await launch(name, {});
  const server = await startServer({ roots: fileURLToPath(new URL('../wasm-out', import.meta.url)) });
  try {
    console.log(`\n${browser.version}, ${seconds} s\n`);
    let session;
    const mark = { chromium: '/profilyfill-chromium-', firefox: '/profilyfill-firefox-', webkit: 'WebKitWebDriver' };
    const { notes, left, profiles } = await soak(browser, server, {
      mode: 'isolated', seconds: Number(seconds), scale: SCALE,
      async look(page) {
        if (name !== 'chromium') return { processesMB: measureProcesses(mark[name]) };
        session ??= await page.native.createCDPSession();
        await session.send('HeapProfiler.collectGarbage');
        const { usedSize } = await session.send('Runtime.getHeapUsage');
        return { heapMB: Math.round(usedSize / 1e4) / 100, processesMB: measureProcesses(mark[name]) };
      },
    });
    console.table(notes);
    console.log('left:', left, '; profiles:', profiles.length);
  } finally {
    await browser.close();
    await server.close();
  }
}
