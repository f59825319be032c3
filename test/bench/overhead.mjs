/**
 * What it costs a page to be instrumented, and to be profiled: run time of each program / run time of the
 * same program as it was. Minified bundles.
 *
 *     node test/bench/overhead.mjs [--json] [--quick] [--browser chromium|firefox|webkit]
 *       [--mode isolated|plain] [--rounds N] [--options JSON] [PROGRAM...]
 *
 * again     the program as it was, once more: how far a ratio is from 1 by chance
 * off       instrumented, on a page that has never had a profiler
 * 10 ms     instrumented, and a profiler of ours at work; 1 ms: the same
 * native    not instrumented, Chromium's own profiler at 10 ms
 * load      compiling the script and running its top level, instrumented / plain
 * raw, gzip length of the script, instrumented / plain; apart: gzip, with the function table in a file of its own
 *
 * Mean and worst of load and lengths are those of bundles over 10 kB.
 *
 * All variants take turns, in another order each round, each in a page of its own, since what has once been
 * called by a profiler is compiled another way from then on; the first turn of each, in which the engine
 * compiles, does not count. Profilers stay at work throughout: what it takes to start one would be a tenth of
 * a turn. Figures are medians of the rounds' ratios. Times are processor time of the page's thread where the
 * system tells it (`cpu`), else the clock's. All have to compute the same.
 */
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from '../browser/support/browsers.js';
import { printTable, runBench, say } from './support/bench.js';
import { findThread } from './support/cpu.js';
import { geometricMean, median } from './support/overlap.js';
import { PROGRAMS, bundleProgram } from './support/programs.js';

const QUICK = ['acorn', 'raytracer', 'json'];
const WARM_UP = 1500; // ms of the first turn, which does not count
const LEAST = 60; // ms of the others
const TASK = 50; // ms
const LARGE = 10_000; // bytes

const VARIANTS = [
  { name: 'plain', code: 'plain' },
  { name: 'again', code: 'plain' },
  { name: 'off', code: 'polled' },
  { name: '10 ms', code: 'polled', interval: 10 },
  { name: '1 ms', code: 'polled', interval: 1 },
  { name: 'native', code: 'plain', interval: 10, isNative: true },
];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    browser: { type: 'string', multiple: true, default: BROWSERS },
    mode: { type: 'string', multiple: true, default: ['isolated', 'plain'] },
    rounds: { type: 'string' },
    options: { type: 'string', default: '{}' },
  },
  allowPositionals: true,
});
const names = positionals.length > 0 ? positionals : values.quick ? QUICK : PROGRAMS;
for (const name of names) if (!PROGRAMS.includes(name)) throw new Error(`no program ${name}`);
const rounds = Number(values.rounds ?? (values.quick ? 3 : 7));
const rounded = (number) => Math.round(number * 1e4) / 1e4;
const gzip = (code) => gzipSync(code, { level: 9 }).length;

/** A page with a variant's program; what the program computes, and how many ms that takes. */
async function openVariant(browser, url, script) {
  const page = await browser.newPage();
  await page.goto(url);
  const { result, ms } = await page.evaluate((one) => globalThis.loadProgram(one), script);
  const thread = await findThread((time) => page.evaluate((t) => globalThis.spin(t), time));
  return { page, thread, result, ms };
}

/** One turn of one variant, in ms. */
async function turn({ page, thread }, repeats) {
  const before = thread?.();
  const clock = await page.evaluate((...args) => globalThis.runProgram(...args), repeats, TASK);
  return thread ? thread() - before : clock;
}

async function measure(browser, server, mode, name) {
  const code = await bundleProgram(name, { minify: true });
  const options = JSON.parse(values.options);
  const instrumented = instrument(code, options).code;
  const apart = instrument(code, { ...options, separateTable: true }).code;
  server.file('/plain.js', code);
  server.file('/polled.js', instrumented);
  const serverMode = `${mode}+native`;
  const urls = Object.fromEntries(
    ['plain', 'polled'].map((variant) => [variant, server.url(`${variant}.js`, serverMode)]),
  );
  const variants = [];
  try {
    for (const variant of VARIANTS) {
      if (variant.isNative && browser.name !== 'chromium') continue;
      const opened = await openVariant(browser, server.url('bench.html', serverMode), urls[variant.code]);
      variants.push({ ...variant, ...opened });
      if (opened.result !== variants[0].result) throw new Error(`${variant.name} computes something else`);
    }
    const repeatsIn = (ms) => Math.ceil(ms / Math.max(variants[0].ms, 0.5));
    for (const variant of variants) {
      const { page, interval, isNative = false } = variant;
      if (interval) {
        await page.evaluate((native, ms) => globalThis.startProfiling(native, ms), isNative, interval);
      }
      await turn(variant, repeatsIn(WARM_UP));
    }
    const repeats = repeatsIn(LEAST);
    const times = [];
    for (let round = 0; round < rounds; round++) {
      const row = {};
      for (let i = 0; i < variants.length; i++) {
        const variant = variants[(i + round) % variants.length];
        row[variant.name] = await turn(variant, repeats);
      }
      times.push(row);
    }
    const [{ page }] = variants;
    const load = await page.evaluate((list, count) => globalThis.measureLoad(list, count), urls, 9);
    const ratios = {};
    for (const variant of variants.slice(1)) {
      ratios[variant.name] = rounded(median(times.map((row) => row[variant.name] / row.plain)));
    }
    return {
      name,
      cpu: variants.every(({ thread }) => thread !== undefined),
      milliseconds: rounded(median(times.map(({ plain }) => plain / repeats))),
      ratios,
      load: rounded(load.polled / load.plain),
      loadMilliseconds: rounded(load.plain),
      bytes: code.length,
      raw: rounded(instrumented.length / code.length), gzip: rounded(gzip(instrumented) / gzip(code)),
      apart: rounded(gzip(apart) / gzip(code)),
    };
  } finally {
    for (const { page } of variants) await page.close();
  }
}

function sum(programs) {
  const of = (get) => {
    const list = programs.map(get).filter((x) => x > 0 && x < Infinity);
    return list.length === 0 ? undefined :
      { mean: rounded(geometricMean(list)), worst: rounded(Math.max(...list)) };
  };
  // What is put before a script outweighs one of a few hundred bytes.
  const large = (get) => of((p) => (p.bytes >= LARGE ? get(p) : undefined));
  const result = {};
  for (const key of ['load', 'raw', 'gzip', 'apart']) result[key] = large((p) => p[key]);
  for (const { name } of VARIANTS.slice(1)) result[name] = of((p) => p.ratios[name]);
  return result;
}

function print({ browser, mode, programs, all, failed }) {
  const times = programs.every(({ cpu }) => cpu) ? 'processor time' : 'time';
  console.log(`\n${browser}, ${mode} page: ${times} / that of the program as it was\n`);
  const columns = VARIANTS.slice(1).map(({ name }) => name);
  const rows = programs.map((p) => [
    p.name, p.milliseconds, ...columns.map((name) => p.ratios[name]), p.load, p.raw, p.gzip, p.apart,
  ]);
  for (const key of ['mean', 'worst']) {
    rows.push([key === 'mean' ? 'geometric mean' : key, '', ...columns.map((name) => all[name]?.[key]),
      all.load?.[key], all.raw?.[key], all.gzip?.[key], all.apart?.[key]]);
  }
  printTable(['program', 'plain ms', ...columns, 'load', 'raw', 'gzip', 'apart'], rows, 3);
  for (const { name, message } of failed) console.log(`\n${name} failed: ${message}`);
}

async function measureAll(name, mode, server) {
  const browser = await launch(name);
  const programs = [];
  const failed = [];
  try {
    for (const program of names) {
      say(`${name} ${mode} ${program}`);
      try {
        programs.push(await measure(browser, server, mode, program));
      } catch (error) {
        failed.push({ name: program, message: error.message });
      }
    }
    say('');
    if (programs.length === 0) throw new Error(failed[0].message);
    return { browser: browser.version, mode, programs, failed, all: sum(programs) };
  } finally {
    await browser.close();
  }
}

const results = await runBench(values, measureAll, print);
process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
