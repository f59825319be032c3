/** Which files are to be instrumented, by their names. */
import picomatch from 'picomatch/posix.js';
import { InstrumentError } from './instrument/error.js';

/** The profiler's own files: it does not sample itself. */
export const OWN = /(?:^|\/)profilyfill(?:\.iife|-(?:worker|twin|positions|service-worker))[^/]*$/;

/**
 * A test of file names for globs and regular expressions. A glob without slash is of any folder.
 *
 * @param {string} name  of the option, for the error
 * @param {string | RegExp | readonly (string | RegExp)[]} patterns
 * @returns {(file: string) => boolean}
 * @throws {InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function makeTest(name, patterns) {
  const tests = [patterns].flat().map((pattern) => {
    if (pattern instanceof RegExp) return (file) => file.search(pattern) >= 0;
    if (typeof pattern !== 'string' || pattern === '') {
      throw new InstrumentError('ERR_PROFILYFILL_OPTION',
        `${name} must be a glob, a regular expression or an array of them`);
    }
    return picomatch(pattern, { dot: true, basename: !pattern.includes('/') });
  });
  return (file) => tests.some((test) => test(file));
}
