/**
 * Reads function tables the way the format says, with no regard for speed: the check on what
 * js/instrument/table.js writes and c/trace/ reads.
 */
import vm from 'node:vm';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * @typedef {object} Range  part of the instrumented code that belongs to a function
 * @property {string} name
 * @property {boolean} isAsync  an async function that is no generator
 * @property {[number, number]} start  0-based line and column in the instrumented code
 * @property {[number, number]} end  the first position after it
 * @property {[number, number]} definition  0-based line and column in the original code
 */

/**
 * @param {{ p: string, n: string }} table
 * @returns {{ last: [number, number], ranges: Range[] }} in the order of their starts
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
    if (head & 2) {
      if (open.length === 0) throw new Error('an end without a start');
      open.pop().end = [line, column];
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
  return { last, ranges };
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
