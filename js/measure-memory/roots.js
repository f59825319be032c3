// What pages register to have it measured though no global leads to it.

import { apply } from './walk-builtins.js';

/** The thunks by the keys that tell registrations apart; without a prototype, so that no page gets in. */
const roots = { __proto__: null };
let count = 0;

/**
 * Has something measured that cannot be reached from a global: what a module or a closure holds.
 *
 * @param {string} name  says what it is; of no influence on the result
 * @param {() => unknown} thunk  returns it. Called once in each measurement, as it begins; what it throws is
 *   ignored
 * @returns {() => void} ends it
 * @throws {TypeError} the thunk is no function
 */
export function registerRoot(name, thunk) {
  if (typeof thunk !== 'function') throw new TypeError('registerRoot: the thunk must be a function');
  const key = count++;
  roots[key] = { name, thunk };
  return () => {
    delete roots[key];
  };
}

/** Hands what is registered to a function, one by one. */
export function visitRoots(visit) {
  for (const key in roots) {
    try {
      visit(apply(roots[key].thunk, undefined, []));
    } catch {
      // A thunk of the page's may fail: there is nothing to measure then.
    }
  }
}
