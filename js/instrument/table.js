/**
 * The function table: which part of the instrumented script belongs to which function of the
 * original, in version 2 of the format, which c/trace/functions.h describes and c/trace decodes.
 *
 * Functions that are on no stack are left out. Insertions are in it only if asked for, then all of them, the
 * prologue as well: they lead from where code is executing in the instrumented script to where that is in
 * the original.
 */
import { QUIET_END } from './edits.js';
import { RangeEncoder, fixed } from './range-coder.js';
import { lineAt } from './text.js';

// Fields of an event.
const HEAD = 0;
const LINES = 1;
const NAME = 2;
const GAP = 3;
const BACK = 4;
const COLUMN = 5;
const GROWN = 6;
const LENGTH = 7;

// Heads.
const LATER_LINE = 1;
const END = 2;
const INSERTION = 4; // of an end
const QUIET = 4; // of a start
const EXPLICIT = 8;
const ASYNC = 16;

// Kinds of events: 1 is added to those of functions without polls.
const KIND_START = 0;
const KIND_END = 2;
const KIND_INSERTION = 4;

const utf8 = new TextEncoder();

/** By the index of a start whether its function has no polls; inert ones are not in it. */
function findQuiet(items) {
  const quiet = new Map();
  const open = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === 'string') continue;
    if (item) open.push(i);
    else {
      const start = open.pop();
      if (!items[start].isInert) quiet.set(start, item === QUIET_END);
    }
  }
  return quiet;
}

/** Writes events, given in the order of the text. */
class TableEncoder {
  #coder = new RangeEncoder();

  /** Each name once, in order of first use: its index and its bytes. */
  #known = new Map([['', { index: 0, length: 0 }]]);

  #line = 0;

  #column = 0;

  #shift = 0;

  #kind = KIND_START;

  /** The top-level code is open, too. */
  #depth = 1;

  /** Of the last five events: 1 for an end. */
  #past = 0;

  constructor(prologueLine) {
    this.#coder.write(0, prologueLine);
  }

  get names() {
    return [...this.#known.keys()].join('');
  }

  /**
   * @param {number} kind
   * @param {number} line
   * @param {number} column  in the original
   * @param {number} shift  by how many columns insertions but the prologue moved this place
   * @param {{ name: string, isAsync: boolean, definition?: [number, number] }} [start]  of a start;
   *   `definition` if that is elsewhere
   */
  event(kind, line, column, shift, start) {
    const isLater = line > this.#line;
    const isInsertion = kind === KIND_INSERTION;
    let situation = this.#kind;
    const write = (field, extra, value) =>
      this.#coder.write((field * 32 + situation) * 32 + (extra & 31), value);
    let head = isLater ? LATER_LINE : 0;
    if (start === undefined) head |= END | (isInsertion ? INSERTION : 0);
    else {
      head |= (kind === KIND_START ? 0 : QUIET) | (start.isAsync ? ASYNC : 0) |
        (start.definition ? EXPLICIT : 0);
    }
    write(HEAD, this.#past, head);
    situation = kind * 4 + (this.#past & 1) * 2 + (isLater ? 1 : 0);
    if (isLater) {
      write(LINES, 0, line - this.#line - 1);
      this.#line = line;
      this.#column = 0;
      this.#shift = 0;
    }
    let extra = this.#depth;
    if (start !== undefined) {
      const { name, definition } = start;
      const known = this.#known.get(name);
      write(NAME, 0, known === undefined ? 0 : known.index + 1);
      extra = known === undefined ? this.#addName(name) : known.length;
      if (known === undefined) write(LENGTH, 0, extra);
      if (definition) {
        write(BACK, 0, line - definition[0]);
        write(COLUMN, 0, definition[1]);
      }
    }
    const gap = column - this.#column;
    write(GAP, extra, gap);
    write(GROWN, 31 - Math.clz32(gap + 1), shift - this.#shift);
    this.#column = column;
    this.#shift = shift;
    if (isInsertion) return;
    this.#kind = kind;
    this.#depth += start === undefined ? -1 : 1;
    this.#past = (this.#past * 2 + (start === undefined ? 1 : 0)) & 31;
  }

  #addName(name) {
    const { length } = utf8.encode(name);
    this.#known.set(name, { index: this.#known.size, length });
    return length;
  }

  finish() {
    return this.#coder.finish();
  }
}

/**
 * @param {import('./edits.js').Edits} edits
 * @param {number[]} lineStarts  of the original code
 * @param {{ length: number, firstColumn: number, prologueAt: number, executing: boolean }} layout  length
 *   of the original code, offset that counts as the first line's column 0, offset of the prologue,
 *   whether to tell of insertions
 * @returns {{ names: string, positions: (prologueLength: number) => string }} the positions are as long,
 *   however long the prologue, which holds them, will be
 */
export function encodeTable(edits, lineStarts, { length, firstColumn, prologueAt, executing }) {
  const { offsets, items } = edits;
  const quiet = findQuiet(items);
  const prologueLine = lineAt(lineStarts, prologueAt);
  const encoder = new TableEncoder(prologueLine);

  let line = 0;
  let lineStart = firstColumn;
  let nextStart = lineStarts[1] ?? Infinity;
  let shift = 0;
  const moveTo = (offset) => {
    if (offset < nextStart) return;
    while (offset >= nextStart) nextStart = lineStarts[++line + 1] ?? Infinity;
    lineStart = lineStarts[line];
    shift = 0;
  };

  if (executing) {
    moveTo(prologueAt);
    encoder.event(KIND_INSERTION, line, prologueAt - lineStart, 0);
  }

  const open = [];
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const offset = offsets[i];
    moveTo(offset);
    if (typeof item === 'string') {
      shift += item.length;
      if (executing && item !== '') encoder.event(KIND_INSERTION, line, offset - lineStart, shift);
      continue;
    }
    const isStart = Boolean(item);
    const start = isStart ? i : open.pop();
    if (isStart) open.push(i);
    const isQuiet = quiet.get(start);
    if (isQuiet === undefined) continue;
    const kind = (isStart ? KIND_START : KIND_END) + (isQuiet ? 1 : 0);
    if (!isStart) encoder.event(kind, line, offset - lineStart, shift);
    else {
      const { name, isAsync, definition } = item;
      let place;
      if (definition !== offset) {
        const definitionLine = lineAt(lineStarts, definition);
        const from = definitionLine === 0 ? firstColumn : lineStarts[definitionLine];
        place = [definitionLine, definition - from];
      }
      encoder.event(kind, line, offset - lineStart, shift, { name, isAsync, definition: place });
    }
  }
  moveTo(length);
  encoder.event(KIND_END, line, length - lineStart, shift);
  const text = encoder.finish();
  return { names: encoder.names, positions: (prologue) => fixed(prologue) + text };
}
