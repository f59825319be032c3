// Types of 'profilyfill/export'.

import type { ExtendedTrace, ProfilerTrace } from './index.js';
import type { Profile } from './fxprof.js';

/** As performance.getEntries() has them, or plain objects. */
export interface TimingEntry {
  readonly entryType: string;
  readonly name: string;
  /** Milliseconds, as the timestamps of samples. */
  readonly startTime: number;
  readonly duration: number;
}

export interface FirefoxProfileOptions {
  /** What was profiled; names the profile and its thread. Default "JavaScript". */
  product?: string;
  /**
   * What timestamps are relative to, in milliseconds since the Unix epoch: `performance.timeOrigin` of the
   * global that made the profiler. Default: that of this one.
   */
  timeOrigin?: number;
  /** `profiler.sampleInterval`, in milliseconds, above 0. Default: the median time between two samples. */
  interval?: number;
  /** `mark` and `measure` entries become markers, at any time; all others are ignored. Default: none. */
  entries?: readonly TimingEntry[];
}

/**
 * Makes a profile for the Firefox Profiler of a trace: one thread, with the functions of scripts, where they
 * are defined and, in traces with `executing`, where they were executing. Samples without a stack are of the
 * category "Idle". `toBytes()` of the profile gives the file.
 *
 * Rejected with a TypeError that has a `code`, before anything else is done:
 * `ERR_PROFILYFILL_TRACE`: not a trace, or ids of it lead nowhere;
 * `ERR_PROFILYFILL_OPTION`: an option of the wrong type;
 * and with an FxprofError, `ERR_FXPROF_NO_MEMORY`.
 */
export function toFirefoxProfile(
  trace: ProfilerTrace | ExtendedTrace, options?: FirefoxProfileOptions,
): Promise<Profile>;
