/**
 * Runs plain and instrumented code in realms of its own, so that nothing that one run leaves behind
 * is seen by another.
 */
import vm from 'node:vm';
import { types } from 'node:util';

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
    const call = () => {
      calls++;
      hub.c.fill(-1, 0, 4);
    };
    const hub = {
      c: new Int32Array(64).fill(-1), t: [],
      get a() { call(); }, get b() { call(); }, get d() { call(); }, get e() { call(); },
    };
    Object.defineProperty(globalThis, Symbol.for('profilyfill'), { value: hub });
    return () => calls;
  })()`, realm);
}

const tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);

/**
 * A value as text: also `-0`, `undefined`, `Map`s, symbols, names and lengths of functions, accessors. The
 * texts of functions and the stacks of errors are left out, and what promises hold.
 */
export function show(value, outer = []) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return String(value);
  if (outer.includes(value)) return `<circular ${outer.length - outer.indexOf(value)}>`;
  const tag = tagOf(value);
  if (types.isPromise(value)) return 'Promise';
  if (types.isNativeError(value)) return `[${value.name}: ${value.message}]`;
  if (types.isTypedArray(value)) return `${tag} [${Array.from(value).join()}]`;
  const inner = [...outer, value];
  let head = tag === 'Object' || tag === 'Array' ? '' : tag;
  if (typeof value === 'function') head += ` ${show(value.name)} ${value.length}`;
  if (types.isDate(value) || types.isRegExp(value)) head += ` ${value}`;
  if (types.isMap(value)) head += ` ${Array.from(value, (pair) => show(pair, inner)).join()}`;
  if (types.isSet(value)) head += ` ${Array.from(value, (item) => show(item, inner)).join()}`;
  const showKey = (key) => {
    const { value: own, get, set, enumerable } = Object.getOwnPropertyDescriptor(value, key);
    const isAccessor = get !== undefined || set !== undefined;
    const text = isAccessor ? `${get?.name} ${set?.name}` : show(own, inner);
    return `${enumerable ? '' : '~'}${String(key)}: ${text}`;
  };
  const keys = Reflect.ownKeys(value)
    .filter((key) => typeof value !== 'function' || !['name', 'length'].includes(key));
  const body = keys.map(showKey).join(', ');
  return `${head}${tag === 'Array' ? `[${body}]` : `{${body}}`}`;
}
