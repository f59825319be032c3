// What the polyfills of a page's realms know of each other: each global has one object, by a symbol.

import { defineProperty, getOwnPropertyDescriptor } from './builtins.js';

/** The walker of any realm knows by it what is not the page's. */
export const HUB = Symbol.for('profilyfill.measure-memory');

/**
 * The hub of a global, undefined where the polyfill is not loaded.
 * @returns {{ containerOf: Function, frames: Function, windows: Function, workers: Function,
 *   adoptFrame: Function, adoptWindow: Function } | undefined}
 */
export function hubOf(global) {
  try {
    return global ? getOwnPropertyDescriptor(global, HUB)?.value : undefined;
  } catch {
    return undefined; // of another origin
  }
}

export const putHub = (hub) => defineProperty(globalThis, HUB, { __proto__: null, value: hub });
