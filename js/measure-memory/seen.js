// What the walk has seen.

import { NativeSet, makeList, setAdd, setHas } from './walk-builtins.js';

/**
 * A set grows by copying itself, which takes longer than a page may be blocked where it holds a million
 * things. So there are several, none so large; 87,000 is where engines would next double.
 */
const LIMIT = 87_000;

export class Seen {
  #full = makeList();

  #fullCount = 0;

  #set = new NativeSet();

  #count = 0;

  /** Whether a value is new; it is not any longer. */
  add(value) {
    if (setHas(this.#set, value)) return false;
    for (let i = this.#fullCount - 1; i >= 0; i--) if (setHas(this.#full[i], value)) return false;
    if (this.#count === LIMIT) {
      this.#full[this.#fullCount++] = this.#set;
      this.#set = new NativeSet();
      this.#count = 0;
    }
    setAdd(this.#set, value);
    this.#count++;
    return true;
  }
}

/** Strings by value; those of one length share nothing with others, so that sets stay small. */
export class SeenStrings {
  #byLength = makeList();

  #symbols = new Seen();

  add(text) {
    const { length } = text;
    const key = length < 1000 ? length : 1000 + (length % 1000);
    return (this.#byLength[key] ??= new Seen()).add(text);
  }

  addSymbol(symbol) {
    return this.#symbols.add(symbol);
  }
}
