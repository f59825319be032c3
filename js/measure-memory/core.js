// The wasm core of measurements (c/memory), for the rest of the shim: everything that crosses the
// boundary crosses it here. Nothing is decoded or compiled before load() is called.

import { decodeBinary } from '../core-binary.js';
import {
  NativeError, NativeUint16Array, NativeUint32Array, NativeUint8Array, charCodeAt, fillRandom, parseJson,
  readUtf8,
} from './builtins.js';
import { loadTwin } from './core-twin.js';

const NONE = 0xffffffff;

const MORE_RANDOM = 3; // memory_status

/** By number; see memory_scope. */
const SCOPES = [
  'Window', 'DedicatedWorkerGlobalScope', 'SharedWorkerGlobalScope', 'ServiceWorkerGlobalScope',
];
/** By bit. */
const TYPES = ['JavaScript', 'DOM', 'Canvas', 'WebAssembly', 'Shared'];

let core; // the module's, once it is there
let loading; // the promise of load()
let kind = 'none';

function fault(message, code) {
  const error = new NativeError(`profilyfill: ${message}`);
  error.code = code;
  return error;
}

async function start() {
  try {
    // A policy may refuse to compile or only to instantiate; either way the twin has to do.
    const { instance } = await WebAssembly.instantiate(decodeBinary(), {});
    kind = 'wasm';
    core = instance.exports;
  } catch {
    try {
      core = await loadTwin();
      kind = 'twin';
    } catch {
      loading = undefined; // another time, perhaps
      throw fault('neither WebAssembly nor measure-memory-twin.js can be run', 'ERR_PROFILYFILL_CORE');
    }
  }
  core._initialize?.();
}

/**
 * Loads the core; memoised.
 * @returns {Promise<void>} rejected with `code` ERR_PROFILYFILL_CORE where there can be none
 */
export function load() {
  loading ??= start();
  return loading;
}

/** 'none' (not there yet), 'wasm' or 'twin'. */
export const coreKind = () => kind;

const lastFault = () => (core.memory_last_status() === 1
  ? fault('no memory for the result', 'ERR_PROFILYFILL_MEMORY')
  : fault('a measurement that cannot be', 'ERR_PROFILYFILL_INTERNAL'));

/** Writes texts one after the other, as UTF-16. */
function write(texts) {
  let room = 0;
  for (let i = 0; i < texts.length; i++) room += texts[i].length;
  const at = core.memory_input(room);
  if (!at) throw lastFault();
  const units = new NativeUint16Array(core.memory.buffer, at, room);
  let to = 0;
  for (let i = 0; i < texts.length; i++) {
    for (let j = 0; j < texts[i].length; j++) units[to++] = charCodeAt(texts[i], j);
  }
}

function realmNumber(realm) {
  if (realm >>> 0 === NONE) throw lastFault();
  return realm;
}

/**
 * Adds a window to the measurement.
 * @param {number} parent the realm of the window around it; -1: it is a top-level one
 * @param {boolean} isSameOrigin as the top-level window
 * @param {{ url: string, id: string, src: string }} texts its URL, and of the element that contains it
 * @returns {number} its realm; of a window of another origin within another of them the outer one's
 * @throws {Error} `code` ERR_PROFILYFILL_MEMORY; the measurement is as before
 */
export function addWindow(parent, isSameOrigin, { url, id, src }) {
  write([url, id, src]);
  return realmNumber(core.memory_window(parent, isSameOrigin ? 1 : 0, url.length, id.length, src.length));
}

/**
 * Adds a worker, as above.
 * @param {number} outside the realm that made a dedicated worker; -1 for others
 * @param {string} scope the name of its global's interface
 * @param {string} url
 */
export function addWorker(outside, scope, url) {
  let number = 0;
  while (SCOPES[number] !== scope) number++;
  write([url]);
  return realmNumber(core.memory_worker(outside, number, url.length));
}

/**
 * Adds bytes to the entry of these realms, in ascending order, and these types.
 * @throws {Error} as above; the measurement is as before
 */
export function addBytes(realms, types, bytes) {
  let set = 0;
  for (let i = 0; i < types.length; i++) {
    for (let bit = 0; bit < TYPES.length; bit++) if (TYPES[bit] === types[i]) set |= 1 << bit;
  }
  for (let i = 0; i < realms.length; i++) if (core.memory_attribute(realms[i])) throw lastFault();
  if (core.memory_bytes(set, bytes)) throw lastFault();
}

/**
 * The result of the measurement: a new one, in another order, each time.
 * @throws {Error} `code` ERR_PROFILYFILL_MEMORY; the measurement stays
 */
export function readResult() {
  for (;;) {
    const at = core.memory_random();
    if (!at) throw lastFault();
    fillRandom(new NativeUint32Array(core.memory.buffer, at, core.memory_random_words()));
    const text = core.memory_result();
    if (text) {
      return parseJson(readUtf8(new NativeUint8Array(core.memory.buffer, text, core.memory_length())));
    }
    if (core.memory_last_status() !== MORE_RANDOM) throw lastFault();
  }
}

/** Forgets the measurement. */
export const endMeasurement = () => core.memory_end();
