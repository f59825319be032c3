/**
 * Source maps of scripts that get polls. Polls move what is on their line and nothing else, so the map of the
 * script becomes that of the instrumented one by moving its columns: every token leads where it led before,
 * and all else that is in the map stays as it is.
 */
import {
  FlattenMap, TraceMap, decodedMappings, encodedMap, presortedDecodedMap,
} from '@jridgewell/trace-mapping';
import { InstrumentError } from '../instrument/error.js';
import { findLineStarts } from '../instrument/text.js';

const fail = (message, line, column) => {
  throw new InstrumentError('ERR_PROFILYFILL_MAP', message, { line, column });
};

/** As bundlers want maps to be. */
class SourceMap {
  constructor(fields) {
    Object.assign(this, fields);
  }

  toString() {
    return JSON.stringify(this);
  }

  toUrl() {
    return `data:application/json;charset=utf-8;base64,${Buffer.from(this.toString()).toString('base64')}`;
  }
}

/** The fields of a map, given as such, with methods, or as JSON. */
function readFields(map) {
  let read = map;
  if (typeof map === 'string') {
    try {
      // What may stand before it keeps a browser from running it as a script.
      read = JSON.parse(map.replace(/^\)\]\}'[^\n]*/, ''));
    } catch (error) {
      fail(`the source map is no JSON: ${error.message}`, 1, 1);
    }
  }
  const { toString, toUrl, ...fields } = Object(read);
  if (fields.sections) {
    // One of several maps becomes one map.
    try {
      return { ...encodedMap(new FlattenMap(read)) };
    } catch (error) {
      fail(`the source map cannot be read: ${error.message}`, 1, 1);
    }
  }
  if (typeof fields.mappings !== 'string' || !Array.isArray(fields.sources)) {
    fail('the source map has no mappings or no sources', 1, 1);
  }
  return fields;
}

/** Offsets at which lines start where nothing but line feeds ends them, as it is to most that make maps. */
function findLineFeeds(code) {
  const starts = [0];
  for (let at = -1; (at = code.indexOf('\n', at + 1)) >= 0;) starts.push(at + 1);
  return starts;
}

const COMMA = 44;
const SEMICOLON = 59;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NO_DIGIT = 64;
const VALUES = new Uint8Array(128).fill(NO_DIGIT);
for (let i = 0; i < DIGITS.length; i++) VALUES[DIGITS.charCodeAt(i)] = i;

/** A number as source maps write it. */
function encodeNumber(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  for (; rest > 31; rest >>>= 5) text += DIGITS[32 | (rest & 31)];
  return text + DIGITS[rest];
}

/**
 * Moves mappings, from text to text: nothing changes but the distances across what was put in.
 *
 * @param {string} mappings
 * @param {readonly number[]} starts  offsets at which the lines of the script start
 * @param {number} length  of the script
 * @param {readonly { offset: number, text: string }[]} insertions
 * @param {{ sources: readonly unknown[], names?: readonly unknown[] }} lists
 * @returns {{ mappings?: string, isOdd: boolean, line: number, column: number }} without `mappings`: at that
 *   place they lead out of the script or out of the lists, or, `isOdd`, are not in order or not numbers
 */
function moveMappings(mappings, starts, length, insertions, { sources, names = [] }) {
  const parts = [];
  let copied = 0;
  let line = 0;
  let [start] = starts;
  let end = (starts[1] ?? length + 1) - 1;
  let column = 0;
  let source = 0;
  let name = 0;
  let next = 0;
  let offset = insertions[0]?.offset ?? Infinity;
  let at = 0;
  let isOdd = false;
  const read = () => {
    let value = 0;
    let digit = 32;
    for (let shift = 0; digit > 31; shift += 5) {
      digit = VALUES[mappings.charCodeAt(at++)];
      // Also where the text ends, and of any other character.
      if (!(digit < NO_DIGIT) || shift > 25) {
        isOdd = true;
        return 0;
      }
      value |= (digit & 31) << shift;
    }
    return value & 1 ? -(value >>> 1) : value >>> 1;
  };
  const isOpen = () => {
    const c = mappings.charCodeAt(at);
    return c !== COMMA && c !== SEMICOLON && at < mappings.length;
  };
  while (at < mappings.length) {
    if (mappings.charCodeAt(at) === SEMICOLON) {
      at++;
      line++;
      column = 0;
      // Behind the last line they are NaN, and no mapping fits.
      start = starts[line] ?? NaN;
      end = (starts[line + 1] ?? length + 1) - 1 - start;
      while (offset < start) offset = insertions[++next]?.offset ?? Infinity;
      continue;
    }
    const from = at;
    const distance = read();
    const rest = at;
    column += distance;
    let fits = column >= 0 && column <= end;
    if (isOpen()) {
      source += read();
      read();
      read();
      fits &&= source >= 0 && source < sources.length;
    }
    if (isOpen()) {
      name += read();
      fits &&= name >= 0 && name < names.length;
    }
    isOdd ||= isOpen() || (distance < 0 && column >= 0);
    if (isOdd || !fits) return { isOdd, line, column };
    let added = 0;
    while (offset <= start + column) {
      added += insertions[next].text.length;
      offset = insertions[++next]?.offset ?? Infinity;
    }
    if (added > 0) {
      parts.push(mappings.slice(copied, from), encodeNumber(distance + added));
      copied = rest;
    }
    if (mappings.charCodeAt(at) === COMMA) at++;
  }
  parts.push(mappings.slice(copied));
  return { mappings: parts.join(''), isOdd, line, column };
}

/** Mappings in order, and written as usual. */
const tidy = (fields) => encodedMap(presortedDecodedMap({
  version: 3, names: [], sources: [], mappings: decodedMappings(new TraceMap({ ...fields, version: 3 })),
})).mappings;

/**
 * @param {string} code  a script
 * @param {object | string} map  its source map
 * @param {readonly { offset: number, text: string }[]} insertions  what is put into it, ascending
 * @param {(url: string) => string} [moveSource]  for its URLs of sources
 * @returns {{ moved: SourceMap, plain: SourceMap }} that of the script with the insertions, and the given
 *   one; `toString()` makes JSON of them
 * @throws {InstrumentError} `ERR_PROFILYFILL_MAP`: it is none, or not that of this script
 */
export function moveMap(code, map, insertions, moveSource) {
  const fields = readFields(map);
  const move = (mappings, starts) => moveMappings(mappings, starts, code.length, insertions, fields);
  let { mappings } = fields;
  let moved = move(mappings, findLineFeeds(code));
  if (moved.isOdd) {
    mappings = tidy(fields);
    moved = move(mappings, findLineFeeds(code));
  }
  if (moved.mappings === undefined) {
    const { line, column } = moved;
    // It may count all lines of the language.
    moved = move(mappings, findLineStarts(code));
    if (moved.mappings === undefined) {
      fail('the source map is of another file: it has no such place', line + 1, Math.max(column, 0) + 1);
    }
  }
  if (moveSource && fields.sourceRoot) fields.sourceRoot = moveSource(fields.sourceRoot);
  else if (moveSource) fields.sources = fields.sources.map((source) => source && moveSource(source));
  return { moved: new SourceMap({ ...fields, mappings: moved.mappings }), plain: new SourceMap(fields) };
}

// The comment that names the map, as the last thing in a file but for other comments.
const COMMENT = /^\s*(?:\/\/|\/\*)[#@]\s*sourceMappingURL=([^\s'"`*]+)[^\n]*(?:\n\s*(?:\/\/[^\n]*)?)*$/;

/** @returns {string | undefined} the URL that a script names as that of its map */
export function findMapUrl(code) {
  const from = code.lastIndexOf('sourceMappingURL=');
  return from < 0 ? undefined : COMMENT.exec(code.slice(code.lastIndexOf('\n', from) + 1))?.[1];
}

/** @returns {string | undefined} the map in a `data:` URL, as JSON */
export function readDataUrl(url) {
  const match = /^data:application\/json[^,]*?(;base64)?,/.exec(url);
  if (match === null) return undefined;
  const data = url.slice(match[0].length);
  return match[1] ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}
