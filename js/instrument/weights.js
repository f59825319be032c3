/**
 * Weights: what polls tell of how long the segments that they end take, as `profilyfill calibrate` has
 * measured it (js/command/calibrate.js).
 *
 * Where nothing but a clock can tell that a tick has passed, everybody has to look when one is due, and a
 * look takes longer than most segments. Polls that know their time need no clock then: js/polls.js.
 *
 * A time is told by a level L from 1 to 57, which stands for (2 + L % 2) * 2 ** floor(L / 2) / 8 ns: 0.375 ns
 * to 0.1 s in steps of a third to a half. Measured times of a site vary by more than that. Level 0: unknown.
 *
 * Times are found again by the text of the function that the poll stands in, without the functions within it,
 * so that other code may change, and code may move between files.
 */
import { READ_BY } from '../hub.js';
import { failOption } from './error.js';
import { hash } from './text.js';

const VERSION = 1;
const LEVELS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv';

const timeOfLevel = (level) => (2 + level % 2) * 2 ** Math.floor(level / 2) / 8;

/** The level of a time in ns; 0 for 0. */
function levelOf(time) {
  if (!(time > 0)) return 0;
  let level = 1;
  // The geometric mean of both is where the next one begins.
  while (level < LEVELS.length - 1 && timeOfLevel(level) * timeOfLevel(level + 1) < time * time) level++;
  return level;
}

/**
 * The functions of a script that have polls.
 *
 * @param {string} code
 * @param {import('./edits.js').Edits} edits
 * @param {(text: string) => boolean} hasPoll
 * @returns {{ key: string, sites: number[] }[]} `sites`: indices of the items with polls
 */
function listFunctions(code, { offsets, items }, hasPoll) {
  const functions = [];
  const open = [];
  const enter = (start) => {
    const entry = { sites: [], own: '', at: start };
    functions.push(entry);
    open.push(entry);
  };
  /** What came since is of the innermost function. */
  const reach = (offset) => {
    const entry = open[open.length - 1];
    entry.own += code.slice(entry.at, offset);
    entry.at = offset;
  };
  enter(0);
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'string') {
      if (hasPoll(item)) open[open.length - 1].sites.push(i);
      continue;
    }
    reach(offsets[i]);
    if (item) enter(offsets[i]);
    else {
      open.pop();
      open[open.length - 1].at = offsets[i];
    }
  }
  reach(code.length);
  return functions.filter(({ sites }) => sites.length > 0)
    .map(({ sites, own }) => ({ key: `${hash(own)}-${own.length.toString(36)}`, sites }));
}

/**
 * Checks the option `weights`.
 *
 * @param {Weights} weights  `functions`: by a function's key the levels of its polls, a character each
 * @typedef {{ version: 1, functions: Record<string, string> }} Weights
 * @throws {import('./error.js').InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function checkWeights(weights) {
  const { version, functions } = Object(weights);
  if (version !== VERSION || typeof functions !== 'object' || functions === null) {
    failOption(`weights must be what \`profilyfill calibrate\` has written, of version ${VERSION}`);
  }
}

/**
 * For inserted texts, which have one poll at most.
 *
 * @returns {{ hasPoll: (text: string) => boolean, addNumber: Function }} `addNumber`: lets the poll of a text
 *   call the handler, with 4 times a number and its kind
 */
function makeNumbering({ flags, hub }) {
  const escape = (name) => name.replaceAll('$', '\\$');
  const raised = `${flags}[0]`;
  const pattern = new RegExp(`${escape(flags)}\\[0\\]&&${escape(hub)}\\.([${READ_BY}])`);
  return {
    hasPoll: (text) => pattern.test(text),
    addNumber: (text, number, test = raised) => text.replace(pattern,
      (poll, property) => `${test}&&${hub}.p(${READ_BY.indexOf(property) + 4 * number})`),
  };
}

/** Lets polls tell their times, where they are known. */
export function addWeights(code, edits, names, { functions: known }) {
  const { hasPoll, addNumber } = makeNumbering(names);
  for (const { key, sites } of listFunctions(code, edits, hasPoll)) {
    const levels = Object.hasOwn(known, key) ? known[key] : '';
    if (typeof levels !== 'string' || levels.length !== sites.length) continue;
    for (let i = 0; i < sites.length; i++) {
      const level = LEVELS.indexOf(levels[i]);
      if (level > 0) edits.items[sites[i]] = addNumber(edits.items[sites[i]], level);
    }
  }
}

/**
 * Lets polls count how often they are passed, in `hub.v`, and tell who they are.
 *
 * @param {number} first  number of the first one
 * @returns {{ key: string, first: number, count: number }[]} the functions with polls
 */
export function addCounters(code, edits, names, first) {
  const { hasPoll, addNumber } = makeNumbering(names);
  let next = first;
  return listFunctions(code, edits, hasPoll).map(({ key, sites }) => {
    const start = next;
    for (const site of sites) {
      const test = `(++${names.hub}.v[${next}],${names.flags}[0])`;
      edits.items[site] = addNumber(edits.items[site], next, test);
      next++;
    }
    return { key, first: start, count: sites.length };
  });
}

/**
 * Makes weights of what was counted.
 *
 * @param {{ key: string, first: number, count: number }[]} functions  as addCounters() returns them
 * @param {(site: number) => number} timeOf  ns, mean; 0: unknown
 * @returns {Weights}
 */
export function makeWeights(functions, timeOf) {
  const found = {};
  for (const { key, first, count } of functions) {
    const levels = Array.from({ length: count }, (x, i) => LEVELS[levelOf(timeOf(first + i))]).join('');
    if (/[^0]/.test(levels)) found[key] = levels;
  }
  return { version: VERSION, functions: found };
}
