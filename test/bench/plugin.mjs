// What the plugin costs a production build: an app of 15 npm packages, minified, with source maps, built
// with the plugin and without in turns. Medians of the times, and what the plugin's own work takes, by which
// other programs on the machine disturb the comparison less.
//
//   node test/bench/plugin.mjs [--turns N] [BUNDLER...]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rspack } from '@rspack/core';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import webpack from 'webpack';
import * as plugins from '../../js/plugin.js';
import { Instrumenter } from '../../js/plugin/instrumenter.js';

const { values: { turns }, positionals } = parseArgs({
  options: { turns: { type: 'string', default: '3' } }, allowPositionals: true,
});
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'profilyfill-bench-'));
const entry = join(folder, 'app.js');
const PACKAGES = [
  'react', 'react-dom/client', 'react-dom/server.browser', 'rxjs', 'lodash-es', 'd3-force', 'd3-hierarchy',
  'immutable', 'marked', 'immer', 'handlebars/dist/handlebars.js', 'highlight.js', 'js-yaml', 'pako',
  'decimal.js',
];
const paths = PACKAGES.map((name) => fileURLToPath(import.meta.resolve(name)));
const uses = paths.map(
  (path, i) => `import * as a${i} from ${JSON.stringify(path)}; globalThis.a${i} = a${i};`);
writeFileSync(entry, uses.join('\n'));

const packed = (bundler) => (plugin) => new Promise((resolve, reject) => {
  const compiler = bundler({
    context: root, entry, mode: 'production', devtool: 'source-map', performance: false, plugins: plugin,
    output: { path: join(folder, 'out') }, infrastructureLogging: { level: 'none' },
  });
  compiler.run((error, stats) => {
    if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString('errors-only')));
    else compiler.close(resolve);
  });
});

const BUNDLERS = {
  webpack: packed(webpack),
  rspack: packed(rspack),
  vite: (plugin) => vite.build({
    root: folder, configFile: false, logLevel: 'silent', plugins: plugin,
    build: { rollupOptions: { input: entry }, outDir: join(folder, 'out'), sourcemap: true },
  }),
  esbuild: (plugin) => esbuild.build({
    entryPoints: [entry], outdir: join(folder, 'out'), format: 'esm', bundle: true, minify: true,
    sourcemap: true, logLevel: 'error', plugins: plugin,
  }),
};

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

// What the plugin's own work takes, and on how much.
let own = 0;
let bytes = 0;
const { instrument } = Instrumenter.prototype;
Instrumenter.prototype.instrument = function measured(file, code, details) {
  const start = performance.now();
  const made = instrument.call(this, file, code, details);
  own += performance.now() - start;
  bytes += Buffer.byteLength(code);
  return made;
};

try {
  for (const [name, build] of Object.entries(BUNDLERS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const times = { without: [], with: [] };
    own = bytes = 0;
    for (let turn = 0; turn <= Number(turns); turn++) {
      for (const which of ['without', 'with']) {
        const start = performance.now();
        await build(which === 'with' ? [plugins[name]()] : []);
        // The first turn warms up.
        if (turn > 0) times[which].push(performance.now() - start);
        else own = bytes = 0;
      }
    }
    const [before, after] = [median(times.without), median(times.with)];
    const ownTime = own / Number(turns);
    console.log(`${name}: ${before.toFixed(0)} ms without the plugin, ${after.toFixed(0)} ms with it, ` +
      `${ownTime.toFixed(0)} ms (${(100 * ownTime / (after - ownTime)).toFixed(0)} %) its own; ` +
      `${(bytes / Number(turns) / 1e6).toFixed(2)} MB, ${(bytes / own / 1e3).toFixed(1)} MB/s with the map`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
