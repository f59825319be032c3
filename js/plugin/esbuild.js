/** The plugin in esbuild. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { InstrumentError } from '../instrument/error.js';
import { separateTableOf } from '../separate-table.js';

const SOURCE_TYPES = { esm: 'module', cjs: 'commonjs' };

const SCRIPT = /\.[cm]?js$/;

/**
 * @param {import('./instrumenter.js').Instrumenter} instrumenter
 * @param {import('esbuild').PluginBuild} build
 */
export function setUpEsbuild(instrumenter, { initialOptions: options, onEnd }) {
  const { absWorkingDir: folder = process.cwd(), outdir, outfile, write = true, logLevel } = options;
  const out = resolve(folder, outdir ?? (outfile ? dirname(outfile) : '.'));
  const sourceType = SOURCE_TYPES[options.format];
  // Names are chosen before the polls are in. What is at the end of the files moves nothing.
  const mark = `/*profilyfill ${instrumenter.digest}*/`;
  options.footer = { ...options.footer, js: (options.footer?.js ?? '') + mark };
  options.metafile = true;

  /** Instruments one of the files that were built; `map` is beside it if there is one. */
  function instrumentOne({ path, text }, map) {
    const at = text.lastIndexOf(mark);
    const end = at + mark.length;
    const code = at < 0 ? text : text.slice(0, at) + text.slice(text[at - 1] === '\n' ? end + 1 : end);
    const name = relative(out, path).replaceAll('\\', '/');
    const made = instrumenter.includes(name)
      ? instrumenter.instrument(name, code, { map, sourceType }) : null;
    return made ?? { code };
  }

  onEnd(async (result) => {
    if (result.errors.length > 0) return undefined;
    const { outputs } = result.metafile;
    const files = new Map();
    if (write) {
      for (const name of Object.keys(outputs)) {
        if (!/\.[cm]?js(?:\.map)?$/.test(name)) continue;
        const path = resolve(folder, name);
        files.set(path, { path, text: await readFile(path, 'utf8') });
      }
    } else for (const file of result.outputFiles) files.set(file.path, file);

    const errors = [];
    const changed = new Map();
    for (const file of files.values()) {
      const { path } = file;
      if (!SCRIPT.test(path)) continue;
      const map = files.get(`${path}.map`);
      try {
        const made = instrumentOne(file, map?.text);
        changed.set(path, made.code);
        if (map && made.map) changed.set(map.path, made.map.toString());
        if (made.result?.table) changed.set(separateTableOf(path), made.result.table);
        if (made.plainMap) changed.set(`${path}.plain.map`, made.plainMap.toString());
      } catch (error) {
        if (!(error instanceof InstrumentError)) throw error;
        const { code: id, file: name, line, column, message: text } = error;
        errors.push({ id, text, location: { file: name, line, column: column - 1 } });
      }
    }
    for (const [path, text] of changed) {
      const contents = Buffer.from(text);
      const output = outputs[relative(folder, path).replaceAll('\\', '/')];
      if (output) output.bytes = contents.length;
      if (write) await writeFile(path, contents);
      else if (files.has(path)) files.get(path).contents = contents;
      else result.outputFiles.push({ path, contents, text, hash: '' });
    }
    const report = instrumenter.report();
    if (logLevel !== 'silent' && logLevel !== 'error') console.error(`profilyfill: ${report}`);
    return { errors };
  });
}
