/**
 * Keeps what was put into large scripts in node_modules/.cache, as bundlers do: most chunks of a build are
 * those of the one before. What cannot be read or written there is made anew.
 */
import { version } from 'acorn';
import { createHash } from 'node:crypto';
import {
  existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { makeResult } from '../instrument/result.js';

// Characters: shorter scripts take some ms.
const LENGTH_MIN = 10_000;

const FILES_MAX = 500;

/** Of all that makes results. */
function digestSources() {
  const hash = createHash('sha256').update(version);
  const folder = fileURLToPath(new URL('../instrument/', import.meta.url));
  for (const path of [resolve(folder, '../instrument.js'), ...readdirSync(folder).sort().map((name) =>
    join(folder, name))]) hash.update(readFileSync(path));
  return hash.digest();
}

let sources;

export class ResultCache {
  #modules;

  /** @param {string} [root]  the folder of the project; nothing is kept where it has no node_modules */
  constructor(root = process.cwd()) {
    this.#modules = join(root, 'node_modules');
  }

  /** undefined: nothing is kept. */
  #pathOf(code, options) {
    if (code.length < LENGTH_MIN || !existsSync(this.#modules)) return undefined;
    sources ??= digestSources();
    const key = createHash('sha256').update(sources).update(JSON.stringify(options)).update('\0').update(code)
      .digest('hex').slice(0, 40);
    return join(this.#modules, '.cache/profilyfill', key);
  }

  /**
   * @param {string} code
   * @param {object} options  of instrument(), without `url`
   * @returns {ReturnType<typeof makeResult> | undefined}  undefined: unknown
   */
  read(code, options) {
    try {
      const path = this.#pathOf(code, options);
      if (path === undefined || !existsSync(path)) return undefined;
      const { insertions, functions, polls, table } = JSON.parse(gunzipSync(readFileSync(path)));
      const now = new Date();
      utimesSync(path, now, now);
      const texts = insertions.map(([offset, text]) => ({ offset, text }));
      return makeResult(code, texts, functions, polls, undefined, table && { table });
    } catch {
      return undefined;
    }
  }

  /** @param {ReturnType<typeof makeResult>} result */
  write(code, options, { insertions, functions, polls, table }) {
    try {
      const path = this.#pathOf(code, options);
      if (path === undefined) return;
      const folder = resolve(path, '..');
      mkdirSync(folder, { recursive: true });
      const text = JSON.stringify({
        insertions: insertions.map(({ offset, text: inserted }) => [offset, inserted]), functions, polls, table,
      });
      // Whole or not at all, whoever else builds.
      const unfinished = `${path}.${process.pid}`;
      writeFileSync(unfinished, gzipSync(text, { level: 1 }));
      renameSync(unfinished, path);
      this.#trim(folder);
    } catch {
      // not kept
    }
  }

  /** Takes away what has not been used for the longest time. */
  #trim(folder) {
    const files = readdirSync(folder).map((name) => join(folder, name));
    if (files.length <= FILES_MAX) return;
    const used = new Map(files.map((path) => [path, statSync(path).mtimeMs]));
    files.sort((a, b) => used.get(a) - used.get(b));
    for (const path of files.slice(0, -FILES_MAX)) rmSync(path, { force: true });
  }
}
