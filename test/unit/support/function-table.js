/**
 * Reads and writes function tables the way the format says (c/trace/functions.h), with no regard for
 * speed or size: the check on what js/instrument/table.js writes and c/trace/ reads.
 */
import vm from 'node:vm';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * @typedef {object} Range  part of the instrumented code that belongs to a function
 * @property {string} name
 * @property {boolean} isAsync  an async function that is no generator
 * @property {boolean} isQuiet  without polls
 * @property {[number, number]} start  0-based line and column in the instrumented code
 * @property {[number, number]} end  the first position after it
 * @property {[number, number]} definition  0-based line and column in the original code
 */

/**
 * @param {{ p: string, n: string }} table
 * @returns {{ last: [number, number], ranges: Range[], insertions: { end: [number, number],
 *   length: number }[] }} in the order of their starts
 */
export function decodeTable({ p, n }) {
  const names = splitNames(n);
  let at = 0;
  const unsigned = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 32) {
      const digit = DIGITS.indexOf(p[at++]);
      if (digit < 0) throw new Error(`bad digit at ${at - 1}`);
      value += (digit % 32) * factor;
      if (digit < 32) return value;
    }
  };
  const signed = () => {
    const value = unsigned();
    return value % 2 ? -(value - 1) / 2 : value / 2;
  };

  const last = [unsigned(), unsigned()];
  const ranges = [];
  const insertions = [];
  const open = [];
  let line = 0;
  let column = 0;
  let shift = 0;
  let used = 0;
  while (at < p.length) {
    const head = unsigned();
    const value = Math.floor(head / 16);
    if (head & 1) {
      const lines = unsigned();
      if (lines < 1) throw new Error('a later line must be later');
      line += lines;
      column = value;
      shift = 0;
    } else column += value;
    if ((head & 6) === 6) {
      const length = unsigned();
      insertions.push({ end: [line, column], length });
      shift += length;
      continue;
    }
    if (head & 2) {
      if (open.length === 0) throw new Error('an end without a start');
      const range = open.pop();
      range.end = [line, column];
      range.isQuiet = (head & 8) !== 0;
      continue;
    }
    let definition;
    if (head & 4) {
      const definitionLine = line + signed();
      definition = [definitionLine, unsigned()];
    } else {
      shift += signed();
      definition = [line, column - shift];
    }
    const reference = unsigned();
    const name = names[reference === 0 ? used++ : reference - 1];
    if (name === undefined || reference > used) throw new Error('a name that is not there');
    const range = { name, isAsync: (head & 8) !== 0, start: [line, column], end: null, definition };
    ranges.push(range);
    open.push(range);
  }
  if (open.length > 0) throw new Error('a start without an end');
  if (ranges.length > 0 && used !== names.length) throw new Error('names that nobody uses');
  return { last, ranges, insertions };
}

function splitNames(text) {
  const names = [''];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ',') names.push('');
    else names[names.length - 1] += text[i] === '\\' ? text[++i] : text[i];
  }
  return names;
}

const isBefore = (a, b) => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);

/** The innermost range at a position, or `undefined` for top-level code. */
export function findRange(ranges, position) {
  // Ranges nest, so the last that starts before the position and has not ended is the innermost.
  return ranges.findLast(({ start, end }) => !isBefore(position, start) && isBefore(position, end));
}

/**
 * What the prologue of instrumented code hands over, without running the rest.
 *
 * @param {string} code
 * @returns {{ v: number, e: Error, l: number, o: number, u?: string, p: string, n: string }}
 */
export function readTable(code) {
  const prologue = /\(\(\$,p,n\)=>\{.*?\}\)\(globalThis,"[^"]*","(?:[^"\\]|\\.)*"\)/.exec(code);
  if (prologue === null) throw new Error('no prologue');
  // The context's own global object: the test's has no business with the script's hub.
  return vm.runInNewContext(prologue[0]).t[0];
}

function vlq(number) {
  let text = '';
  do {
    const rest = Math.floor(number / 32);
    text += DIGITS[number % 32 + (rest ? 32 : 0)];
    number = rest;
  } while (number);
  return text;
}

const signed = (number) => vlq(number < 0 ? -number * 2 + 1 : number * 2);

/**
 * A function table, written by the description in c/trace/functions.h and not by js/instrument.
 *
 * @param {object} table
 * @param {[number, number]} table.last  last line of the instrumented code and its length
 * @param {({ at: [number, number], end: true } | { at: [number, number], definition: [number, number],
 *   name: string })[]} table.events  positions zero-based; definitions in the code's own coordinates
 * @returns {{ positions: string, names: string }}
 */
export function encodeTable({ last, events }) {
  const names = [];
  let text = vlq(last[0]) + vlq(last[1]);
  let [line, column] = [0, 0];
  for (const { at, end, definition, name } of events) {
    const later = at[0] > line;
    const value = later ? at[1] : at[1] - column;
    text += vlq(value * 16 + (later ? 1 : 0) + (end ? 2 : 4)) + (later ? vlq(at[0] - line) : '');
    if (!end) {
      const known = names.indexOf(name);
      text += signed(definition[0] - at[0]) + vlq(definition[1]) + vlq(known + 1);
      if (known < 0) names.push(name);
    }
    [line, column] = at;
  }
  return { positions: text, names: names.map((name) => name.replace(/[\\,]/g, '\\$&')).join(',') };
}
