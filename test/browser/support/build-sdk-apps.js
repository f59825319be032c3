/**
 * Builds pages that use the SDKs, from test/apps/sdks.
 *
 *   node test/browser/support/build-sdk-apps.js OUT vite|webpack|tag
 *
 * writes OUT/vite/<plain | polled>/SDK.html and so on: with the plugin doing nothing, and with it. In builds
 * of Vite and webpack the polyfill is the first import, and scripts have the debug ids of Sentry's plugins
 * and of Datadog's; pages of `tag` load the polyfill by a script tag. `tag/plain` is without any bundler, but
 * for Sentry's packages, which cannot do without; `tag/polled` is esbuild's, and `tag/bundled` the same
 * without polls.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sentryWebpackPlugin } from '@sentry/bundler-plugins/webpack';
import { sentryVitePlugin } from '@sentry/vite-plugin';
import * as esbuild from 'esbuild';
import * as vite from 'vite';
import webpack from 'webpack';
import { Instrumenter } from '../../../js/plugin/instrumenter.js';
import * as plugins from '../../../js/plugin.js';
import { ERROR_COLLECTOR } from './webkit.js';

const app = fileURLToPath(new URL('../../apps/sdks/', import.meta.url));
const [out, load] = process.argv.slice(2);

/** Which SDK is loaded how. */
const SDKS = {
  vite: ['sentry-11', 'sentry-9', 'datadog-7'],
  webpack: ['sentry-10', 'datadog-7'],
  tag: ['sentry-11', 'sentry-9', 'datadog-7'],
};

const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const SENTRY_NAMES = {
  'sentry-11': 'browserProfilingIntegration, flush, init, uiProfiler',
  'sentry-9': 'browserProfilingIntegration, flush, init, startInactiveSpan',
};

/** A page beside its scripts; `SDK.html`. The driver of WebKit hears of errors by a script of the page. */
const writePage = (folder, sdk, ...scripts) => write(join(folder, `${sdk}.html`), [
  '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">',
  `<title>${sdk}</title>`,
  `<script>${ERROR_COLLECTOR}</script>`,
  ...scripts, '',
].join('\n'));

const moduleTag = (name) => `<script type="module" src="${name}"></script>`;
const POLYFILL = '<script src="../../profilyfill.iife.js"></script>';

const SENTRY = { telemetry: false, silent: true, sourcemaps: { disable: 'disable-upload' } };

/** A debug id in the way of Datadog's plugin: a global, keyed by the stack of a script's top level. */
const datadogId = ({ name }) => '(()=>{const w=window;(w.DD_SOURCE_CODE_CONTEXT=w.DD_SOURCE_CODE_CONTEXT||{})' +
  `[new Error().stack]={ddDebugId:"datadog-${name}"}})();`;

const BUILD = {
  async vite(folder, plugin) {
    await vite.build({
      root: app, base: './', configFile: false, logLevel: 'error',
      plugins: [sentryVitePlugin(SENTRY), plugin],
      build: {
        outDir: folder, emptyOutDir: true, sourcemap: true, target: 'esnext', modulePreload: false,
        rollupOptions: {
          input: Object.fromEntries(SDKS.vite.map((sdk) => [sdk, join(app, `${sdk}.js`)])),
          output: {
            entryFileNames: '[name].js', chunkFileNames: '[name].js', postBanner: datadogId,
          },
        },
      },
    });
    for (const sdk of SDKS.vite) writePage(folder, sdk, moduleTag(`${sdk}.js`));
  },

  async webpack(folder, plugin) {
    const compiler = webpack({
      context: app, mode: 'production', devtool: 'source-map',
      entry: Object.fromEntries(SDKS.webpack.map((sdk) => [sdk, `./${sdk}.js`])),
      output: { path: folder, filename: '[name].js', chunkFilename: '[name].js' },
      optimization: { chunkIds: 'named', minimizer: [minifyQuickly] },
      performance: { hints: false },
      plugins: [sentryWebpackPlugin(SENTRY), plugin],
    });
    const stats = await new Promise((resolve, reject) => {
      compiler.run((error, result) => (error ? reject(error) : resolve(result)));
    });
    if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }));
    await new Promise((resolve) => { compiler.close(resolve); });
    for (const sdk of SDKS.webpack) writePage(folder, sdk, `<script defer src="${sdk}.js"></script>`);
  },

  async tag(folder, plugin, isPolled) {
    // The same chunks without polls tell where their functions are.
    await esbuild.build({
      entryPoints: SDKS.tag.map((sdk) => join(app, `${sdk}.js`)),
      outdir: isPolled ? folder : join(dirname(folder), 'bundled'),
      bundle: true, minify: true, format: 'esm', sourcemap: true,
      alias: { 'profilyfill/auto': join(app, 'nothing.js') }, plugins: [plugin],
    });
    if (isPolled) {
      for (const sdk of SDKS.tag) writePage(folder, sdk, POLYFILL, moduleTag(`${sdk}.js`));
      return;
    }
    for (const name of ['busy.js', 'use.js']) cpSync(join(app, name), join(folder, name));
    for (const sdk of SDKS.tag) {
      const isSentry = sdk.startsWith('sentry');
      if (isSentry) {
        await esbuild.build({
          stdin: { contents: `export { ${SENTRY_NAMES[sdk]} } from '${sdk}'`, resolveDir: app },
          bundle: true, format: 'iife', globalName: 'Sentry', outfile: join(folder, 'sdk', `${sdk}.js`),
        });
      } else {
        const bundle = dirname(fileURLToPath(import.meta.resolve('@datadog/browser-rum/package.json')));
        cpSync(join(bundle, 'bundle'), join(folder, 'sdk'), { recursive: true });
      }
      const use = { 'sentry-11': 'useSentry(Sentry)', 'sentry-9': 'useSentry9(Sentry)' }[sdk] ??
        'useDatadog(DD_RUM)';
      writePage(folder, sdk, POLYFILL,
        `<script src="sdk/${isSentry ? sdk : 'datadog-rum'}.js"></script>`,
        `<script type="module">import * as use from './use.js'; use.${use};</script>`);
    }
  },
};

/** terser would take half of the time that all builds take. */
const minifyQuickly = {
  apply: (compiler) => compiler.hooks.compilation.tap('minify', (compilation) => {
    const { sources: { SourceMapSource }, Compilation } = compiler.webpack;
    compilation.hooks.processAssets.tapPromise({
      name: 'minify', stage: Compilation.PROCESS_ASSETS_STAGE_OPTIMIZE_SIZE,
    }, (assets) => Promise.all(Object.keys(assets).filter((name) => name.endsWith('.js')).map(async (name) => {
      const { source, map } = assets[name].sourceAndMap();
      const made = await esbuild.transform(String(source), { minify: true, sourcemap: true, sourcefile: name });
      compilation.updateAsset(name,
        new SourceMapSource(made.code, name, made.map, String(source), map, true));
    })));
  }),
};

const { includes } = Instrumenter.prototype;
for (const isPolled of [false, true]) {
  Instrumenter.prototype.includes = isPolled ? includes : () => false;
  const options = { plainMaps: true };
  await BUILD[load](join(out, load, isPolled ? 'polled' : 'plain'),
    plugins[load === 'tag' ? 'esbuild' : load](options), isPolled);
}
