// Which objects are profilers, and what the members of Profiler.prototype do with them.
//
// Platform objects know each other whatever realm they are of (row 5): a getter of this realm works
// on a profiler of an iframe. So the realms of a page share one map. It lives on the outermost window
// that may be reached and is of its realm, so that no iframe stays for it, nor a profiler.

import { apply, defineProperty } from './builtins.js';

let root = globalThis;
try {
  while (root.parent.WeakMap && root.parent !== root) root = root.parent;
} catch {
  // A window of another origin; or no window at all.
}

const { WeakMap } = root;
// As they were when this module was loaded: a page may patch them.
const { get, set } = WeakMap.prototype;
// This text makes js/instrument/unpolled.js leave alone the function that it is in: that of the whole build.
const key = Symbol.for('profilyfill/unpolled');

/**
 * Makes an object a profiler.
 * @param {{ interval: number, isStopped: boolean, stop: (error: Error) => Promise<object> }} state
 */
export function brand(profiler, state) {
  // The first profiler of them all makes it; nothing is left where there is none.
  if (!root[key]) defineProperty(root, key, { __proto__: null, value: new WeakMap() });
  apply(set, root[key], [profiler, state]);
}

/**
 * The state of a profiler.
 * @throws {TypeError} it is none
 */
export function stateOf(receiver) {
  const state = root[key] && apply(get, root[key], [receiver]);
  if (!state) throw new TypeError('Illegal invocation');
  return state;
}
