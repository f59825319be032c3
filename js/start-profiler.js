// Profilers with more than the standard has.

import { invalid } from './options.js';
import { Profiler, setExtras } from './profiler.js';

function readFlag(options, name) {
  const value = options?.[name];
  if (value !== undefined && typeof value !== 'boolean') throw invalid(`option '${name}' must be a boolean`);
  return value;
}

/**
 * Makes a profiler that goes beyond the standard: the samples of its trace tell `truncated: true` where
 * the root of a stack was cut off.
 * @param {{ sampleInterval: number, maxBufferSize: number }} options those of `new Profiler()`, and
 * @param {boolean} [options.circular] keeps the last `maxBufferSize` samples instead of the first; there
 *   is no `samplebufferfull`
 * @param {boolean} [options.executing] the trace's stacks tell in `line` and `column` where each function
 *   was executing
 * @returns {Profiler}
 * @throws {TypeError} code ERR_PROFILYFILL_OPTION: one of these two is no boolean; and what the
 *   constructor throws
 */
export function startProfiler(options) {
  setExtras({ circular: readFlag(options, 'circular'), executing: readFlag(options, 'executing') });
  try {
    // Called from here and nowhere deeper: one frame on the first stack is this function's.
    return new Profiler(options);
  } finally {
    setExtras(null);
  }
}
