// The builder's wasm: an instance for each profile, so that its memory goes when the profile goes.

import { decodeBinary } from '../core-binary.js';
import { FxprofError, NO_MEMORY } from './error.js';

const encoder = new TextEncoder();
// What looks like a byte order mark at the beginning is part of the text.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

let module; // compiled when it is first needed
let compiling;

/** How much room a struct needs, and what hangs on it. */
function measure(items) {
  let size = 8; // to be aligned
  for (const item of items) {
    if (typeof item === 'number') size += 4;
    else if (typeof item === 'string') size += 8 + item.length * 3;
    else size += item === null ? 8 : 4 + measure(item);
  }
  return size;
}

export class Engine {
  #write = null; // takes the document
  #failure; // what it threw, in a list
  #words = new Uint32Array(0);
  #bytes;
  #base = 0; // of the input area
  #room = 0;
  #end; // of what is laid out in it
  #results;

  /** The module's exports; see c/wasm/fxprof.c. */
  exports;

  static async create() {
    module = await (compiling ??= WebAssembly.compile(decodeBinary()));
    const engine = new Engine();
    engine.#start(await WebAssembly.instantiate(module, engine.#imports()));
    return engine;
  }

  static createSync() {
    module ??= new WebAssembly.Module(decodeBinary());
    const engine = new Engine();
    engine.#start(new WebAssembly.Instance(module, engine.#imports()));
    return engine;
  }

  #imports() {
    return { fxprof: { write: (at, length) => this.#takePiece(at, length) } };
  }

  #start({ exports }) {
    this.exports = exports;
    exports._initialize();
    this.#results = exports.fx_results() >>> 2;
  }

  /** The memory as 32-bit words; to be asked for anew after each call that may let it grow. */
  get words() {
    // When it grows, what there was loses its length.
    if (this.#words.length === 0) {
      const { buffer } = this.exports.memory;
      this.#words = new Uint32Array(buffer);
      this.#bytes = new Uint8Array(buffer);
    }
    return this.#words;
  }

  /** What the last call has given: the i-th number. */
  result(i) {
    return this.words[this.#results + i];
  }

  /** The address of so many bytes to write input to, aligned to 8. */
  reserve(size) {
    if (size > this.#room) {
      const room = Math.max(size * 2, 4096);
      const base = this.exports.fx_input(room) >>> 0;
      if (!base) throw new FxprofError(NO_MEMORY);
      this.#base = base;
      this.#room = room;
    }
    return this.#base;
  }

  /**
   * Lays out a struct of 32-bit words. Numbers are words; a text, or null for none, is its address and
   * length; a list is the address of what is in it, laid out likewise.
   * @returns {number} its address
   */
  pack(items) {
    this.#end = this.reserve(measure(items));
    const { words } = this;
    return this.#put(words, items);
  }

  #put(words, items) {
    const start = this.#end + 7 & ~7;
    let size = 0;
    for (const item of items) size += typeof item === 'string' || item === null ? 8 : 4;
    this.#end = start + size;
    let at = start >>> 2;
    for (const item of items) {
      if (typeof item === 'number') words[at++] = item;
      else if (item === null) {
        words[at++] = 0;
        words[at++] = 0;
      } else if (typeof item === 'string') {
        words[at++] = this.#end;
        const { written } = encoder.encodeInto(item, this.#bytes.subarray(this.#end));
        words[at++] = written;
        this.#end += written;
      } else words[at++] = this.#put(words, item);
    }
    return start;
  }

  get #memoryBytes() {
    return this.words && this.#bytes;
  }

  readText(at, length) {
    return decoder.decode(this.#memoryBytes.subarray(at, at + length));
  }

  readWords(at, count) {
    return this.words.slice(at >>> 2, (at >>> 2) + count);
  }

  #takePiece(at, length) {
    try {
      this.#write(this.#memoryBytes.slice(at >>> 0, (at >>> 0) + length));
      return 1;
    } catch (error) {
      this.#failure = [error];
      return 0;
    }
  }

  /** Writes the document; what `write` throws comes through. */
  writeDocument(write) {
    this.#write = write;
    this.#failure = undefined;
    const status = this.exports.fx_write_document();
    this.#write = null;
    if (this.#failure) throw this.#failure[0];
    return status;
  }
}
