// The built-ins that measuring uses, as they were when this module was loaded: a page may patch them at
// any time, and must not notice that it is being measured.
//
// Methods and getters of the DOM are called on objects of other realms of the page, too, which they take.

import { apply, getOwnPropertyDescriptor, now, timeOrigin } from '../builtins.js';

export {
  NativeError, NativeWeakRef, apply, clearTimer, defineProperty, getOwnPropertyDescriptor, now, parseJson,
  readUtf8, set, setTimer,
} from '../builtins.js';

const global = globalThis;

export const {
  BroadcastChannel: NativeBroadcastChannel, DOMException: NativeDOMException,
  MessageChannel: NativeMessageChannel, MutationObserver: NativeMutationObserver, Promise: NativePromise,
  Proxy: NativeProxy, TypeError: NativeTypeError, URL: NativeURL, Uint16Array: NativeUint16Array,
  Uint32Array: NativeUint32Array, Uint8Array: NativeUint8Array, WeakMap: NativeWeakMap,
} = global;

export const { construct, getPrototypeOf } = Reflect;

/** A method as a function that takes its receiver first; undefined where the browser has none. */
export const unbound = (method) => method && ((self, ...args) => apply(method, self, args));

/** The getter of an attribute as such a function. */
export const getter = (owner, key) => unbound(owner && getOwnPropertyDescriptor(owner, key)?.get);

export const charCodeAt = unbound(String.prototype.charCodeAt);
export const deref = unbound(global.WeakRef.prototype.deref);
export const weakGet = unbound(NativeWeakMap.prototype.get);
export const weakSet = unbound(NativeWeakMap.prototype.set);
export const resolvePromise = (value) => apply(NativePromise.resolve, NativePromise, [value]);
export const rejectPromise = unbound(Promise.reject);

export const addListener = unbound(global.EventTarget?.prototype.addEventListener);
export const stopPropagation = unbound(global.Event?.prototype.stopImmediatePropagation);
export const postToPort = unbound(global.MessagePort?.prototype.postMessage);
export const startPort = unbound(global.MessagePort?.prototype.start);
export const closePort = unbound(global.MessagePort?.prototype.close);

/** Milliseconds since the epoch, on a clock that all realms of a page share. */
export const absoluteNow = () => timeOrigin + now();

const { crypto } = global;
const getRandomValues = crypto?.getRandomValues;

export const fillRandom = (array) => apply(getRandomValues, crypto, [array]);
