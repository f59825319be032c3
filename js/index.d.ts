// Types of 'profilyfill'; in pages with the script tag, of the global `profilyfill`, too.

export as namespace profilyfill;

/** What `new Profiler()` takes; both members are required. */
export interface ProfilerInitOptions {
  /** The wanted time between two samples, in milliseconds: 0 to 2147483.647. */
  sampleInterval: number;
  /**
   * How many samples to keep. The next one fires `samplebufferfull` and is dropped, as are all after
   * it. Nothing is allocated for it ahead. Taken modulo 2^32.
   */
  maxBufferSize: number;
}

/** The absolute URL of a script; of the document for its inline scripts. */
export type ProfilerResource = string;

/** A function that was seen running. */
export interface ProfilerFrame {
  /** As written in the source; `''` for anonymous functions and top-level code. */
  name: string;
  /** Index into {@link ProfilerTrace.resources}. */
  resourceId?: number;
  /**
   * Where the function is defined in the original file, from 1: the line of the `(` of its parameter
   * list. Absent where that is not known: in scripts that are neither instrumented nor can be read.
   */
  line?: number;
  /** As `line`: the column, from 1, in UTF-16 units. */
  column?: number;
}

/** A stack: its innermost function, and the stack of that function's caller. */
export interface ProfilerStack {
  /** Index into {@link ProfilerTrace.frames}. */
  frameId: number;
  /** Index into {@link ProfilerTrace.stacks}, always below this one's; absent at the root. */
  parentId?: number;
}

/** One look at what the page was doing. */
export interface ProfilerSample {
  /** In the domain of `performance.now()` of the global that made the profiler, in milliseconds. */
  timestamp: number;
  /** Index into {@link ProfilerTrace.stacks}; absent when nothing that may be seen was running. */
  stackId?: number;
}

/**
 * What a profiler saw. Equal stacks, frames and resources are there once, and only those that
 * samples refer to.
 */
export interface ProfilerTrace {
  resources: ProfilerResource[];
  frames: ProfilerFrame[];
  stacks: ProfilerStack[];
  /** In order of time. */
  samples: ProfilerSample[];
}

/** The events of a {@link Profiler}. */
export interface ProfilerEventMap {
  /** A sample came due and the buffer was full. Fired once, in a task of its own. */
  samplebufferfull: Event;
}

/**
 * A sampling profiler of this page's JavaScript, running from its construction until `stop()`, as
 * specified by the JS Self-Profiling API: https://wicg.github.io/js-self-profiling/
 */
export class Profiler extends EventTarget {
  /**
   * Starts sampling. The first sample is taken at once.
   * @throws {TypeError} options that are missing or cannot be converted; more than 100 profilers alive
   * @throws {RangeError} a `sampleInterval` below 0 or above 2147483.647
   * @throws {DOMException} `NotAllowedError`: `install()` was told that there is no document policy
   */
  constructor(options: ProfilerInitOptions);

  /** The time between two samples in milliseconds, as it is in effect. */
  readonly sampleInterval: number;

  /** Whether `stop()` has been called. */
  readonly stopped: boolean;

  /**
   * Ends sampling.
   * @returns the trace; rejected with an `InvalidStateError` when the profiler was stopped before
   */
  stop(): Promise<ProfilerTrace>;

  addEventListener<K extends keyof ProfilerEventMap>(
    type: K,
    listener: (this: Profiler, event: ProfilerEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;

  removeEventListener<K extends keyof ProfilerEventMap>(
    type: K,
    listener: (this: Profiler, event: ProfilerEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** What `startProfiler()` takes. */
export interface StartProfilerOptions extends ProfilerInitOptions {
  /**
   * Keep the last `maxBufferSize` samples instead of the first; there is no `samplebufferfull` then.
   * Default `false`.
   */
  circular?: boolean;
  /** Tell where each function on a stack was executing. Default `false`. */
  executing?: boolean;
}

/** A stack of {@link startProfiler}'s traces; with `executing` unique by all four members. */
export interface ExtendedStack extends ProfilerStack {
  /**
   * With `executing`: the line, from 1, at which the function was executing: the call of the next
   * function, in the innermost one the poll that took the sample. Lines are those of the file before
   * instrumenting.
   */
  line?: number;
  /**
   * As `line`: the column, from 1; that of a call is where the engine prints it, at its first or its last
   * name or behind that. Absent in scripts that were instrumented without `executing`.
   */
  column?: number;
}

/** A sample of {@link startProfiler}'s traces. */
export interface ExtendedSample extends ProfilerSample {
  /**
   * Present where the root of the stack is missing: the engine prints no more frames (Firefox 128, else
   * 257, the profiler's own among them), or the stack has more than the 255 that traces keep.
   */
  truncated?: true;
}

/** What `stop()` of {@link startProfiler}'s profilers resolves to. */
export interface ExtendedTrace extends ProfilerTrace {
  stacks: ExtendedStack[];
  samples: ExtendedSample[];
}

/** A {@link Profiler} whose traces tell more than the standard has. */
export interface ExtendedProfiler extends Profiler {
  stop(): Promise<ExtendedTrace>;
}

/**
 * Starts a profiler that goes beyond the standard. It is one of this polyfill also where the browser's own
 * works, and counts as one of its 100.
 * @throws {TypeError} with `code` `ERR_PROFILYFILL_OPTION`: `circular` or `executing` is no boolean
 * @throws what `new Profiler()` throws
 */
export function startProfiler(options: StartProfilerOptions): ExtendedProfiler;

/** What `lateness()` tells. All times are in milliseconds. */
export interface Lateness {
  /** How often a poll has taken samples that were due. Not: the first poll of a task, timers. */
  polls: number;
  /** How many samples they have taken: one that comes late takes several. */
  samples: number;
  /**
   * How late these polls were: the time since the tick that was due, the first if several were. 0 if
   * there were none.
   */
  mean: number;
  max: number;
  /** Half of the polls were no later than this, rounded up to a power of two. */
  p50: number;
  p95: number;
  p99: number;
  /**
   * Time that no poll covered: from when a tick came due to when it was served, where that took an
   * interval or longer. Built-ins and code without polls count; so does a timer that is late by an
   * interval and 10 ms at least, since a task without polls was running.
   */
  uncovered: number;
}

/**
 * How late polls were in a profiler's session so far, also after `stop()`.
 * @throws {TypeError} `profiler` is none of this polyfill
 */
export function lateness(profiler: Profiler): Lateness;

/** What `install()` takes. */
export interface InstallOptions {
  /** Replace a native `Profiler` that works, too. Default `false`. */
  force?: boolean;
  /**
   * `false`: `new Profiler()` throws `NotAllowedError`, as the native one does on pages served
   * without `Document-Policy: js-profiling`. Default `true`.
   */
  documentPolicy?: boolean;
  /** The shortest interval that profilers use, in milliseconds, above 0. Default 1. */
  intervalFloor?: number;
  /**
   * `false`: scripts that are not instrumented are not read again to tell where their functions are
   * defined; their frames have no `line` and `column`. Default `true`.
   */
  positions?: boolean;
  /**
   * Dedicated workers that are made from now on get `Profiler`, too, with the same options, as far as the
   * page's Content Security Policy lets them. `true` expects `profilyfill-worker.js` beside
   * `profilyfill.iife.js`, or where the bundler has put it; else this is its address, which CommonJS needs.
   * Default `false`.
   */
  workers?: boolean | string;
}

/**
 * Makes `Profiler` available on the global, unless the browser's own works there.
 * @returns whose `Profiler` the global has now
 * @throws {TypeError} with `code` `ERR_PROFILYFILL_OPTION`: an option that is unknown or of the wrong
 *   type
 */
export function install(options?: InstallOptions): 'native' | 'polyfill';

/** What went wrong since the page was loaded; all zero in a healthy page. */
export interface ProfilerCounters {
  /** Stacks that could not be read, or were too many to keep until the core was loaded. */
  lostCaptures: number;
  /** Lines of stacks that could not be read as a frame. */
  skippedLines: number;
  /** Samples that were not stored: no memory. */
  lostSamples: number;
  /** Samples stored without their stack: no memory. */
  lostStacks: number;
  /** Instrumented scripts whose function table was not kept: no memory, or no URL to keep it under. */
  lostTables: number;
  /** Look-ups that a malformed function table could not answer. */
  malformedTables: number;
}

/** The counters of this global, summed over all its profilers. */
export function counters(): ProfilerCounters;

/**
 * What the polyfill works with: `'none'` until the first profiler has loaded it, and for good where
 * neither may run; then `'wasm'`, or `'twin'`, its JavaScript twin, where the page's Content Security
 * Policy refuses wasm.
 */
export function coreKind(): 'none' | 'wasm' | 'twin';
