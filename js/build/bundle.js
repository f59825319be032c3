// Builds what the package ships to pages from js/ and the compiled core, into wasm-out/:
//
//   profilyfill.iife.js         the script-tag build, minified, wasm embedded
//   esm/index.js, esm/auto.js   for bundlers and `import`; they share one instance
//   cjs/index.cjs, cjs/auto.cjs for `require`
//
//   node js/build/bundle.js

import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const out = `${root}wasm-out`;
const core = readFileSync(`${out}/profilyfill.wasm`).toString('base64');

// The oldest engines with private fields and weak references, which the shim is written in.
const target = ['chrome84', 'firefox90', 'safari14.1'];

/** Puts the wasm in its place, in readable source that works without a loader of any kind. */
const embedCore = {
  name: 'embed-core',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]core-binary\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('__PROFILYFILL_CORE__', core),
    }));
  },
};

/** `auto.cjs` installs the Profiler of `index.cjs`, not one of its own. */
const shareIndex = {
  name: 'share-index',
  setup(builder) {
    builder.onResolve({ filter: /^\.\/install\.js$/ }, () => ({ path: './index.cjs', external: true }));
  },
};

const common = (format) => ({
  bundle: true,
  target,
  plugins: [embedCore],
  legalComments: 'none',
  external: ['./profilyfill-twin.mjs'],
  define: { __PROFILYFILL_FORMAT__: JSON.stringify(format) },
});

await build({
  ...common('iife'),
  entryPoints: [`${root}js/script-tag.js`],
  outfile: `${out}/profilyfill.iife.js`,
  format: 'iife',
  globalName: 'profilyfill',
  minify: true,
});
await build({
  ...common('esm'),
  entryPoints: [`${root}js/index.js`, `${root}js/auto.js`],
  outdir: `${out}/esm`,
  format: 'esm',
  splitting: true,
  minifySyntax: true,
});
await build({
  ...common('cjs'),
  entryPoints: [`${root}js/index.js`],
  outfile: `${out}/cjs/index.cjs`,
  format: 'cjs',
});
await build({
  ...common('cjs'),
  plugins: [shareIndex],
  entryPoints: [`${root}js/auto.js`],
  outfile: `${out}/cjs/auto.cjs`,
  format: 'cjs',
});
mkdirSync(`${out}/esm`, { recursive: true });
copyFileSync(`${out}/profilyfill-twin.mjs`, `${out}/esm/profilyfill-twin.mjs`);
