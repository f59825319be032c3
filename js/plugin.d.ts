import type { InstrumentOptions, Weights } from './instrument.js';

export { InstrumentError } from './instrument.js';

type Pattern = string | RegExp;

export interface PluginOptions
  extends Pick<InstrumentOptions, 'sourceType' | 'minFunctionSize' | 'precision' | 'executing' | 'memoryRoots'> {
  /**
   * Whether function tables are files of their own, `<file>.functions.json`, to be deployed beside the
   * scripts: these are shorter then, and pages read the tables only when they build a trace. Default `false`.
   */
  separateTable?: boolean;

  /**
   * Which files get polls: globs or regular expressions for their names in the output folder, with `/`
   * between folders (`'assets/*.js'`). A glob without slash is of any folder. Default: all scripts that
   * the bundler makes.
   */
  include?: Pattern | readonly Pattern[];

  /** Which files get none, though they are included. */
  exclude?: Pattern | readonly Pattern[];

  /** What `profilyfill calibrate` has written: the path of the file, or what is in it. */
  weights?: string | Weights;

  /**
   * Vite only: whether modules that the dev server sends get polls, too. There `include` and `exclude` are
   * matched with the paths of modules below the root (`'src/**'`). Default `false`.
   */
  dev?: boolean;

  /**
   * Whether maps of the files without polls are written, too, as `<file>.plain.map`. Positions in traces are
   * those of these files; positions in `error.stack` and in DevTools are those of the files with polls, for
   * which the other maps are. Default `false`.
   */
  plainMaps?: boolean;

  /**
   * Whether what was put into large files is kept in `node_modules/.cache/profilyfill` for the next build, if
   * the current folder has `node_modules`. Default `true`.
   */
  cache?: boolean;

  /**
   * Whether files that cannot be instrumented, since they or their maps have a fault, are left as they are
   * and counted, instead of failing the build. Default `false`.
   */
  lenient?: boolean;
}

// What the bundlers' own types of plugins accept, whichever of them are installed.

export function vite(options?: PluginOptions): { name: string } | { name: string }[];
export function rollup(options?: PluginOptions): { name: string };
export function rolldown(options?: PluginOptions): { name: string };
export function webpack(options?: PluginOptions): { apply(compiler: any): void };
export function rspack(options?: PluginOptions): { apply(compiler: any): void };
export function esbuild(options?: PluginOptions): { name: string, setup(build: any): void };
