import type { InstrumentOptions } from './instrument.js';

export { InstrumentError } from './instrument.js';

type Pattern = string | RegExp;

export interface ServiceWorkerOptions
  extends Pick<InstrumentOptions, 'minFunctionSize' | 'precision' | 'executing' | 'memoryRoots'> {
  /**
   * Which scripts, and documents for their inline scripts, get polls: globs or regular expressions for paths
   * from the root of the origin, without the first slash (`'assets/*.js'`; the root itself is `'/'`), and for
   * whole URLs without query of other origins (`'https://cdn.example/**'`). A glob without slash is of any
   * folder. Default: all.
   */
  include?: Pattern | readonly Pattern[];

  /** Which get none, though they are included. */
  exclude?: Pattern | readonly Pattern[];

  /**
   * Which part of the visits is served with polls, from 0 to 1. A visit begins with a page when no other of
   * the origin is open; in the others nothing is changed at all. Default 1.
   */
  samplingRate?: number;

  /**
   * Makes pages cross-origin isolated, by the headers `Cross-Origin-Opener-Policy: same-origin` and
   * `Cross-Origin-Embedder-Policy` with this value. Also where `include` and `exclude` leave out a document.
   * Default: headers are as they are.
   */
  isolate?: 'credentialless' | 'require-corp';

  /**
   * Where responses come from that may get polls, for workers that have a cache of their own. Default: the
   * navigation preload, if there is one, or the network. What it throws is a network error to the page.
   */
  fetch?: (event: any) => Response | PromiseLike<Response>; // FetchEvent, which is of another library
}

export interface ServiceWorkerCounters {
  /** Files into which polls were put. */
  scripts: number;

  /** Files that were found in the cache, with polls. */
  cached: number;

  /** Inline scripts into which polls were put. */
  inlineScripts: number;

  /** What was left as it was since it could not be parsed, or for a fault of ours. */
  failed: number;

  /** What was the matter with the last of them; else empty. */
  lastFailure: string;
}

/**
 * Begins to serve the pages of this service worker. To be called when the worker's script runs, before it
 * adds listeners to `fetch` of its own: these get the requests that are not for scripts or documents.
 *
 * @throws {InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function start(options?: ServiceWorkerOptions): {
  /** What was done since the browser has started this worker. */
  counters(): ServiceWorkerCounters;
};
