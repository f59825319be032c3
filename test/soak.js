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

/** MB that the processes below this one have to themselves and share, as Linux counts them. */
function measureProcesses() {
  const read = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return ''; // it has ended
    }
  };
  const parents = new Map(readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    .map((pid) => [pid, /\) \S (\d+)/.exec(read(pid, 'stat'))?.[1]]));
  const isBelow = (pid) => pid !== undefined &&
    (parents.get(pid) === String(process.pid) || isBelow(parents.get(pid)));
  let kilobytes = 0;
  for (const pid of parents.keys()) {
    if (isBelow(pid)) kilobytes += Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0);
  }
  return Math.round(kilobytes / 102.4) / 10;
}

for (const name of names.length ? names : BROWSERS) {
  const browser = await launch(name, {});
  const server = await startServer({ roots: fileURLToPath(new URL('../wasm-out', import.meta.url)) });
  try {
    console.log(`\n${browser.version}, ${seconds} s\n`);
    let session;
    const { notes, left, profiles } = await soak(browser, server, {
      mode: 'isolated', seconds: Number(seconds), scale: SCALE,
      async look(page) {
        if (name !== 'chromium') return { processesMB: measureProcesses() };
        session ??= await page.native.createCDPSession();
        await session.send('HeapProfiler.collectGarbage');
        const { usedSize } = await session.send('Runtime.getHeapUsage');
        return { heapMB: Math.round(usedSize / 1e4) / 100, processesMB: measureProcesses() };
      },
    });
    console.table(notes);
    console.log('left:', left, '; profiles:', profiles.length);
  } finally {
    await browser.close();
    await server.close();
  }
}
