/**
 * Helpers on source text: lines, the gaps between tokens, safe string literals.
 */

const NEWLINE = 10;
const RETURN = 13;
const SLASH = 47;
const STAR = 42;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

const isTerminator = (c) =>
  c === NEWLINE || c === RETURN || c === LINE_SEPARATOR || c === PARAGRAPH_SEPARATOR;

/**
 * Offsets at which lines start, by the language's own line terminators, which are also those that
 * engines count when they print a position.
 *
 * @param {string} code
 * @returns {number[]} ascending; the first is 0
 */
export function findLineStarts(code) {
  const starts = [0];
  const length = code.length;
  for (let i = 0; i < length; i++) {
    const c = code.charCodeAt(i);
    if (c > RETURN && c < LINE_SEPARATOR) continue;
    if (!isTerminator(c)) continue;
    if (c === RETURN && code.charCodeAt(i + 1) === NEWLINE) i++;
    starts.push(i + 1);
  }
  return starts;
}

/**
 * The last line that starts at or before an offset.
 *
 * @param {number[]} starts  from `findLineStarts`
 * @param {number} offset
 * @returns {number} 0-based
 */
export function lineAt(starts, offset) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle;
  }
  return low;
}

function skipLine(code, offset) {
  while (offset < code.length && !isTerminator(code.charCodeAt(offset))) offset++;
  return offset;
}

/**
 * Finds punctuation in a gap between two nodes, where nothing but white space, comments and other
 * punctuation can be.
 *
 * @param {string} code
 * @param {number} offset  where to start; outside any token
 * @param {string} wanted  the punctuation to find
 * @returns {number} its offset
 */
export function findInGap(code, offset, wanted) {
  while (offset < code.length) {
    if (code.startsWith(wanted, offset)) return offset;
    const c = code.charCodeAt(offset);
    const next = code.charCodeAt(offset + 1);
    if (c === SLASH && next === STAR) offset = code.indexOf('*/', offset + 2) + 2;
    // The last two are comments of classic scripts; nothing else in a gap can look like them.
    else if (c === SLASH || code.startsWith('<!--', offset) || code.startsWith('-->', offset)) {
      offset = skipLine(code, offset);
    } else offset++;
  }
  throw new RangeError(`no ${wanted} in the gap`);
}

/** Whether the character before an offset could merge with an identifier put there. */
export function followsWord(code, offset) {
  const c = code.charCodeAt(offset - 1);
  return c >= 128 || c === 36 || c === 95 || (c >= 48 && c <= 57) || (c >= 65 && c <= 90) ||
    (c >= 97 && c <= 122);
}

const escapeUnit = (unit) => '\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0');

/**
 * A string literal that survives any character encoding of the file and any place in a document:
 * ASCII only, no line terminator, no `</script` and no `<!--`.
 *
 * @param {string} text
 * @returns {string}
 */
export function quote(text) {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/<(?=[/!])/g, '\\x3C');
  return '"' + escaped.replace(/[^ -~]/g, escapeUnit) + '"';
}

/**
 * A text with everything put in.
 *
 * @param {string} text
 * @param {readonly { offset: number, text: string }[]} insertions  ascending
 */
export function assemble(text, insertions) {
  const parts = [];
  let from = 0;
  for (const insertion of insertions) {
    parts.push(text.slice(from, insertion.offset), insertion.text);
    from = insertion.offset;
  }
  parts.push(text.slice(from));
  return parts.join('');
}

/** FNV-1a, in few characters. */
export function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return (value >>> 0).toString(36);
}
