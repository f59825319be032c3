// The built-ins that run while a page is being sampled, as they were when this module was loaded.
// Pages and SDKs patch them later (timers, promises, JSON); what they see must not depend on us,
// nor we on them.

const global = globalThis;

export const { DOMException: NativeDOMException, Error: NativeError, WeakRef: NativeWeakRef } = global;
export const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, set } = Reflect;

const performance = global.performance;
const performanceNow = performance?.now;

/** Milliseconds since the time origin of this global, as coarse as the browser makes them. */
export const now = () => apply(performanceNow, performance, []);

export const timeOrigin = performance?.timeOrigin ?? 0;

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = global;

export const setTimer = (callback, delay) => {
  try {
    return apply(nativeSetTimeout, global, [callback, delay]);
  } catch {
    return 0; // Firefox, in iframes that have been removed: nothing will ever run there
  }
};
export const clearTimer = (timer) => apply(nativeClearTimeout, global, [timer]);

const { fetch: ownFetch } = global;

export const nativeFetch = (url, options) => apply(ownFetch, global, [url, options]);

/**
 * Undefined where none may be made: in a worker of Firefox, whose engine alone has that error, `new Worker`
 * now and then never returns. The threads of the two workers wait on one condition variable until the
 * debugger knows of the new one, and only one of them is woken.
 */
export const NativeWorker = global.document || !global.InternalError ? global.Worker : undefined;

export const parseJson = global.JSON.parse;
export const { min, max, floor, clz32 } = global.Math;

export const { dispatchEvent: nativeDispatchEvent } = global.EventTarget.prototype;
export const NativeEvent = global.Event;

const { subarray: nativeSubarray } = Uint8Array.prototype;

export const subarray = (bytes, from, to) => apply(nativeSubarray, bytes, [from, to]);

const encoder = new global.TextEncoder();
const decoder = new global.TextDecoder();
const { encodeInto } = global.TextEncoder.prototype;
const { decode } = global.TextDecoder.prototype;

/** Writes UTF-8 into a Uint8Array; lone surrogates become U+FFFD. Returns the bytes written. */
export const writeUtf8 = (text, bytes) => apply(encodeInto, encoder, [text, bytes]).written;
export const readUtf8 = (bytes) => apply(decode, decoder, [bytes]);
