// What a walk cannot see, noted down when it is made: large buffers that only closures hold, the targets of
// proxies, closed shadow roots, which canvases have contexts, which shared buffers were made here.
//
// The constructors that pages see instead are proxies of the engine's, with a trap for `new` alone: name,
// length, prototype, statics, `instanceof`, subclasses and `new.target` are the engine's own. What differs is
// their text, `function () { [native code] }`.

import {
  NativeProxy, NativeWeakMap, NativeWeakRef, NativeWeakSet, apply, bufferBytes, construct, defineProperty,
  deref, describe, makeList, memoryBuffer, sharedBytes, typedArrayBytes, weakMapGet, weakMapHas, weakMapPut,
  weakSetAdd, weakSetHas,
} from './walk-builtins.js';

/** Smaller ones are not worth the weak reference: bytes. */
const LEAST = 65536;

/** By it the walks of other realms find the ledger of a global. */
const KEY = Symbol.for('profilyfill.ledger');

class Ledger {
  /** Proxy -> its target and handler. */
  #proxies = new NativeWeakMap();

  hasProxies = false;

  /** Host -> its closed shadow root. */
  #closedRoots = new NativeWeakMap();

  /** Canvas -> the type of its context. */
  #contexts = new NativeWeakMap();

  #sharedHere = new NativeWeakSet();

  #held = makeList();

  #count = 0;

  #limit = 64;

  isProxy(value) {
    return this.hasProxies && weakMapHas(this.#proxies, value);
  }

  proxyOf(value) {
    return weakMapGet(this.#proxies, value);
  }

  closedRootOf(host) {
    return weakMapGet(this.#closedRoots, host);
  }

  contextOf(canvas) {
    return weakMapGet(this.#contexts, canvas);
  }

  /** Whether shared memory was made in this global. */
  hasMade(shared) {
    return weakSetHas(this.#sharedHere, shared);
  }

  addProxy(proxy, target, handler) {
    weakMapPut(this.#proxies, proxy, { target, handler });
    this.hasProxies = true;
  }

  addClosedRoot(host, root) {
    weakMapPut(this.#closedRoots, host, root);
  }

  addContext(canvas, type) {
    weakMapPut(this.#contexts, canvas, type);
    this.hold(canvas);
  }

  addShared(shared) {
    weakSetAdd(this.#sharedHere, shared);
  }

  /** Notes a large thing down, and forgets those that are gone when there have become twice as many. */
  hold(thing) {
    if (this.#count === this.#limit) {
      const old = this.#held;
      const all = this.#count;
      const held = makeList();
      let count = 0;
      for (let i = 0; i < all; i++) if (deref(old[i]) !== undefined) held[count++] = old[i];
      this.#held = held;
      this.#count = count;
      this.#limit = count < 32 ? 64 : 2 * count;
    }
    this.#held[this.#count++] = new NativeWeakRef(thing);
  }

  /** Hands all large things that are alive to a function. */
  visit(visit) {
    for (let i = 0; i < this.#count; i++) {
      const thing = deref(this.#held[i]);
      if (thing !== undefined) visit(thing);
    }
  }
}

/** What the ledgers of some realms know together. */
export class Ledgers {
  #list = makeList();

  #count = 0;

  constructor(realms) {
    for (let i = 0; i < realms.length; i++) {
      const ledger = describe(realms[i].global, KEY)?.value;
      if (ledger !== undefined) this.#list[this.#count++] = ledger;
    }
  }

  isProxy(value) {
    for (let i = 0; i < this.#count; i++) if (this.#list[i].isProxy(value)) return true;
    return false;
  }

  /** The first that one of them knows. */
  #find(method, key) {
    for (let i = 0; i < this.#count; i++) {
      const found = this.#list[i][method](key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  proxyOf(value) {
    return this.#find('proxyOf', value);
  }

  closedRootOf(host) {
    return this.#find('closedRootOf', host);
  }

  contextOf(canvas) {
    return this.#find('contextOf', canvas);
  }

  /** Whether shared memory was made in one of the realms, and not sent by another thread. */
  haveMade(shared) {
    if (this.#count === 0) return true; // nobody can tell
    for (let i = 0; i < this.#count; i++) if (this.#list[i].hasMade(shared)) return true;
    return false;
  }

  visit(visit) {
    for (let i = 0; i < this.#count; i++) this.#list[i].visit(visit);
  }
}

/** Puts a proxy in place of a constructor of a global. */
function wrapConstructor(owner, name, note, isOfPrototype = true) {
  const found = describe(owner, name);
  const native = found?.value;
  if (typeof native !== 'function' || !found.configurable) return;
  let wrapper;
  const handler = {
    __proto__: null,
    construct(target, args, newTarget) {
      const made = construct(target, args, newTarget === wrapper ? target : newTarget);
      try {
        note(made, args);
      } catch {
        // The page has what it asked for.
      }
      return made;
    },
  };
  wrapper = new NativeProxy(native, handler);
  replace(owner, name, found, wrapper);
  if (!isOfPrototype) return;
  const { prototype } = native;
  replace(prototype, 'constructor', describe(prototype, 'constructor'), wrapper);
}

function replace(owner, name, { writable, enumerable, configurable }, value) {
  defineProperty(owner, name, { __proto__: null, value, writable, enumerable, configurable });
}

/** Puts a proxy in place of a function; `note` gets its receiver, arguments and result. */
function wrapFunction(owner, name, note) {
  const found = owner && describe(owner, name);
  const native = found?.value;
  if (typeof native !== 'function' || !found.configurable) return;
  replace(owner, name, found, new NativeProxy(native, {
    __proto__: null,
    apply(target, self, args) {
      const result = apply(target, self, args);
      try {
        note(self, args, result);
      } catch {
        // As above.
      }
      return result;
    },
  }));
}

const TYPED = [
  'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array',
  'Float16Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array',
];

const isShared = (buffer) => {
  try {
    return sharedBytes !== undefined && sharedBytes(buffer) >= 0;
  } catch {
    return false;
  }
};

/**
 * Has what is made in a global from now on noted down.
 *
 * @param {typeof globalThis} global  a window or a worker's scope
 */
export function installLedger(global) {
  if (describe(global, KEY) !== undefined) return;
  const ledger = new Ledger();
  defineProperty(global, KEY, { __proto__: null, value: ledger });
  const { WebAssembly = {}, HTMLCanvasElement, OffscreenCanvas, Element } = global;
  wrapConstructor(global, 'ArrayBuffer', (buffer) => {
    if (bufferBytes(buffer) >= LEAST) ledger.hold(buffer);
  });
  for (let i = 0; i < TYPED.length; i++) {
    wrapConstructor(global, TYPED[i], (array) => {
      if (typedArrayBytes(array) >= LEAST) ledger.hold(array);
    });
  }
  wrapConstructor(global, 'SharedArrayBuffer', (buffer) => {
    ledger.addShared(buffer);
    if (sharedBytes(buffer) >= LEAST) ledger.hold(buffer);
  });
  wrapConstructor(WebAssembly, 'Memory', (memory) => {
    ledger.hold(memory);
    if (isShared(memoryBuffer(memory))) ledger.addShared(memory);
  });
  const { Proxy } = global;
  wrapFunction(Proxy, 'revocable', (self, args, { proxy }) => ledger.addProxy(proxy, args[0], args[1]));
  wrapConstructor(global, 'Proxy', (proxy, args) => ledger.addProxy(proxy, args[0], args[1]), false);
  const noteCanvas = (canvas, args, context) => {
    if (context !== null) ledger.addContext(canvas, args[0]);
  };
  wrapFunction(HTMLCanvasElement?.prototype, 'getContext', noteCanvas);
  wrapFunction(OffscreenCanvas?.prototype, 'getContext', noteCanvas);
  wrapFunction(Element?.prototype, 'attachShadow', (host, args, root) => {
    ledger.addClosedRoot(host, root);
  });
}
