/**
 * How true traces are: each program runs for some seconds in a page, instrumented and profiled by the
 * polyfill, and on the same run by the engine's own profiler, which looks twenty to fifty times as often.
 *
 *     node test/bench/accuracy.mjs [--json] [--quick] [--browser chromium|firefox] [--mode isolated|plain]
 *       [--rounds N] [--seconds N] [--interval MS] [--options JSON] [--calibrated] [--profiler native]
 *       [--show N] [PROGRAM...]
 *
 * overlap   sum over functions of the smaller of both shares: 1 = the same profile
 * best      what a perfect sampler with as many samples would get: mean of draws from the truth
 * ratio     overlap / best; that of `self` is about the innermost function of a sample, that of `total` about
 *           all that are on the stack
 * got/due   samples with a function of the program / intervals for which JavaScript ran
 * gc, poly  parts of the time in which the engine collected garbage, and that the polyfill took
 *
 * On a machine that is busy the engine's profiler is late: a ratio is too low where `truth` has less than ten
 * times the samples of `ours`.
 *
 * --calibrated: with weights that `profilyfill calibrate` has measured in Chromium before;
 * --options are those of instrument(); --profiler native asks Chromium's own `Profiler` instead of ours;
 * --show N prints the N functions of each program whose shares differ most.
 */
import { parseArgs } from 'node:util';
import { instrument } from '../../js/instrument.js';
import { launch } from '../browser/support/browsers.js';
import { calibrate } from './support/calibrate.js';
import { POLYFILL, printTable, runBench, say } from './support/bench.js';
import { compare, differences, geometricMean, median } from './support/overlap.js';
import { makeKeys, readTrace } from './support/profiles.js';
import { PROGRAMS, bundleProgram } from './support/programs.js';
import { TRUTHS } from './support/truth.js';

const QUICK = ['acorn', 'raytracer', 'json'];
const BROWSERS = Object.keys(TRUTHS);
const MODES = ['isolated', 'plain'];

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    browser: { type: 'string', multiple: true, default: BROWSERS },
    mode: { type: 'string', multiple: true, default: MODES },
    rounds: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    interval: { type: 'string', default: '10' },
    options: { type: 'string', default: '{}' },
    calibrated: { type: 'boolean' },
    profiler: { type: 'string', default: 'polyfill' },
    show: { type: 'string', default: '0' },
  },
  allowPositionals: true,
});
const isNative = values.profiler === 'native';
const interval = Number(values.interval);
const seconds = Number(values.seconds ?? (values.quick ? 2 : 4));
const names = positionals.length > 0 ? positionals : values.quick ? QUICK : PROGRAMS;
for (const name of names) if (!PROGRAMS.includes(name)) throw new Error(`no program ${name}`);

const isPolyfill = (url) => url.endsWith(`/${POLYFILL}`);
const rounded = (number) => Math.round(number * 1e4) / 1e4;

const known = new Map();

async function weightsOf(server, name, code) {
  if (!known.has(name)) known.set(name, await calibrate(server, code));
  return known.get(name);
}

/** One program, once. */
async function measure(truth, server, mode, name) {
  const file = `program-${name}.js`;
  const code = await bundleProgram(name);
  const weights = values.calibrated ? await weightsOf(server, name, code) : undefined;
  const { code: instrumented, map } = instrument(code, { ...JSON.parse(values.options), weights });
  const toKey = makeKeys(map);
  const isProgram = (url) => url.endsWith(`/${file}`);
  server.file(`/${file}`, instrumented);
  const serverMode = isNative ? `${mode}+native` : mode;
  const page = server.url(isNative ? 'native.html' : 'bench.html', serverMode);
  const { result, reference } = await truth.run(page, {
    program: server.url(file, serverMode),
    settings: { ms: seconds * 1000, taskMs: 60, interval },
    isProgram, isPolyfill, toKey,
  });
  const { trace, origin, from, to, running } = result;
  const collections = reference.collections
    .map((span) => ({ from: span.from + origin, to: span.to + origin }));
  const ours = readTrace(trace, { isProgram, from, to, collections, ...isNative ? { toKey } : {} });
  const { times } = reference;
  const all = Object.values(times).reduce((sum, time) => sum + time, 0) - (times.idle ?? 0);
  return {
    ...compare(reference.profile, ours.profile),
    samples: ours.profile.length,
    stackless: ours.stackless + ours.apart,
    truthSamples: reference.profile.length,
    got: (ours.profile.length + ours.collecting) / (running / interval),
    gc: (times.gc ?? 0) / all,
    polyfill: (times.polyfill ?? 0) / all,
    differences: differences(reference.profile, ours.profile, 'self', Number(values.show))
      .map((row) => ({ ...row, name: reference.names.get(row.key) ?? ours.names.get(row.key) })),
  };
}

/** Medians of the rounds. */
function summarise(name, rounds) {
  const pick = (get) => rounded(median(rounds.map(get)));
  const kind = (key) => ({
    overlap: pick((r) => r[key].overlap),
    ceiling: pick((r) => r[key].ceiling),
    ratio: pick((r) => r[key].ratio),
  });
  return {
    name,
    self: kind('self'),
    total: kind('total'),
    samples: pick((r) => r.samples),
    stackless: pick((r) => r.stackless),
    truthSamples: pick((r) => r.truthSamples),
    got: pick((r) => r.got),
    gc: pick((r) => r.gc),
    polyfill: pick((r) => r.polyfill),
    differences: rounds[0].differences,
  };
}

function sum(programs) {
  const of = (kind) => ({
    mean: rounded(geometricMean(programs.map((p) => p[kind].ratio))),
    worst: rounded(Math.min(...programs.map((p) => p[kind].ratio))),
  });
  return {
    self: of('self'),
    total: of('total'),
    got: rounded(geometricMean(programs.map((p) => p.got))),
    gotWorst: rounded(Math.min(...programs.map((p) => p.got))),
  };
}

function print({ browser, mode, programs, all, failed }) {
  const how = values.profiler + (values.calibrated ? ', calibrated' : '');
  console.log(`\n${browser}, ${mode} page, ${how}, ${interval} ms\n`);
  const rows = programs.map((p) => [p.name, p.truthSamples, p.samples, p.got, p.self.overlap, p.self.ceiling,
    p.self.ratio, p.total.overlap, p.total.ceiling, p.total.ratio, p.gc, p.polyfill]);
  rows.push(['geometric mean', '', '', all.got, '', '', all.self.mean, '', '', all.total.mean, '', '']);
  rows.push(['worst', '', '', all.gotWorst, '', '', all.self.worst, '', '', all.total.worst, '', '']);
  printTable(['program', 'truth', 'ours', 'got/due', 'self', 'best', 'ratio', 'total', 'best', 'ratio', 'gc',
    'poly'], rows, 3);
  for (const { name, differences: list } of programs) {
    if (list.length === 0) continue;
    console.log(`\n${name}, self time`);
    const percent = (share) => `${(share * 100).toFixed(1)} %`;
    printTable(['function', 'truth', 'ours'],
      list.map((d) => [`${d.name} ${d.key}`, percent(d.truth), percent(d.ours)]));
  }
  for (const { name, message } of failed) console.log(`\n${name} failed: ${message}`);
}

/** All programs in one browser and mode. */
async function measureAll(browserName, mode, server) {
  const truth = await TRUTHS[browserName]({ launch, interval });
  const programs = [];
  const failed = [];
  try {
    for (const name of names) {
      const rounds = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        say(`${browserName} ${mode} ${name}`);
        try {
          rounds.push(await measure(truth, server, mode, name));
        } catch (error) {
          failed.push({ name, message: error.message });
        }
      }
      if (rounds.length > 0) programs.push(summarise(name, rounds));
    }
    say('');
    if (programs.length === 0) throw new Error(failed[0].message);
    return { browser: truth.version, mode, interval, programs, failed, all: sum(programs) };
  } finally {
    await truth.close();
  }
}

const results = await runBench(values, measureAll, print);
process.exitCode = results.some(({ failed }) => failed.length > 0) ? 1 : 0;
