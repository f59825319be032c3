/** What the plugin does in Vite beside building: the dev server, and workers, which Vite builds apart. */
import { isAbsolute, relative } from 'node:path';
import { makeRollupHooks } from './rollup.js';

// Modules that Vite makes of other things, and its own client.
const NO_SCRIPT = /\.(?:css|less|sass|scss|styl|stylus|pcss|postcss|sss|json)(?:$|\?)|\/vite\/dist\/client\//;

/** @param {import('./instrumenter.js').Instrumenter} instrumenter */
export const makeVitePlugin = (instrumenter) => ({
  name: 'profilyfill',
  enforce: 'post',
  apply: 'build',
  vite: {
    ...makeRollupHooks(instrumenter),
    config: () => ({
      worker: {
        plugins: () => [{
          name: 'profilyfill:worker',
          enforce: 'post',
          // They are part of the report on the build that they belong to.
          ...makeRollupHooks(instrumenter, false),
        }],
      },
    }),
  },
});

/** Instruments modules one by one, as the dev server sends them. */
export function makeViteDevPlugin(instrumenter) {
  let root;
  return {
    name: 'profilyfill:dev',
    enforce: 'post',
    vite: {
      apply: 'serve',
      configResolved(config) {
        ({ root } = config);
      },
      transform: {
        // Behind what Vite itself does to imports.
        order: 'post',
        handler(code, id, { ssr } = {}) {
          const [path] = id.split('?');
          const file = isAbsolute(path) ? relative(root, path).replaceAll('\\', '/') : path;
          if (ssr || NO_SCRIPT.test(id) || !instrumenter.includes(file)) return null;
          const made = instrumenter.instrument(file, code, { sourceType: 'module' });
          return made && { code: made.code, map: made.result.map };
        },
      },
    },
  };
}
