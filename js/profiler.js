// The interface object (conformance rows 1 to 19, 26 to 31, 42 to 57).

import {
  NativeDOMException, NativeError, NativeEvent, NativeWeakRef, apply, defineProperty,
  getOwnPropertyDescriptor, max, setTimer,
} from './builtins.js';
import { brand, stateOf } from './brand.js';
import { dispatch } from './dispatch.js';
import { discardSession, endSession, startSession, takeTrace } from './sampler.js';
import { lowerLimit, raiseLimit } from './stack.js';
import { settings } from './settings.js';
import { findVisible } from './visible-scripts.js';

const { deref } = NativeWeakRef.prototype;
const read = (ref) => apply(deref, ref, []);

const INTERVAL_MAX = 2147483.647; // ms: 2^31 - 1 microseconds, as Chromium (row 15)
const PROFILERS_MAX = 100; // alive at a time, as V8 (row 18)

let alive = 0;
let extras = null; // of the next profiler

/** What startProfiler() wants of the profiler that it makes next. */
export const setExtras = (wanted) => {
  extras = wanted;
};

const failure = (message) =>
  new TypeError(`Failed to construct 'Profiler': ${message}`);

/** ProfilerInitOptions, converted as WebIDL does: members by name, each read once (rows 8-14). */
function convert(options) {
  const isObject = (typeof options === 'object' && options !== null) ||
    typeof options === 'function';
  if (options !== undefined && options !== null && !isObject) {
    throw failure("The provided value is not of type 'ProfilerInitOptions'.");
  }
  const required = (name) => {
    const value = options?.[name];
    if (value === undefined) throw failure(`Required member '${name}' is undefined.`);
    return value;
  };
  const maxBufferSize = required('maxBufferSize') >>> 0;
  const sampleInterval = +required('sampleInterval');
  if (sampleInterval - sampleInterval !== 0) {
    throw failure('The provided double value is non-finite.');
  }
  return { maxBufferSize, sampleInterval };
}

function check(sampleInterval) {
  if (sampleInterval < 0 || sampleInterval > INTERVAL_MAX) {
    throw new RangeError("Failed to construct 'Profiler': Invalid sample interval");
  }
  if (!settings.documentPolicy) {
    throw new NativeDOMException(
      "Failed to construct 'Profiler': JS profiling is disabled by Document Policy.",
      'NotAllowedError',
    );
  }
  if (alive >= PROFILERS_MAX) {
    throw failure('Reached maximum concurrent amount of profilers');
  }
}

// A profiler that the page has dropped without stop() ends silently (row 57).
const dropped = new FinalizationRegistry((session) => {
  alive--;
  endSession(session, null);
  discardSession(session);
});

/**
 * Starts the session of a profiler.
 * @param {WeakRef<Profiler>} profiler  nothing that a session holds may hold the profiler itself
 * @returns its state, see js/brand.js
 */
function start(profiler, maxBufferSize, interval, firstError, wanted) {
  let isFull = false;
  const session = startSession({
    interval,
    maxBufferSize,
    error: firstError,
    extras: wanted,
    onFull() {
      if (isFull) return;
      isFull = true;
      // In a task of its own, never inside running script (row 45).
      setTimer(() => {
        const target = read(profiler);
        if (!target || state.isStopped) return; // row 50
        dispatch(target, new NativeEvent('samplebufferfull'));
      }, 0);
    },
  });
  const state = {
    interval,
    lateness: session.lateness,
    isStopped: false,
    stop(error) {
      if (state.isStopped) throw new NativeDOMException('Profiler already stopped.', 'InvalidStateError');
      state.isStopped = true;
      alive--;
      dropped.unregister(session);
      endSession(session, error);
      return takeTrace(session, findVisible());
    },
  };
  alive++;
  dropped.register(read(profiler), session, session);
  return state;
}

/**
 * A sampling profiler of this page's JavaScript, as specified by the JS Self-Profiling API:
 * https://wicg.github.io/js-self-profiling/
 */
export class Profiler extends EventTarget {
  /**
   * Starts sampling.
   * @param {{ sampleInterval: number, maxBufferSize: number }} options the wanted interval in ms,
   *   and how many samples to keep
   * @throws {TypeError} options that cannot be converted; more than 100 profilers alive
   * @throws {RangeError} an interval below 0 or above 2147483.647
   * @throws {DOMException} NotAllowedError: profiling is switched off
   */
  constructor(options) {
    const wanted = extras;
    extras = null; // reading the options may make other profilers
    const { maxBufferSize, sampleInterval } = convert(options);
    check(sampleInterval);
    super();
    const limit = raiseLimit();
    const error = new NativeError(); // its first frame is this function
    lowerLimit(limit);
    const interval = max(sampleInterval, settings.intervalFloor);
    brand(this, start(new NativeWeakRef(this), maxBufferSize, interval, error, wanted));
  }

  /** The interval between samples, in ms. */
  get sampleInterval() {
    return stateOf(this).interval;
  }

  /** Whether stop() has been called. */
  get stopped() {
    return stateOf(this).isStopped;
  }

  /**
   * Ends sampling.
   * @returns {Promise<ProfilerTrace>} rejected with an InvalidStateError when already stopped
   */
  async stop() {
    const state = stateOf(this);
    const limit = raiseLimit();
    const error = new NativeError(); // its first frame is this function
    lowerLimit(limit);
    // Awaited here: returning the promise would call the page's Promise.prototype.then.
    const trace = await state.stop(error);
    // The document of an iframe that was removed: never settles (row 56).
    if (globalThis.document?.defaultView === null) await new Promise(() => {});
    return trace;
  }
}

// A class makes its members non-enumerable and its name is a bundler's prey; WebIDL wants
// otherwise (rows 1, 2).
for (const key of ['sampleInterval', 'stopped', 'stop']) {
  const descriptor = getOwnPropertyDescriptor(Profiler.prototype, key);
  defineProperty(Profiler.prototype, key, { ...descriptor, enumerable: true });
}
// An async function tells that it is one.
Object.setPrototypeOf(Profiler.prototype.stop, Function.prototype);
defineProperty(Profiler.prototype, Symbol.toStringTag, { value: 'Profiler', configurable: true });
defineProperty(Profiler, 'name', { value: 'Profiler', configurable: true });
