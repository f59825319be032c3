/** What the browser benchmarks share: the server, and tables. */
import { fileURLToPath } from 'node:url';
import { startServer } from '../../browser/support/server.js';
import { DRIVER, page } from './driver.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export const POLYFILL = 'profilyfill.iife.js';

/** The server, with two pages that have the driver: `bench.html` with the polyfill, `native.html` without. */
async function startBench() {
  return startServer({
    roots: [`${root}wasm-out`],
    files: {
      '/driver.js': DRIVER,
      '/bench.html': page('<script>const NativeProfiler = globalThis.Profiler;</script>' +
        `<script src="${POLYFILL}" data-force></script>`),
      '/native.html': page(''),
    },
  });
}

/**
 * Measures each browser in each mode, and prints the results one by one, or all of them as JSON.
 *
 * @param {{ browser: string[], mode: string[], json?: boolean }} values of the command line
 * @param {(browser: string, mode: string, server: object) => Promise<object>} measure
 * @param {(result: object) => void} print
 * @returns {Promise<object[]>}
 */
export async function runBench({ browser: browsers, mode: modes, json }, measure, print) {
  const server = await startBench();
  const results = [];
  try {
    for (const browser of browsers) {
      // WebKitGTK has no shared memory: its pages are never isolated.
      for (const mode of browser === 'webkit' ? ['plain'] : modes) {
        const result = await measure(browser, mode, server);
        results.push(result);
        if (!json) print(result);
      }
    }
  } finally {
    await server.close();
  }
  if (json) console.log(JSON.stringify(results, null, 2));
  return results;
}

/**
 * Prints rows under each other.
 *
 * @param {string[]} head titles; the first column is aligned to the left, all others to the right
 * @param {(string | number | undefined)[][]} rows numbers get as many digits as `digits` says
 */
export function printTable(head, rows, digits = 2) {
  const show = (cell) => (cell === undefined ? '-' :
    typeof cell === 'number' && !Number.isInteger(cell) ? cell.toFixed(digits) : String(cell));
  const cells = [head, ...rows].map((row) => row.map(show));
  const widths = head.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  for (const row of cells) {
    const line = row.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i])));
    console.log(line.join('  ').trimEnd());
  }
}

/** Says on a terminal what is going on. */
export function say(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
