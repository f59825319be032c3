/**
 * Whether traces tell the time that is known from elsewhere.
 *
 *     node test/bench/causality.mjs [--json] [--quick] [--browser chromium|firefox|webkit]
 *       [--mode isolated|plain] [--options JSON]
 *
 * First, functions of known cost: each works for some ms, by itself or inside a built-in, and the page's
 * driver takes the time of each call. Their shares of the samples have to be those of the clock, and there
 * has to be a sample for each interval that they took.
 *
 * Then, one function of a program is made slower by a busy-wait. Its share of self time has to move as the
 * run time says: from s to (s * t + (u - t)) / u, where t and u are the times of a run without and with it.
 * (Garbage collections count as time of the run here, and the clock runs on while other programs have the
 * processor: a busy machine blurs what is expected.)
 */
import { parseArgs } from 'node:util';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from '../browser/support/browsers.js';
import { bundle } from '../unit/support/packages.js';
import { printTable, runBench, say } from './support/bench.js';
import { median, shares } from './support/overlap.js';
import { readTrace } from './support/profiles.js';
import { bundleProgram } from './support/programs.js';

const INTERVAL = 10; // ms

const KNOWN = `
  const random = makeRandom(4);
  const text = JSON.stringify(Array.from({ length: 300 }, (_, i) => ({ id: i, name: 'n' + random() })));
  let long = '[' + text;
  while (long.length < 2e6) long += ',' + text;
  long += ']';
  const numbers = Array.from({ length: 3000 }, () => random() * 1e6 | 0);
  const words = 'a'.repeat(26) + '!';
  const host = document.createElement('div');
  host.innerHTML = '<p>some <b>text</b> that is wrapped</p>'.repeat(150);
  document.body.append(host);
  let sink = 0;
  function spinning(count) {
    for (let i = 0; i < count * 20000; i++) sink = Math.imul(sink, 31) + i | 0;
  }
  function parsing(count) { for (let i = 0; i < count; i++) sink += JSON.parse(text).length; }
  function parsingLong() { sink += JSON.parse(long).length; }
  function sorting(count) { for (let i = 0; i < count; i++) sink += numbers.slice().sort()[5]; }
  function matching(count) { for (let i = 0; i < count; i++) sink += /^(a+)+$/.test(words.slice(i % 4 + 9)); }
  function layouting(count) {
    for (let i = 0; i < count; i++) {
      host.style.width = 200 + i % 2 * 100 + 'px';
      sink += host.offsetHeight;
    }
  }
  export const functions = { spinning, parsing, parsingLong, sorting, matching, layouting };
  // Ms of a call: some of them longer than an interval, some shorter.
  const WANTED = { spinning: 4, parsing: 12, parsingLong: 0, sorting: 25, matching: 7, layouting: 15 };
  const counts = {}, spent = {};
  for (const name in functions) {
    counts[name] = 1;
    spent[name] = 0;
    for (let ms = 0; ms < WANTED[name] && counts[name] < 1e6;) {
      ms = Infinity;
      for (let i = 0; i < 3; i++) {
        const start = performance.now();
        functions[name](counts[name]);
        ms = Math.min(ms, performance.now() - start);
      }
      if (ms < WANTED[name]) counts[name] = Math.ceil(counts[name] * Math.min(2, WANTED[name] / (ms + 0.1)));
    }
  }
  export const take = globalThis.takeTimes;
  export function run() { take(functions, counts, spent); }
  export const times = () => spent;
`;

// Not instrumented: the functions are called from here, and their times are taken here.
const TAKE = `<script>
  function takeTimes(functions, counts, spent) {
    for (const name in functions) {
      const start = performance.now();
      functions[name](counts[name]);
      spent[name] += performance.now() - start;
    }
  }
</script>`;

/** A function of each program, by the text of its head. */
const SLOWED = [
  { program: 'acorn', head: 'pp.readWord = function() {' },
  { program: 'raytracer', head: 'function nearest(from, direction) {' },
  { program: 'sorting', head: 'function siftDown(list, at, size) {' },
  { program: 'generators', head: 'function collatz(n) {' },
];
const WAIT = ' for (let $i = 0; $i < globalThis.extra; $i++) globalThis.sink = Math.imul($i, 31) + 7 | 0;';
const ADDED = 0.4; // of the run time

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    browser: { type: 'string', multiple: true, default: BROWSERS },
    mode: { type: 'string', multiple: true, default: ['isolated', 'plain'] },
    options: { type: 'string', default: '{}' },
  },
});
const ms = values.quick ? 1500 : 4000;
const pairs = values.quick ? 1 : 2;
const rounded = (number) => Math.round(number * 1e4) / 1e4;

const isProgram = (url) => url.endsWith('/program.js');

/** Opens the page with a program. */
async function open(browser, server, mode, code) {
  server.file('/program.js', instrument(code, JSON.parse(values.options)).code);
  const page = await browser.newPage();
  await page.goto(server.url('bench.html', mode));
  return page;
}

const load = (page, server, mode) =>
  page.evaluate((url) => globalThis.loadScript(url), server.url('program.js', mode));

const measure = (page, time) => page.evaluate((options) => globalThis.measureAccuracy(options),
  { ms: time, taskMs: 60, interval: INTERVAL });

async function measureKnown(browser, server, mode) {
  const page = await open(browser, server, mode, await bundle('known', { body: KNOWN }));
  try {
    await page.evaluate((html) => {
      document.head.append(document.createRange().createContextualFragment(html));
    }, TAKE);
    await load(page, server, mode);
    const { trace, from, to } = await measure(page, ms);
    // The names are those in the file: nothing is minified.
    const { profile, names } = readTrace(trace, { isProgram, from, to });
    const spent = await page.evaluate('program.times()');
    const all = Object.values(spent).reduce((sum, time) => sum + time, 0);
    const counts = {};
    for (const { stack: [leaf] } of profile) counts[names.get(leaf)] = (counts[names.get(leaf)] ?? 0) + 1;
    const samples = Object.keys(spent).reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    return Object.keys(spent).map((name) => ({
      name,
      known: rounded(spent[name] / all),
      seen: rounded((counts[name] ?? 0) / samples),
      got: rounded((counts[name] ?? 0) * INTERVAL / spent[name]),
    }));
  } finally {
    await page.close();
  }
}

async function measureSlowed(browser, server, mode, { program, head }) {
  const code = await bundleProgram(program);
  const at = code.indexOf(head);
  if (at < 0) throw new Error(`${program} has no ${head}`);
  const end = at + head.length;
  // Where engines say that a function is defined: at its parameters.
  const before = code.slice(0, at + head.indexOf('(')).split('\n');
  const key = `${before.length}:${before.at(-1).length + 1}`;
  const page = await open(browser, server, mode, code.slice(0, end) + WAIT + code.slice(end));
  try {
    const turn = async (extra, time) => {
      await page.evaluate((count) => { globalThis.extra = count; }, extra);
      const { trace, from, to, run } = await measure(page, time);
      const { self } = shares(readTrace(trace, { isProgram, from, to }).profile);
      return { share: self.get(key) ?? 0, time: run };
    };
    await page.evaluate('globalThis.extra = 0');
    await load(page, server, mode);
    let extra = 20;
    await turn(extra, ms / 4); // the engine compiles
    const { time: alone } = await turn(0, ms / 4);
    // By a wait so long that it stands out on a busy machine, too.
    for (let time = 0; time < alone * 2.5 && extra < 1e6;) {
      extra *= 3;
      ({ time } = await turn(extra, ms / 8));
      if (time >= alone * 2.5) extra = Math.ceil(extra * ADDED * alone / (time - alone));
    }
    const turns = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      for (const slow of pair % 2 ? [1, 0] : [0, 1]) turns[slow].push(await turn(slow * extra, ms / 2));
    }
    const [without, with_] = turns.map((list) => ({
      share: median(list.map(({ share }) => share)), time: median(list.map(({ time }) => time)),
    }));
    const expected = (without.share * without.time + with_.time - without.time) / with_.time;
    return {
      name: `${program}, ${head.replace(/^function |\(.*| = .*/g, '')}`,
      added: rounded(with_.time / without.time - 1),
      before: rounded(without.share), expected: rounded(expected), seen: rounded(with_.share),
    };
  } finally {
    await page.close();
  }
}

async function measureAll(name, mode, server) {
  const browser = await launch(name);
  try {
    say(`${name} ${mode} known costs`);
    const known = await measureKnown(browser, server, mode);
    const slowed = [];
    for (const entry of values.quick ? SLOWED.slice(0, 1) : SLOWED) {
      say(`${name} ${mode} ${entry.program}`);
      slowed.push(await measureSlowed(browser, server, mode, entry));
    }
    say('');
    return { browser: browser.version, mode, interval: INTERVAL, known, slowed };
  } finally {
    await browser.close();
  }
}

function print({ browser, mode, known, slowed }) {
  console.log(`\n${browser}, ${mode} page: functions of known cost\n`);
  const columns = ['known', 'seen', 'got'];
  printTable(['function', 'clock', 'samples', 'got/due'],
    known.map((row) => [row.name, ...columns.map((key) => row[key])]), 3);
  console.log('\nfunctions that are slowed down: share of self time\n');
  printTable(['function', 'added time', 'before', 'expected', 'seen'],
    slowed.map((row) => [row.name, row.added, row.before, row.expected, row.seen]), 3);
}

await runBench(values, measureAll, print);
