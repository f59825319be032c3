// Types of 'profilyfill/measure-memory'; with the script tag, of the global `profilyfillMemory`, too.

export as namespace profilyfillMemory;

/** The element that contains a frame, as it was when the frame's document was created. */
export interface MemoryAttributionContainer {
  /** Its attribute `id`, `''` if it has none. */
  id: string;
  /** Its attribute `src` (`data` of an `<object>`) as written, `''` if it has none. */
  src: string;
}

/** A realm that memory belongs to. */
export interface MemoryAttribution {
  /**
   * The outermost frame element around the realm; absent for top-level windows and for what they and
   * shared or service workers have made.
   */
  container?: MemoryAttributionContainer;
  scope: 'Window' | 'DedicatedWorkerGlobalScope' | 'SharedWorkerGlobalScope' | 'ServiceWorkerGlobalScope'
    | 'cross-origin-aggregated';
  /** The URL of the realm, or `'cross-origin-url'`. */
  url: string;
}

/** A part of the memory. */
export interface MemoryBreakdownEntry {
  attribution: MemoryAttribution[];
  bytes: number;
  /** `'JavaScript'`, `'DOM'`, `'Canvas'`, `'WebAssembly'` or `'Shared'`; natively perhaps others. */
  types: string[];
}

/** What a page holds; entries are in random order, and one of them is always empty. */
export interface MemoryMeasurement {
  breakdown: MemoryBreakdownEntry[];
  /** The sum of all entries. */
  bytes: number;
}

/** What `install()` takes. */
export interface InstallOptions {
  /**
   * Do nothing unless the global is cross-origin isolated, which the specification demands. Default
   * `false`.
   */
  requireIsolation?: boolean;
  /**
   * How many milliseconds a measurement waits for a sign of life of a worker, before it counts 0 bytes
   * for it. Default 3000.
   */
  workerTimeout?: number;
}

/**
 * Makes `performance.measureUserAgentSpecificMemory()` available on this global. In a dedicated worker, which
 * has no such method, lets the page measure it.
 * @returns whose method the global has now
 * @throws {TypeError} with `code` `ERR_PROFILYFILL_OPTION`
 */
export function install(options?: InstallOptions): 'native' | 'polyfill' | 'none';

/**
 * Has something measured that cannot be reached from a global: what a module or a closure holds.
 * @param name says what it is
 * @param thunk returns it; called at each measurement
 * @returns a function that ends it
 * @throws {TypeError} `thunk` is no function
 */
export function registerRoot(name: string, thunk: () => unknown): () => void;

/** What builds results: `'wasm'`, `'twin'` (the JS made from it), or `'none'` so far. */
export function coreKind(): 'none' | 'wasm' | 'twin';

declare global {
  interface Performance {
    /**
     * Estimates the memory of the page with all its frames and workers:
     * https://wicg.github.io/performance-measure-memory/
     * @returns rejected with a `SecurityError` in frames of other origins than the page's
     */
    measureUserAgentSpecificMemory(): Promise<MemoryMeasurement>;
  }
}
