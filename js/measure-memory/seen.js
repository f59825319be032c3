// What the walk has seen.

import { costs } from './costs.js';
import {
  NativeMap, charCodeAt, getMap, imul, makeList, makeSet, putMap,
} from './walk-builtins.js';

/**
 * A set grows by copying itself, which takes longer than a page may be blocked where it holds some hundred
 * thousand things. So there are several, none larger than the last of these sizes; and to grow beyond the
 * others, which takes a good part of a block, is put off until a block can begin with it.
 */
const { setGrowth } = costs;
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

  #stage = 0;

  #next = setGrowth[0] - MARGIN;

  /** How many values it has, about. */
  get size() {
    return this.#fullCount * setGrowth[setGrowth.length - 1] + this.#count;
  }

  /** Its sets, one after the other; undefined beyond the last. Some hold a few integers besides. */
  set(index) {
    return index < this.#fullCount ? this.#full[index] : index === this.#fullCount ? this.#set : undefined;
  }

  /** Whether a value is new; it is not any longer. */
  add(value) {
    if (this.#set === undefined) this.#set = makeSet();
    else if (this.#set.has(value)) return false;
    for (let i = this.#fullCount - 1; i >= 0; i--) if (this.#full[i].has(value)) return false;
    this.#set.add(value);
    if (++this.#count === this.#next) this.#fill();
    return true;
  }

  #fill() {
    if (this.#stage < setGrowth.length - 1) {
      growing?.grow();
      growing = this;
      return;
    }
    this.#full[this.#fullCount++] = this.#set;
    this.#set = makeSet();
    this.#count = 0;
    this.#stage = 0;
    this.#next = setGrowth[0] - MARGIN;
  }

  /** Grows, whatever it takes: integers are nothing that anybody asks for. */
  grow() {
    const size = setGrowth[this.#stage];
    for (let i = 0; this.#count <= size; i++, this.#count++) this.#set.add(i);
    this.#next = setGrowth[++this.#stage] - MARGIN;
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
