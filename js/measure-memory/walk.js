// The walk: finds what a page holds, and adds up what that costs.
//
// From the globals that a realm has beyond the engine's, its document tree, what is registered (roots.js,
// instrumented code) and what the ledger knows, it follows every reference that can be read without running
// code of the page: own data properties, elements, entries of Map and Set, buffers, nodes. It never goes past
// the prototypes of the engine's own constructors: what an empty page has costs nothing.
//
// No getter is called and nothing is converted or iterated by the page's rules. Only of a proxy that was made
// before the ledger was there does nothing tell that it is one: its traps run as those of any object's owner.
//
// It is done in steps, between which the page runs. Whatever it does then, each object counts once, as it
// was when the walk came by: none twice, since all that were seen are remembered; what is made after its
// holder was visited, or moves from what is yet to be visited to what has been, is missed. An array is walked
// up to the length, a Map or Set up to the size, that it had when its turn came; of a tree of nodes the
// elements that it had then. Of nodes only the roots of their trees are remembered, since V8 keeps what
// JavaScript has seen of a node as long as the node: one that the page moves from tree to tree meanwhile may
// be missed or count twice.

import { costs } from './costs.js';
import { Ledgers } from './ledger.js';
import {
  ARRAY, BOXED, BUFFER, CONTEXT, DATE, ERROR, GENERATOR, IMAGE_DATA, MAP, MEMORY, NODE, PLAIN, PLATFORM,
  PROMISE, Prototypes, REG_EXP, SET, SHARED, TYPED, VIEW, WEAK, WEAK_REF, WINDOW,
} from './prototypes.js';
import { isRope } from './ropes.js';
import { visitRoots } from './roots.js';
import { Seen, SeenStrings, endGrowth, grow, isGrowing } from './seen.js';
import {
  NativeMap, areDescriptorsClean, arrayPrototype, attributeNames, bigintText, bufferBytes, bufferRoom,
  canvasHeight, canvasOf, canvasWidth, charCodeAt, dataViewBuffer, deref, describe, documentOf, elementsOf,
  enumerableNamesOf, findGetter, firstChild, floor, functionText, getMap, getPrototypeOf, getValue, hasOwn,
  hostOf, imageDataBuffer, includes, isArray, keysOf, listLength, makeGarbage, makeList, mapEach, mapEntries,
  mapSize, memoryBuffer, min, namesOf, nextEntry, nextSibling, nextValue, nodeType, now, offscreenHeight,
  offscreenWidth, parentNode, putMap, rootOf, round, setEach, setPrototypeOf, setSize, setValues,
  shadowRootOf, sharedBytes, startsWith, symbolsOf, templateContent, textLength, typedArrayBuffer,
  typedArrayBytes, typedArrayName, typedArrayOffset, weakMapGet, weakMapHas, weakSetHas,
} from './walk-builtins.js';

const TYPES = ['JavaScript', 'DOM', 'Canvas', 'WebAssembly', 'Shared'];
const JAVASCRIPT = 0;
const DOM = 1;
const CANVAS = 2;
const WEB_ASSEMBLY = 3;
const SHARED_MEMORY = 4;

const STRIDE = 16; // things between two looks at the clock
const FEW = 64; // entries that are visited at once
const SPARSE = 1e6; // an array so long may be holes for the most part
const PROBES = 64;
const TRIALS = 4e6; // of objects as keys of weak collections
const PROBED = 2048; // characters
const LARGE = 16_384; // characters
const GARBAGE = 1000; // pieces

const ELEMENT = 1;
const TEXT = 3;
const COMMENT = 8;
const DOCUMENT = 9;

/** Properties of globals that are the polyfills'. */
const OWN = ['profilyfill', 'profilyfill.measure-memory', 'profilyfill.ledger'];
for (let i = 0; i < OWN.length; i++) OWN[i] = Symbol.for(OWN[i]);

/** Flags of what is to be visited, beside the number of its holder's realm. */
const REALM = 0xffff;
/** A function that shares what it closes over with another one. */
const SIBLING = 0x10000;

/**
 * What engines give to errors: the text of a stack is made when somebody asks for it, by code of the page if
 * it wants to; the others are fields of theirs.
 */
const OF_ERRORS = {
  __proto__: null, stack: true, fileName: true, lineNumber: true, columnNumber: true, line: true,
  column: true, sourceURL: true,
};

const isIndex = (name) => {
  const code = charCodeAt(name, 0);
  return code >= 48 && code <= 57 && `${name >>> 0}` === name;
};

// Where they cost less than a look for a getter, and all keys at once less than names and symbols.
const readsDescriptors = costs.name === 'spidermonkey';
const listsKeys = readsDescriptors;

const NONE = makeList();

// A class of its own for each walk: what engines compile for it, some 100 kB, goes with it.
const defineWalk = () => class Walk {
  #realms;

  #ledgers;

  #prototypes;

  #strings = new SeenStrings();

  /** bytes[realm][type] */
  #bytes = makeList();

  /** Objects to visit, and the realms of their holders. */
  #stack = makeList();

  #holders = makeList();

  #count = 0;

  /** What is too large to be visited at once: functions that visit some more of it, false at the end. */
  #parts = makeList();

  #partCount = 0;

  #root = 0;

  #roots;

  #isDone = false;

  /** The realm of what is being visited. */
  #realm = 0;

  #step = 0;

  /** Functions that what is being visited has had so far. */
  #siblings = 0;

  /** Array buffers that have been counted -> their realm. */
  #buffers = new NativeMap();

  #canvases = new Seen();

  /** Large strings and their realms, by turns. */
  #large = makeList();

  #largeCount = 0;

  /** WeakMaps and WeakSets, and their realms. */
  #weak = makeList();

  #weakRealms = makeList();

  #weakCount = 0;

  #sampled = 0;

  /** Functions that have been asked for their properties. */
  #told = 0;

  #isSampleWide = false;

  #hasTriedKeys = false;

  /** Whether descriptors may be read as they are. */
  #isClean = false;

  /** Whether what is being visited is read by descriptors. */
  #describes = false;

  /** Those of trees of nodes. */
  #treeRoots = new Seen();

  #nodes = 0;

  constructor({ realms }) {
    this.#realms = realms;
    for (let i = 0; i < realms.length; i++) {
      const bytes = makeList();
      for (let type = 0; type < TYPES.length; type++) bytes[type] = 0;
      this.#bytes[i] = bytes;
    }
  }

  step(deadline) {
    if (this.#isDone) return true;
    this.#step++;
    if (isGrowing()) {
      grow();
      return false; // takes about as long as a block may
    }
    this.#isClean = areDescriptorsClean(); // the page runs between steps only
    if (this.#roots === undefined) this.#start();
    for (;;) {
      for (let i = 0; i < STRIDE; i++) {
        if (this.#largeCount > 0) {
          this.#visitLarge();
          break; // takes a while
        } else if (this.#count > 0) {
          const object = this.#stack[--this.#count];
          this.#stack[this.#count] = undefined;
          this.#visit(object, this.#holders[this.#count]);
        } else if (this.#partCount > 0) {
          if (!this.#goOn(this.#parts[this.#partCount - 1])) this.#parts[--this.#partCount] = undefined;
        } else if (this.#root < this.#roots.length) {
          this.#guard(this.#roots[this.#root++]);
        } else if (this.#weakCount > 0) {
          this.#visitWeak();
        } else if (this.#nodes > costs.manyNodes) {
          this.#nodes = 0;
          this.#addPart(GARBAGE, makeGarbage);
        } else {
          this.#end();
          return true;
        }
      }
      if (isGrowing() || now() >= deadline) return false;
    }
  }

  totals() {
    const list = makeList();
    let count = 0;
    for (let realm = 0; realm < this.#realms.length; realm++) {
      for (let type = 0; type < TYPES.length; type++) {
        const bytes = round(this.#bytes[realm][type]);
        if (bytes > 0) list[count++] = { realm, type: TYPES[type], bytes };
      }
    }
    setPrototypeOf(list, arrayPrototype);
    return list;
  }

  #start() {
    const realms = this.#realms;
    this.#ledgers = new Ledgers(realms);
    this.#prototypes = new Prototypes(realms, this.#ledgers);
    this.#roots = makeList();
    let count = 0;
    for (let i = 0; i < realms.length; i++) {
      this.#roots[count++] = () => this.#visitGlobal(realms[i].global, i);
    }
    for (let i = 0; i < realms.length; i++) {
      this.#roots[count++] = () => {
        const document = documentOf?.(realms[i].global);
        if (document) this.#addTree(document, i);
      };
    }
    for (let i = 0; i < realms.length; i++) {
      this.#roots[count++] = () => this.#visitScopes(describe(realms[i].global, OWN[0])?.value, i);
    }
    this.#roots[count++] = () => visitRoots((value) => this.#add(value, 0));
    this.#roots[count++] = () => this.#ledgers.visit((value) => this.#add(value, 0));
  }

  #end() {
    this.#isDone = true;
    endGrowth();
    this.#strings = undefined;
    this.#treeRoots = undefined;
    this.#prototypes = undefined;
    this.#buffers = undefined;
    this.#stack = undefined;
    this.#holders = undefined;
    this.#ledgers = undefined;
  }

  #guard(visit) {
    try {
      visit();
    } catch {
      // What cannot be read counts as far as it could: objects of other origins, revoked proxies.
    }
  }

  #goOn(part) {
    try {
      return part();
    } catch {
      return false;
    }
  }

  #tally(bytes, type = JAVASCRIPT) {
    this.#bytes[this.#realm][type] += bytes;
  }

  /** Has an object visited, counts anything else; returns what a value costs beyond its slot. */
  #add(value, realm) {
    switch (typeof value) {
      case 'object':
        if (value !== null) this.#push(value, realm);
        return;
      case 'function':
        this.#push(value, realm);
        return;
      case 'string':
        this.#realm = realm;
        this.#tally(this.#string(value));
        return;
      case 'bigint':
        this.#realm = realm;
        this.#tally(bigintCost(value));
        return;
      case 'symbol':
        this.#realm = realm;
        this.#tally(costs.symbol);
        return;
      default:
    }
  }

  #push(object, realm) {
    this.#stack[this.#count] = object;
    this.#holders[this.#count++] = realm;
  }

  /** What a string costs if it has not been seen. */
  #string(text) {
    const { length } = text;
    if (length < 2) return 0;
    if (costs.hasRopes && length > LARGE) {
      this.#large[this.#largeCount++] = text;
      this.#large[this.#largeCount++] = this.#realm;
      return 0;
    }
    if (!this.#strings.add(text)) return 0;
    return costs.string(length, this.#isTwoByte(text, length));
  }

  /**
   * Whether a string has a character beyond U+00FF. To read what is made of several parts joins them for good
   * in V8, so of those that may be it is only one in 32 that is read, and speaks for the next ones.
   */
  #isTwoByte(text, length) {
    if (text >= '\u0100') return true;
    if (!costs.hasRopes || length < costs.leastRope) return hasWide(text, length);
    if (this.#sampled++ % 32 === 0) this.#isSampleWide = hasWide(text, length);
    return this.#isSampleWide;
  }

  /** A large string, of which it is to be known whether it is there in full: see ropes.js. */
  #visitLarge() {
    this.#realm = this.#large[--this.#largeCount];
    const text = this.#large[--this.#largeCount];
    this.#large[this.#largeCount] = undefined;
    const { length } = text;
    const isWide = text >= '\u0100';
    if (!isWide && isRope(text)) this.#tally(costs.rope(length));
    else if (this.#strings.add(text)) this.#tally(costs.string(length, isWide));
  }

  /** What a value costs beyond the slot that holds it; objects are visited later, and cost nothing here. */
  #value(value) {
    switch (typeof value) {
      case 'object':
        if (value !== null) this.#push(value, this.#realm);
        return 0;
      case 'function':
        this.#push(value, this.#siblings++ > 0 ? this.#realm | SIBLING : this.#realm);
        return 0;
      case 'number':
        return costs.number(value);
      case 'string':
        return this.#string(value);
      case 'bigint':
        return bigintCost(value);
      case 'symbol':
        return this.#strings.addSymbol(value) ? costs.symbol : 0;
      default:
        return 0;
    }
  }

  /** The same of a key of a Map or a Set. */
  #key(key) {
    return typeof key === 'string' && !costs.countsKeys ? 0 : this.#value(key);
  }

  /** The same of a property. */
  #property(object, key) {
    if (this.#describes) {
      const found = describe(object, key);
      if (found === undefined) return 0;
      if (!this.#isClean) setPrototypeOf(found, null);
      const { value } = found;
      return value !== undefined ? this.#value(value) : this.#value(found.get) + this.#value(found.set);
    }
    if (findGetter(object, key) === undefined) return this.#value(getValue(object, key));
    const found = describe(object, key);
    return found === undefined || !hasOwn(found, 'get') ? 0 : this.#value(found.get) + this.#value(found.set);
  }

  #visitGlobal(global, realm) {
    this.#realm = realm;
    this.#describes = readsDescriptors;
    const names = enumerableNamesOf(global);
    this.#siblings = 1; // functions at the top level close over nothing of their own
    for (let i = names.length - 1, engines = 0; i >= 0 && engines < costs.enoughOfGlobal; i--) {
      const found = describe(global, names[i]);
      if (found === undefined) continue;
      const isData = hasOwn(found, 'value');
      if (isNativeFunction(isData ? found.value : found.get)) engines++;
      else {
        engines = 0;
        if (isData) this.#tally(this.#value(found.value));
      }
    }
    const symbols = symbolsOf(global);
    for (let i = 0; i < symbols.length; i++) {
      if (symbols[i] !== OWN[0] && symbols[i] !== OWN[1] && symbols[i] !== OWN[2]) {
        this.#tally(this.#property(global, symbols[i]));
      }
    }
  }

  /** What instrumented code has left at its hub (js/instrument/memory-roots.js). */
  #visitScopes(hub, realm) {
    if (hub === undefined) return;
    const read = (value) => this.#add(value, realm);
    for (let next = hub.m; next !== undefined; next = next.n) {
      const { f } = next;
      this.#guard(() => f(read));
    }
    const functions = hub.l;
    if (functions === undefined) return;
    this.#addPart(functions.n, (i) => {
      const thunk = deref(functions.a[i]);
      if (thunk !== undefined) this.#guard(() => thunk(read));
    });
  }

  #visit(object, holder) {
    try {
      this.#siblings = 0;
      if (this.#ledgers.isProxy(object)) {
        this.#realm = holder & REALM;
        if (this.#prototypes.addProxy(object)) this.#visitProxy(this.#ledgers.proxyOf(object));
        return;
      }
      const kin = this.#prototypes.find(getPrototypeOf(object));
      if (!kin.seen.add(object)) return;
      this.#enter(object, kin, holder & REALM);
      if (typeof object === 'function') this.#visitFunction(object, (holder & SIBLING) === 0);
      else this.#visitObject(object, kin);
    } catch {
      // As above.
    }
  }

  #enter(object, kin, realm) {
    this.#realm = kin.realm < 0 ? realm : kin.realm;
    this.#describes = readsDescriptors || kin.hasProxy;
    if (kin.isNative || kin.isFollowed) return;
    kin.isFollowed = true;
    this.#push(getPrototypeOf(object), this.#realm);
  }

  #visitProxy({ target, handler }) {
    this.#tally(costs.proxy);
    this.#push(target, this.#realm);
    this.#push(handler, this.#realm);
  }

  #visitObject(object, kin) {
    const { kind } = kin;
    if (kind === PLAIN || kind === ARRAY) {
      if (isArray(object)) this.#visitArray(object);
      else this.#visitPlain(object, kin);
      return;
    }
    let bytes;
    try {
      bytes = this.#builtIn(object, kin);
    } catch {
      // Made by Object.create(Map.prototype) and the like: an object as any other.
      this.#visitPlain(object, kin);
      return;
    }
    if (bytes < 0) return; // all has been counted
    this.#tally(bytes);
    if (kind === NODE) {
      this.#addTree(rootOf(object), this.#realm); // which counts it, and what it has
    } else if (!kin.isMade && kind !== TYPED) this.#tally(this.#properties(object, kin));
  }

  /** What own properties cost beyond the object; those that the engine gives to all are none. */
  #properties(object, { kind }) {
    const names = namesOf(object);
    const symbols = symbolsOf(object);
    const isPlatform = kind >= NODE;
    let bytes = 0;
    let slots = symbols.length;
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (kind === REG_EXP && name === 'lastIndex') continue;
      if (kind === ERROR && OF_ERRORS[name]) continue;
      if (isPlatform && isNativeFunction(findGetter(object, name))) continue;
      bytes += this.#property(object, name);
      if (kind !== ERROR || (name !== 'message' && name !== 'cause')) slots++;
    }
    for (let i = 0; i < symbols.length; i++) bytes += this.#property(object, symbols[i]);
    return bytes + (slots === 0 ? 0 : costs.extraSlots(slots));
  }

  #visitPlain(object, kin) {
    const names = listsKeys ? keysOf(object) : namesOf(object);
    let count = names.length;
    let symbols = NONE;
    if (!listsKeys || (count > 0 && typeof names[count - 1] === 'symbol')) symbols = symbolsOf(object);
    if (listsKeys) count -= symbols.length;
    const all = count;
    let bytes = 0;
    let indexed = 0;
    if (count > 0 && isIndex(names[0])) {
      // Integer keys come first, ascending.
      while (indexed < count && isIndex(names[indexed])) indexed++;
      bytes += costs.indexed(indexed, names[indexed - 1] >>> 0);
      count -= indexed;
    }
    const slots = count + symbols.length + kin.privates;
    const isBare = kin === this.#prototypes.none;
    const isDictionary = isBare || (count >= costs.dictionaryFrom &&
      (count !== kin.lastCount || names[indexed] !== kin.lastName));
    kin.lastCount = count;
    kin.lastName = count > 0 ? names[indexed] : '';
    if (isBare) bytes += costs.bareObject(slots);
    else if (isDictionary) bytes += costs.dictionaryObject(slots);
    else bytes += kin.isNative ? costs.object(slots) : costs.instance(slots);
    const countsKeys = isDictionary && costs.countsKeys;
    if (all > FEW) {
      const realm = this.#realm;
      const describes = this.#describes;
      this.#addPart(all, (i) => {
        this.#realm = realm;
        this.#describes = describes;
        const key = names[i];
        const own = countsKeys && i >= indexed ? this.#string(key) : 0;
        this.#tally(own + this.#property(object, key));
      });
    } else {
      for (let i = 0; i < all; i++) {
        if (countsKeys && i >= indexed) bytes += this.#string(names[i]);
        bytes += this.#property(object, names[i]);
      }
    }
    for (let i = 0; i < symbols.length; i++) bytes += this.#property(object, symbols[i]);
    this.#tally(bytes);
  }

  /** Visits one thing after the other, and looks at the clock between them. */
  #addPart(count, visit) {
    let next = 0;
    this.#parts[this.#partCount++] = () => {
      for (const end = min(next + FEW, count); next < end; next++) visit(next);
      return next < count;
    };
  }

  #visitArray(array) {
    const { length } = array;
    const tally = new Tally();
    if (length <= FEW) {
      this.#elements(array, 0, length, tally);
      this.#tally(costs.array(length, tally.filled, tally.doubles, tally.isNumeric));
      return;
    }
    const realm = this.#realm;
    const describes = this.#describes;
    if (length > SPARSE && isSparse(array, length)) {
      const names = namesOf(array);
      this.#tally(costs.array(length, names.length - 1, 0, false));
      this.#addPart(names.length - 1, (i) => {
        this.#realm = realm;
        this.#describes = describes;
        this.#tally(this.#property(array, names[i]));
      });
      return;
    }
    let next = 0;
    this.#parts[this.#partCount++] = () => {
      this.#realm = realm;
      this.#describes = describes;
      const from = next;
      next = min(from + FEW, length);
      this.#elements(array, from, next, tally);
      if (next < length) return true;
      this.#tally(costs.array(length, tally.filled, tally.doubles, tally.isNumeric));
      return false;
    };
  }

  #elements(array, from, to, tally) {
    let bytes = 0;
    for (let i = from; i < to; i++) {
      this.#siblings = 0;
      let value;
      if (this.#describes) {
        const found = describe(array, i);
        if (found === undefined) continue;
        if (!this.#isClean) setPrototypeOf(found, null);
        ({ value } = found);
      } else if (findGetter(array, i) === undefined) value = getValue(array, i);
      if (value === undefined) continue;
      tally.filled++;
      if (typeof value === 'number') {
        if (costs.number(value) > 0) tally.doubles++;
      } else {
        tally.isNumeric = false;
        bytes += this.#value(value);
      }
    }
    this.#tally(bytes);
  }

  #visitFunction(f, hasContext) {
    if (costs.functionsTold <= this.#told) {
      // Most functions that look native are bound ones.
      if (isNativeFunction(f)) this.#tally(costs.boundFunction);
      else this.#tally(costs.function + (hasContext ? costs.context : 0));
      return;
    }
    this.#told++;
    const names = namesOf(f);
    const symbols = symbolsOf(f);
    let isConstructor = false;
    let slots = 0;
    let bytes = 0;
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      switch (name) {
        case 'length':
        case 'name':
        case 'arguments':
        case 'caller':
          break;
        case 'prototype':
          isConstructor = true;
          // That of a function which is no class is made when somebody asks for it.
          if (startsWith(functionText(f), 'class')) bytes += this.#property(f, name);
          break;
        default:
          bytes += this.#property(f, name);
          slots++;
      }
    }
    for (let i = 0; i < symbols.length; i++) bytes += this.#property(f, symbols[i]);
    slots += symbols.length;
    if (slots > 0) bytes += costs.extraSlots(slots);
    if (isConstructor) bytes += costs.constructor;
    else if (isBound(f)) {
      this.#tally(bytes + costs.boundFunction);
      return;
    } else bytes += costs.function;
    this.#tally(bytes + (hasContext ? costs.context : 0));
  }

  /** What an object of one of the engine's kinds costs; -1: that has been counted. Throws if it is none. */
  #builtIn(object, kin) {
    switch (kin.kind) {
      case MAP:
        return this.#visitMap(object, mapSize(object));
      case SET:
        return this.#visitSet(object, setSize(object));
      case WEAK:
        this.#weak[this.#weakCount++] = object;
        this.#weakRealms[this.#weakCount - 1] = this.#realm;
        return costs.weak;
      case WEAK_REF:
        return costs.weakRef;
      case BUFFER:
        return this.#visitBuffer(object);
      case SHARED:
        this.#tally(this.#ledgers.haveMade(object) ? sharedBytes(object) : 0, SHARED_MEMORY);
        return costs.buffer(0);
      case TYPED:
        return this.#visitTyped(object);
      case VIEW:
        this.#push(dataViewBuffer(object), this.#realm);
        return costs.dataView;
      case DATE:
        return costs.date;
      case REG_EXP:
        return costs.regExp;
      case ERROR:
        return costs.error;
      case PROMISE:
        return costs.promise;
      case BOXED:
        return costs.boxed;
      case GENERATOR:
        return costs.generator;
      case NODE:
        nodeType(object); // throws if it is none
        return namesOf(object).length > 0 || symbolsOf(object).length > 0 ? 0 : costs.wrapper;
      case WINDOW:
        return -1;
      case MEMORY:
        return this.#visitMemory(object);
      case CONTEXT: {
        const canvas = canvasOf[kin.name]?.(object);
        if (canvas) {
          this.#push(canvas, this.#realm);
          this.#countCanvas(canvas, kin.name);
        }
        return costs.platform;
      }
      case IMAGE_DATA:
        this.#push(imageDataBuffer(object), this.#realm);
        return costs.platform;
      case PLATFORM:
        return kin.name === 'OffscreenCanvas' ? this.#visitOffscreen(object) : costs.platform;
      default:
        return costs.other;
    }
  }

  /**
   * Nobody lists what weak collections hold, but all objects that there are can be tried as keys. What they
   * lead to is walked then; collections found only there hold what is not asked for.
   */
  #visitWeak() {
    const { list, count } = this.#prototypes;
    let objects = this.#prototypes.none.seen.size + this.#nodes;
    for (let i = 0; i < count; i++) objects += list[i].seen.size;
    const collections = this.#weakCount;
    this.#weakCount = 0;
    if (this.#hasTriedKeys || objects * collections > TRIALS) return;
    this.#hasTriedKeys = true;
    for (let i = 0; i < collections; i++) {
      const collection = this.#weak[i];
      const realm = this.#weakRealms[i];
      const isMap = isWeakMap(collection);
      if (!isMap && !isWeakSet(collection)) continue; // FinalizationRegistry
      const nextKey = this.#allKeys();
      let entries = 0;
      this.#parts[this.#partCount++] = () => {
        this.#realm = realm;
        for (let n = 0; n < FEW; n++) {
          const key = nextKey();
          if (key === undefined) {
            this.#tally(costs.weakEntries(entries));
            return false;
          }
          if (isMap ? weakMapHas(collection, key) : weakSetHas(collection, key)) {
            entries++;
            this.#siblings = 0;
            if (isMap) this.#tally(this.#value(weakMapGet(collection, key)));
          }
        }
        return true;
      };
    }
  }

  /** What weak collections may have for keys, one by one: objects that have been seen, elements of trees. */
  #allKeys() {
    const { none, list, count } = this.#prototypes;
    const trees = this.#treeRoots;
    let kin = -1;
    let set = 0;
    let values;
    let elements;
    let next = 0;
    return () => {
      for (;;) {
        if (elements !== undefined) {
          if (next < listLength(elements)) return elements[next++];
          elements = undefined;
        }
        if (values === undefined) {
          if (kin > count) return undefined;
          const { seen } = kin < 0 ? none : kin < count ? list[kin] : { seen: trees };
          const found = seen.set(set++);
          if (found !== undefined) values = setValues(found);
          else {
            kin++;
            set = 0;
          }
          continue;
        }
        const { done, value } = nextValue(values);
        if (done) values = undefined;
        else if (typeof value === 'number') continue; // see Seen
        else if (kin < count) return value;
        else if (firstChild(value) !== null) {
          elements = elementsOf(value);
          next = 0;
        }
      }
    };
  }

  #visitBuffer(buffer) {
    const bytes = costs.reserves ? bufferRoom(buffer) : bufferBytes(buffer);
    if (bytes > 0) {
      if (getMap(this.#buffers, buffer) !== undefined) return 0;
      putMap(this.#buffers, buffer, this.#realm);
    }
    return costs.buffer(bytes);
  }

  #visitTyped(array) {
    if (typedArrayName(array) === undefined) throw undefined;
    const bytes = typedArrayBytes(array);
    // Small ones hold what is in them themselves, and would have to move it out if asked for their buffer.
    if (bytes <= costs.inlineBytes && typedArrayOffset(array) === 0) return costs.typedArray(bytes);
    this.#push(typedArrayBuffer(array), this.#realm);
    return costs.typedArray(-1);
  }

  /** A buffer of it may have been counted as one of JavaScript's. */
  #visitMemory(memory) {
    const buffer = memoryBuffer(memory);
    let bytes;
    try {
      bytes = bufferBytes(buffer);
    } catch {
      if (this.#ledgers.haveMade(memory)) this.#tally(sharedBytes(buffer), WEB_ASSEMBLY);
      return costs.platform;
    }
    const counted = getMap(this.#buffers, buffer);
    if (counted === undefined) putMap(this.#buffers, buffer, this.#realm);
    else this.#bytes[counted][JAVASCRIPT] -= costs.buffer(bytes);
    this.#tally(bytes, WEB_ASSEMBLY);
    return costs.platform;
  }

  #visitMap(map, size) {
    const realm = this.#realm;
    const visit = (value, key) => {
      this.#siblings = 0;
      this.#tally(this.#key(key) + this.#value(value));
    };
    if (size <= FEW) mapEach(map, visit);
    else {
      const entries = mapEntries(map);
      this.#addPart(size, () => {
        this.#realm = realm;
        const { done, value } = nextEntry(entries);
        if (!done) visit(value[1], value[0]);
      });
    }
    return costs.map(size);
  }

  #visitSet(set, size) {
    const realm = this.#realm;
    const visit = (value) => {
      this.#siblings = 0;
      this.#tally(this.#key(value));
    };
    if (size <= FEW) setEach(set, visit);
    else {
      const values = setValues(set);
      this.#addPart(size, () => {
        this.#realm = realm;
        const { done, value } = nextValue(values);
        if (!done) visit(value);
      });
    }
    return costs.set(size);
  }

  /**
   * Counts the nodes of a tree, once. Its elements are listed at the start; with each come its children that
   * are none.
   */
  #addTree(root, realm) {
    if (!this.#treeRoots.add(root)) return;
    let step = this.#step;
    let elements;
    let count = 0;
    let next = 0;
    let node = root;
    let child; // undefined: the node itself is next
    this.#parts[this.#partCount++] = () => {
      if (step !== this.#step && child && parentNode(child) !== node) child = null; // the page has moved it
      step = this.#step;
      for (let i = 0; i < FEW; i++) {
        if (child === null) {
          if (next >= count) return false;
          node = elements[next++];
          child = undefined;
        }
        if (child === undefined) {
          this.#visitNode(node, realm);
          child = firstChild(node);
        } else {
          if (nodeType(child) !== ELEMENT) this.#visitNode(child, realm);
          else if (elements === undefined) {
            elements = elementsOf(root);
            count = listLength(elements);
          }
          child = nextSibling(child);
        }
      }
      return true;
    };
  }

  #visitNode(node, holder) {
    const kin = this.#prototypes.find(getPrototypeOf(node));
    this.#enter(node, kin, holder);
    this.#siblings = 0;
    this.#nodes++;
    const realm = this.#realm;
    const type = nodeType(node);
    let bytes = costs.node;
    if (type === ELEMENT) {
      bytes = costs.elements[kin.name] ?? costs.element;
      if (costs.attribute > 0) bytes += costs.attribute * attributeNames(node).length;
      const shadow = shadowRootOf(node) ?? this.#ledgers.closedRootOf(node);
      if (shadow) this.#addTree(shadow, realm);
      if (kin.name === 'HTMLTemplateElement') this.#addTree(templateContent(node), realm);
      else if (kin.name === 'HTMLCanvasElement') this.#countCanvas(node, this.#ledgers.contextOf(node));
    } else if (type === TEXT || type === COMMENT) bytes = costs.text(textLength(node));
    else if (kin.name === 'ShadowRoot') {
      bytes = costs.shadowRoot;
      this.#addTree(rootOf(hostOf(node)), realm);
    } else if (type === DOCUMENT) bytes = costs.document;
    this.#tally(bytes, DOM);
    const own = this.#properties(node, kin);
    if (own > 0) this.#tally(own + costs.wrapper);
  }

  #countCanvas(canvas, type) {
    if (type === undefined || !this.#canvases.add(canvas)) return;
    this.#tally(costs.canvas(type, canvasWidth(canvas), canvasHeight(canvas)), CANVAS);
  }

  #visitOffscreen(canvas) {
    const type = this.#ledgers.contextOf(canvas);
    if (type !== undefined && this.#canvases.add(canvas)) {
      this.#tally(costs.canvas(type, offscreenWidth(canvas), offscreenHeight(canvas)), CANVAS);
    }
    return costs.platform;
  }
};

/** What the elements of an array have in common. */
class Tally {
  filled = 0;

  doubles = 0;

  isNumeric = true;
}

/** Whether some character is beyond U+00FF; of a long text, one of those that are looked at. */
function hasWide(text, length) {
  const stride = length > PROBED ? length / PROBED : 1;
  for (let i = 0; i < length; i += stride) if (charCodeAt(text, i) > 0xff) return true;
  return false;
}

const isNativeFunction = (value) =>
  typeof value === 'function' && includes(functionText(value), '[native code]');

function isWeakMap(object) {
  try {
    weakMapHas(object, TYPES);
    return true;
  } catch {
    return false;
  }
}

function isWeakSet(object) {
  try {
    weakSetHas(object, TYPES);
    return true;
  } catch {
    return false;
  }
}

function isBound(f) {
  const name = describe(f, 'name')?.value;
  return typeof name === 'string' && startsWith(name, 'bound ');
}

const bigintCost = (value) => costs.bigint(bigintText(value, 16).length * 4);

/** Whether few places of a long array are taken, as far as some of them tell. */
function isSparse(array, length) {
  let taken = 0;
  for (let i = 1; i <= PROBES; i++) taken += hasOwn(array, floor(i * 0.618033988749895 % 1 * length)) ? 1 : 0;
  return taken < PROBES / 8;
}

/**
 * @param {{ realms: { global: typeof globalThis }[] }} options  realms in the order of the tree of frames;
 *   what several could be charged with falls to the first
 * @returns {{ step(deadline: number): boolean, totals(): { realm: number, type: 'JavaScript' | 'DOM' |
 *   'Canvas' | 'WebAssembly' | 'Shared', bytes: number }[] }} `step` goes on until `performance.now()` is
 *   `deadline`, true: done; `totals`: bytes by realm, an index, and type, those that are more than 0
 */
export const createWalk = (options) => new (defineWalk())(options);
