// Types of 'profilyfill/fxprof'.

declare const kind: unique symbol;

/** What a profile has. Handles of the same thing are the same object. */
interface HandleOf<Kind extends string> {
  readonly [kind]: Kind;
}
export type ProcessHandle = HandleOf<'process'>;
export type ThreadHandle = HandleOf<'thread'>;
export type CategoryHandle = HandleOf<'category'>;
/** A category and one of its subcategories. */
export type SubcategoryHandle = HandleOf<'subcategory'>;
export type LibraryHandle = HandleOf<'library'>;
export type StringHandle = HandleOf<'string'>;
/** Of one thread, as stacks and markers are. */
export type FrameHandle = HandleOf<'frame'>;
export type StackHandle = HandleOf<'stack'>;
export type MarkerTypeHandle = HandleOf<'type'>;
export type MarkerHandle = HandleOf<'marker'>;
export type CounterHandle = HandleOf<'counter'>;

/**
 * A time since the reference timestamp: milliseconds as a number (truncated to nanoseconds; negative
 * and NaN are 0), nanoseconds as a bigint.
 */
export type Time = number | bigint;

/** An unsigned 64-bit address. */
export type Address = number | bigint;

/** What calls throw that cannot be carried out; they have no effect then. */
export declare class FxprofError extends Error {
  private constructor();
  readonly code:
    | 'ERR_FXPROF_NO_MEMORY'
    /** A frame, stack or marker of another thread than the one named. */
    | 'ERR_FXPROF_FOREIGN_HANDLE'
    /** Not a handle of this profile, or of another kind. */
    | 'ERR_FXPROF_UNKNOWN_HANDLE'
    | 'ERR_FXPROF_INVALID_ARGUMENT'
    /** A number or a table would leave its range. */
    | 'ERR_FXPROF_OVERFLOW';
}

export declare const Timestamp: {
  fromNanoseconds(ns: number | bigint): bigint;
  fromMilliseconds(ms: number): bigint;
};

export declare const CpuDelta: {
  readonly ZERO: bigint;
  readonly UNKNOWN: null;
  fromMicroseconds(us: number | bigint): bigint;
  fromNanoseconds(ns: number | bigint): bigint;
  fromMilliseconds(ms: number): bigint;
};

export declare const SamplingInterval: {
  fromNanoseconds(ns: number | bigint): bigint;
  /** Of whole milliseconds. */
  fromMilliseconds(ms: number | bigint): bigint;
  /** In single precision; throws unless it is above 0. */
  fromHertz(hz: number): bigint;
};

export declare const ReferenceTimestamp: {
  fromMilliseconds(ms: number): number;
  /** Since the Unix epoch. */
  fromDuration(seconds: number | bigint, nanoseconds: number): number;
};

export type CategoryColor = 'transparent' | 'lightblue' | 'red' | 'lightred' | 'orange' | 'blue' |
  'green' | 'purple' | 'yellow' | 'brown' | 'magenta' | 'lightgreen' | 'grey' | 'darkgray';

export type GraphColor = 'blue' | 'green' | 'grey' | 'ink' | 'magenta' | 'orange' | 'purple' | 'red' |
  'teal' | 'yellow';

export type WeightType = 'samples' | 'tracing-ms' | 'bytes';

export interface Symbol {
  /** Relative to the library. */
  address: number;
  /** Without: up to the next symbol. */
  size?: number | null;
  name: string;
}

export interface LibraryInfo {
  name: string;
  debugName: string;
  path: string;
  debugPath: string;
  /** As Breakpad writes it: 32 (PDB 2.0: 8) hexadecimal digits and 1 to 8 of the age. */
  debugId: string;
  codeId?: string | null;
  arch?: string | null;
  symbolTable?: readonly Symbol[] | null;
}

/** A library that frames lie in, as the document has it. */
export interface UsedLibrary {
  lib: {
    name: string;
    path: string;
    debugName: string;
    debugPath: string;
    breakpadId: string;
    codeId: string | null;
    arch: string | null;
  };
  /** Of frames that were interned without finding a symbol, ascending. */
  addresses: number[];
}

/** Where the code of a label is. Lines and columns count from 1. */
export interface FrameSource {
  file?: StringHandle;
  /** What runs. */
  line?: number;
  column?: number;
  /** Where the function begins. */
  startLine?: number;
  startColumn?: number;
  /** Group the function by the origin of its file, if that is a URI. */
  hasResource?: boolean;
}

interface FrameCommon {
  /** By default "Other". A category stands for its subcategory "Other". */
  category?: CategoryHandle | SubcategoryHandle;
  flags?: readonly ('is-js' | 'is-relevant-for-js')[];
}

/** A frame: a label, an absolute address, or an address in a library. */
export type FrameInfo = FrameCommon & (
  | { label: StringHandle; source?: FrameSource }
  | { instructionPointer: Address }
  | { returnAddress: Address }
  | { adjustedReturnAddress: Address }
  | { library: LibraryHandle; relativeInstructionPointer: number }
  | { library: LibraryHandle; relativeReturnAddress: number }
  | { library: LibraryHandle; relativeAdjustedReturnAddress: number }
);

export type MarkerTiming =
  | { instant: Time }
  /** The end may come before the start. */
  | { interval: readonly [start: Time, end: Time] }
  | { intervalStart: Time }
  | { intervalEnd: Time };

export type MarkerLocation = 'marker-chart' | 'marker-table' | 'timeline-overview' | 'timeline-memory' |
  'timeline-ipc' | 'timeline-fileio';

/** The first four are strings, the others numbers (durations and times in milliseconds). */
export type MarkerFieldFormat = 'url' | 'file-path' | 'sanitized-string' | 'unique-string' | 'duration' |
  'time' | 'seconds' | 'milliseconds' | 'microseconds' | 'nanoseconds' | 'bytes' | 'percentage' | 'integer' |
  'decimal';

export interface MarkerField {
  /** Neither `type` nor `cause`, and each once. */
  key: string;
  label?: string;
  format: MarkerFieldFormat;
  searchable?: boolean;
}

export interface MarkerGraph {
  /** Of a field that is a number. */
  key: string;
  type: 'bar' | 'line' | 'line-filled';
  color?: GraphColor | null;
}

/** Labels may use `{marker.name}` and `{marker.data.KEY}`. */
export interface MarkerSchema {
  name: string;
  description?: string | null;
  /** By default the marker chart and the marker table. */
  locations?: readonly MarkerLocation[];
  chartLabel?: string | null;
  tooltipLabel?: string | null;
  tableLabel?: string | null;
  fields?: readonly MarkerField[];
  graphs?: readonly MarkerGraph[];
}

/**
 * A profile for the Firefox Profiler. Throws FxprofError where a call cannot be carried out; the
 * profile is then as before.
 */
export declare class Profile {
  /**
   * Main threads of Chromium before 115 refuse to compile so much at once: use create() there.
   *
   * @param product what was profiled
   * @param referenceTimestamp what times are relative to: milliseconds since the Unix epoch
   * @param interval the intended time between samples
   */
  constructor(product: string, referenceTimestamp: number, interval: Time);
  /** As the constructor, without blocking the page while the module is compiled. */
  static create(product: string, referenceTimestamp: number, interval: Time): Promise<Profile>;

  /** The category "Other", grey, which every profile has. */
  readonly other: CategoryHandle;

  setProduct(product: string): void;
  setOsName(name: string): void;
  setInterval(interval: Time): void;
  setReferenceTimestamp(referenceTimestamp: number): void;
  /** Whether the front-end need not look up symbols. */
  setSymbolicated(isSymbolicated: boolean): void;

  /** Always a new one. */
  addCategory(name: string, color: CategoryColor): CategoryHandle;
  addSubcategory(category: CategoryHandle, name: string): SubcategoryHandle;

  /** Pids and tids that were used before get a suffix. */
  addProcess(name: string, pid: number, startTime: Time): ProcessHandle;
  setProcessName(process: ProcessHandle, name: string): void;
  setProcessStartTime(process: ProcessHandle, time: Time): void;
  setProcessEndTime(process: ProcessHandle, time: Time): void;
  addThread(process: ProcessHandle, tid: number, startTime: Time, isMain: boolean): ThreadHandle;
  /** Main threads show the name of their process. */
  setThreadName(thread: ThreadHandle, name: string): void;
  setThreadStartTime(thread: ThreadHandle, time: Time): void;
  setThreadEndTime(thread: ThreadHandle, time: Time): void;
  setThreadTid(thread: ThreadHandle, tid: number): void;
  setThreadShowMarkersInTimeline(thread: ThreadHandle, shows: boolean): void;
  setThreadSamplesWeightType(thread: ThreadHandle, weightType: WeightType): void;
  /** Leaves weights out, so that running times are shown, if all are 1 and of samples. */
  setThreadOmitWeights(thread: ThreadHandle, omits: boolean): void;
  addInitialVisibleThread(thread: ThreadHandle): void;
  addInitialSelectedThread(thread: ThreadHandle): void;
  clearInitialVisibleThreads(): void;
  clearInitialSelectedThreads(): void;

  /** The library that equals this one but for symbols, or a new one; symbols replace its own. */
  addLib(info: LibraryInfo): LibraryHandle;
  /** For frames that are interned from now on. */
  setLibSymbolTable(library: LibraryHandle, symbolTable: readonly Symbol[]): void;
  /** Mappings that overlap start <= address < end are removed as a whole. */
  addLibMapping(
    process: ProcessHandle, library: LibraryHandle, start: Address, end: Address,
    relativeAddressAtStart: number,
  ): void;
  removeLibMapping(process: ProcessHandle, start: Address): void;
  clearProcessLibMappings(process: ProcessHandle): void;
  /** In all processes; these go first. */
  addKernelLibMapping(
    library: LibraryHandle, start: Address, end: Address, relativeAddressAtStart: number,
  ): void;
  removeKernelLibMapping(start: Address): void;
  /** In the order of the document. */
  libUsedRvaIter(): IterableIterator<UsedLibrary>;

  internString(string: string): StringHandle;
  getString(handle: StringHandle): string;
  internFrame(thread: ThreadHandle, frame: FrameInfo): FrameHandle;
  /** Without a parent, the frame is the root. */
  internStack(thread: ThreadHandle, parent: StackHandle | null, frame: FrameHandle): StackHandle;
  /** The root first; null of no frames. */
  internStackFrames(thread: ThreadHandle, frames: readonly FrameInfo[]): StackHandle | null;

  /**
   * In any order; they are written in the order of their times.
   *
   * @param cpuDelta CPU time since the sample before: milliseconds as a number, microseconds as a
   *   bigint, null if it is not known
   */
  addSample(
    thread: ThreadHandle, timestamp: Time, stack: StackHandle | null, cpuDelta: number | bigint | null,
    weight: number,
  ): void;
  /** Adds to the last sample and moves it, if that has no CPU time; else adds one of the same stack. */
  addSampleSameStackZeroCpu(thread: ThreadHandle, timestamp: Time, weight: number): void;
  /** @param size bytes; negative when they are freed */
  addAllocationSample(
    thread: ThreadHandle, timestamp: Time, stack: StackHandle | null, address: Address, size: number | bigint,
  ): void;

  /** Always a new type. */
  registerMarkerType(schema: MarkerSchema): MarkerTypeHandle;
  /** For schemas that are fixed in a program's source: the first one of a name counts. */
  staticSchemaMarkerType(schema: MarkerSchema): MarkerTypeHandle;
  /**
   * @param type a type, or a schema (an object that does not change), which is then registered as by
   *   staticSchemaMarkerType()
   * @param values of the fields in their order
   */
  addMarker(
    thread: ThreadHandle, timing: MarkerTiming, type: MarkerTypeHandle | MarkerSchema, name: StringHandle,
    category: CategoryHandle, values: readonly (StringHandle | number)[],
  ): MarkerHandle;
  setMarkerStack(thread: ThreadHandle, marker: MarkerHandle, stack: StackHandle | null): void;

  /** The front-end knows the categories "Memory", "power", "Bandwidth" and "CPU". */
  addCounter(process: ProcessHandle, name: string, category: string, description: string): CounterHandle;
  setCounterColor(counter: CounterHandle, color: GraphColor): void;
  addCounterSample(
    counter: CounterHandle, timestamp: Time, valueDelta: number, numberOfOperationsDelta: number,
  ): void;

  /**
   * Hands the document to a function in pieces of 8 KB at most, which may end inside a character. What
   * the function throws ends it. The profile can be used on, and written again.
   */
  write(take: (piece: Uint8Array) => void): void;
  /** The document as UTF-8, for profiler.firefox.com as it is or compressed by gzip. */
  toBytes(): Uint8Array;
  toString(): string;
  toJSON(): object;
}
