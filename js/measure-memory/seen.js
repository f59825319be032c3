// What the walk has seen.

import { costs } from './costs.js';
import {
  NativeMap, charCodeAt, getMap, imul, makeList, makeSet, now, putMap,
} from './walk-builtins.js';

/**
 * A set grows by copying itself each time that it has twice as many things as the last time. So there are
 * several, each as large as it can get without taking longer for that than a page may be blocked; and to grow
 * is put off until a block can begin with it. (Where new memory is dear, on some virtual machines, that is no
 * more than some ten thousand things.)
 */
const { setGrowth, largestSet } = costs;
const LONGEST = 6; // ms
/** So many things may come until the walk heeds that a set is about to grow. */
const MARGIN = 1200;

let growing; // the one that is about to grow

/** Whether a set is about to grow: soon grow() should be called, with nothing else to do. */
export const isGrowing = () => growing !== undefined;

export function grow() {
  const one = growing;
  growing = undefined;
  one.grow();
}

/** None is needed any more. */
export function endGrowth() {
  growing = undefined;
}

export class Seen {
  #full = makeList();

  #fullCount = 0;

  /** Made when it is needed: there may be as many of these as prototypes. */
  #set;

  #count = 0;

  /** At how many it is to be looked after again. */
  #next = setGrowth - MARGIN;

  /** How many it may have until it grows. */
  #room = setGrowth;

  #mayGrow = setGrowth < largestSet;

  /** How many values there are in all, about. */
  size = 0;

  /** Its sets, one after the other; undefined beyond the last. They hold a few integers besides. */
  set(index) {
    return index < this.#fullCount ? this.#full[index] : index === this.#fullCount ? this.#set : undefined;
  }

  /** Whether a value is new; it is not any longer. */
  add(value) {
    if (this.#set === undefined) this.#set = makeSet();
    else if (this.#set.has(value)) return false;
    for (let i = this.#fullCount - 1; i >= 0; i--) if (this.#full[i].has(value)) return false;
    this.#set.add(value);
    this.size++;
    if (++this.#count === this.#next) this.#look();
    return true;
  }

  #look() {
    if (this.#mayGrow) {
      growing?.grow();
      growing = this;
      return;
    }
    this.#full[this.#fullCount++] = this.#set;
    this.#set = makeSet();
    this.#count = 0;
    this.#room = setGrowth;
    this.#next = setGrowth - MARGIN;
    this.#mayGrow = setGrowth < largestSet;
  }

  /** Grows, whatever it takes: integers are nothing that anybody asks for. */
  grow() {
    while (this.#count < this.#room - 1) this.#set.add(this.#count++);
    const from = now();
    for (let i = 0; i < 8; i++) this.#set.add(this.#count++); // how much room there is is known about
    const took = now() - from;
    this.#room *= 2;
    this.#next = this.#room - MARGIN;
    this.#mayGrow = 2 * took < LONGEST && this.#room < largestSet;
  }
}

/** Strings that are shorter are in sets of their own by length; longer ones share some. */
const LENGTHS = 1000;
/** SpiderMonkey makes an atom of a string in a Set; from here on that is worth avoiding. */
const LONG = 24;
const SHARDS = 64;

/** Some characters of a string as a number. */
function digest(text, length) {
  let hash = length;
  const stride = length > 16 ? length / 16 : 1;
  for (let i = 0; i < length; i += stride) hash = imul(hash, 31) + charCodeAt(text, i) | 0;
  return imul(hash, 31) + charCodeAt(text, length - 1) | 0;
}

/** Strings by value. */
export class SeenStrings {
  #byLength = makeList();

  #byDigest = makeList();

  #symbols = new Seen();

  /** Whether a string is new. */
  add(text) {
    const { length } = text;
    if (!costs.hasRopes && length >= LONG) return this.#addLong(text, length);
    const key = length < LENGTHS ? length : LENGTHS + (length % LENGTHS);
    return (this.#byLength[key] ??= new Seen()).add(text);
  }

  addSymbol(symbol) {
    return this.#symbols.add(symbol);
  }

  #addLong(text, length) {
    const hash = digest(text, length);
    const map = this.#byDigest[hash & (SHARDS - 1)] ??= new NativeMap();
    for (let next = getMap(map, hash); next !== undefined; next = next.next) {
      if (next.text === text) return false;
    }
    putMap(map, hash, { __proto__: null, text, next: getMap(map, hash) });
    return true;
  }
}
