/**
 * The plugin for bundlers: puts polls into the chunks of a build when they are as they will be deployed,
 * behind the minifier, so that traces tell the positions of the build without the plugin.
 */
import { createUnplugin } from 'unplugin';
import { setUpEsbuild } from './plugin/esbuild.js';
import { Instrumenter } from './plugin/instrumenter.js';
import { makeRollupHooks } from './plugin/rollup.js';
import { makeViteDevPlugin, makeVitePlugin } from './plugin/vite.js';
import { applyToCompiler } from './plugin/webpack.js';

export { InstrumentError } from './instrument.js';

const plugin = createUnplugin((options, { framework }) => {
  const instrumenter = new Instrumenter(options);
  if (framework === 'vite') {
    const building = makeVitePlugin(instrumenter);
    return instrumenter.dev ? [building, makeViteDevPlugin(instrumenter)] : building;
  }
  const hooks = makeRollupHooks(instrumenter);
  return {
    name: 'profilyfill',
    rollup: hooks,
    rolldown: hooks,
    webpack: (compiler) => applyToCompiler(instrumenter, compiler),
    rspack: (compiler) => applyToCompiler(instrumenter, compiler),
    esbuild: { setup: (build) => setUpEsbuild(instrumenter, build) },
  };
});

export const { vite, rollup, rolldown, webpack, rspack, esbuild } = plugin;
