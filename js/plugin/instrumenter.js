/** What the plugin and the command do with the files of a build, one after the other, and tell of it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { makeFilter } from '../file-patterns.js';
import { InstrumentError, instrument } from '../instrument.js';
import { checkKeys, failOption as fail } from '../instrument/error.js';
import { ResultCache } from './result-cache.js';
import { findMapUrl, moveMap, readDataUrl } from './source-map.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const KEYS = [
  'include', 'exclude', 'sourceType', 'minFunctionSize', 'precision', 'executing', 'memoryRoots', 'lenient',
  'dev', 'plainMaps', 'cache', 'weights', 'separateTable',
];

// Not by toLocaleString(), which takes 30 ms when it is first called.
const number = (value) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const plural = (count, what) => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

export class Instrumenter {
  #options;

  #filter;

  #cache;

  /** @param {import('../plugin.js').PluginOptions} [options] */
  constructor(options = {}) {
    if (typeof options !== 'object' || options === null) fail('options must be an object');
    checkKeys(options, KEYS);
    const {
      include, exclude, lenient = false, dev = false, plainMaps = false, cache = true, ...rest
    } = options;
    if (typeof rest.weights === 'string') rest.weights = readWeights(rest.weights);
    for (const [name, value] of Object.entries({ lenient, dev, plainMaps, cache })) {
      if (typeof value !== 'boolean') fail(`${name} must be a boolean`);
    }
    instrument('', rest); // to have its options checked
    this.#filter = makeFilter({ include, exclude });
    this.#options = rest;
    this.#cache = cache ? new ResultCache() : null;
    this.lenient = lenient;
    this.dev = dev;
    this.plainMaps = plainMaps;
    /** Tells apart builds whose scripts differ by what is done here. */
    this.digest = createHash('sha256').update(JSON.stringify(
      [version, { ...options, ...rest, cache: undefined }],
      (key, value) => (value instanceof RegExp ? String(value) : value),
    )).digest('hex').slice(0, 16);
    this.#reset();
  }

  #reset() {
    Object.assign(this, { files: 0, functions: 0, polls: 0, before: 0, after: 0, failed: [] });
  }

  /** Whether a file is to be instrumented, by its name with `/` between folders. */
  includes(file) {
    return this.#filter(file);
  }

  /**
   * @param {string} file  its name
   * @param {string} code
   * @param {{ map?: object | string | null, sourceType?: string, moveSource?: (url: string) => string }}
   *   [details]  `map`: its source map, unless it holds one itself; `sourceType`: what it is if the options
   *   do not say; `moveSource`: makes the map's URLs of sources what they are where the new map will be
   * @returns {null | { code: string, map?: object, plainMap?: object,
   *   result: ReturnType<typeof instrument> }} `map` if there was one; `plainMap`, the one of the code
   *   without polls, if the option `plainMaps` is on; null: the file stays as it is, since it was
   *   instrumented before, or has a fault and the option `lenient` is on
   * @throws {InstrumentError} with `file`
   */
  instrument(file, code, { map, sourceType, moveSource } = {}) {
    try {
      const result = this.#instrument(code, sourceType);
      if (result.insertions.length === 0) return null;
      const url = findMapUrl(code);
      const inline = url && readDataUrl(url);
      const given = map ?? inline;
      const { moved, plain } = given ? moveMap(code, given, result.insertions, moveSource) : {};
      const made = inline ? replaceLast(result.code, url, moved.toUrl()) : result.code;
      this.files++;
      this.functions += result.functions;
      this.polls += result.polls;
      this.before += Buffer.byteLength(code) - (inline ? url.length : 0);
      this.after += Buffer.byteLength(result.code) - (inline ? url.length : 0);
      return { code: made, map: moved, plainMap: this.plainMaps ? plain : undefined, result };
    } catch (error) {
      if (!(error instanceof InstrumentError)) throw error;
      error.file = file;
      error.message = error.message.replace('<anonymous>', () => file);
      if (!this.lenient) throw error;
      this.failed.push(error);
      return null;
    }
  }

  #instrument(code, sourceType) {
    const options = { ...this.#options, sourceType: this.#options.sourceType ?? sourceType };
    const known = this.#cache?.read(code, options);
    if (known) return known;
    const result = instrument(code, options);
    this.#cache?.write(code, options, result);
    return result;
  }

  /** One line on what was done since the last report. */
  report() {
    const { files, functions, polls, before, after, failed } = this;
    this.#reset();
    const growth = before === 0 ? 0 : 100 * (after / before - 1);
    const left = failed.length === 0 ? ''
      : `; left as it was: ${plural(failed.length, 'file')} (${failed[0].message})`;
    return `${plural(files, 'file')}, ${plural(functions, 'function')}, ${plural(polls, 'poll')}, ` +
      `${kB(before)} + ${kB(after - before)} (${growth.toFixed(0)} %)${left}`;
  }
}

/** The file that `profilyfill calibrate` has written. */
function readWeights(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return fail(`weights cannot be read: ${error.message}`);
  }
}

function replaceLast(text, old, replacement) {
  const at = text.lastIndexOf(old);
  return text.slice(0, at) + replacement + text.slice(at + old.length);
}
