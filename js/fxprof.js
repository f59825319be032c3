// Builds profiles for the Firefox Profiler: the C builder (c/fxprof/) for JavaScript.

import { FxprofError, INVALID_ARGUMENT, check } from './fxprof/error.js';
import { Engine } from './fxprof/engine.js';
import { HandleTable, threadOf } from './fxprof/handles.js';
import {
  high, low, splitCpu, splitInteger, splitSigned, splitTime, toDouble, toI32, toIndex, toU32,
} from './fxprof/values.js';

export { FxprofError };
export { CpuDelta, ReferenceTimestamp, SamplingInterval, Timestamp } from './fxprof/values.js';

// In the order of c/fxprof/fxprof.h.
const COLORS = ['transparent', 'lightblue', 'red', 'lightred', 'orange', 'blue', 'green', 'purple',
  'yellow', 'brown', 'magenta', 'lightgreen', 'grey', 'darkgray'];
const GRAPH_COLORS = [null, 'blue', 'green', 'grey', 'ink', 'magenta', 'orange', 'purple', 'red', 'teal',
  'yellow'];
const WEIGHTS = ['samples', 'tracing-ms', 'bytes'];
const LOCATIONS = ['marker-chart', 'marker-table', 'timeline-overview', 'timeline-memory', 'timeline-ipc',
  'timeline-fileio'];
const FORMATS = ['url', 'file-path', 'sanitized-string', 'unique-string', 'duration', 'time', 'seconds',
  'milliseconds', 'microseconds', 'nanoseconds', 'bytes', 'percentage', 'integer', 'decimal'];
const GRAPHS = ['bar', 'line', 'line-filled'];
const FLAGS = { 'is-js': 1, 'is-relevant-for-js': 2 };

// A frame's address by the member that holds it, and the number of its kind.
const ADDRESSES = [
  ['instructionPointer', 1], ['returnAddress', 2], ['adjustedReturnAddress', 3],
  ['relativeInstructionPointer', 4], ['relativeReturnAddress', 5], ['relativeAdjustedReturnAddress', 6],
];

const FRAME_WORDS = 10;
const SOURCE_WORDS = 6;

const bits = new Float64Array(1);
const halves = new Uint32Array(bits.buffer);

const text = (value) => {
  if (typeof value !== 'string') throw new FxprofError(INVALID_ARGUMENT, `${typeof value} is not a text`);
  return value;
};
const optional = (value) => (value === undefined || value === null ? null : text(value));

const packSymbols = (symbols) => symbols.flatMap(({ address, size = null, name }) =>
  [toU32(address), size === null ? 0 : toU32(size), size === null ? 0 : 1, text(name)]);

const packSchema = ({
  name, description, locations = ['marker-chart', 'marker-table'], chartLabel, tooltipLabel, tableLabel,
  fields = [], graphs = [],
}) => [
  text(name), optional(description),
  locations.reduce((sum, location) => sum | 1 << toIndex(LOCATIONS, location), 0),
  optional(chartLabel), optional(tooltipLabel), optional(tableLabel),
  fields.flatMap(({ key, label = '', format, searchable = false }) =>
    [text(key), text(label), toIndex(FORMATS, format), searchable ? 1 : 0]), fields.length,
  graphs.flatMap(({ key, type, color = null }) =>
    [text(key), toIndex(GRAPHS, type), toIndex(GRAPH_COLORS, color)]), graphs.length,
];

let prepared; // the engine of the profile that is being made by create()

/** A profile; see fxprof.d.ts for what the methods take. */
export class Profile {
  #engine;
  #exports;
  #processes = new HandleTable('process');
  #threads = new HandleTable('thread');
  #categories = new HandleTable('category');
  #subcategories = new HandleTable('subcategory');
  #libraries = new HandleTable('library');
  #strings = new HandleTable('string');
  #frames = new HandleTable('frame');
  #stacks = new HandleTable('stack');
  #types = new HandleTable('marker type');
  #markers = new HandleTable('marker');
  #counters = new HandleTable('counter');
  #staticTypes = new WeakMap(); // schemas that have been registered -> their types

  constructor(product, referenceTimestamp, interval) {
    const engine = prepared ?? Engine.createSync();
    prepared = undefined;
    this.#engine = engine;
    this.#exports = engine.exports;
    const packed = engine.pack([text(product)]);
    splitTime(interval);
    check(this.#exports.fx_new(packed, toDouble(referenceTimestamp), low, high,
      Math.random() * 2 ** 32, Math.random() * 2 ** 32));
    /** The category that every profile has. */
    this.other = this.#categories.give(0);
  }

  /** As the constructor, without blocking the page while the module is compiled. */
  static async create(product, referenceTimestamp, interval) {
    const engine = await Engine.create();
    prepared = engine;
    try {
      return new Profile(product, referenceTimestamp, interval);
    } finally {
      prepared = undefined;
    }
  }

  #pack(...items) {
    return this.#engine.pack(items);
  }

  /** The handle of what a call has given. */
  #give(handles, status) {
    check(status);
    return handles.give(this.#engine.result(0));
  }

  /** The same of what belongs to a thread. */
  #giveOwned(handles, thread, status) {
    check(status);
    return handles.give(this.#engine.result(1), thread);
  }

  #optionalStack(stack) {
    return stack === null || stack === undefined ? 0 : this.#stacks.id(stack);
  }

  // The profile -----------------------------------------------------------------------------------

  setProduct(product) {
    check(this.#exports.fx_set_product(this.#pack(text(product))));
  }

  setOsName(name) {
    check(this.#exports.fx_set_os_name(this.#pack(text(name))));
  }

  setInterval(interval) {
    splitTime(interval);
    check(this.#exports.fx_set_interval(low, high));
  }

  setReferenceTimestamp(referenceTimestamp) {
    check(this.#exports.fx_set_reference(toDouble(referenceTimestamp)));
  }

  setSymbolicated(isSymbolicated) {
    check(this.#exports.fx_set_symbolicated(isSymbolicated ? 1 : 0));
  }

  addCategory(name, color) {
    const packed = this.#pack(text(name));
    return this.#give(this.#categories, this.#exports.fx_add_category(packed, toIndex(COLORS, color)));
  }

  addSubcategory(category, name) {
    const id = this.#categories.id(category);
    check(this.#exports.fx_add_subcategory(id, this.#pack(text(name))));
    return this.#subcategories.give(this.#engine.result(0), this.#engine.result(1));
  }

  // Processes and threads -------------------------------------------------------------------------

  addProcess(name, pid, startTime) {
    const packed = this.#pack(text(name));
    splitTime(startTime);
    return this.#give(this.#processes, this.#exports.fx_add_process(packed, toU32(pid), low, high));
  }

  setProcessName(process, name) {
    const id = this.#processes.id(process);
    check(this.#exports.fx_set_process_name(id, this.#pack(text(name))));
  }

  setProcessStartTime(process, time) {
    splitTime(time);
    check(this.#exports.fx_set_process_start(this.#processes.id(process), low, high));
  }

  setProcessEndTime(process, time) {
    splitTime(time);
    check(this.#exports.fx_set_process_end(this.#processes.id(process), low, high));
  }

  addThread(process, tid, startTime, isMain) {
    splitTime(startTime);
    return this.#give(this.#threads, this.#exports.fx_add_thread(
      this.#processes.id(process), toU32(tid), low, high, isMain ? 1 : 0));
  }

  setThreadName(thread, name) {
    const id = this.#threads.id(thread);
    check(this.#exports.fx_set_thread_name(id, this.#pack(text(name))));
  }

  setThreadStartTime(thread, time) {
    splitTime(time);
    check(this.#exports.fx_set_thread_start(this.#threads.id(thread), low, high));
  }

  setThreadEndTime(thread, time) {
    splitTime(time);
    check(this.#exports.fx_set_thread_end(this.#threads.id(thread), low, high));
  }

  setThreadTid(thread, tid) {
    check(this.#exports.fx_set_thread_tid(this.#threads.id(thread), toU32(tid)));
  }

  setThreadShowMarkersInTimeline(thread, shows) {
    check(this.#exports.fx_set_thread_show_markers(this.#threads.id(thread), shows ? 1 : 0));
  }

  setThreadSamplesWeightType(thread, weightType) {
    const id = this.#threads.id(thread);
    check(this.#exports.fx_set_thread_weight(id, toIndex(WEIGHTS, weightType)));
  }

  setThreadOmitWeights(thread, omits) {
    check(this.#exports.fx_set_thread_omit_weights(this.#threads.id(thread), omits ? 1 : 0));
  }

  addInitialVisibleThread(thread) {
    check(this.#exports.fx_add_visible_thread(this.#threads.id(thread)));
  }

  addInitialSelectedThread(thread) {
    check(this.#exports.fx_add_selected_thread(this.#threads.id(thread)));
  }

  clearInitialVisibleThreads() {
    check(this.#exports.fx_clear_visible_threads());
  }

  clearInitialSelectedThreads() {
    check(this.#exports.fx_clear_selected_threads());
  }

  // Libraries -------------------------------------------------------------------------------------

  addLib({ name, debugName, path, debugPath, debugId, codeId, arch, symbolTable = null }) {
    const info = [text(name), text(debugName), text(path), text(debugPath), 0, 0, 0, 0, 0, 0, 0,
      optional(codeId), optional(arch),
      symbolTable === null ? 0 : [packSymbols(symbolTable), symbolTable.length]];
    // The id's text after a pointer to the rest.
    const packed = this.#pack(text(debugId), info);
    const at = this.#engine.words[(packed >>> 2) + 2];
    return this.#give(this.#libraries, this.#exports.fx_add_library(at, packed));
  }

  setLibSymbolTable(library, symbolTable) {
    const id = this.#libraries.id(library);
    const packed = this.#engine.pack(packSymbols(symbolTable));
    check(this.#exports.fx_set_library_symbols(id, packed, symbolTable.length));
  }

  addLibMapping(process, library, start, end, relativeAddressAtStart) {
    splitInteger(start);
    const startLow = low, startHigh = high;
    splitInteger(end);
    check(this.#exports.fx_add_mapping(this.#processes.id(process), this.#libraries.id(library),
      startLow, startHigh, low, high, toU32(relativeAddressAtStart)));
  }

  removeLibMapping(process, start) {
    splitInteger(start);
    check(this.#exports.fx_remove_mapping(this.#processes.id(process), low, high));
  }

  clearProcessLibMappings(process) {
    check(this.#exports.fx_clear_mappings(this.#processes.id(process)));
  }

  addKernelLibMapping(library, start, end, relativeAddressAtStart) {
    splitInteger(start);
    const startLow = low, startHigh = high;
    splitInteger(end);
    check(this.#exports.fx_add_kernel_mapping(this.#libraries.id(library),
      startLow, startHigh, low, high, toU32(relativeAddressAtStart)));
  }

  removeKernelLibMapping(start) {
    splitInteger(start);
    check(this.#exports.fx_remove_kernel_mapping(low, high));
  }

  /** A library as the document has it. */
  #readLibrary(id) {
    check(this.#exports.fx_get_library(id));
    const texts = this.#engine.readWords(this.#engine.result(0), 14);
    const read = (i) => (texts[i * 2] ? this.#engine.readText(texts[i * 2], texts[i * 2 + 1]) : null);
    return {
      name: read(0), path: read(1), debugName: read(2), debugPath: read(3), breakpadId: read(4),
      codeId: read(5), arch: read(6),
    };
  }

  libUsedRvaIter() {
    check(this.#exports.fx_list_used_libraries());
    const list = this.#engine.readWords(this.#engine.result(0), this.#engine.result(1) * 3);
    const used = [];
    for (let i = 0; i < list.length; i += 3) {
      const addresses = Array.from(this.#engine.readWords(list[i + 1], list[i + 2]));
      used.push({ lib: this.#readLibrary(list[i]), addresses });
    }
    return used.values();
  }

  // Strings, frames, stacks -----------------------------------------------------------------------

  internString(string) {
    return this.#give(this.#strings, this.#exports.fx_intern_string(this.#pack(text(string))));
  }

  getString(handle) {
    check(this.#exports.fx_get_string(this.#strings.id(handle)));
    return this.#engine.readText(this.#engine.result(0), this.#engine.result(1));
  }

  /** Lays out a frame at a word, and what it says of its source at another one. */
  #putFrame(words, at, sourceAt, frame) {
    const { label, category, flags, source } = frame;
    words[at + 6] = 0;
    words[at + 7] = 0;
    words[at + 8] = 0;
    words[at + 9] = 0;
    if (label !== undefined) {
      words[at] = 0;
      words[at + 1] = this.#strings.id(label);
    } else {
      const [member, kind] = ADDRESSES.find(([name]) => frame[name] !== undefined) ?? [];
      if (!kind) throw new FxprofError(INVALID_ARGUMENT, 'a frame needs a label or an address');
      splitInteger(frame[member]);
      words[at] = kind;
      words[at + 2] = kind > 3 ? this.#libraries.id(frame.library) : 0;
      words[at + 4] = low;
      words[at + 5] = high;
    }
    if (category !== undefined) {
      if (this.#subcategories.has(category)) {
        words[at + 6] = this.#subcategories.id(category);
        words[at + 7] = threadOf(category);
      } else words[at + 6] = this.#categories.id(category);
    }
    if (flags !== undefined) {
      for (const flag of flags) {
        if (!FLAGS[flag]) throw new FxprofError(INVALID_ARGUMENT, `${flag} is not a flag of frames`);
        words[at + 8] |= FLAGS[flag];
      }
    }
    if (source !== undefined) {
      const { file, line = 0, column = 0, startLine = 0, startColumn = 0, hasResource = false } = source;
      words[at + 9] = sourceAt << 2;
      words[sourceAt] = file === undefined ? 0 : this.#strings.id(file);
      words[sourceAt + 1] = toU32(line);
      words[sourceAt + 2] = toU32(column);
      words[sourceAt + 3] = toU32(startLine);
      words[sourceAt + 4] = toU32(startColumn);
      words[sourceAt + 5] = hasResource ? 1 : 0;
    }
  }

  #putFrames(frames) {
    const { length } = frames;
    const base = this.#engine.reserve(length * (FRAME_WORDS + SOURCE_WORDS) * 4);
    const { words } = this.#engine;
    let at = base >>> 2;
    let sourceAt = at + length * FRAME_WORDS;
    for (let i = 0; i < length; i++) {
      this.#putFrame(words, at, sourceAt, frames[i]);
      at += FRAME_WORDS;
      sourceAt += SOURCE_WORDS;
    }
    return base;
  }

  internFrame(thread, frame) {
    const id = this.#threads.id(thread);
    return this.#giveOwned(this.#frames, id, this.#exports.fx_intern_frame(id, this.#putFrames([frame])));
  }

  internStack(thread, parent, frame) {
    const id = this.#threads.id(thread);
    const parentId = this.#optionalStack(parent);
    const frameId = this.#frames.id(frame);
    return this.#giveOwned(this.#stacks, id, this.#exports.fx_intern_stack(
      id, parentId ? threadOf(parent) : 0, parentId, threadOf(frame), frameId));
  }

  internStackFrames(thread, frames) {
    const id = this.#threads.id(thread);
    const { length } = frames;
    const status = this.#exports.fx_intern_stack_frames(id, this.#putFrames(frames), length);
    if (length) return this.#giveOwned(this.#stacks, id, status);
    check(status);
    return null;
  }

  // Samples ---------------------------------------------------------------------------------------

  addSample(thread, timestamp, stack, cpuDelta, weight) {
    const id = this.#threads.id(thread);
    const stackId = this.#optionalStack(stack);
    splitTime(timestamp);
    const timeLow = low, timeHigh = high;
    splitCpu(cpuDelta ?? 0);
    check(this.#exports.fx_add_sample(id, timeLow, timeHigh, stackId ? threadOf(stack) : 0, stackId,
      low, high, cpuDelta === null ? 1 : 0, toI32(weight)));
  }

  addSampleSameStackZeroCpu(thread, timestamp, weight) {
    splitTime(timestamp);
    check(this.#exports.fx_add_sample_same_stack(this.#threads.id(thread), low, high, toI32(weight)));
  }

  addAllocationSample(thread, timestamp, stack, address, size) {
    const id = this.#threads.id(thread);
    const stackId = this.#optionalStack(stack);
    splitTime(timestamp);
    const timeLow = low, timeHigh = high;
    splitInteger(address);
    const addressLow = low, addressHigh = high;
    splitSigned(size);
    check(this.#exports.fx_add_allocation(id, timeLow, timeHigh, stackId ? threadOf(stack) : 0,
      stackId, addressLow, addressHigh, low, high));
  }

  // Markers ---------------------------------------------------------------------------------------

  registerMarkerType(schema) {
    const packed = this.#engine.pack(packSchema(schema));
    return this.#give(this.#types, this.#exports.fx_register_marker_type(packed));
  }

  staticSchemaMarkerType(schema) {
    const packed = this.#engine.pack(packSchema(schema));
    return this.#give(this.#types, this.#exports.fx_static_marker_type(packed));
  }

  #packValues(values) {
    return values.flatMap((value) => {
      if (typeof value !== 'number') return [1, this.#strings.id(value), 0, 0];
      bits[0] = value;
      return [0, 0, halves[0], halves[1]];
    });
  }

  addMarker(thread, timing, type, name, category, values) {
    const id = this.#threads.id(thread);
    const { instant, interval, intervalStart, intervalEnd } = timing;
    const phase = [instant, interval, intervalStart].findIndex((value) => value !== undefined) & 3; // -1: 3
    splitTime(instant ?? interval?.[0] ?? intervalStart ?? 0);
    const startLow = low, startHigh = high;
    splitTime(interval?.[1] ?? (phase === 3 ? intervalEnd : 0));
    const endLow = low, endHigh = high;
    const known = this.#types.has(type) ? type : this.#staticTypes.get(type);
    const typeId = known ? this.#types.id(known) : 0;
    const packed = this.#pack(this.#packValues(values), typeId ? 0 : packSchema(type));
    const [valuesAt, schemaAt] = this.#engine.readWords(packed, 2);
    const status = this.#exports.fx_add_marker(id, phase, startLow, startHigh, endLow, endHigh, typeId,
      schemaAt, this.#strings.id(name), this.#categories.id(category), valuesAt, values.length);
    const marker = this.#giveOwned(this.#markers, id, status);
    if (!known) this.#staticTypes.set(type, this.staticSchemaMarkerType(type));
    return marker;
  }

  setMarkerStack(thread, marker, stack) {
    const stackId = this.#optionalStack(stack);
    const markerId = this.#markers.id(marker);
    check(this.#exports.fx_set_marker_stack(this.#threads.id(thread), threadOf(marker), markerId,
      stackId ? threadOf(stack) : 0, stackId));
  }

  // Counters --------------------------------------------------------------------------------------

  addCounter(process, name, category, description) {
    const id = this.#processes.id(process);
    const packed = this.#pack(text(name), text(category), text(description));
    return this.#give(this.#counters, this.#exports.fx_add_counter(id, packed));
  }

  setCounterColor(counter, color) {
    const id = this.#counters.id(counter);
    check(this.#exports.fx_set_counter_color(id, toIndex(GRAPH_COLORS, color)));
  }

  addCounterSample(counter, timestamp, valueDelta, numberOfOperationsDelta) {
    splitTime(timestamp);
    check(this.#exports.fx_add_counter_sample(this.#counters.id(counter), low, high,
      toDouble(valueDelta), toU32(numberOfOperationsDelta)));
  }

  // The document ----------------------------------------------------------------------------------

  /** Hands the document to `take` in pieces of 8 KB at most, as Uint8Arrays. */
  write(take) {
    check(this.#engine.writeDocument(take));
  }

  /** The document as UTF-8. */
  toBytes() {
    const pieces = [];
    let length = 0;
    this.write((piece) => {
      pieces.push(piece);
      length += piece.length;
    });
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  /** The document as a text. */
  toString() {
    return new TextDecoder().decode(this.toBytes());
  }

  /** The document as objects. */
  toJSON() {
    return JSON.parse(this.toString());
  }
}
