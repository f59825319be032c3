// The built-ins that measuring uses, as they were when this module was loaded: a page may patch them at
// any time, and must not notice that it is being measured.
//
// Methods of the DOM are called on objects of other realms of the page, too, which they take.

import { apply, getOwnPropertyDescriptor } from '../builtins.js';

export {
  NativeError, NativeWeakRef, apply, defineProperty, floor, getOwnPropertyDescriptor, min, now, parseJson,
  readUtf8, setTimer, subarray,
} from '../builtins.js';

const global = globalThis;

export const {
  BroadcastChannel: NativeBroadcastChannel, DOMException: NativeDOMException, Map: NativeMap,
  MessageChannel: NativeMessageChannel, MutationObserver: NativeMutationObserver, Promise: NativePromise,
  Proxy: NativeProxy, Set: NativeSet, TypeError: NativeTypeError, URL: NativeURL, WeakMap: NativeWeakMap,
  WeakSet: NativeWeakSet,
} = global;

export const { construct, getPrototypeOf, ownKeys } = Reflect;

/** A method as a function that takes its receiver first; undefined where the browser has none. */
export const unbound = (method) => method && ((self, ...args) => apply(method, self, args));

/** The getter of an attribute of an interface as such a function. */
export const getter = (owner, key) => unbound(owner && getOwnPropertyDescriptor(owner.prototype, key)?.get);

export const mapGet = unbound(NativeMap.prototype.get);
export const mapSet = unbound(NativeMap.prototype.set);
export const weakGet = unbound(NativeWeakMap.prototype.get);
export const weakSet = unbound(NativeWeakMap.prototype.set);

export const addListener = unbound(global.EventTarget.prototype.addEventListener);
export const stopPropagation = unbound(global.Event.prototype.stopImmediatePropagation);

const { crypto } = global;
const getRandomValues = crypto?.getRandomValues;

/** Fills a typed array with random numbers; false: there is no source of them. */
export function fillRandom(array) {
  if (!getRandomValues) return false;
  apply(getRandomValues, crypto, [array]);
  return true;
}
