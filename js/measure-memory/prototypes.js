// What prototypes tell of the objects that have them: of what kind they are, and whose.

import { Seen } from './seen.js';
import {
  NativeMap, describe, endsWith, functionText, getMap, getPrototypeOf, includes, indexOf, makeList, putMap,
  setPrototypeOf, slice, startsWith,
} from './walk-builtins.js';

export const PLAIN = 0;
export const ARRAY = 1;
export const FUNCTION = 2;
export const MAP = 3;
export const SET = 4;
export const WEAK = 5;
export const WEAK_REF = 6;
export const BUFFER = 7;
export const SHARED = 8;
export const TYPED = 9;
export const VIEW = 10;
export const DATE = 11;
export const REG_EXP = 12;
export const ERROR = 13;
export const PROMISE = 14;
export const BOXED = 15;
export const GENERATOR = 16;
export const NODE = 17;
export const WINDOW = 18;
export const MEMORY = 19;
export const CONTEXT = 20;
export const IMAGE_DATA = 21;
export const PLATFORM = 22;

const KINDS = {
  __proto__: null,
  Object: PLAIN, Array: ARRAY, Function: FUNCTION, Map: MAP, Set: SET, WeakMap: WEAK, WeakSet: WEAK,
  FinalizationRegistry: WEAK, WeakRef: WEAK_REF, ArrayBuffer: BUFFER, SharedArrayBuffer: SHARED,
  TypedArray: TYPED, DataView: VIEW, Date: DATE, RegExp: REG_EXP, Error: ERROR, Promise: PROMISE,
  Boolean: BOXED, Number: BOXED, String: BOXED, Symbol: BOXED, BigInt: BOXED,
  Iterator: GENERATOR, AsyncIterator: GENERATOR,
  Node: NODE, Window: WINDOW, Memory: MEMORY, ImageData: IMAGE_DATA,
  CanvasRenderingContext2D: CONTEXT, OffscreenCanvasRenderingContext2D: CONTEXT,
  WebGLRenderingContext: CONTEXT, WebGL2RenderingContext: CONTEXT, ImageBitmapRenderingContext: CONTEXT,
  GPUCanvasContext: CONTEXT,
};

/** Interfaces whose objects have properties that are no memory of the page: they are made when read. */
const MADE = ['List', 'Collection', 'Map', 'Array', 'Storage', 'Declaration', 'Descriptors', 'Properties'];

const isMade = (name) => {
  for (let i = 0; i < MADE.length; i++) if (endsWith(name, MADE[i])) return true;
  return name === 'Location' || name === 'Plugin' || startsWith(name, 'CSS');
};

/** The value of a data property, read without running anything. */
function dataOf(object, key) {
  const found = describe(object, key);
  if (found === undefined) return undefined;
  setPrototypeOf(found, null); // nor what a page defines on all objects
  return found.value;
}

const NATIVE = '[native code]';

/** The name of the engine's constructor whose prototype this is; '': it is the page's. */
function nativeName(prototype, ledgers) {
  const constructor = dataOf(prototype, 'constructor');
  if (typeof constructor !== 'function') {
    const tag = dataOf(prototype, Symbol.toStringTag);
    if (typeof tag !== 'string') return '';
    return endsWith(tag, 'Iterator') || endsWith(tag, 'Generator') ? 'Iterator' : '';
  }
  if (ledgers.isProxy(constructor)) return '';
  const name = dataOf(constructor, 'name');
  if (typeof name !== 'string' || dataOf(constructor, 'prototype') !== prototype) return '';
  const text = functionText(constructor);
  return text.length < name.length + 60 && includes(text, NATIVE) ? name : '';
}

/** The character at a place; '' beyond the end, whatever a page has given to all strings. */
const at = (text, index) => slice(text, index, index + 1);

const SPACES = ' \n\r\t';

/**
 * How many private fields a class declares, by its text: `#name` at the start of a member, before `=`, `;` or
 * the end of the line. Comments and strings may fool it.
 */
function countPrivates(prototype) {
  const constructor = dataOf(prototype, 'constructor');
  if (typeof constructor !== 'function') return 0;
  const text = functionText(constructor);
  if (!startsWith(text, 'class')) return 0;
  const names = { __proto__: null };
  let count = 0;
  for (let start = indexOf(text, '#'); start >= 0; start = indexOf(text, '#', start + 1)) {
    let before = start - 1;
    while (before > 0 && includes(SPACES, text[before])) before--;
    if (!includes('{};', text[before])) continue;
    let end = start + 1;
    while (end < text.length && !includes(' \n\r\t=;}(,.)[', text[end])) end++;
    const name = slice(text, start, end);
    let after = end;
    while (at(text, after) === ' ') after++;
    const next = at(text, after);
    const isField = includes('\n\r;}', next) || (next === '=' && at(text, after + 1) !== '=');
    if (!isField || names[name]) continue;
    names[name] = true;
    count++;
  }
  return count;
}

/** What is known of the objects that have a prototype. */
class Kin {
  kind;

  /** The realm whose Object.prototype is at the end of the chain; -1: unknown. */
  realm;

  /** The nearest interface or class that is the engine's. */
  name;

  isNative;

  /** Whether the properties that its objects seem to have are made by the browser. */
  isMade;

  /** How many private fields they have. */
  privates;

  /** Whether the prototype has been put down to be visited. */
  isFollowed = false;

  /** Whether there is a proxy in their chain, which a look for what they do not have would meet. */
  hasProxy;

  /** Those of the objects that have been visited. */
  seen = new Seen();

  /** How the last plain object was like, to tell records from hash tables. */
  lastCount = -1;

  lastName = '';

  constructor(kind, realm, name, isNative, privates, hasProxy) {
    this.privates = privates;
    this.hasProxy = hasProxy;
    this.kind = kind;
    this.realm = realm;
    this.name = name;
    this.isNative = isNative;
    this.isMade = isNative && kind === PLATFORM && isMade(name);
  }
}

export class Prototypes {
  #kin = new NativeMap();

  #ends = new NativeMap();

  /** All of them, in the order in which they were met. */
  list = makeList();

  count = 0;

  /** Of objects without a prototype. */
  none = new Kin(PLAIN, -1, '', true, 0, false);

  /** Of those whose prototype is a proxy. */
  #hidden = new Kin(PLAIN, -1, '', true, 0, true);

  #last = null;

  #lastKin = this.none;

  #ledgers;

  constructor(realms, ledgers) {
    this.#ledgers = ledgers;
    this.list[this.count++] = this.#hidden;
    for (let i = 0; i < realms.length; i++) {
      let end = realms[i].global;
      for (let next = end; next !== null; next = getPrototypeOf(next)) end = next;
      putMap(this.#ends, end, i);
    }
  }

  /** Proxies have prototypes, but asking for them would run a trap. */
  addProxy(proxy) {
    return this.none.seen.add(proxy);
  }

  /** @returns {Kin} */
  find(prototype) {
    if (prototype === this.#last) return this.#lastKin;
    const kin = prototype === null ? this.none : getMap(this.#kin, prototype) ?? this.#add(prototype);
    this.#last = prototype;
    this.#lastKin = kin;
    return kin;
  }

  /** From the end of the chain on, each prototype once: chains may be long, and have much in common. */
  #add(prototype) {
    const chain = makeList();
    let count = 0;
    let above;
    let next = prototype;
    for (; next !== null && !this.#ledgers.isProxy(next); next = getPrototypeOf(next)) {
      above = getMap(this.#kin, next);
      if (above !== undefined) break;
      chain[count++] = next;
    }
    above ??= next === null ? this.none : this.#hidden;
    while (count > 0) {
      const one = chain[--count];
      const name = nativeName(one, this.#ledgers);
      const realm = above.realm < 0 ? getMap(this.#ends, one) ?? -1 : above.realm;
      const ordinary = above.kind === PLAIN ? PLATFORM : above.kind;
      const kind = name === '' ? above.kind : KINDS[name] ?? ordinary;
      const privates = above.privates + (name === '' ? countPrivates(one) : 0);
      above = new Kin(kind, realm, name || above.name, name !== '', privates, above.hasProxy);
      putMap(this.#kin, one, above);
      this.list[this.count++] = above;
    }
    return above;
  }
}
