/**
 * Sites that use the installed package in the ways that users do. Each page runs code of its own that was
 * instrumented beforehand with `profilyfill/instrument`, and profiles it.
 *
 *   node test/browser/support/sites.js PROJECT
 *
 * builds PROJECT/sites/ from the package installed in PROJECT, and writes what it has built to
 * PROJECT/sites.json:
 * `[{ name, page, busy, functions: [{ name, line, column }, ...] }, ...]`: the page and its instrumented
 * script relative to PROJECT/sites, and where `spin` and `crunch` are defined in that script before it was
 * instrumented.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import webpack from 'webpack';
import { findFunctions } from './find-functions.js';

const [project] = process.argv.slice(2);
const installed = join(project, 'node_modules', 'profilyfill');
const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
const sources = join(project, 'sources');
const sites = join(project, 'sites');

const resolve = createRequire(join(project, 'package.json')).resolve;
const { instrument } = await import(pathToFileURL(resolve('profilyfill/instrument')));

// The code that is profiled. The texts in it tell its functions apart when their names are gone.
const BUSY = `
export function spin(ms) {
  globalThis.busy = 'spin';
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) sum += crunch(400_000);
  return sum;
}

  export function crunch(count) {
  globalThis.busy = 'crunch';
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.sqrt(i) % 3;
  return sum;
}
`;

// What every page does, however it came by the names. The timer makes one function the root of the stacks:
// no async one, of which JavaScriptCore prints a second frame where the script is not instrumented.
const RUN = `
globalThis.run = (ms) => new Promise((resolve, reject) => {
  setTimeout(() => {
    const before = performance.now();
    const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10_000 });
    const looped = performance.now();
    spin(ms);
    crunch(1);
    const ended = performance.now();
    profiler.stop().then((trace) => resolve({
      trace, before, looped, ended, kind: coreKind(), faults: counters(),
      polyfill: globalThis.Profiler === Profiler,
    }), reject);
  });
});`;

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Instruments a built script where it lies. */
function instrumentFile(path, sourceType) {
  const code = readFileSync(join(sites, path), 'utf8');
  write(join(sites, path), instrument(code, { sourceType }).code);
  const { spin, crunch } = findFunctions(code, sourceType);
  return [spin, crunch];
}

const isModule = (script) => script.endsWith('.mjs') || script.startsWith('/');

const page = (...scripts) => ['<!doctype html><meta charset="utf-8"><title>site</title>', ...scripts.map(
  (script) => `<script ${isModule(script) ? 'type="module" ' : ''}src="${script}"></script>`), ''].join('\n');

// By script tag --------------------------------------------------------------------------------------

function makeScriptTag() {
  const { unpkg } = manifest;
  const vendor = join(sites, 'script-tag/vendor');
  cpSync(join(installed, unpkg), join(vendor, 'profilyfill.iife.js'));
  for (const name of ['profilyfill-twin.js', 'profilyfill-positions.js']) {
    cpSync(join(installed, dirname(unpkg), name), join(vendor, name));
  }
  write(join(sites, 'script-tag/index.html'),
    page('vendor/profilyfill.iife.js', 'early.js', 'busy.js', 'run.js'));
  // Right after the script tag: nothing is compiled yet.
  write(join(sites, 'script-tag/early.js'), `
    (() => {
      const kind = profilyfill.coreKind();
      const before = performance.now();
      // So long that not even a busy machine lets a second tick come due.
      const profiler = new Profiler({ sampleInterval: 10_000, maxBufferSize: 100 });
      const stopping = profiler.stop();
      globalThis.early = {
        kind, stopped: profiler.stopped, before, after: performance.now(), installed: profilyfill.installed,
      };
      stopping.then((trace) => { early.trace = trace; }, (error) => { early.error = String(error); });
    })();`);
  write(join(sites, 'script-tag/busy.js'), BUSY.replaceAll('export ', ''));
  write(join(sites, 'script-tag/run.js'), `const { coreKind, counters } = profilyfill;${RUN}`);
  return [{
    name: 'script tag', page: 'script-tag/index.html', busy: 'script-tag/busy.js',
    functions: instrumentFile('script-tag/busy.js', 'script'),
  }];
}

// As ES modules, without a bundler -------------------------------------------------------------------

function makeModules() {
  cpSync(join(installed, 'wasm-out/esm'), join(sites, 'modules/profilyfill'), { recursive: true });
  const worker = 'profilyfill-worker.js';
  cpSync(join(installed, 'wasm-out', worker), join(sites, 'modules', worker));
  write(join(sites, 'modules/index.html'), page('run.mjs'));
  write(join(sites, 'modules/busy.mjs'), BUSY);
  write(join(sites, 'modules/run.mjs'), `
    import { Profiler, coreKind, counters, install } from './profilyfill/index.js';
    import { crunch, spin } from './busy.mjs';
    globalThis.installed = install({ workers: true });
    ${RUN}`);
  return [{
    name: 'ES modules', page: 'modules/index.html', busy: 'modules/busy.mjs',
    functions: instrumentFile('modules/busy.mjs', 'module'),
  }];
}

// By bundlers ----------------------------------------------------------------------------------------

// The profiled code is a chunk of its own, so that it can be instrumented after it was minified, and the
// polyfill need not be.
const ENTRIES = {
  auto: `
    import 'profilyfill/auto';
    import { coreKind, counters } from 'profilyfill';
    const { crunch, spin } = await import('./busy.js');
    ${RUN}`,
  named: `
    import { Profiler, coreKind, counters, install } from 'profilyfill';
    globalThis.installed = install({ workers: true });
    const { crunch, spin } = await import('./busy.js');
    ${RUN}`,
};

/** The built chunk with the profiled code, below a folder of the sites. */
function findBusyChunk(folder) {
  const names = readdirSync(join(sites, folder), { recursive: true });
  const found = names.map(String).filter((name) => /\.m?js$/.test(name)).filter((name) => {
    const code = readFileSync(join(sites, folder, name), 'utf8');
    return code.includes('crunch') && code.includes('.sqrt(');
  });
  if (found.length !== 1) throw new Error(`not one chunk of the profiled code but: ${found}`);
  return `${folder}/${found[0]}`;
}

async function makeVite(kind) {
  const root = join(sources, `vite-${kind}`);
  write(join(root, 'index.html'), page('/main.js'));
  write(join(root, 'main.js'), ENTRIES[kind]);
  write(join(root, 'busy.js'), BUSY);
  await build({
    root, base: './', logLevel: 'warn', configFile: false,
    build: { outDir: join(sites, `vite-${kind}`), target: 'esnext', emptyOutDir: true },
  });
  const busy = findBusyChunk(`vite-${kind}`);
  return {
    name: `Vite, ${kind}`, page: `vite-${kind}/index.html`, busy, functions: instrumentFile(busy, 'module'),
  };
}

async function makeWebpack(kind) {
  const context = join(sources, `webpack-${kind}`);
  const out = join(sites, `webpack-${kind}`);
  write(join(context, 'main.js'), ENTRIES[kind]);
  write(join(context, 'busy.js'), BUSY);
  write(join(out, 'index.html'), page('main.js'));
  const stats = await new Promise((done, fail) => {
    webpack({
      context, mode: 'production', entry: './main.js', output: { path: out, filename: 'main.js' },
    }, (error, result) => (error ? fail(error) : done(result)));
  });
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
  const busy = findBusyChunk(`webpack-${kind}`);
  return {
    name: `webpack, ${kind}`, page: `webpack-${kind}/index.html`, busy,
    functions: instrumentFile(busy, 'script'),
  };
}

const built = [...makeScriptTag(), ...makeModules()];
for (const kind of Object.keys(ENTRIES)) built.push(await makeVite(kind), await makeWebpack(kind));
// Bundlers print things of their own.
writeFileSync(join(project, 'sites.json'), JSON.stringify(built));
