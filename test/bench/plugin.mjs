// What the plugin costs a production build: an app of 1400 modules, 270 of them in TypeScript
// (test/bench/support/app), is built by each bundler as `npm run build` does it, in a process of its own,
// without the plugin, with it, and with what it has kept of an earlier build, in turns. Medians of the times;
// what the plugin's own work takes, by which other programs on the machine disturb the comparison less; and
// both with checking types before, which is what most such scripts do. Then how much memory it takes to
// instrument a bundle of 9 MB, beside what parsing it takes.
//
//   node test/bench/plugin.mjs [--turns N] [BUNDLER...]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const BUNDLERS = ['vite', 'webpack', 'rspack', 'esbuild'];

const { values: { turns }, positionals } = parseArgs({
  options: { turns: { type: 'string', default: '3' } }, allowPositionals: true,
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const builder = fileURLToPath(new URL('support/build-bench-app.mjs', import.meta.url));
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const percent = (part, whole) => `${(100 * part / whole).toFixed(1)} %`;

/** Runs a program to its end: how long that took, and what it has printed. */
function run(...args) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr || stdout}`);
  return { ms: performance.now() - start, stdout };
}

/** The smallest heap, in MB, in which a worker does some work on a bundle of 9 MB. */
async function findHeap(work) {
  const runs = (size) => new Promise((resolve, reject) => {
    const worker = new Worker(`
      const { readFileSync } = require('node:fs');
      const code = readFileSync(require.resolve('typescript'), 'utf8');
      import(${JSON.stringify(work.module)}).then((module) => {
        globalThis.result = module.${work.call};
        process.exit(0);
      });`, {
      eval: true, resourceLimits: { maxOldGenerationSizeMb: size, maxYoungGenerationSizeMb: 16 },
    });
    worker.on('error', (error) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') resolve(false);
      else reject(error);
    });
    worker.on('exit', () => resolve(true));
  });
  let [low, high] = [64, 1024];
  while (high / low > 1.06) {
    const middle = Math.round(Math.sqrt(low * high));
    if (await runs(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const folder = mkdtempSync(join(tmpdir(), 'profilyfill-bench-'));
try {
  const chosen = BUNDLERS.filter((name) => positionals.length === 0 || positionals.includes(name));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const check = chosen.length === 0 ? 0 : median(Array.from({ length: Number(turns) }, () =>
    run(tsc, '-p', join(root, 'test/bench/support/app')).ms));
  for (const name of chosen) {
    const times = { without: [], with: [], again: [] };
    const owns = { with: [], again: [] };
    let about;
    // What is kept for the next build is that of this one.
    run(builder, name, join(folder, name), 'again');
    for (let turn = 0; turn < Number(turns); turn++) {
      for (const which of Object.keys(times)) {
        const { ms, stdout } = run(builder, name, join(folder, name), which);
        times[which].push(ms);
        about = JSON.parse(stdout);
        owns[which]?.push(about.ms);
      }
    }
    const [before, after, again] = Object.values(times).map(median);
    const [own, ownAgain] = Object.values(owns).map(median);
    const { bytes, files } = about;
    const parts = (whole) => `${percent(own, whole)} and ${percent(ownAgain, whole)}`;
    console.log(`${name}: ${before.toFixed(0)} ms without the plugin, ${after.toFixed(0)} ms with it, ` +
      `${again.toFixed(0)} ms when nothing has changed since; ${own.toFixed(0)} and ${ownAgain.toFixed(0)} ms ` +
      `are its own (${parts(before)}; ${parts(before + check)} where types are checked before, which ` +
      `takes ${check.toFixed(0)} ms); ${files} files, ${(bytes / 1e6).toFixed(2)} MB, ` +
      `${(bytes / own / 1e3).toFixed(1)} MB/s`);
  }
  if (positionals.length === 0 || positionals.includes('memory')) {
    const options = '{ ecmaVersion: "latest" }';
    const parsing = await findHeap({ module: import.meta.resolve('acorn'), call: `parse(code, ${options})` });
    const all = await findHeap({
      module: new URL('../../js/instrument.js', import.meta.url).href, call: 'instrument(code).code.length',
    });
    const size = readFileSync(new URL(import.meta.resolve('typescript'))).length / 1e6;
    console.log(`memory: of a bundle of ${size.toFixed(1)} MB, ${all} MB of heap to instrument it, ${parsing} MB ` +
      `to parse it (${(all / parsing).toFixed(2)})`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
