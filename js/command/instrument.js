/** `profilyfill instrument`: puts polls into the scripts of a build that no plugin made. */
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { glob } from 'tinyglobby';
import { Instrumenter } from '../plugin/instrumenter.js';
import { findMapUrl, readDataUrl } from '../plugin/source-map.js';
import { separateTableOf } from '../separate-table.js';

const HELP = `Usage: profilyfill instrument [options] <file | folder | glob>...

Puts polls into scripts as they will be deployed, in place. Of a folder, and by globs, it takes the files
*.js, *.mjs and *.cjs. Source maps, in the file or beside it, lead where they led before.

  --out-dir DIR               write there instead, with the paths that the files have below --base
  --base DIR                  default: the current folder
  --exclude GLOB              leave these files out; may be given more than once
  --source-type TYPE          module, script or commonjs; default: what each file looks like
  --precision LEVEL           high, normal (default) or low
  --min-function-size N       no polls in functions of fewer characters
  --weights FILE              what \`profilyfill calibrate\` has written
  --plain-maps                write maps of the scripts without polls, too, as *.js.plain.map
  --executing                 let traces tell columns of execution, too
  --memory-roots              let memory be measured that only modules and closures hold
  --separate-table            put function tables beside the scripts, as *.js.functions.json
  --no-cache                  keep nothing in node_modules/.cache for the next time
  --lenient                   leave files that cannot be instrumented as they are
  --help

Exit code: 0; 1 if a file could not be instrumented; 2 if the arguments are wrong.
`;

const OPTIONS = {
  'out-dir': { type: 'string' },
  base: { type: 'string', default: '.' },
  exclude: { type: 'string', multiple: true },
  'source-type': { type: 'string' },
  precision: { type: 'string' },
  'min-function-size': { type: 'string' },
  weights: { type: 'string' },
  'plain-maps': { type: 'boolean' },
  executing: { type: 'boolean' },
  'memory-roots': { type: 'boolean' },
  'separate-table': { type: 'boolean' },
  'no-cache': { type: 'boolean' },
  lenient: { type: 'boolean' },
  help: { type: 'boolean' },
};

const SCRIPT = /\.[cm]?js$/;

// Neither a whole URL nor one from the root of its host.
const isRelative = (url) => !/^(?:[a-z][\w+.-]*:|\/)/i.test(url);

const slashes = (path) => path.replaceAll('\\', '/');

const kindOf = (path) => stat(path).then(
  (found) => (found.isDirectory() ? 'folder' : 'file'), () => 'none');

/** The files that arguments mean. A shell may have expanded them, so a name that is there is no glob. */
async function findFiles(names) {
  const files = new Set();
  for (const name of names) {
    const kind = await kindOf(name);
    if (kind === 'file') files.add(resolve(name));
    else {
      const found = kind === 'folder'
        ? await glob('**/*', { cwd: name, dot: true, absolute: true })
        : await glob(name, { dot: true, absolute: true, expandDirectories: false });
      for (const path of found.sort()) if (SCRIPT.test(path)) files.add(resolve(path));
    }
  }
  return [...files];
}

/** The map beside a script: the one that it names, or one that goes by its name. */
async function readMap(path, code) {
  const url = findMapUrl(code);
  if (url !== undefined && readDataUrl(url) !== undefined) return undefined;
  const paths = [`${path}.map`];
  if (url !== undefined && isRelative(url)) {
    paths.unshift(join(dirname(path), decodeURIComponent(url.replace(/[?#].*/, ''))));
  }
  for (const one of paths) {
    if (await kindOf(one) === 'file') return { path: one, text: await readFile(one, 'utf8') };
  }
  return undefined;
}

/**
 * @param {string[]} args
 * @returns {Promise<0 | 1 | 2>} the exit code
 */
export async function run(args) {
  let instrumenter;
  let values;
  let files;
  try {
    const parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    ({ values } = parsed);
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    const size = values['min-function-size'];
    instrumenter = new Instrumenter({
      sourceType: values['source-type'],
      precision: values.precision,
      minFunctionSize: size === undefined ? undefined : /^\d+$/.test(size) ? Number(size) : NaN,
      weights: values.weights,
      plainMaps: values['plain-maps'],
      executing: values.executing,
      memoryRoots: values['memory-roots'],
      separateTable: values['separate-table'],
      cache: !values['no-cache'],
      lenient: values.lenient,
      exclude: values.exclude,
    });
    files = await findFiles(parsed.positionals);
    if (files.length === 0) throw new Error('no files: say which ones to instrument, or --help');
  } catch (error) {
    console.error(`profilyfill: ${error.message}`);
    return 2;
  }

  const { base, 'out-dir': outDir } = values;
  let failures = 0;
  for (const path of files) {
    const name = slashes(relative(base, path));
    if (!instrumenter.includes(name)) continue;
    try {
      await instrumentFile(instrumenter, path, name, outDir === undefined ? path : join(outDir, name));
    } catch (error) {
      console.error(`profilyfill: ${error.code ? `${error.code}: ` : ''}${error.message}`);
      failures++;
    }
  }
  console.log(`profilyfill: ${instrumenter.report()}`);
  return failures > 0 ? 1 : 0;
}

async function instrumentFile(instrumenter, path, name, target) {
  const code = await readFile(path, 'utf8');
  const map = await readMap(path, code);
  const mapTarget = map && join(dirname(target), relative(dirname(path), map.path));
  const from = dirname(map?.path ?? path);
  const to = dirname(mapTarget ?? target);
  const moveSource = (source) => (isRelative(source) ? slashes(relative(to, resolve(from, source))) : source);
  const made = instrumenter.instrument(name, code, {
    map: map?.text, moveSource: resolve(from) === resolve(to) ? undefined : moveSource,
  });
  if (target !== path) await mkdir(dirname(target), { recursive: true });
  if (made === null) {
    if (target === path) return;
    await copyFile(path, target);
    if (map) await copyFile(map.path, mapTarget);
    return;
  }
  if (map) await writeFile(mapTarget, JSON.stringify(made.map));
  if (made.result.table) await writeFile(separateTableOf(target), made.result.table);
  if (made.plainMap) await writeFile(`${target}.plain.map`, JSON.stringify(made.plainMap));
  await writeFile(target, made.code);
}
