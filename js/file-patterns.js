/** Which files are to be instrumented, by their names. */
import picomatch from 'picomatch/posix.js';
import { failOption } from './instrument/error.js';

/** The profiler's own files: it does not sample itself. */
const OWN = /(?:^|\/)profilyfill(?:\.iife|-(?:worker|twin|positions|service-worker))[^/]*$/;

/**
 * A test of file names for globs and regular expressions. A glob without slash is of any folder.
 *
 * @param {string} name  of the option, for the error
 * @param {Patterns} patterns
 * @returns {(file: string) => boolean}
 * @throws {import('./instrument/error.js').InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function makeTest(name, patterns) {
  const tests = [patterns].flat().map((pattern) => {
    if (pattern instanceof RegExp) return (file) => file.search(pattern) >= 0;
    if (typeof pattern !== 'string' || pattern === '') {
      failOption(`${name} must be a glob, a regular expression or an array of them`);
    }
    return picomatch(pattern, { dot: true, basename: !pattern.includes('/') });
  });
  return (file) => tests.some((test) => test(file));
}

/**
 * @typedef {string | RegExp | readonly (string | RegExp)[]} Patterns  globs and regular expressions
 * @param {{ include?: Patterns, exclude?: Patterns }} options  default: all files, and none
 * @returns {(file: string) => boolean} whether a file is to be instrumented, by its name with `/` between
 *   folders
 * @throws {import('./instrument/error.js').InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function makeFilter({ include, exclude }) {
  const isIncluded = include === undefined ? () => true : makeTest('include', include);
  const isExcluded = exclude === undefined ? () => false : makeTest('exclude', exclude);
  return (file) => !OWN.test(file) && isIncluded(file) && !isExcluded(file);
}
