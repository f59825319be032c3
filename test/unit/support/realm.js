/**
 * Runs plain and instrumented code in realms of its own, so that nothing that one run leaves behind
 * is seen by another.
 */
import vm from 'node:vm';
import { inspect } from 'node:util';

const channels = [];

/** Open ports would keep the process alive. */
class TrackedMessageChannel extends MessageChannel {
  constructor() {
    super();
    channels.push(this);
  }
}

const GLOBALS = {
  AbortController, MessageChannel: TrackedMessageChannel, ReadableStream, TextDecoder, TextEncoder, URL,
  clearInterval, clearTimeout, console, performance, queueMicrotask, setInterval, setTimeout,
};

/** Ends what the programs of all realms left open. */
export function closeRealms() {
  for (const { port1 } of channels.splice(0)) port1.close();
}

/** A new realm, with the globals that programs for browsers expect. */
export function makeRealm() {
  const realm = vm.createContext({ ...GLOBALS });
  vm.runInContext('var self = globalThis, window = globalThis', realm);
  return realm;
}

/**
 * Puts a hub into a realm whose every poll calls the handler.
 *
 * @returns {() => number} how often it was called
 */
export function pollAlways(realm) {
  return vm.runInContext(`(() => {
    let calls = 0;
    const hub = { c: new Int32Array(64).fill(-1), t: [], p(kind) {
      if (!(kind === 0 || kind === 1 || kind === 2)) throw new Error('kind ' + kind);
      calls++;
      this.c.fill(-1, 0, 4);
    } };
    Object.defineProperty(globalThis, Symbol.for('profilyfill'), { value: hub });
    return () => calls;
  })()`, realm);
}

/** Everything about a value as text: also `-0`, `undefined`, `Map`s, symbols, names of classes. */
export function show(value) {
  return inspect(value, {
    depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, breakLength: Infinity, sorted: false,
  });
}
