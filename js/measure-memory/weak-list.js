// A list that keeps nothing alive.

import { NativeWeakMap, NativeWeakRef, deref, weakGet, weakSet } from './builtins.js';

/** Things that may be collected, each once, in the order in which they came. */
export class WeakList {
  #known = new NativeWeakMap();

  #refs = [];

  #limit = 64; // those that are gone are forgotten when there are so many

  add(thing) {
    if (weakGet(this.#known, thing)) return;
    weakSet(this.#known, thing, true);
    if (this.#refs.length === this.#limit) {
      const kept = [];
      for (let i = 0; i < this.#limit; i++) {
        if (deref(this.#refs[i])) kept[kept.length] = this.#refs[i];
      }
      this.#refs = kept;
      this.#limit = 2 * kept.length + 32;
    }
    this.#refs[this.#refs.length] = new NativeWeakRef(thing);
  }

  list() {
    const things = [];
    for (let i = 0; i < this.#refs.length; i++) {
      const thing = deref(this.#refs[i]);
      if (thing) things[things.length] = thing;
    }
    return things;
  }
}
