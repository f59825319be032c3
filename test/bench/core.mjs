// What the core costs per sample of 36 frames, side by side with what one would use without it:
// error-stack-parser and interning in Maps, on the same texts; and beside `new Error().stack`.
//
//   node test/bench/core.mjs [--json]       needs `make build`; about 15 s
//
// seen     the text was captured before
// new      a text not seen before: a known call path at a new place of its leaf, as most new stacks
//          of a page are
// strange  a text not seen before in which every line is new: the first sample of all, the worst
//
// All contenders take turns within each round, so that a busy machine slows them alike; the figures
// are medians over the rounds.

import { readFile } from 'node:fs/promises';
import errorStackParser from 'error-stack-parser';
import { lengthenNames } from '../../js/build/short-names.js';
import { instantiate as instantiateTwin } from '../../wasm-out/profilyfill-twin.mjs';

const FRAMES = 36;
const ROUNDS = 60;
const TEXTS = 100; // of each kind, a round
const V8 = 1, FRAME_LIMIT = 257;

const TARGETS = { seen: 1.5, new: 6, timesFaster: 10 };

// Texts -------------------------------------------------------------------------------------------

let state = 1;
function random(limit) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor(state / 2 ** 32 * limit);
}

const verbs = ['render', 'update', 'diff', 'commit', 'measure', 'patch', 'walk', 'visit', 'flush'];
const types = ['', '', 'Grid.', 'new ', 'Store.', 'async_', 'Layout.'];

const makeLine = (column) => {
  const name = types[random(types.length)] + verbs[random(verbs.length)] + random(40);
  return `    at ${name} (https://app.example.com/assets/chunk-${random(9)}.js:${random(3000)}:${column})`;
};

/** Texts as engines hand them out are flat strings, not the ropes that concatenation leaves. */
const flatten = (text) => Buffer.from(text, 'latin1').toString('latin1');

let fresh = 100;
const freshLine = () => makeLine(fresh++);
const known = Array.from({ length: 400 }, () => makeLine(random(100)));

const makePath = () => {
  const start = random(known.length - FRAMES);
  return known.slice(start, start + FRAMES);
};
const toText = (lines) => flatten(['Error', ...lines].join('\n'));

const paths = Array.from({ length: TEXTS }, makePath);
const seenTexts = paths.map(toText);
const newText = () => toText([freshLine(), ...paths[random(TEXTS)].slice(1)]);
const strangeText = () => toText(Array.from({ length: FRAMES }, freshLine));

// Contenders: each returns a function (text, time) => void that records a sample ------------------

const encoder = new TextEncoder();

/** As js/core.js does it. */
function startCore(core) {
  core._initialize?.();
  core.core_init(V8, FRAME_LIMIT, 12345);
  let session = core.core_session_open();
  let view = new Uint8Array(core.memory.buffer);
  const bytes = () => {
    if (view.buffer !== core.memory.buffer) view = new Uint8Array(core.memory.buffer);
    return view;
  };
  const record = (text, time) => {
    const at = core.core_input(text.length * 3);
    const { written } = encoder.encodeInto(text, bytes().subarray(at));
    core.core_sample(session, time, core.core_stack(written, 0, 0, 0, 0));
  };
  const forget = () => {
    core.core_session_close(session);
    session = core.core_session_open();
  };
  return { record, forget };
}

function startMaps() {
  let frames, stacks, samples;
  const forget = () => {
    frames = new Map();
    stacks = new Map();
    samples = [];
  };
  const intern = (map, key) => {
    let id = map.get(key);
    if (id === undefined) map.set(key, id = map.size);
    return id;
  };
  const record = (stack, time) => {
    let parent = '';
    const parsed = errorStackParser.default.parse({ stack });
    for (let i = parsed.length; i-- > 0;) {
      const { functionName, fileName, lineNumber, columnNumber } = parsed[i];
      const frame = intern(frames, `${functionName}|${fileName}|${lineNumber}|${columnNumber}`);
      parent = intern(stacks, `${parent}|${frame}`);
    }
    samples.push({ stackId: parent, timestamp: time });
  };
  forget();
  return { record, forget };
}

/** Takes a stack of 36 frames and has the engine print it, again and again. */
function timeErrors(count) {
  const capture = (depth) => {
    if (depth > 1) return capture(depth - 1) + 0;
    let length = 0;
    const start = performance.now();
    for (let i = 0; i < count; i++) length += new Error().stack.length;
    const elapsed = performance.now() - start;
    if (!length) throw new Error('no stacks');
    return elapsed * 1000 / count;
  };
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const time = capture(FRAMES);
  Error.stackTraceLimit = limit;
  return time;
}

// Measuring ---------------------------------------------------------------------------------------

/** Microseconds a text. */
function time(record, texts) {
  const start = performance.now();
  for (let i = 0; i < texts.length; i++) record(texts[i], i);
  return (performance.now() - start) * 1000 / texts.length;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

const wasm = await WebAssembly.instantiate(
  await readFile(new URL('../../wasm-out/profilyfill.wasm', import.meta.url)), {});
const contenders = {
  wasm: startCore(wasm.instance.exports),
  twin: startCore(lengthenNames(instantiateTwin())),
  maps: startMaps(),
};

const times = { error: [] };
for (const name of Object.keys(contenders)) times[name] = { seen: [], new: [], strange: [] };

/** One turn of every contender. `keep`: false while they warm up. */
function round(keep) {
  const newTexts = Array.from({ length: TEXTS }, newText);
  const strangeTexts = Array.from({ length: TEXTS }, strangeText);
  for (const [name, { record, forget }] of Object.entries(contenders)) {
    forget();
    for (const text of seenTexts) record(text, 0);
    const turn = {
      seen: time(record, seenTexts),
      new: time(record, newTexts),
      strange: time(record, strangeTexts),
    };
    if (keep) for (const kind of Object.keys(turn)) times[name][kind].push(turn[kind]);
  }
  const error = timeErrors(TEXTS);
  if (keep) times.error.push(error);
}

for (let i = 0; i < 15; i++) round(false);
for (let i = 0; i < ROUNDS; i++) round(true);

const figures = { frames: FRAMES, bytes: seenTexts[0].length, errorStack: median(times.error) };
for (const name of Object.keys(contenders)) {
  figures[name] = {};
  for (const kind of Object.keys(times[name])) figures[name][kind] = median(times[name][kind]);
}
figures.timesFaster = {
  seen: figures.maps.seen / figures.wasm.seen,
  new: figures.maps.new / figures.wasm.new,
  strange: figures.maps.strange / figures.wasm.strange,
};
figures.targets = TARGETS;

if (process.argv.includes('--json')) {
  console.log(JSON.stringify(figures));
} else {
  const row = (title, values) =>
    console.log(title.padEnd(34) + values.map((value) => value.padStart(10)).join(''));
  const us = ({ seen, new: unseen, strange }) =>
    [seen, unseen, strange].map((value) => `${value.toFixed(2)} us`);
  console.log(`A sample of ${figures.frames} frames, ${figures.bytes} bytes of text\n`);
  row('', ['seen', 'new', 'strange']);
  row('core, wasm', us(figures.wasm));
  row('core, JS twin', us(figures.twin));
  row('error-stack-parser and Maps', us(figures.maps));
  row('  times the cost of the wasm core',
    Object.values(figures.timesFaster).map((value) => value.toFixed(1)));
  row('target', [`${TARGETS.seen} us`, `${TARGETS.new} us`, '']);
  console.log(`\nnew Error().stack of ${FRAMES} frames: ${figures.errorStack.toFixed(2)} us`);
}
