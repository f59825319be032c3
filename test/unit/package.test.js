/** The package as npm installs it: what is in it, its types, and what importing it does in Node. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { installPackage } from './support/package.js';

jest.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
let installed;
let manifest;

beforeAll(() => {
  installed = installPackage();
  manifest = JSON.parse(readFileSync(join(installed.folder, 'package.json'), 'utf8'));
});

afterAll(() => installed?.remove());

/** Writes a file into the project and runs it in Node; what it prints, as JSON. */
function run(name, code) {
  writeFileSync(join(installed.project, name), code);
  return JSON.parse(execFileSync(process.execPath, [name], {
    cwd: installed.project, encoding: 'utf8', timeout: 20_000, env: { ...process.env, NODE_OPTIONS: '' },
  }));
}

describe('the tarball', () => {
  test('holds what users need, and no more', () => {
    const chunks = installed.files.filter((path) => /^wasm-out\/esm\/chunk-\w+\.js$/.test(path));
    expect(chunks).toHaveLength(1);
    expect(installed.files).toEqual([
      'LICENSE',
      'README.md',
      'js/file-patterns.js',
      'js/hub.js',
      'js/positions/inline-scripts.js',
      'js/separate-table.js',
      ...['command', 'instrument', 'plugin', 'service-worker'].flatMap((part) => [
        ...(part === 'command' ? [] : [`js/${part}.d.ts`]), `js/${part}.js`,
        ...readdirSync(`${root}js/${part}`).map((name) => `js/${part}/${name}`),
      ]),
      'package.json',
      'wasm-out/cjs/auto.cjs',
      'wasm-out/cjs/auto.d.cts',
      'wasm-out/cjs/export.cjs',
      'wasm-out/cjs/export.d.cts',
      'wasm-out/cjs/fxprof.cjs',
      'wasm-out/cjs/fxprof.d.cts',
      'wasm-out/cjs/index.cjs',
      'wasm-out/cjs/index.d.cts',
      ...['measure-memory', 'measure-memory-auto'].flatMap((name) => [
        `wasm-out/cjs/${name}.cjs`, `wasm-out/cjs/${name}.d.cts`,
        `wasm-out/esm/${name}.d.ts`, `wasm-out/esm/${name}.js`,
      ]),
      'wasm-out/esm/measure-memory-twin.mjs',
      'wasm-out/measure-memory-twin.js',
      'wasm-out/measure-memory.iife.js',
      'wasm-out/esm/auto.d.ts',
      'wasm-out/esm/auto.js',
      'wasm-out/esm/export.d.ts',
      'wasm-out/esm/export.js',
      'wasm-out/esm/fxprof.d.ts',
      'wasm-out/esm/fxprof.js',
      ...chunks,
      'wasm-out/esm/index.d.ts',
      'wasm-out/esm/index.js',
      'wasm-out/esm/profilyfill-positions.mjs',
      'wasm-out/esm/profilyfill-twin.mjs',
      'wasm-out/profilyfill-positions.js',
      'wasm-out/profilyfill-service-worker.js',
      'wasm-out/profilyfill-twin.js',
      'wasm-out/profilyfill-worker.js',
      'wasm-out/profilyfill.iife.js',
      'wasm-out/profilyfill.wasm',
    ].sort());
  });

  test('depends on what the transformer, the plugin, the command and the service worker need, and on nothing else', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([
      '@jridgewell/trace-mapping', 'acorn', 'magic-string', 'parse5', 'picomatch', 'tinyglobby', 'unplugin',
    ]);
    expect(manifest).not.toHaveProperty('peerDependencies');
  });

  test('has nothing that publint would say of it', async () => {
    const tarball = readFileSync(installed.tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length) },
      level: 'suggestion',
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  test('has every file that its manifest names, types first in each condition', () => {
    const targets = [manifest.main, manifest.module, manifest.types, manifest.unpkg, manifest.jsdelivr];
    (function visit(entry, key) {
      if (typeof entry === 'string') {
        targets.push(entry);
        return;
      }
      const keys = Object.keys(entry);
      if (keys.includes('types')) expect([key, keys[0]]).toEqual([key, 'types']);
      // A condition that matches everything ends the list.
      if (key !== 'exports' && !keys.some((name) => name.startsWith('.'))) {
        expect([key, keys.at(-1)]).toEqual([key, 'default']);
      }
      for (const name of keys) visit(entry[name], name);
    })(manifest.exports, 'exports');
    expect(targets.filter((path) => !existsSync(join(installed.folder, path)))).toEqual([]);
    expect(manifest.unpkg).toBe('./wasm-out/profilyfill.iife.js');
    expect(manifest.jsdelivr).toBe(manifest.unpkg);
    expect(existsSync(join(installed.folder, manifest.bin.profilyfill))).toBe(true);
    for (const path of ['.', './auto', './measure-memory', './measure-memory/auto', './instrument', './plugin']) {
      const { require: cjs, default: esm, types } = manifest.exports[path];
      expect(types ?? esm.types).toMatch(/\.d\.ts$/);
      if (cjs) expect(cjs.types).toMatch(/\.d\.cts$/);
    }
  });
});

describe('bundlers', () => {
  const bundle = async (code) => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: installed.project },
      bundle: true, write: false, format: 'esm', minify: true,
      external: ['*/profilyfill-twin.mjs', '*/profilyfill-positions.mjs'],
      logLevel: 'silent',
    });
    return outputFiles[0].text;
  };

  test('leave out what is imported and not used, and keep what is imported for its effect', async () => {
    expect(await bundle("import { install, Profiler } from 'profilyfill';")).toBe('');
    expect(await bundle("import 'profilyfill';")).toBe('');
    expect(await bundle("import { install } from 'profilyfill/measure-memory';")).toBe('');
    expect(await bundle("import { instrument } from 'profilyfill/instrument';")).toBe('');
    expect((await bundle("import 'profilyfill/auto';")).length).toBeGreaterThan(20_000);
  });
});

describe('in Node', () => {
  // What is reported: changes of the global object and of what Error does, and whatever would keep
  // the process alive.
  const OBSERVE = `
    const look = () => ({
      globals: Reflect.ownKeys(globalThis).map(String),
      error: Reflect.ownKeys(Error).map((key) => [String(key), String(Error[key])]),
      listeners: process.eventNames().map(String),
    });
    // Node makes some of its globals when they are first looked at.
    for (const key of Reflect.ownKeys(globalThis)) void globalThis[key];
    const before = look();`;
  const REPORT = `
    const after = look();
    const added = after.globals.filter((name) => !before.globals.includes(name));
    console.log(JSON.stringify({
      added,
      sameError: JSON.stringify(before.error) === JSON.stringify(after.error),
      sameListeners: JSON.stringify(before.listeners) === JSON.stringify(after.listeners),
      resources: process.getActiveResourcesInfo()
        .filter((name) => /Timeout|Immediate|Worker|MessagePort|Server|Socket/.test(name)),
      value,
    }));`;
  const harmless = { added: [], sameError: true, sameListeners: true, resources: [] };

  const API = ['Profiler', 'coreKind', 'counters', 'install', 'lateness', 'startProfiler'];

  test.each([
    ["import 'profilyfill'", 'index.mjs',
      "const value = Object.keys(await import('profilyfill')).sort();", API],
    ["import 'profilyfill/auto'", 'auto.mjs',
      "const value = Object.keys(await import('profilyfill/auto'));", []],
    ["require('profilyfill')", 'index.cjs',
      "const value = Object.keys(require('profilyfill')).sort();", API],
    ["require('profilyfill/auto')", 'auto.cjs',
      "const value = Object.keys(require('profilyfill/auto'));", []],
    ["import { instrument } from 'profilyfill/instrument'", 'instrument.mjs', `
      const { instrument } = await import('profilyfill/instrument');
      const { code, map } = instrument('function f() { return 1; }', { url: 'https://a.example/f.js' });
      const value = [code.includes('profilyfill'), map.sources.length];`, [true, 1]],
    ["import 'profilyfill/plugin'", 'plugin.mjs',
      "const value = Object.keys(await import('profilyfill/plugin')).sort();",
      ['InstrumentError', 'esbuild', 'rolldown', 'rollup', 'rspack', 'vite', 'webpack']],
    ["import 'profilyfill/fxprof'", 'fxprof.mjs', `
      const { Profile } = await import('profilyfill/fxprof');
      const value = new Profile('p', 0, 1).toJSON().meta.product;`, 'p'],
    ["require('profilyfill/fxprof')", 'fxprof.cjs', `
      const { Profile } = require('profilyfill/fxprof');
      const value = new Profile('p', 0, 1).toJSON().meta.product;`, 'p'],
    ["import 'profilyfill/measure-memory'", 'memory.mjs', `
      await import('profilyfill/measure-memory/auto');
      const { install, ...rest } = await import('profilyfill/measure-memory');
      const value = [install(), Object.keys(rest).sort()];`, ['none', ['coreKind', 'registerRoot']]],
    ["require('profilyfill/measure-memory')", 'memory.cjs', `
      require('profilyfill/measure-memory/auto');
      const { install, ...rest } = require('profilyfill/measure-memory');
      const value = [install(), Object.keys(rest).sort()];`, ['none', ['coreKind', 'registerRoot']]],
  ])('%s changes nothing and keeps nothing running', (what, name, code, value) => {
    expect(run(name, OBSERVE + code + REPORT)).toEqual({ ...harmless, value });
  });

  test('the command is installed', () => {
    writeFileSync(join(installed.project, 'script.js'), 'for (const a of b) a();');
    const said = execFileSync('npx', ['--offline', 'profilyfill', 'instrument', 'script.js'], {
      cwd: installed.project, encoding: 'utf8', timeout: 20_000, env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(said).toMatch(/^profilyfill: 1 file, 0 functions, [1-9]/);
    expect(readFileSync(join(installed.project, 'script.js'), 'utf8')).toContain('Symbol.for("profilyfill")');
  });

  test('a profiler works and lets the process end', () => {
    for (const [name, load] of [
      ['use.mjs', "const { Profiler, coreKind, counters } = await import('profilyfill');"],
      ['use.cjs', "const { Profiler, coreKind, counters } = require('profilyfill');"],
    ]) {
      const value = run(name, `(async () => {
        ${load}
        const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 100 });
        await new Promise((resolve) => setTimeout(resolve, 60));
        const { samples } = await profiler.stop();
        const small = new Profiler({ sampleInterval: 5, maxBufferSize: 2 });
        const full = await new Promise((resolve) => {
          setTimeout(resolve, 500, 'no event');
          small.addEventListener('samplebufferfull', ({ type }) => resolve(type));
        });
        const kept = await small.stop();
        console.log(JSON.stringify({
          full, kept: kept.samples.length, enough: samples.length > 4,
          ordered: samples.every(({ timestamp }, i) => i === 0 || timestamp > samples[i - 1].timestamp),
          kind: coreKind(), faults: Object.values(counters()).filter((count) => count > 0),
        }));
      })();`);
      expect(value).toEqual({
        full: 'samplebufferfull', kept: 2, enough: true, ordered: true, kind: 'wasm', faults: [],
      });
    }
  });

  test('where wasm is refused the twin takes over, in both module systems', () => {
    for (const [name, load] of [
      ['twin.mjs', "import('profilyfill')"], ['twin.cjs', "Promise.resolve(require('profilyfill'))"],
    ]) {
      const value = run(name, `(async () => {
        WebAssembly.instantiate = async () => { throw new WebAssembly.CompileError('refused'); };
        const { Profiler, coreKind } = await ${load};
        const { samples } = await new Profiler({ sampleInterval: 1e4, maxBufferSize: 100 }).stop();
        console.log(JSON.stringify({ samples: samples.length, kind: coreKind() }));
      })();`);
      expect([name, value]).toEqual([name, { samples: 1, kind: 'twin' }]);
    }
  });

  test('where neither may run a trace still tells when samples were taken', () => {
    const value = run('neither.mjs', `
      WebAssembly.instantiate = async () => { throw new WebAssembly.CompileError('refused'); };
      globalThis.ArrayBuffer = class { constructor() { throw new RangeError('no memory'); } };
      const { Profiler, coreKind } = await import('profilyfill');
      const trace = await new Profiler({ sampleInterval: 1e4, maxBufferSize: 100 }).stop();
      console.log(JSON.stringify({
        keys: Object.keys(trace), kind: coreKind(),
        samples: trace.samples.map((sample) => Object.keys(sample)),
      }));`);
    expect(value).toEqual({
      keys: ['frames', 'resources', 'samples', 'stacks'], samples: [['timestamp']], kind: 'none',
    });
  });

  test('profilyfill and profilyfill/auto are one instance, in both module systems', () => {
    const check = `console.log(JSON.stringify([
      globalThis.Profiler === Profiler,
      Object.getOwnPropertyDescriptor(globalThis, 'Profiler').enumerable,
    ]));`;
    expect(run('one.mjs', `
      globalThis.document = { scripts: [] }; // auto looks for one
      await import('profilyfill/auto');
      const { Profiler } = await import('profilyfill');
      ${check}`)).toEqual([true, false]);
    expect(run('one.cjs', `
      globalThis.document = { scripts: [] };
      require('profilyfill/auto');
      const { Profiler } = require('profilyfill');
      ${check}`)).toEqual([true, false]);
  });

  test('install() refuses what it does not know', () => {
    expect(run('options.mjs', `
      import { install } from 'profilyfill';
      const attempt = (...args) => {
        try {
          return install(...args);
        } catch (error) {
          return [error instanceof TypeError, error.code];
        }
      };
      console.log(JSON.stringify([
        attempt(), attempt({}), attempt({ force: true }), attempt({ forced: true }), attempt({ force: 1 }),
        attempt({ intervalFloor: 0 }), attempt({ intervalFloor: Infinity }),
        attempt({ documentPolicy: 'off' }), attempt({ positions: 'off' }), attempt({ workers: 1 }), attempt({ workers: 'http://[' }),
      ]));`)).toEqual([
      'polyfill', 'polyfill', 'polyfill', ...Array(8).fill([true, 'ERR_PROFILYFILL_OPTION']),
    ]);
    // CommonJS cannot tell where the file is that workers need.
    expect(run('workers.cjs', `
      const { install } = require('profilyfill');
      let code;
      try { install({ workers: true }); } catch (error) { ({ code } = error); }
      console.log(JSON.stringify([code, install({ workers: 'https://a.example/profilyfill-worker.js' })]));`,
    )).toEqual(['ERR_PROFILYFILL_OPTION', 'polyfill']);
  });
});

describe('the types', () => {
  // Each `@ts-expect-error` is an error that has to be one.
  const USE = `
    const whose: 'native' | 'polyfill' = install({
      force: true, documentPolicy: true, intervalFloor: 2, positions: false, workers: true,
    });
    const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
    const numbers: number = profiler.sampleInterval + Number(profiler.stopped);
    const target: EventTarget = profiler;
    profiler.addEventListener('samplebufferfull', function (event) {
      const plain: Event = event;
      this.stop();
    }, { once: true });
    profiler.addEventListener('anything', (event) => event.preventDefault());
    profiler.removeEventListener('samplebufferfull', () => {});
    profiler.stop().then((trace: ProfilerTrace) => {
      for (const { timestamp, stackId } of trace.samples) {
        const time: number = timestamp;
        const stack = stackId === undefined ? undefined : trace.stacks[stackId];
        const frame = stack && trace.frames[stack.frameId];
        const line: number | undefined = frame?.line;
        const url: string | undefined = frame?.resourceId === undefined ? undefined
          : trace.resources[frame.resourceId];
      }
    });
    const faults: number = counters().skippedLines + counters().lostCaptures;
    const kind: 'none' | 'wasm' | 'twin' = coreKind();
    class Mine extends Profiler {}
    // @ts-expect-error
    new Profiler();
    // @ts-expect-error
    new Profiler({ sampleInterval: 10 });
    // @ts-expect-error
    profiler.sampleInterval = 5;
    // @ts-expect-error
    install({ forced: true });
    install({ workers: '/assets/profilyfill-worker.js' });
    // @ts-expect-error
    install({ workers: 1 });
    // @ts-expect-error
    Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
    export { whose, numbers, target, faults, kind, Mine };
  `;
  const GLOBAL = `
    const profiler: Profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1 });
    const there: boolean = 'Profiler' in window && new window.Profiler({
      sampleInterval: 1, maxBufferSize: 1 }) instanceof globalThis.Profiler;
    export { profiler, there };
  `;
  const INSTRUMENT = `
    import { instrument } from 'profilyfill/instrument';
    const { code, map } = instrument('f()', {
      url: 'https://a.example/', sourceType: 'module', line: 3, column: 1,
    });
    const text: string = code + map.toString();
    // @ts-expect-error
    instrument('f()', { sourceType: 'typescript' });
    const counts: number = instrument('f()', { minFunctionSize: 10, precision: 'low' }).polls;
    export { text, counts };
  `;
  const PLUGIN = `
    import { vite, rollup, rolldown, webpack, rspack, esbuild, InstrumentError } from 'profilyfill/plugin';
    const plugins = [
      vite({ dev: true }), rollup({ include: 'a/*.js', exclude: [/b/, 'c.js'] as const }), rolldown(),
      webpack({ lenient: true }), rspack({ precision: 'high', executing: true }), esbuild({ minFunctionSize: 9 }),
    ];
    // @ts-expect-error
    vite({ url: 'https://a.example/' });
    const isOurs = (error: unknown) => error instanceof InstrumentError && error.file + error.code;
    export { plugins, isOurs };
  `;
  const SERVICE_WORKER = `
    import { start, InstrumentError } from 'profilyfill/service-worker';
    const { counters } = start({
      include: ['a/**', /b/], exclude: 'c.js', samplingRate: 0.5, isolate: 'require-corp', precision: 'low',
      fetch: async ({ request }) => fetch(request),
    });
    // @ts-expect-error
    start({ isolate: true });
    const failed: number = counters().failed;
    export { failed, InstrumentError };
  `;
  const FXPROF = `
    import { Profile, FxprofError, SamplingInterval, type StackHandle } from 'profilyfill/fxprof';
    const profile = new Profile('p', 0, SamplingInterval.fromHertz(100));
    const thread = profile.addThread(profile.addProcess('p', 1, 0), 1, 0n, true);
    const label = profile.internString('f');
    const stack: StackHandle | null = profile.internStackFrames(thread, [
      { label, source: { file: label, line: 3 } }, { returnAddress: 5n, category: profile.other },
    ]);
    profile.addSample(thread, 1.5, stack, null, 1);
    profile.addMarker(thread, { interval: [1, 2n] }, { name: 'm', fields: [{ key: 'k', format: 'bytes' }] },
      label, profile.other, [5]);
    // @ts-expect-error
    profile.addSample(thread, 1, label, 0, 1);
    // @ts-expect-error
    profile.internFrame(thread, { label, returnAddress: 5 }).id;
    const isFull = (error: unknown) => error instanceof FxprofError && error.code === 'ERR_FXPROF_NO_MEMORY';
    export { isFull };
  `;
  const EXPORT = `
    import { toFirefoxProfile } from 'profilyfill/export';
    import type { Profile } from 'profilyfill/fxprof';
    import type { Profiler } from 'profilyfill';
    async function save(profiler: Profiler) {
      const made: Profile = await toFirefoxProfile(await profiler.stop(), {
        product: 'p', interval: profiler.sampleInterval, entries: performance.getEntries(),
      });
      // @ts-expect-error
      await toFirefoxProfile({ samples: [] });
      return made.toBytes();
    }
    export { save };
  `;
  const IMPORT = "import { install, Profiler, counters, coreKind, type ProfilerTrace } from 'profilyfill';";

  /** What the compiler says of the files, as a project with these options. */
  function compile(files, compilerOptions) {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(installed.project, name), text);
    writeFileSync(join(installed.project, 'tsconfig.json'), JSON.stringify({
      compilerOptions: { noEmit: true, strict: true, target: 'es2022', types: [], ...compilerOptions },
      files: Object.keys(files),
    }));
    try {
      execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', installed.project],
        { encoding: 'utf8' });
      return '';
    } catch (error) {
      return error.stdout;
    }
  }

  test('serve modules, CommonJS and bundlers, in pages', () => {
    const files = {
      'use.mts': `${IMPORT}${USE}`, 'global.mts': `import 'profilyfill/auto';${GLOBAL}`,
      'use.cts': `${IMPORT}${USE}`, 'global.cts': `import 'profilyfill/auto';${GLOBAL}`,
      'instrument.mts': INSTRUMENT, 'plugin.mts': PLUGIN, 'fxprof.mts': FXPROF, 'fxprof.cts': FXPROF,
      'export.mts': EXPORT, 'export.cts': EXPORT,
    };
    expect(compile(files, { module: 'nodenext', lib: ['es2022', 'dom'] })).toBe('');
  });

  const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' };

  test('serve bundlers and workers', () => {
    const files = { 'use.ts': `${IMPORT}${USE}`, 'instrument.ts': INSTRUMENT, 'plugin.ts': PLUGIN };
    expect(compile(files, { ...BUNDLER, lib: ['es2022', 'dom'] })).toBe('');
    const workers = { 'use.ts': files['use.ts'], 'service-worker.ts': SERVICE_WORKER };
    expect(compile(workers, { ...BUNDLER, lib: ['es2022', 'webworker'] })).toBe('');
  });

  test('serve the script tag, as a global', () => {
    const files = {
      'page.ts': `
        /// <reference types="profilyfill" />
        profilyfill.install();
        new profilyfill.Profiler({ sampleInterval: 1, maxBufferSize: 1 });`,
    };
    expect(compile(files, { ...BUNDLER, lib: ['es2022', 'dom'] })).toBe('');
  });
});
