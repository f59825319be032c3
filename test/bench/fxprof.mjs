// What the Firefox profile builder costs: a million samples over 5,000 stacks of 20 frames, natively,
// as wasm, and by its JavaScript; then ten million natively.
//
//   node test/bench/fxprof.mjs [--json]       needs `make build` and wasm-out/fxprof-bench; about 1 min
//
// CPU seconds, the least of three runs. See support/fxprof.c for labels, handles and stacks. Memory in
// MB: natively what the system counts, of wasm its memory alone, of JavaScript the process, of which
// Node itself takes 45.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { printTable } from './support/bench.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const MODES = ['labels', 'handles', 'stacks'];
const SAMPLES = 1_000_000;

// Native; wasm may take 1.5 times as long. The Rust crate fxprof-processed-profile took 5.2 to 6.4 s,
// 4.0 to 4.4 s, 0.08 to 0.10 s, 0.12 to 0.18 s and 70 MB.
const TARGETS = { labels: 1.8, handles: 0.6, stacks: 0.05, write: 0.12, peak: 45 };

const runners = {
  native: (mode, samples) => [`${root}wasm-out/fxprof-bench`, [mode, samples]],
  wasm: (mode, samples) => [process.execPath,
    [`${root}test/bench/support/run-wasi.js`, `${root}wasm-out/fxprof-bench.wasm`, mode, samples]],
  js: (mode, samples) => [process.execPath, [`${root}test/bench/support/fxprof.js`, mode, samples]],
};

function run(runner, mode, samples) {
  const [program, args] = runners[runner](mode, samples);
  return JSON.parse(execFileSync(program, args.map(String), { encoding: 'utf8' }));
}

/** Of each figure the least of some runs. */
function best(runner, mode, samples, runs) {
  const results = Array.from({ length: runs }, () => run(runner, mode, samples));
  return Object.fromEntries(Object.keys(results[0]).map(
    (key) => [key, Math.min(...results.map((result) => result[key]))]));
}

const rows = [];
for (const mode of MODES) {
  for (const runner of Object.keys(runners)) {
    rows.push({ mode, runner, samples: SAMPLES, ...best(runner, mode, SAMPLES, 3) });
  }
}
for (const mode of ['labels', 'stacks']) {
  const samples = 10 * SAMPLES;
  rows.push({ mode, runner: 'native', samples, ...best('native', mode, samples, 1) });
}

if (process.argv.includes('--json')) console.log(JSON.stringify({ targets: TARGETS, rows }, null, 2));
else {
  printTable(['', 'samples', 'prepare s', 'add s', 'target', 'write s', 'target', 'MB', 'peak MB', 'target'],
    rows.map(({ mode, runner, samples, prepare, add, write, bytes, peak }) => {
      const isTarget = runner === 'native' && samples === SAMPLES;
      return [`${mode}, ${runner}`, samples, prepare, add, isTarget ? TARGETS[mode] : undefined, write,
        isTarget ? TARGETS.write : undefined, bytes / 1e6, peak, isTarget ? TARGETS.peak : undefined];
    }), 3);
}
