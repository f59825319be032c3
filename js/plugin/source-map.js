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

/** Where mappings lead out of a script with these lines, or out of the map's lists; undefined: nowhere. */
function findMisfit(mappings, starts, length, { sources, names = [] }) {
  for (let line = 0; line < mappings.length; line++) {
    const end = (starts[line + 1] ?? length + 1) - 1 - starts[line];
    for (const [column, source, , , name] of mappings[line]) {
      // Without such a line, `end` is NaN.
      const fits = column >= 0 && column <= end && !(source < 0 || source >= sources.length) &&
        !(name < 0 || name >= names.length);
      if (!fits) return { line: line + 1, column: Math.max(column, 0) + 1 };
    }
  }
  return undefined;
}

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
  const mappings = decodedMappings(new TraceMap({ ...fields, version: 3 }));
  let starts = findLineFeeds(code);
  const misfit = findMisfit(mappings, starts, code.length, fields);
  if (misfit) {
    // It may count all lines of the language.
    starts = findLineStarts(code);
    if (findMisfit(mappings, starts, code.length, fields)) {
      fail('the source map is of another file: it has no such place', misfit.line, misfit.column);
    }
  }
  let next = 0;
  for (let line = 0; line < mappings.length; line++) {
    const start = starts[line];
    while (next < insertions.length && insertions[next].offset < start) next++;
    let shift = 0;
    for (const segment of mappings[line]) {
      while (next < insertions.length && insertions[next].offset <= start + segment[0]) {
        shift += insertions[next++].text.length;
      }
      segment[0] += shift;
    }
  }
  if (moveSource && fields.sourceRoot) fields.sourceRoot = moveSource(fields.sourceRoot);
  else if (moveSource) fields.sources = fields.sources.map((source) => source && moveSource(source));
  // Made anew, since what was decoded keeps the text that it came from.
  const moved = encodedMap(presortedDecodedMap({ version: 3, names: [], sources: [], mappings }));
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
