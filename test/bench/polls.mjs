/**
 * What polls cost, with no profiler alive: run time of programs around real packages, instrumented / plain,
 * and growth of their minified bundles, and how fast they are instrumented.
 *
 *     node test/bench/polls.mjs [--json] [--rounds N] [PACKAGE...]
 *
 * The two variants take turns in one process and change their order each round; the first rounds, in which
 * the engine compiles, do not count; the ratio is the median of the rounds' ratios.
 */
import { parseArgs } from 'node:util';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { instrument } from '../../js/instrument.js';
import { bundle, programs } from '../unit/support/packages.js';
import { closeRealms, show } from '../unit/support/realm.js';

const WARM_UP = 4;

// Milliseconds: what is measured at once takes at least this.
const LEAST = 30;

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean' }, rounds: { type: 'string', default: '13' } },
  allowPositionals: true,
});

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const geometricMean = (numbers) =>
  Math.exp(numbers.reduce((sum, x) => sum + Math.log(x), 0) / numbers.length);
const gzip = (code) => gzipSync(code, { level: 9 }).length;

/** Processor time in milliseconds, which other programs on the machine disturb less than the clock. */
function time(run, count) {
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}

function load(code) {
  // Not in a realm of its own: there, Node makes every access to a global slow.
  vm.runInThisContext(code);
  return globalThis.program.run;
}

async function measure(name) {
  const code = await bundle(name, { minify: true });
  instrument(code);
  const start = performance.now();
  const instrumented = instrument(code).code;
  const milliseconds = performance.now() - start;
  const plain = load(code);
  const polled = load(instrumented);
  if (show(plain()) !== show(polled())) throw new Error(`${name} computes something else`);
  time(plain, 2);
  const repeats = Math.ceil(LEAST / time(plain, 1));
  const rounds = [];
  for (let round = 0; round < WARM_UP + Number(values.rounds); round++) {
    const pair = [0, 0];
    const order = round % 2 ? [1, 0] : [0, 1];
    for (const i of order) pair[i] = time(i ? polled : plain, repeats);
    if (round >= WARM_UP) rounds.push(pair);
  }
  return {
    name,
    milliseconds: median(rounds.map(([a]) => a)),
    time: median(rounds.map(([a, b]) => b / a)),
    bytes: code.length,
    raw: instrumented.length / code.length,
    gzip: gzip(instrumented) / gzip(code),
    // Bytes a millisecond are thousands a second.
    speed: code.length / milliseconds / 1000,
  };
}

const results = [];
for (const name of positionals.length > 0 ? positionals : Object.keys(programs)) {
  results.push(await measure(name));
  if (!values.json && process.stderr.isTTY) process.stderr.write(`\r${name.padEnd(20)}`);
}
const all = {
  time: geometricMean(results.map((result) => result.time)),
  worst: Math.max(...results.map((result) => result.time)),
  raw: geometricMean(results.map((result) => result.raw)),
  gzip: geometricMean(results.map((result) => result.gzip)),
};
closeRealms();

if (values.json) console.log(JSON.stringify({ packages: results, all }, null, 2));
else {
  const row = (...cells) =>
    console.log(cells.map((cell, i) => (i ? cell.padStart(9) : cell.padEnd(14))).join(''));
  row('package', 'plain ms', 'time', 'bytes', 'raw', 'gzip', 'MB/s');
  for (const r of results) {
    row(r.name, r.milliseconds.toFixed(1), r.time.toFixed(3), String(r.bytes), r.raw.toFixed(3),
      r.gzip.toFixed(3), r.speed.toFixed(1));
  }
  row('all', '', all.time.toFixed(3), '', all.raw.toFixed(3), all.gzip.toFixed(3), '');
}
process.exit();
