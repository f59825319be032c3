/**
 * The function table: which part of the instrumented script belongs to which function of the
 * original, in version 1 of the format that c/trace decodes.
 *
 * `names`: each distinct name once, in order of first use, joined with `,` (`\` and `,` escaped).
 * `positions`: base64 VLQ numbers, five bits a digit, least significant first:
 *
 *     last line, last column            of the instrumented code, 0-based
 *     events, ascending by position in the instrumented code
 *       head = flags | value << 4       1: on a later line, 2: an end, 4: the definition is explicit,
 *                                       8: an async function that is no generator, or the end of a
 *                                       function without polls,
 *                                       2 and 4: the end of an insertion
 *                                       value: columns since the last event, or the column
 *       lines since the last event      if on a later line
 *       of a start
 *         signed: change of shift       shift: by how many columns insertions moved this place;
 *                                       0 at the start of a line; the definition is here
 *         or signed: definition's line relative to here, and its column
 *         name: 0 = the next one not yet used, or 1 + its index
 *       of an insertion
 *         its length                    by which it moves the shift, too
 *
 * Insertions are in it only if asked for, then all of them, the prologue as well. They lead from where
 * code is executing in the instrumented script to where that is in the original.
 */
import { QUIET_END } from './edits.js';
import { lineAt } from './text.js';

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const LATER_LINE = 1;
const END = 2;
const EXPLICIT = 4;
const ASYNC = 8; // of a start
const QUIET = 8; // of an end
const INSERTION = END | EXPLICIT;
const VALUE = 16;

function unsigned(value) {
  let digits = '';
  do {
    const digit = value % 32;
    value = (value - digit) / 32;
    digits += DIGITS[value > 0 ? digit + 32 : digit];
  } while (value > 0);
  return digits;
}

const signed = (value) => unsigned(value < 0 ? -value * 2 + 1 : value * 2);

const escapeName = (name) => name.replace(/[\\,]/g, '\\$&');

/**
 * @param {import('./edits.js').Edits} edits
 * @param {number[]} lineStarts  of the original code
 * @param {{ length: number, firstColumn: number, prologueAt: number, executing: boolean }} layout  length
 *   of the original code, offset that counts as the first line's column 0, offset of the prologue,
 *   whether to tell of insertions
 * @returns {{ names: string, positions: (prologueLength: number) => string }} the positions depend
 *   on how long the prologue, which holds them, will be
 */
export function encodeTable(edits, lineStarts, { length, firstColumn, prologueAt, executing }) {
  const { offsets, items } = edits;
  const indexOfName = new Map();
  const prologueLine = lineAt(lineStarts, prologueAt);

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

  let lastLine = 0;
  let lastColumn = 0;
  let lastShift = 0;
  // Everything on the prologue's line is moved by its length. All numbers are differences, so that
  // shows only in the first column and the first shift there: the head is encoded again, the rest
  // is not.
  const head = [];
  let headColumn = true;
  let headShift = true;
  let rest = '';
  const put = (digits) => {
    if (headShift) head.push(() => digits);
    else rest += digits;
  };

  if (executing) {
    moveTo(prologueAt);
    lastLine = line;
    const column = lastColumn = prologueAt - lineStart;
    const later = line > 0 ? LATER_LINE : 0;
    head.push((prologue) => unsigned((INSERTION | later) + (column + prologue) * VALUE) +
      (later ? unsigned(prologueLine) : '') + unsigned(prologue));
    // What follows is relative to that.
    headColumn = headShift = false;
  }

  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const offset = offsets[i];
    moveTo(offset);
    if (typeof item === 'string') {
      shift += item.length;
      if (executing && item !== '') {
        const column = offset - lineStart + shift;
        if (line > lastLine) {
          put(unsigned((INSERTION | LATER_LINE) + column * VALUE) + unsigned(line - lastLine));
        } else put(unsigned(INSERTION + (column - lastColumn) * VALUE));
        put(unsigned(item.length));
        lastLine = line;
        lastColumn = column;
        lastShift = shift;
      }
      continue;
    }
    const original = offset - lineStart;
    const column = original + shift;
    const lineDelta = line - lastLine;
    const isEnd = item === null || item === QUIET_END;
    let flags = isEnd ? END : 0;
    if (item === QUIET_END) flags |= QUIET;
    let value = column - lastColumn;
    if (lineDelta > 0) {
      flags |= LATER_LINE;
      value = column;
      lastShift = 0;
    }
    if (line > prologueLine) headColumn = headShift = false;
    if (!isEnd && item.definition !== offset) flags |= EXPLICIT;
    if (item?.isAsync) flags |= ASYNC;
    if (headColumn && line === prologueLine) {
      head.push((prologue) => unsigned(flags + (value + prologue) * VALUE));
      headColumn = false;
    } else put(unsigned(flags + value * VALUE));
    if (lineDelta > 0) put(unsigned(lineDelta));
    lastLine = line;
    lastColumn = column;
    if (isEnd) continue;
    if (flags & EXPLICIT) {
      const definitionLine = lineAt(lineStarts, item.definition);
      const start = definitionLine === 0 ? firstColumn : lineStarts[definitionLine];
      put(signed(definitionLine - line) + unsigned(item.definition - start));
    } else {
      const change = shift - lastShift;
      lastShift = shift;
      if (headShift && line === prologueLine) {
        head.push((prologue) => signed(change + prologue));
        headShift = false;
      } else put(signed(change));
    }
    const index = indexOfName.get(item.name);
    if (index === undefined) {
      indexOfName.set(item.name, indexOfName.size);
      put(unsigned(0));
    } else put(unsigned(index + 1));
  }
  moveTo(length);

  const endLine = line;
  const endColumn = length - lineStart + shift;
  return {
    names: Array.from(indexOfName.keys(), escapeName).join(','),
    positions(prologue) {
      const last = unsigned(endLine) + unsigned(endColumn + (endLine === prologueLine ? prologue : 0));
      return last + head.map((part) => part(prologue)).join('') + rest;
    },
  };
}
