// Builds the app of test/bench/support/app as it would be deployed: typed sources, styles, a worker, parts
// that are loaded later, minified, with source maps.
//
//   node test/bench/support/build-bench-app.mjs BUNDLER FOLDER <without | with | again>
//
// `again`: with the plugin and what it has kept of an earlier build. Prints what the plugin's own work took,
// and on how much: { ms, bytes, files }.

import { fileURLToPath } from 'node:url';
import { Instrumenter } from '../../../js/plugin/instrumenter.js';

const [name, out, which] = process.argv.slice(2);
const app = fileURLToPath(new URL('app/', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

const alias = {
  '@datadog/browser-core': `${modules}@datadog/browser-core/src/index.ts`,
  '@datadog/browser-rum-core': `${modules}@datadog/browser-rum-core/src/index.ts`,
  '@datadog/browser-rum': `${modules}@datadog/browser-rum/src/entries/main.ts`,
};
const define = {
  __BUILD_ENV__SDK_VERSION__: '"1"', __BUILD_ENV__SDK_SETUP__: '"npm"', __BUILD_ENV__WORKER_STRING__: '""',
};

const packed = (load, rule) => async (plugins) => {
  const bundler = await load();
  const compiler = bundler({
    context: app, entry: './main.tsx', mode: 'production', devtool: 'source-map', performance: false,
    plugins: [...plugins, new bundler.DefinePlugin(define)],
    resolve: {
      extensions: ['.tsx', '.ts', '.js'],
      alias: Object.fromEntries(Object.entries(alias).map(([key, path]) => [`${key}$`, path])),
    },
    module: { rules: [{ test: /\.tsx?$/, ...rule }, { test: /\.css$/, type: 'css' }] },
    experiments: { css: true },
    output: { path: out, filename: '[name].[contenthash:8].js' },
    infrastructureLogging: { level: 'none' },
  });
  await new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString('errors-only')));
      else compiler.close(resolve);
    });
  });
};

const BUNDLERS = {
  async vite(plugins) {
    const { build } = await import('vite');
    await build({
      root: app, configFile: false, logLevel: 'error', plugins, define,
      resolve: {
        alias: Object.entries(alias)
          .map(([key, path]) => ({ find: new RegExp(`^${key}$`), replacement: path })),
      },
      build: { outDir: out, emptyOutDir: true, sourcemap: true, chunkSizeWarningLimit: 1e6 },
      worker: { format: 'es' },
    });
  },
  webpack: packed(async () => (await import('webpack')).default, {
    loader: fileURLToPath(new URL('typescript-loader.cjs', import.meta.url)),
  }),
  rspack: packed(async () => (await import('@rspack/core')).rspack, {
    loader: 'builtin:swc-loader',
    options: {
      jsc: {
        parser: { syntax: 'typescript', tsx: true }, target: 'es2022',
        transform: { react: { runtime: 'automatic' } },
      },
    },
  }),
  async esbuild(plugins) {
    const { build } = await import('esbuild');
    await build({
      entryPoints: [`${app}main.tsx`, `${app}worker.ts`], outdir: out, alias, define, plugins,
      bundle: true, splitting: true, minify: true, format: 'esm', sourcemap: true, logLevel: 'error',
      entryNames: '[name]-[hash]', chunkNames: '[name]-[hash]',
    });
  },
};

// What the plugin's own work takes: other programs on the machine disturb that less than the comparison.
const own = { ms: 0, bytes: 0, files: 0 };
const { instrument } = Instrumenter.prototype;
Instrumenter.prototype.instrument = function measured(file, code, details) {
  const start = performance.now();
  const made = instrument.call(this, file, code, details);
  own.ms += performance.now() - start;
  own.bytes += Buffer.byteLength(code);
  own.files++;
  return made;
};

const plugins = which === 'without' ? []
  : [(await import('../../../js/plugin.js'))[name]({ cache: which === 'again' })];
await BUNDLERS[name](plugins);
console.log(JSON.stringify(own));
