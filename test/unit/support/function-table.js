/**
 * Reads and writes function tables the way the format says (c/trace/functions.h), with no regard for
 * speed or size: the check on what js/instrument/table.js writes and c/trace/ reads.
 */
import vm from 'node:vm';

const digitOf = (character) => (character === '=' ? 92 : character.charCodeAt(0)) - 63;
const characterOf = (digit) => (digit === 29 ? '=' : String.fromCharCode(63 + digit));

const FIELDS = ['head', 'lines', 'name', 'gap', 'back', 'column', 'grown', 'length'];

const utf8Length = (text) => Buffer.byteLength(text);

/** How likely bits are, which the reader and the writer of numbers learn alike. */
class Odds {
  #slots = new Map();

  /** The part of a range that stands for 0. */
  split(range, context, node) {
    this.slot = Math.imul(Math.imul(context, 0x9e3779b1) + node, 0x2545f491) >>> 16;
    return Math.floor(range / 65536) * (32768 + (this.#slots.get(this.slot) ?? 0));
  }

  learn(bit) {
    const odds = this.#slots.get(this.slot) ?? 0;
    this.#slots.set(this.slot, bit ? odds - Math.floor((odds + 32768) / 16)
      : odds + Math.floor((32768 - odds) / 16));
  }
}

const contextOf = (field, { situation, extra = 0 }) =>
  (FIELDS.indexOf(field) * 32 + situation) * 32 + extra % 32;

/** What makes the contexts of the numbers of an event. */
class Situation {
  kind = 0;

  past = 0;

  depth = 1;

  get ofHead() {
    return { situation: this.kind, extra: this.past };
  }

  of(kind, isLater) {
    return { situation: kind * 4 + (this.past % 2) * 2 + (isLater ? 1 : 0) };
  }

  finish(kind) {
    if (kind === 4) return;
    this.kind = kind;
    this.past = (this.past * 2 + (kind > 1 ? 1 : 0)) % 32;
    this.depth += kind > 1 ? -1 : 1;
  }
}

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
  const digits = Array.from(p, digitOf);
  if (digits.some((digit) => !(digit >= 0 && digit < 64))) throw new Error('a bad digit');
  const five = (from) => digits.slice(from, from + 5).reduce((sum, digit) => sum * 64 + digit, 0);
  const prologue = five(0);
  let code = five(5);
  let at = 10;
  let range = 2 ** 30;
  const odds = new Odds();
  const readBit = (context, node) => {
    const bound = odds.split(range, context, node);
    const bit = code >= bound ? 1 : 0;
    odds.learn(bit);
    if (bit) code -= bound;
    range = bit ? range - bound : bound;
    while (range < 2 ** 24) {
      range *= 64;
      if (at === digits.length) throw new Error('too few digits');
      code = code * 64 + digits[at++];
    }
    return bit;
  };
  const read = (field, about) => {
    const context = contextOf(field, about);
    let length = 0;
    while (readBit(context, length)) length++;
    let number = 1;
    for (let i = 0; i < length; i++) number = number * 2 + readBit(context, 32 + number * 32 + length);
    return number - 1;
  };

  const names = [''];
  let rest = n;
  const readName = (about) => {
    const reference = read('name', about);
    if (reference > 0) {
      if (reference > names.length) throw new Error('a name that is not there');
      return names[reference - 1];
    }
    const length = read('length', about);
    let end = 0;
    while (utf8Length(rest.slice(0, end)) < length) end++;
    names.push(rest.slice(0, end));
    rest = rest.slice(end);
    return names.at(-1);
  };

  const ranges = [];
  const insertions = [];
  const open = [];
  const state = new Situation();
  const prologueLine = read('head', { situation: 0 });
  let line = 0;
  let column = 0;
  const shiftAt = (where) => (where === prologueLine ? prologue : 0);
  let shift = shiftAt(0);
  while (state.depth > 0) {
    const head = read('head', state.ofHead);
    const isEnd = (head & 2) !== 0;
    const isInsertion = isEnd && (head & 4) !== 0;
    let kind = head & 4 ? 1 : 0;
    if (isEnd) kind = isInsertion ? 4 : 2 + (open.at(-1)?.isQuiet ? 1 : 0);
    const about = state.of(kind, head & 1);
    if (head & 1) {
      line += read('lines', about) + 1;
      column = 0;
      shift = shiftAt(line);
    }
    let name;
    let definition;
    if (!isEnd) {
      name = readName(about);
      if (head & 8) definition = [line - read('back', about), read('column', about)];
    }
    const gap = read('gap', { ...about, extra: isEnd ? state.depth : utf8Length(name) });
    const grown = read('grown', { ...about, extra: Math.floor(Math.log2(gap + 1)) });
    column += gap;
    shift += grown;
    const place = [line, column + shift];
    if (isInsertion) {
      const isFirst = insertions.length === 0;
      insertions.push({ end: place, length: grown + (isFirst ? prologue : 0) });
    } else if (!isEnd) {
      const range = {
        name, isAsync: (head & 16) !== 0, isQuiet: (head & 4) !== 0, start: place, end: null,
        definition: definition ?? [line, column],
      };
      ranges.push(range);
      open.push(range);
    } else if (open.length > 0) open.pop().end = place;
    state.finish(kind);
  }
  if (at !== digits.length) throw new Error('too many digits');
  if (rest !== '') throw new Error('names that nobody uses');
  return { last: [line, column + shift], ranges, insertions };
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

/**
 * A function table, written by the description in c/trace/functions.h and not by js/instrument.
 *
 * @param {object} table
 * @param {[number, number]} table.last  last line of the instrumented code and its length
 * @param {({ at: [number, number], end: true } | { at: [number, number], definition: [number, number],
 *   name: string })[]} table.events  positions zero-based; definitions in the code's own coordinates, on no
 *   later line
 * @returns {{ positions: string, names: string }}
 */
export function encodeTable({ last, events }) {
  // What is written so far is the sum of digits * 64 ** -place, so nothing has to be carried on the way.
  const digits = [0, 0, 0, 0, 0];
  let range = 2 ** 30;
  const odds = new Odds();
  const writeBit = (context, node, bit) => {
    const bound = odds.split(range, context, node);
    odds.learn(bit);
    if (bit) digits[digits.length - 1] += bound;
    range = bit ? range - bound : bound;
    for (; range < 2 ** 24; range *= 64) digits.push(0);
  };
  const write = (field, about, value) => {
    const context = contextOf(field, about);
    const bits = (value + 1).toString(2);
    const length = bits.length - 1;
    for (let i = 0; i < length; i++) writeBit(context, i, 1);
    writeBit(context, length, 0);
    let node = 1;
    for (const bit of bits.slice(1)) {
      writeBit(context, 32 + node * 32 + length, Number(bit));
      node = node * 2 + Number(bit);
    }
  };

  const names = [''];
  const state = new Situation();
  let [line, column] = [0, 0];
  write('head', { situation: 0 }, 0);
  for (const { at, end, definition, name } of [...events, { at: last, end: true }]) {
    const isLater = at[0] > line;
    const kind = end ? 2 : 0;
    const about = state.of(kind, isLater);
    write('head', state.ofHead, (isLater ? 1 : 0) + (end ? 2 : 8));
    if (isLater) write('lines', about, at[0] - line - 1);
    if (!end) {
      write('name', about, names.indexOf(name) + 1);
      if (!names.includes(name)) {
        write('length', about, utf8Length(name));
        names.push(name);
      }
      write('back', about, at[0] - definition[0]);
      write('column', about, definition[1]);
    }
    const gap = at[1] - (isLater ? 0 : column);
    write('gap', { ...about, extra: end ? state.depth : utf8Length(name) }, gap);
    write('grown', { ...about, extra: Math.floor(Math.log2(gap + 1)) }, 0);
    [line, column] = at;
    state.finish(kind);
  }
  for (let i = digits.length - 1; i > 0; i--) {
    digits[i - 1] += Math.floor(digits[i] / 64);
    digits[i] %= 64;
  }
  const text = digits.map(characterOf).join('');
  return { positions: '?????' + text, names: names.join('') };
}
