/**
 * Drives the exports of the core as c/wasm/core.c documents them, without the shim, in both forms:
 * the wasm module and its JS twin.
 */
import { readFileSync } from 'node:fs';
import { lengthenNames, readLeb } from '../../../js/build/short-names.js';
import { instantiate as instantiateTwin } from '../../../wasm-out/profilyfill-twin.mjs';

export const CORES = Object.freeze(['wasm', 'twin']);
export const NONE = 0xffffffff;
export const V8 = 1;
export const SPIDERMONKEY = 2;
export const JAVASCRIPTCORE = 3;

export const COUNTERS = Object.freeze(
  ['skippedLines', 'lostSamples', 'lostStacks', 'lostTables', 'malformedTables']);

const PAGE = 65_536;

/** The bytes of the module. */
export const readWasm = () => readFileSync(new URL('../../../wasm-out/profilyfill.wasm', import.meta.url));

/** The content of a section of a wasm binary, by the section's number; where it begins and ends. */
export function findSection(bytes, wanted) {
  for (let at = 8; at < bytes.length;) {
    const id = bytes[at];
    const { value: size, at: start } = readLeb(bytes, at + 1);
    if (id === wanted) return { start, end: start + size };
    at = start + size;
  }
  return undefined;
}

/** `{ initial, maximum }` of the module's own memory, in pages of 64 KB. */
export function readMemoryLimits(bytes) {
  const { start } = findSection(bytes, 5);
  const { value: initial, at } = readLeb(bytes, start + 2);
  return { initial, maximum: bytes[start + 1] & 1 ? readLeb(bytes, at).value : undefined, maximumAt: at };
}

/** The module with another, lower limit of its memory. */
function limitWasm(bytes, pages) {
  const { maximumAt } = readMemoryLimits(bytes);
  const limited = Uint8Array.from(bytes);
  // As long as the number it replaces; such padding is valid.
  limited.set([pages & 127 | 128, pages >> 7 & 127 | 128, pages >> 14], maximumAt);
  return limited;
}

/** The twin where no array larger than so many pages can be had. */
function limitTwin(pages) {
  const Native = globalThis.ArrayBuffer;
  const limited = class extends Native {
    constructor(length) {
      if (length > pages * PAGE) throw new RangeError('Array buffer allocation failed');
      super(length);
    }
  };
  // Memory grows by `new ArrayBuffer` of whatever the global of that name is then.
  globalThis.ArrayBuffer = limited;
  return { exports: lengthenNames(instantiateTwin()), release: () => { globalThis.ArrayBuffer = Native; } };
}

/**
 * @param {'wasm' | 'twin'} kind
 * @param {number} [pages]  the most memory there is, in pages of 64 KB
 * @returns {Promise<{ exports: object, release: () => void }>}  release(): the limit ends
 */
async function instantiate(kind, pages) {
  if (kind === 'twin') {
    return pages ? limitTwin(pages) : { exports: lengthenNames(instantiateTwin()), release() {} };
  }
  const bytes = pages ? limitWasm(readWasm(), pages) : readWasm();
  const { instance } = await WebAssembly.instantiate(bytes, {});
  return { exports: instance.exports, release() {} };
}

/**
 * @param {'wasm' | 'twin'} kind
 * @param {object} [options]
 * @param {number} [options.engine]  default V8
 * @param {number} [options.frameLimit]  default 257
 * @param {number} [options.seed]  default 1
 * @param {number} [options.pages]  the most memory there is, in pages of 64 KB
 */
export async function makeCore(kind, { engine = V8, frameLimit = 257, seed = 1, pages } = {}) {
  const { exports, release } = await instantiate(kind, pages);
  exports._initialize();
  exports.core_init(engine, frameLimit, seed);

  const encode = (text) => (typeof text === 'string' ? new TextEncoder().encode(text) : text);
  const memory = () => new Uint8Array(exports.memory.buffer);
  const read = (at, length) => new TextDecoder('utf-8', { fatal: true })
    .decode(memory().slice(at, at + length));

  /** Puts texts (or bytes) into the input; their lengths, or null when there is no room. */
  function write(...texts) {
    const parts = texts.map(encode);
    const at = exports.core_input(parts.reduce((sum, part) => sum + part.length, 0)) >>> 0;
    if (at === 0) return null;
    let to = at;
    for (const part of parts) {
      memory().set(part, to);
      to += part.length;
    }
    return parts.map((part) => part.length);
  }

  function readSamples() {
    const samples = [];
    for (let block = 0; (block = exports.core_trace_block(block));) {
      const count = exports.core_block_count(block);
      const times = new Float64Array(exports.memory.buffer, exports.core_block_times(block), count);
      const stacks = new Uint32Array(exports.memory.buffer, exports.core_block_stacks(block), count);
      for (let i = 0; i < count; i++) {
        samples.push([times[i], stacks[i] & 0x7fffffff, ...(stacks[i] >> 31 ? ['cut'] : [])]);
      }
    }
    return samples;
  }

  return {
    exports,
    release,

    /** The bytes that the module's memory has now. */
    memorySize: () => exports.memory.buffer.byteLength,

    open: (limit = 0) => exports.core_session_open(limit) >>> 0,
    close: (session) => exports.core_session_close(session),

    /** A stack's number, NONE when there is no memory. `text` may be bytes. */
    stack(text, { leaf = 0, wrapper = 0, root = 0, isEntry = 0 } = {}) {
      const lengths = write(text);
      return lengths ? exports.core_stack(lengths[0], leaf, wrapper, root, isEntry) >>> 0 : NONE;
    },

    sample: (session, time, stack) => exports.core_sample(session, time, stack),

    addScript({ stack = '', url = '', positions = '', names = '', line = 1, column = 1 }) {
      const lengths = write(stack, url, positions, names);
      return lengths === null ? 0 : exports.core_add_script(...lengths, line, column);
    },

    counters: () => Object.fromEntries(
      COUNTERS.map((name, which) => [name, exports.core_counter(which) >>> 0])),

    /**
     * The trace of a session; samples as `[time, stack id + 1]`, and 'cut' where frames are missing at the
     * root. `null` when there was no memory.
     * @param {(url: string, hasTable: boolean) => boolean} [isShown]
     * @param {boolean} [executing]
     */
    trace(session, isShown = () => true, executing = false) {
      const count = exports.core_trace_begin(session) >>> 0;
      if (count === NONE) return null;
      const sources = [];
      for (let i = 0; i < count; i++) {
        const url = read(exports.core_trace_source(i), exports.core_length());
        const hasTable = (exports.core_trace_source_tables(i) & 1) === 1;
        sources.push({ url, hasTable });
        if (isShown(url, hasTable)) exports.core_trace_show(i);
      }
      const at = exports.core_trace_build(executing ? 1 : 0);
      if (at === 0) {
        exports.core_trace_end();
        return null;
      }
      const json = read(at, exports.core_length());
      const samples = readSamples();
      exports.core_trace_end();
      return { sources, json, ...JSON.parse(json), samples };
    },
  };
}

/** The stack of a trace's sample as `['name file line:column', ...]`, innermost first. */
export function printStack(trace, [, number]) {
  const frames = [];
  for (let id = number - 1; id >= 0; id = trace.stacks[id].parentId ?? -1) {
    const { name, resourceId, line, column } = trace.frames[trace.stacks[id].frameId];
    const place = line === undefined ? '' : ` ${line}:${column}`;
    frames.push(`${name} ${trace.resources[resourceId]}${place}`);
  }
  return frames;
}
