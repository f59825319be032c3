/**
 * Builds the app of test/apps/reader with bundlers that the plugin serves.
 *
 *   node test/browser/support/build-apps.js OUT BUNDLER...
 *
 * writes OUT/BUNDLER/<plain | polled | low>/index.html and so on: with the plugin doing nothing, so that the
 * texts of hashes, which minifiers look at when they choose names, are the same; with it; and with another of
 * its options. OUT/BUNDLER/said.json has the lines that were logged.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import rspackModule from '@rspack/core';
import * as esbuild from 'esbuild';
import { rolldown } from 'rolldown';
import { rollup } from 'rollup';
import { minify } from 'terser';
import * as vite from 'vite';
import webpackModule from 'webpack';
import * as plugins from '../../../js/plugin.js';
import { Instrumenter } from '../../../js/plugin/instrumenter.js';

const app = fileURLToPath(new URL('../../apps/reader/', import.meta.url));
const [out, ...names] = process.argv.slice(2);

const VARIANTS = { plain: { plainMaps: true }, polled: { plainMaps: true }, low: { precision: 'low' } };

/** The page, with the entry under the name that the bundler has given to it. */
function writePage(folder) {
  const find = (pattern) => readdirSync(folder).find((name) => pattern.test(name));
  const html = readFileSync(`${app}index.html`, 'utf8').replace('./main.js', find(/^main.*\.js$/));
  writeFileSync(join(folder, 'index.html'), `${html}<link rel="stylesheet" href="${find(/\.css$/)}">\n`);
}

/** What Rollup does not do by itself: packages, styles, a minifier. */
const helpers = (minifies) => [{
  name: 'helpers',
  resolveId: (id) => (/^\w/.test(id) ? fileURLToPath(import.meta.resolve(id)) : null),
  load(id) {
    if (!id.endsWith('.css')) return null;
    this.emitFile({ type: 'asset', name: 'style.css', source: readFileSync(id, 'utf8') });
    return { code: 'export {};', moduleType: 'js' };
  },
}, minifies && {
  name: 'minify',
  renderChunk: (code) => minify(code, { module: true, sourceMap: true }),
}];

const rolled = (bundle, minifies) => async (folder, plugin, log) => {
  const built = await bundle({
    input: { main: `${app}main.js`, worker: `${app}worker.js` },
    plugins: [plugin, helpers(minifies)],
    onLog: (level, { message }) => log(message),
  });
  await built.write({
    dir: folder, format: 'es', sourcemap: true, ...(minifies ? {} : { minify: true }),
    // The page's code names it.
    entryFileNames: ({ name }) => (name === 'worker' ? '[name].js' : '[name]-[hash].js'),
    chunkFileNames: '[name]-[hash].js',
    assetFileNames: '[name]-[hash].[ext]',
  });
  await built.close();
  writePage(folder);
};

const packed = (bundler) => async (folder, plugin, log) => {
  const compiler = bundler({
    context: app, mode: 'production', entry: './main.js', devtool: 'source-map',
    plugins: [plugin],
    module: { rules: [{ test: /\.css$/, type: 'css' }] },
    experiments: bundler === webpackModule ? { css: true } : {},
    output: {
      path: folder, filename: 'main-[contenthash:8].js', chunkFilename: '[name]-[contenthash:8].js',
      cssFilename: '[name]-[contenthash:8].css',
    },
    optimization: { chunkIds: 'named' },
    infrastructureLogging: { stream: { write: (text) => log(text) } },
  });
  const stats = await new Promise((resolve, reject) => {
    compiler.run((error, result) => (error ? reject(error) : resolve(result)));
  });
  if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
  await new Promise((resolve) => { compiler.close(resolve); });
  writePage(folder);
};

const BUNDLERS = {
  async vite(folder, plugin, log) {
    const customLogger = { ...vite.createLogger('silent'), info: log };
    await vite.build({
      root: app, base: './', configFile: false, customLogger, plugins: [plugin],
      build: { outDir: folder, sourcemap: true, target: 'esnext' },
      worker: { format: 'es' },
    });
  },
  rollup: rolled(rollup, true),
  rolldown: rolled(rolldown, false),
  webpack: packed(webpackModule),
  rspack: packed(rspackModule.rspack),
  async esbuild(folder, plugin, log) {
    const { error } = console;
    console.error = log;
    await esbuild.build({
      entryPoints: [`${app}main.js`, `${app}worker.js`], outdir: folder,
      bundle: true, splitting: true, minify: true, format: 'esm', sourcemap: true,
      chunkNames: '[name]-[hash]', plugins: [plugin],
    });
    console.error = error;
    writePage(folder);
  },
};

const { includes } = Instrumenter.prototype;
for (const name of names) {
  const said = [];
  for (const [variant, options] of Object.entries(VARIANTS)) {
    Instrumenter.prototype.includes = variant === 'plain' ? () => false : includes;
    const log = (text) => { said.push(String(text)); };
    await BUNDLERS[name](join(out, name, variant), plugins[name](options), log);
  }
  writeFileSync(join(out, name, 'said.json'), JSON.stringify(said));
}
