// Putting Profiler on the global, where the browser has none that works.

import { defineProperty } from './builtins.js';
import { checkOptions, invalid } from './options.js';
import { Profiler } from './profiler.js';
import { settings } from './settings.js';
import { findAddress, wrapWorkers } from './workers.js';

const OPTIONS = {
  __proto__: null,
  force: 'boolean',
  documentPolicy: 'boolean',
  intervalFloor: 'number',
  positions: 'boolean',
  workers: 'boolean or string',
};

/** Chromium has the constructor on every page, and it throws where the header is missing. */
function hasNative() {
  const { Profiler: Native } = globalThis;
  if (typeof Native !== 'function' || Native === Profiler) return false;
  try {
    new Native({ sampleInterval: 10, maxBufferSize: 1 }).stop().catch(() => {});
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes `Profiler` available on this global.
 * @param {object} [options]
 * @param {boolean} [options.force] replace a native Profiler that works, too
 * @param {boolean} [options.documentPolicy] false: the constructor throws NotAllowedError, as it
 *   would without the `Document-Policy: js-profiling` header
 * @param {number} [options.intervalFloor] the smallest interval in ms (default 1)
 * @param {boolean} [options.positions] false: scripts that are not instrumented are not read to tell
 *   where their functions are defined
 * @param {boolean | string} [options.workers] dedicated workers that are made from now on get a Profiler,
 *   too, with the same options; a string: the address of profilyfill-worker.js
 * @returns {'native' | 'polyfill'} whose Profiler the global has now
 * @throws {TypeError} code ERR_PROFILYFILL_OPTION
 */
export function install(options = {}) {
  checkOptions(options, OPTIONS, 'intervalFloor');
  if (options.workers) {
    const workers = findAddress(options.workers);
    if (!workers) throw invalid("option 'workers' must be an address here");
    wrapWorkers({ ...options, workers });
  }
  if (!options.force && hasNative()) return 'native';
  settings.documentPolicy = options.documentPolicy ?? settings.documentPolicy;
  settings.intervalFloor = options.intervalFloor ?? settings.intervalFloor;
  settings.positions = options.positions ?? settings.positions;
  defineProperty(globalThis, 'Profiler', {
    value: Profiler, writable: true, enumerable: false, configurable: true,
  });
  return 'polyfill';
}
