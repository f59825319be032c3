import type { SourceMap } from 'magic-string';

export interface InstrumentOptions {
  /**
   * The script's URL: what traces report, and its name in the map and in errors. Without it the script
   * finds its URL when it runs, which is what scripts of `blob:` and `data:` URLs need.
   */
  url?: string;

  /**
   * What kind of script this is. By default a module if it has `import` or `export` declarations, or
   * can only be parsed as a module (`import.meta`, top-level `await`); else a classic script, which
   * is also right for modules without any of these and for most CommonJS files. Say `'commonjs'`
   * for files with a top-level `return`.
   */
  sourceType?: 'module' | 'script' | 'commonjs';

  /** 1-based line of the file at which the code starts, for inline scripts. Default 1. */
  line?: number;

  /** 1-based column, in UTF-16 units, at which the code starts on that line. Default 1. */
  column?: number;

  /**
   * By how many columns the code starts later in the file as it is served, since scripts before it on its
   * line were instrumented, too: the sum of the lengths of their insertions there. `column` is that of the
   * original file. Default 0.
   */
  moved?: number;

  /**
   * How short a function may be to be told from its callers: any (`'high'`), some 2 ns (`'normal'`, the
   * default) or 30 (`'low'`). The time of shorter ones counts as their callers'. The more precise, the
   * more the code grows and the slower it runs.
   */
  precision?: 'high' | 'normal' | 'low';

  /**
   * Characters: functions whose text is shorter have no polls, and their time counts as their callers'. Where
   * functions of a module may run before its body, in a cycle of imports, they have polls all the same.
   * Default 0.
   */
  minFunctionSize?: number;

  /**
   * Whether traces of `startProfiler({ executing: true })` can tell the column at which a function was
   * executing, and not only the line. Makes the result longer: some 4 characters a poll. Default
   * `false`.
   */
  executing?: boolean;

  /**
   * Whether `measureUserAgentSpecificMemory()` of this project can see what no global leads to: the variables
   * of modules, the `let`, `const` and `class` of scripts, and what closures hold of the function around
   * them (not of blocks in it). Functions whose variables are used by inner ones get slower by a closure and a
   * weak reference a call; at most 32,768 of them at a time are seen. Default `false`.
   */
  memoryRoots?: boolean;

  /**
   * Whether the function table is not in the code but in `table` of the result, to be served beside the
   * script, under its URL and `.functions.json` (before a query): pages read it only when they build a trace.
   * For scripts that have a URL. Default `false`.
   */
  separateTable?: boolean;

  /**
   * What `profilyfill calibrate` has measured of the same code: polls tell how long the segments that they end
   * take. Makes traces of pages that are not isolated truer; functions whose text has changed since are as
   * without.
   */
  weights?: Weights;
}

/** What `profilyfill calibrate` writes. */
export interface Weights {
  version: 1;

  /** By a function's key, a hash of its text, the level of each of its polls, as one character. */
  functions: Record<string, string>;
}

export interface InstrumentResult {
  /** The instrumented code, with as many lines as the original and each thing on its line. */
  readonly code: string;

  /** Source map from the instrumented code to the given code; made when first asked for. */
  readonly map: SourceMap;

  /** What was put in, and at which offset of the given code, ascending. */
  readonly insertions: readonly { readonly offset: number, readonly text: string }[];

  /** How many functions the code has. None is counted in what is already instrumented. */
  readonly functions: number;

  /** How many polls were put in. */
  readonly polls: number;

  /** With `separateTable`, unless nothing was put in: the text of the file with the function table. */
  readonly table?: string;
}

/** What `instrument` throws. */
export class InstrumentError extends Error {
  /**
   * - `ERR_PROFILYFILL_SYNTAX`: the code cannot be parsed; `line` and `column` say where.
   * - `ERR_PROFILYFILL_OPTION`: an argument has the wrong type or range, or an option is unknown.
   * - `ERR_PROFILYFILL_MAP`, of the plugin: the source map of a file cannot be read, or leads to where the
   *   file has nothing; `line` and `column` say where.
   */
  readonly code: 'ERR_PROFILYFILL_SYNTAX' | 'ERR_PROFILYFILL_OPTION' | 'ERR_PROFILYFILL_MAP';

  /** The file, in errors of the plugin. */
  readonly file?: string;

  /** The `url` option. */
  readonly url: string | undefined;

  /** 1-based line in the file, so counted from the `line` option. */
  readonly line: number | undefined;

  /** 1-based column in the file, in UTF-16 units. */
  readonly column: number | undefined;
}

/**
 * Puts polls and a function table into a script, so that it can be sampled while it runs. It computes
 * what it computed before, its lines stay where they were, and traces report the positions that its
 * functions have in the code as given. Only the text of functions, as `toString` returns it, and
 * columns in `error.stack` differ.
 *
 * Code that is already instrumented comes back as it is.
 *
 * @throws {InstrumentError}
 */
export function instrument(code: string, options?: InstrumentOptions): InstrumentResult;
