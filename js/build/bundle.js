// Builds what the package ships to pages from js/ and the compiled core, into wasm-out/:
//
//   profilyfill.iife.js         the script-tag build, minified, wasm embedded
//   profilyfill-worker.js       the same for workers that the option `workers` has wrapped
//   esm/index.js, esm/auto.js   for bundlers and `import`; they share one instance
//   cjs/index.cjs, cjs/auto.cjs for `require`
//   esm/fxprof.js, cjs/fxprof.cjs  the profile builder, its wasm embedded
//   esm/export.js, cjs/export.cjs  what traces can be turned into; they use it
//   profilyfill-positions.js    what pages load when a trace has scripts that are not instrumented,
//   and esm/...-positions.mjs   as a script and as a module
//   profilyfill-service-worker.js  instruments on the way, ready to be registered
//   measure-memory.iife.js, esm/measure-memory.js, cjs/measure-memory.cjs, and -auto
//                               performance.measureUserAgentSpecificMemory(), its wasm embedded
//
// and beside the last two their types, once for each module system (js/*.d.ts, and again as .d.cts).
//
//   node js/build/bundle.js

import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';
import { encodeCore, moveToEnd } from './core-text.js';
import { shortenText, shortenWasm } from './short-names.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const out = `${root}wasm-out`;
const core = encodeCore(shortenWasm(readFileSync(`${out}/profilyfill.wasm`)));
const memory = encodeCore(readFileSync(`${out}/measure-memory.wasm`));

// The oldest engines with private fields and weak references, which the shim is written in.
const target = ['chrome84', 'firefox90', 'safari14.1'];

// Names of properties that only our own objects have, and that nobody but us reads.
const OWN_PROPERTIES = new RegExp(`^(?:${[
  'bins', 'discarded', 'drop', 'extras', 'getDue', 'handle', 'hasTicker', 'interrupt', 'interval', 'isEntry',
  'isFirst', 'isRunning', 'isStopped', 'isUnpolled', 'isUntouched', 'leaf', 'limit', 'onFull', 'onTick',
  'queued', 'root', 'setDue', 'stored', 'takeOver', 'takers', 'tick', 'times', 'wrapper',
].join('|')})$`);

/** Puts a wasm in its place, in readable source that works without a loader of any kind. */
const embed = (builder, text) => builder.onLoad({ filter: /[\\/]core-binary\.js$/ }, ({ path }) => ({
  contents: readFileSync(path, 'utf8').replace("'__PROFILYFILL_CORE__'", () => `"${text}"`),
}));

const embedFxprof = {
  name: 'embed-fxprof',
  setup: (builder) => embed(builder, encodeCore(readFileSync(`${out}/fxprof.wasm`))),
};

const embedMemory = {
  name: 'embed-memory',
  setup: (builder) => embed(builder, memory),
};

const embedCore = {
  name: 'embed-core',
  setup(builder) {
    embed(builder, core);
    builder.onLoad({ filter: /[\\/]js[\\/]core\.js$/ }, ({ path }) => ({
      contents: shortenText(readFileSync(path, 'utf8')),
    }));
  },
};

/** What is loaded only when it is needed is shipped once. */
const shareRest = {
  name: 'share-rest',
  setup(builder) {
    builder.onResolve({ filter: /^\.\/(?:profilyfill|measure-memory)-\w+\.mjs$/ }, ({ path }) => ({
      path: builder.initialOptions.format === 'cjs' ? path.replace('./', '../esm/') : path,
      external: true,
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

/** `measure-memory-auto` installs what `measure-memory` has. */
const shareMemory = {
  name: 'share-memory',
  setup(builder) {
    builder.onResolve({ filter: /^\.\.\/measure-memory\.js$/ }, () => ({
      path: builder.initialOptions.format === 'cjs' ? './measure-memory.cjs' : './measure-memory.js',
      external: true,
    }));
  },
};

/** What is exported is of the Profile that users import, too. */
const shareFxprof = {
  name: 'share-fxprof',
  setup(builder) {
    builder.onResolve({ filter: /\/fxprof\.js$/ }, () => ({
      path: builder.initialOptions.format === 'cjs' ? './fxprof.cjs' : './fxprof.js', external: true,
    }));
  },
};

const common = (format, plugins = [embedCore, shareRest]) => ({
  bundle: true,
  target,
  plugins,
  legalComments: 'none',
  minifySyntax: true, // also takes away what other formats need
  // How the rest is reached: as a script beside this one, or by import(), which CommonJS has, too.
  define: { __PROFILYFILL_FORMAT__: JSON.stringify(format) },
  logOverride: { 'empty-import-meta': 'silent' }, // only modules come by it
});

/**
 * In a bundle that is instrumented as a whole our own functions would get polls, be sampled themselves, and
 * take samples while one is being taken. What is in one function is left alone: see js/brand.js.
 */
function wrapModule(name) {
  const path = `${out}/esm/${name}`;
  const [, body, list] = /^([^]*)\nexport {\n([^]*)\n};\n$/.exec(readFileSync(path, 'utf8'));
  const exported = list.split(',').map((one) => one.trim().split(' as '));
  const members = exported.map(([own, outer = own]) => `${outer}: ${own}`).join(', ');
  const names = exported.map((pair) => pair.at(-1)).join(', ');
  writeFileSync(path,
    `const { ${names} } = (() => {\n${body}\nreturn { ${members} };\n})();\nexport { ${names} };\n`);
}

// Chunks are named after their content: those of earlier builds must not be shipped.
for (const folder of ['esm', 'cjs']) {
  rmSync(`${out}/${folder}`, { recursive: true, force: true });
  mkdirSync(`${out}/${folder}`, { recursive: true });
}

for (const [entry, file, globalName, plugins] of [
  ['script-tag', 'profilyfill.iife.js', 'profilyfill'], ['worker', 'profilyfill-worker.js'],
  ['measure-memory/script-tag', 'measure-memory.iife.js', 'profilyfillMemory', [embedMemory, shareRest]],
]) {
  const { outputFiles } = await build({
    ...common('iife', plugins),
    entryPoints: [`${root}js/${entry}.js`],
    format: 'iife',
    globalName,
    write: false,
  });
  // Every page loads this one: terser makes it 700 bytes (gzip) smaller than esbuild does by itself.
  const ecma = 2020;
  const options = {
    ecma, compress: { ecma, passes: 4 }, format: { ecma },
    mangle: plugins ? true : { properties: { regex: OWN_PROPERTIES } },
  };
  const { code } = await minify(outputFiles[0].text, options);
  writeFileSync(`${out}/${file}`, moveToEnd(code, plugins ? memory : core));
}
await build({
  ...common('esm'),
  entryPoints: [`${root}js/index.js`, `${root}js/auto.js`],
  outdir: `${out}/esm`,
  format: 'esm',
  splitting: true,
});
wrapModule(readdirSync(`${out}/esm`).find((name) => name.startsWith('chunk-')));
await build({
  ...common('cjs'),
  entryPoints: [`${root}js/index.js`],
  outfile: `${out}/cjs/index.cjs`,
  format: 'cjs',
  banner: { js: '(() => {' },
  footer: { js: '})();' },
});
await build({
  ...common('cjs'),
  plugins: [shareIndex],
  entryPoints: [`${root}js/auto.js`],
  outfile: `${out}/cjs/auto.cjs`,
  format: 'cjs',
});
for (const [format, extension] of [['esm', 'js'], ['cjs', 'cjs']]) {
  for (const [name, plugin] of [['fxprof', embedFxprof], ['export', shareFxprof]]) {
    await build({
      bundle: true,
      target: ['chrome91', 'firefox90', 'safari15'], // private methods as they are: they are fast
      plugins: [plugin],
      legalComments: 'none',
      entryPoints: [`${root}js/${name}.js`],
      outfile: `${out}/${format}/${name}.${extension}`,
      format,
    });
  }
}
for (const [format, extension] of [['esm', 'js'], ['cjs', 'cjs']]) {
  for (const [entry, name, plugins] of [
    ['measure-memory', 'measure-memory', [embedMemory, shareRest]],
    ['measure-memory/auto', 'measure-memory-auto', [shareMemory]],
  ]) {
    await build({
      ...common(format, plugins),
      entryPoints: [`${root}js/${entry}.js`],
      outfile: `${out}/${format}/${name}.${extension}`,
      format,
    });
  }
}
for (const [format, outfile] of [
  ['iife', 'profilyfill-positions.js'], ['esm', 'esm/profilyfill-positions.mjs'],
]) {
  await build({
    bundle: true,
    target,
    legalComments: 'none',
    entryPoints: [`${root}js/positions.js`],
    outfile: `${out}/${outfile}`,
    format,
    define: { __PROFILYFILL_FORMAT__: JSON.stringify(format) },
    logOverride: { 'empty-import-meta': 'silent' }, // only modules come by it
    globalName: 'profilyfillPositions',
    // For module workers, which import() it.
    footer: { js: format === 'iife' ? 'globalThis.profilyfillPositions=profilyfillPositions;' : '' },
    minify: true,
  });
}
await build({
  bundle: true,
  target,
  legalComments: 'none',
  entryPoints: [`${root}js/service-worker/hosted.js`],
  outfile: `${out}/profilyfill-service-worker.js`,
  format: 'iife',
  minify: true,
});
for (const name of ['profilyfill-twin.mjs', 'measure-memory-twin.mjs']) {
  copyFileSync(`${out}/${name}`, `${out}/esm/${name}`);
}

// TypeScript takes a .d.ts in this package for an ES module's and would refuse `require`.
for (const [name, source = name] of [
  ['index'], ['auto'], ['fxprof'], ['export'], ['measure-memory'],
  ['measure-memory-auto', 'measure-memory/auto'],
]) {
  const types = readFileSync(`${root}js/${source}.d.ts`, 'utf8').replace("'../", "'./");
  writeFileSync(`${out}/esm/${name}.d.ts`, types);
  writeFileSync(`${out}/cjs/${name}.d.cts`, types.replace(/'(\.\/[\w-]+)\.js'/g, "'$1.cjs'"));
}
