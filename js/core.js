// The wasm core, for the rest of the shim: everything that crosses the boundary crosses it here.
//
// Nothing is decoded or compiled before load() is called. Until it has come, and for good where
// neither wasm nor the JS twin may run, the functions say so by returning NONE or false.

import { decodeBinary } from './core-binary.js';
import { loadTwin } from './core-twin.js';
import { now, parseJson, readUtf8, subarray, timeOrigin, writeUtf8 } from './builtins.js';
import { detectEngine } from './stack.js';

const NONE = 0xffffffff;

let core; // the module's, once it is there
let loading; // the promise of load()
let kind = 'none';
let view; // the module's memory; made anew when it has grown

let shortages = 0; // times that the core had no room for what was to be handed over

function bytes() {
  if (view?.buffer !== core.memory.buffer) view = new Uint8Array(core.memory.buffer);
  return view;
}

async function instantiate() {
  try {
    // A policy may refuse to compile or only to instantiate; either way the twin has to do.
    const { instance } = await WebAssembly.instantiate(decodeBinary(), {});
    return ['wasm', instance.exports];
  } catch {
    return ['twin', await loadTwin()];
  }
}

async function start() {
  try {
    const [which, loaded] = await instantiate();
    const { engine, frameLimit } = detectEngine();
    loaded._initialize?.();
    loaded.core_init(engine, frameLimit, (timeOrigin + now() * 1e6) % 2 ** 32);
    core = loaded;
    kind = which;
    return true;
  } catch {
    return false;
  }
}

/**
 * Loads the core; memoised. Resolves to whether there is one, and never rejects.
 * @returns {Promise<boolean>}
 */
export function load() {
  loading ??= start();
  return loading;
}

export const isReady = () => core !== undefined;

/** 'none' (not there yet), 'wasm' or 'twin'. */
export const coreKind = () => kind;

/**
 * Writes texts one after the other into the module. Plain loops: the page may have patched what
 * arrays inherit.
 * @returns {number[] | null} their lengths in bytes; null: no memory
 */
function write(texts) {
  let room = 0;
  // UTF-8 takes 3 bytes a UTF-16 unit at most.
  for (let i = 0; i < texts.length; i++) room += texts[i].length * 3;
  let at = core.core_input(room);
  if (!at) return null;
  const memory = bytes();
  const lengths = [];
  for (let i = 0; i < texts.length; i++) {
    lengths[i] = writeUtf8(texts[i], subarray(memory, at));
    at += lengths[i];
  }
  return lengths;
}

const read = (at, length) => readUtf8(subarray(bytes(), at, at + length));

/**
 * A new session's handle, or NONE when there is no memory; then all its samples are lost, and counted.
 * @param {number} limit it keeps so many samples, the last ones; 0: all
 */
export function openSession(limit) {
  return core.core_session_open(limit) >>> 0;
}

/** Frees a session's samples. */
export function closeSession(session) {
  core.core_session_close(session);
}

/**
 * A stack's number for addSample(): 0 = no frames, NONE = no memory.
 * @param {string | null} text of an error's stack; null: nothing on the stack
 * @param {{ leaf: number, wrapper: boolean, isEntry?: boolean }} drop see c/trace/stacks.h
 * @param {number} root frames to drop there
 */
export function internStack(text, drop, root) {
  if (text === null) return 0;
  const lengths = write([text]);
  if (!lengths) {
    shortages++;
    return NONE;
  }
  return core.core_stack(lengths[0], drop.leaf, drop.wrapper ? 1 : 0, root, drop.isEntry ? 1 : 0) >>> 0;
}

/** Stores a sample at `time` in ms, `stack` from internStack(); false (and counted): no memory. */
export function addSample(session, time, stack) {
  return core.core_sample(session, time, stack) === 1;
}

/**
 * Registers a script's function table; see hub.t. False: not kept.
 * @param {object} script
 * @param {string} script.stack text of an error's stack from its top level, or '', or '?': the table is
 *   a guess, believed where the engine prints the same names
 * @param {string} script.url what is known of its URL where the stack names none
 * @param {string} script.positions see c/trace/functions.h
 * @param {string} script.names
 * @param {number} script.line where its code begins in its file, from 1
 * @param {number} script.column
 */
export function addScript({ stack, url, positions, names, line, column }) {
  const lengths = write([stack, url, positions, names]);
  if (!lengths) return false;
  const [stackLength, urlLength, positionsLength, namesLength] = lengths;
  return core.core_add_script(
    stackLength, urlLength, positionsLength, namesLength, line, column,
  ) === 1;
}

const counterNames =
  ['skippedLines', 'lostSamples', 'lostStacks', 'lostTables', 'malformedTables'];

/** What went wrong since the core was loaded: see c/trace/recorder.h. */
export function counters() {
  const counts = {};
  counterNames.forEach((name, which) => {
    counts[name] = core ? core.core_counter(which) : 0;
  });
  counts.lostStacks += shortages;
  return counts;
}

/** A trace of nothing. */
export const emptyTrace = () => ({ frames: [], resources: [], samples: [], stacks: [] });

function readSamples(withStacks, withTruncated) {
  const samples = [];
  for (let block = 0; (block = core.core_trace_block(block));) {
    const { buffer } = core.memory;
    const count = core.core_block_count(block);
    const times = new Float64Array(buffer, core.core_block_times(block), count);
    const stacks = new Uint32Array(buffer, core.core_block_stacks(block), count);
    for (let i = 0; i < count; i++) {
      const sample = withStacks && stacks[i]
        ? { stackId: (stacks[i] & 0x7fffffff) - 1, timestamp: times[i] } : { timestamp: times[i] };
      if (withTruncated && sample.stackId >= 0 && stacks[i] >> 31) sample.truncated = true;
      samples[samples.length] = sample;
    }
  }
  return samples;
}

/**
 * Begins a session's trace, and shows the scripts that may be seen.
 * @returns {string[] | null} the URLs of those that lack function tables and could be read; null: no
 *   memory
 */
function beginTrace(session, isShown) {
  const sources = core.core_trace_begin(session) >>> 0;
  if (sources === NONE) return null;
  const missing = [];
  for (let i = 0; i < sources; i++) {
    const url = read(core.core_trace_source(i), core.core_length());
    const tables = core.core_trace_source_tables(i);
    try {
      if (!isShown(url, (tables & 1) === 1)) continue;
      core.core_trace_show(i);
      // What can be requested.
      if (tables > 1 && /^(http|blob|data)/.test(url)) missing[missing.length] = url;
    } catch {
      // The page has broken what it would take to tell; in doubt the script stays out.
    }
  }
  return missing;
}

/** The URLs of readable scripts that a session's trace shows and that lack function tables. */
export function findMissingTables(session, isShown) {
  const missing = beginTrace(session, isShown);
  core.core_trace_end();
  return missing ?? [];
}

/**
 * The trace of a session, as the specification shapes it.
 * @param isShown (url, instrumented) => whether the script's frames may be seen; not, if it throws
 * @param {{ executing: boolean } | null} extras what is told beyond that; null: nothing
 */
export function buildTrace(session, isShown, extras) {
  if (!beginTrace(session, isShown)) {
    shortages++;
    return emptyTrace();
  }
  const tables = core.core_trace_build(extras?.executing ? 1 : 0);
  if (!tables) shortages++;
  const text = tables ? read(tables, core.core_length()) : '';
  const { frames, resources, stacks } =
    tables ? parseJson(text) : emptyTrace();
  const samples = readSamples(tables !== 0, extras);
  core.core_trace_end();
  return { frames, resources, samples, stacks };
}
