/** The plugin's parts, and what it does with options, faults and kinds of source maps in each bundler. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  TraceMap, decodedMappings, encodedMap, originalPositionFor, presortedDecodedMap,
} from '@jridgewell/trace-mapping';
import { build } from 'esbuild';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rollup } from 'rollup';
import webpack from 'webpack';
import { instrument } from '../../js/instrument.js';
import * as plugins from '../../js/plugin.js';
import { Instrumenter } from '../../js/plugin/instrumenter.js';
import { findMapUrl, moveMap, readDataUrl } from '../../js/plugin/source-map.js';
import { separateTableOf } from '../../js/separate-table.js';

function errorOf(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}

let folder;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'profilyfill-plugin-')));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe('source maps', () => {
  const CODE = 'var a;\nfunction f() { for (;;) g(h); }\n';
  const { insertions, code: polled } = instrument(CODE);
  // `var`, `function`, `for`, `g`, `h`
  const MAP = {
    version: 3, sources: ['a.ts'], sourcesContent: [null], names: ['f'],
    mappings: 'AAAA;AACAA,eACC,SAAS,EAAE',
  };

  /** Where a text of the instrumented code leads. */
  const leads = (map, text, code = polled) => {
    const at = code.indexOf(text);
    const before = code.slice(0, at).split('\n');
    return originalPositionFor(new TraceMap(map), { line: before.length, column: before.at(-1).length });
  };

  test('move with the code, and keep everything else', () => {
    const map = { ...MAP, file: 'a.js', sourceRoot: '/src', x_google_ignoreList: [0], debugId: '85314830' };
    const { moved } = moveMap(CODE, map, insertions);
    const { mappings, ...rest } = JSON.parse(moved.toString());
    expect({ ...rest, mappings: map.mappings }).toEqual(map);
    for (const text of ['var a', 'function f()', 'for (;;', 'g(h)', 'h); }']) {
      expect([text, leads({ ...rest, mappings }, text)]).toEqual([text, leads(map, text, CODE)]);
    }
    expect(leads({ ...rest, mappings }, 'g(h)')).toMatchObject({ source: '/src/a.ts', line: 3 });
    expect(JSON.parse(readDataUrl(moved.toUrl()))).toEqual({ ...rest, mappings });
  });

  test('may be JSON, be guarded, and consist of several', () => {
    const expected = moveMap(CODE, MAP, insertions).moved;
    expect(moveMap(CODE, JSON.stringify(MAP), insertions)).toEqual({ moved: expected, plain: MAP });
    expect(moveMap(CODE, `)]}'\n${JSON.stringify(MAP)}`, insertions).moved).toEqual(expected);
    const sections = {
      version: 3,
      sections: [
        { offset: { line: 0, column: 0 }, map: { ...MAP, mappings: 'AAAA' } },
        {
          offset: { line: 1, column: 0 },
          map: { ...MAP, sources: ['b.ts'], mappings: 'AACAA,eACC,SAAS,EAAE' },
        },
      ],
    };
    const { moved } = moveMap(CODE, sections, insertions);
    for (const [text, source] of [['var a', 'a.ts'], ['for (;;', 'b.ts'], ['h); }', 'b.ts']]) {
      expect(leads(moved, text)).toEqual({ ...leads(expected, text), source });
    }
  });

  test('of many kinds, token by token', () => {
    let seed = 1;
    const random = (below) => {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
      return Math.floor(seed / 2 ** 32 * below);
    };
    const encode = (mappings) => encodedMap(presortedDecodedMap({
      version: 3, sources: [], names: [], mappings,
    })).mappings;
    let unsorted = 0;
    for (let turn = 0; turn < 300; turn++) {
      const lines = Array.from({ length: 1 + random(6) }, () => 'x'.repeat(random(2) * random(5000)));
      const code = lines.join('\n');
      const insertions = Array.from({ length: random(30) }, () => ({
        offset: random(code.length + 1), text: 'y'.repeat(1 + random(300)),
      })).sort((a, b) => a.offset - b.offset);
      const mappings = lines.map((line) => Array.from({ length: random(20) }, () => [
        random(line.length + 1), random(3), random(3000), random(3000), random(3),
      ].slice(0, [1, 4, 5][random(3)])));
      if (turn % 3 > 0) for (const line of mappings) line.sort((a, b) => a[0] - b[0]);
      else unsorted++;
      const map = { version: 3, sources: ['a', 'b', 'c'], names: ['d', 'e', 'f'], mappings: encode(mappings) };
      let start = 0;
      const expected = decodedMappings(new TraceMap(map)).map((line, i) => {
        const from = start;
        start += lines[i].length + 1;
        return line.map(([column, ...rest]) => [column + insertions
          .filter(({ offset }) => offset >= from && offset <= from + column)
          .reduce((sum, { text }) => sum + text.length, 0), ...rest]);
      });
      expect(moveMap(code, map, insertions).moved.mappings).toBe(encode(expected));
    }
    expect(unsorted).toBe(100);
  });

  test.each([
    ['line feeds alone, as most tools count', 'AAAA;AACA'],
    ['all that end a line in the language', 'AAAA;;AACA'],
  ])('whose lines are counted by %s', (how, mappings) => {
    const code = 'a("\u2028");\nfor (;;) b();';
    const result = instrument(code);
    const { moved } = moveMap(code, { ...MAP, mappings }, result.insertions);
    const lines = mappings.includes(';;') ? /\n|\u2028/ : '\n';
    const line = result.code.split(lines).findIndex((text) => text.startsWith('for'));
    expect(originalPositionFor(new TraceMap(moved), { line: line + 1, column: 0 }).line).toBe(2);
  });

  test.each([
    ['AAAA;AACA;;;;AACA', 6, 1],
    ['AAAA,MAAM,CAAC', 1, 8],
    ['AAAA;ACAA', 2, 1],
    ['AAAA;AACAC', 2, 1],
    ['AAAA;AADD,DAAA', 2, 1],
  ])('that lead out of the file: %s', (mappings, line, column) => {
    const error = errorOf(() => new Instrumenter().instrument('x/a.js', CODE, { map: { ...MAP, mappings } }));
    expect(error).toBeInstanceOf(plugins.InstrumentError);
    expect(error).toMatchObject({ code: 'ERR_PROFILYFILL_MAP', file: 'x/a.js', line, column });
    expect(error.message).toMatch(`x/a.js:${line}:${column}: the source map is of another file`);
  });

  test.each(['{', '[]', 'null', '{"version":3,"sources":[]}', '{"version":3,"sections":[{}]}'])(
    'that are none: %s', (map) => {
      expect(errorOf(() => moveMap(CODE, map, insertions)))
        .toMatchObject({ code: 'ERR_PROFILYFILL_MAP', line: 1, column: 1 });
    });

  test.each([
    ['a\n//# sourceMappingURL=a.js.map', 'a.js.map'],
    ['a\r\n//@ sourceMappingURL=a.map\r\n//# debugId=1\r\n\r\n', 'a.map'],
    ['a;\n/*# sourceMappingURL=b%20c.map */\n', 'b%20c.map'],
    ['a\n//# sourceMappingURL=a.map\nb', undefined],
    ['a("//# sourceMappingURL=a.map")', undefined],
    ['a', undefined],
  ])('%j names %j', (code, url) => {
    expect(findMapUrl(code)).toBe(url);
  });
});

describe('options', () => {
  test.each([
    [{ minify: true }, /unknown option "minify"/],
    [{ url: 'https://a.example/' }, /unknown option "url"/],
    [{ include: 1 }, /include must be a glob, a regular expression or an array/],
    [{ exclude: ['a', ''] }, /exclude must be a glob/],
    [{ lenient: 1 }, /lenient must be a boolean/],
    [{ dev: 'yes' }, /dev must be a boolean/],
    [{ plainMaps: 'js' }, /plainMaps must be a boolean/],
    [{ precision: 'top' }, /precision must be one of/],
    [{ sourceType: 'ts' }, /sourceType must be one of/],
    [{ minFunctionSize: -1 }, /minFunctionSize must be a whole number/],
    [null, /options must be an object/],
  ])('%j', (options, message) => {
    for (const name of ['vite', 'rollup', 'rolldown']) {
      const error = errorOf(() => plugins[name](options));
      expect(error.code).toBe('ERR_PROFILYFILL_OPTION');
      expect(error.message).toMatch(message);
    }
  });

  test.each([
    [{}, 'assets/a.js', true],
    [{ include: 'assets/*.js' }, 'assets/a.js', true],
    [{ include: 'assets/*.js' }, 'a.js', false],
    [{ include: 'a.js' }, 'assets/a.js', true],
    [{ include: [/b/g, '**/[x].js'] }, 'assets/x.js', true],
    [{ include: /s/g, exclude: 'vendor-*' }, 'assets/vendor-1.js', false],
    [{ exclude: ['b/**', /c/] }, 'a/b.js', true],
    [{ exclude: ['b/**', /c/] }, 'b/a/.b.js', false],
    [{}, 'assets/profilyfill-worker-Ab12Cd34.js', false],
    [{}, 'profilyfill.iife.js', false],
  ])('%j: %s is included: %j', (options, file, is) => {
    const instrumenter = new Instrumenter(options);
    expect([instrumenter.includes(file), instrumenter.includes(file)]).toEqual([is, is]);
  });

  test('each set of options has a digest', () => {
    const sets = [
      {}, { precision: 'low' }, { precision: 'high' }, { exclude: 'a' }, { exclude: /a/ }, { exclude: /b/ },
    ];
    const digests = sets.map((options) => new Instrumenter(options).digest);
    expect(new Set(digests).size).toBe(sets.length);
    expect(sets.map((options) => new Instrumenter(options).digest)).toEqual(digests);
  });

  test('lenient: what cannot be instrumented is counted', () => {
    const bad = ['b.js', 'not js'];
    expect(errorOf(() => new Instrumenter().instrument(...bad))).toMatchObject({
      code: 'ERR_PROFILYFILL_SYNTAX', file: 'b.js', line: 1, column: 5, message: 'b.js:1:5: Unexpected token',
    });
    const instrumenter = new Instrumenter({ lenient: true });
    const { code } = instrumenter.instrument('a.js', 'f = () => { for (;;) g(); };');
    expect(instrumenter.instrument(...bad)).toBe(null);
    expect(instrumenter.instrument('again.js', code)).toBe(null);
    const report = instrumenter.report();
    expect(report).toMatch(/^1 file, 1 function, [1-9] polls, 0\.0 kB \+ 0\.\d kB \(\d+ %\); left /);
    expect(report).toContain('left as it was: 1 file (b.js:1:5: Unexpected token)');
    expect(instrumenter.report()).toBe('0 files, 0 functions, 0 polls, 0.0 kB + 0.0 kB (0 %)');
  });
});

const SPIN = 'export function spin(n) {\n  let s = 0;\n  for (let i = 0; i < n; i++) s += i;\n  return s;\n}';
const SOURCE = `${SPIN}\nexport const late = () => import("./late.js");\n`;

/** Where a text in the code leads by a map. */
function findSource(code, map, text) {
  const lines = code.split('\n');
  const line = lines.findIndex((one) => one.includes(text));
  return originalPositionFor(new TraceMap(map), { line: line + 1, column: lines[line].indexOf(text) });
}

/** Whether each script of a build has its table beside it, and nothing else has one. */
function checkTables(files, count) {
  const scripts = Object.keys(files).filter((name) => name.endsWith('.js'));
  expect(scripts).toHaveLength(count);
  expect(Object.keys(files).filter((name) => name.includes('functions')).sort())
    .toEqual(scripts.map(separateTableOf).sort());
  for (const name of scripts) {
    const { version, id } = JSON.parse(files[separateTableOf(name)]);
    expect([version, files[name]]).toEqual([2, expect.stringContaining(`"${id}")`)]);
  }
}

test('where the table of a script is', () => {
  expect(['a/b.js', 'https://x.test/b.mjs?v=1.js#c', 'b.js#c?d'].map(separateTableOf)).toEqual([
    'a/b.js.functions.json', 'https://x.test/b.mjs.functions.json?v=1.js#c', 'b.js.functions.json#c?d',
  ]);
});

describe('esbuild', () => {
  const options = () => ({
    entryPoints: [join(folder, 'in.js')], bundle: true, splitting: true, format: 'esm', minify: true,
    outdir: join(folder, 'esbuild'), entryNames: '[name]-[hash]', write: false, logLevel: 'silent',
  });
  const names = ({ outputFiles }) => outputFiles.map(({ path }) => path.replace(/.*[\\/]/, ''));

  beforeAll(() => {
    write('in.js', SOURCE);
    write('late.js', 'export const late = () => { for (const a of b) a(); };');
  });

  test.each(['inline', 'external', 'both', 'linked', false])('with sourcemap: %j', async (sourcemap) => {
    const [plain, polled] = await Promise.all([
      build({ ...options(), sourcemap, footer: { js: '/* end */' } }),
      build({ ...options(), sourcemap, footer: { js: '/* end */' }, plugins: [plugins.esbuild()] }),
    ]);
    expect(polled.outputFiles).toHaveLength(plain.outputFiles.length);
    for (const file of polled.outputFiles.filter(({ path }) => path.endsWith('.js'))) {
      expect(file.text).toContain('/* end */\n');
      expect(file.text).not.toContain('/*profilyfill');
      const { outputs } = polled.metafile;
      const output = Object.keys(outputs)
        .find((name) => file.path.endsWith(name.replace(/^(?:\.\.\/)*/, '')));
      expect(outputs[output].bytes).toBe(Buffer.byteLength(file.text));
      const maps = [
        polled.outputFiles.find(({ path }) => path === `${file.path}.map`)?.text,
        readDataUrl(findMapUrl(file.text) ?? ''),
      ].filter((map) => map !== undefined);
      expect(maps).toHaveLength(sourcemap === 'both' ? 2 : sourcemap === false ? 0 : 1);
      for (const map of maps) {
        const isMain = /[\\/]in-\w+\.js$/.test(file.path);
        expect(findSource(file.text, map, 'for(let'))
          .toMatchObject(isMain ? { line: 3, column: 2 } : { line: 1, column: 28 });
      }
    }
  });

  test('changes names when options change, and nothing but names and polls', async () => {
    const made = [];
    for (const all of [{}, {}, { precision: 'low' }]) {
      made.push(names(await build({ ...options(), plugins: [plugins.esbuild(all)] })).sort());
    }
    expect(made[1]).toEqual(made[0]);
    expect(made[2].filter((name) => made[0].includes(name))).toEqual([]);
    const { outputFiles } = await build({ ...options(), plugins: [plugins.esbuild({ exclude: '**' })] });
    const { outputFiles: plain } = await build(options());
    const texts = [outputFiles, plain].map((files) =>
      files.map(({ text }) => text.replace(/-[A-Z\d]{8}(?=\.js)/g, '')).sort());
    expect(texts[0]).toEqual(texts[1]);
  });

  test.each([true, false])('tables are files beside the scripts; written: %j', async (write) => {
    const all = { ...options(), write, plugins: [plugins.esbuild({ separateTable: true })] };
    const { outputFiles, metafile } = await build(all);
    const files = write
      ? Object.keys(metafile.outputs).filter((name) => name.endsWith('.js'))
        .flatMap((name) => [name, separateTableOf(name)])
        .map((name) => ({ path: name, text: readFileSync(resolve(name), 'utf8') }))
      : outputFiles;
    checkTables(Object.fromEntries(files.map(({ path, text }) => [path, text])), 2);
  });

  test('writes files; a file outside of any folder of outputs', async () => {
    const outfile = join(folder, 'one.js');
    await build({
      entryPoints: [write('one.in.js', 'for (const a of b) a();')], outfile, logLevel: 'silent',
      sourcemap: true, plugins: [plugins.esbuild()],
    });
    const code = readFileSync(outfile, 'utf8');
    expect(code.indexOf('for (const')).toBeGreaterThan(10);
    expect(findSource(code, readFileSync(`${outfile}.map`, 'utf8'), 'for (const'))
      .toMatchObject({ line: 1, column: 0, source: 'one.in.js' });
  });

  test('fails where code cannot be instrumented, unless it is lenient', async () => {
    // esbuild knows more of the language than the parser does.
    const entryPoints = [write('decorated.js', 'let a;\n @b class C { d() { for (;;) a(); } }')];
    const common = { ...options(), entryPoints, splitting: false, minify: false };
    const error = await build({ ...common, plugins: [plugins.esbuild()] }).catch((caught) => caught);
    expect(error.errors).toHaveLength(1);
    const [{ id, text, location: { file, line, column }, pluginName }] = error.errors;
    expect([pluginName, id]).toEqual(['profilyfill', 'ERR_PROFILYFILL_SYNTAX']);
    expect(file).toMatch(/^decorated-\w+\.js$/);
    expect(text).toMatch(`${file}:${line}:${column + 1}: Unexpected character '@'`);
    const { outputFiles } = await build({ ...common, plugins: [plugins.esbuild({ lenient: true })] });
    const { outputFiles: plain } = await build(common);
    expect(outputFiles[0].text).toBe(plain[0].text);
  });
});

describe('Rollup', () => {
  const bundle = async (plugin, output, logs = []) => {
    const built = await rollup({
      input: write('rolled.js', SOURCE), plugins: [plugin], external: /late/,
      onLog: (level, { message }) => logs.push(message),
    });
    return (await built.generate(output)).output;
  };

  const KINDS = [['inline', 'es'], ['hidden', 'cjs'], [true, 'iife']];

  test.each(KINDS)('with sourcemap: %j, as %s', async (sourcemap, format) => {
    const output = { sourcemap, format, name: 'lib', entryFileNames: '[name]-[hash].js' };
    const logs = [];
    const [chunk, asset] = await bundle(plugins.rollup(), output, logs);
    const text = sourcemap === 'inline' ? readDataUrl(findMapUrl(chunk.code)) : asset.source;
    expect(JSON.parse(text)).toEqual(JSON.parse(chunk.map.toString()));
    expect(findSource(chunk.code, text, 'for (let')).toMatchObject({ line: 3, column: 2 });
    expect(logs).toEqual([expect.stringMatching(/1 file, \d functions, \d polls/)]);
    const [again] = await bundle(plugins.rollup(), output);
    const [other] = await bundle(plugins.rollup({ precision: 'high' }), output);
    expect(again.fileName).toBe(chunk.fileName);
    expect(other.fileName).not.toBe(chunk.fileName);
  });

  test('tables are files beside the scripts', async () => {
    const output = { sourcemap: true, entryFileNames: '[name]-[hash].js' };
    const made = await bundle(plugins.rollup({ separateTable: true }), output);
    checkTables(Object.fromEntries(made.map(({ fileName, code, source }) => [fileName, code ?? source])), 1);
  });

  test('fails where code cannot be instrumented, unless it is lenient', async () => {
    const breaking = (options) => [
      { name: 'breaking', generateBundle: (output, files) => { files['rolled.js'].code = 'a;\nb c'; } },
      plugins.rollup(options),
    ];
    await expect(bundle(breaking(), {})).rejects.toMatchObject({
      plugin: 'profilyfill', pluginCode: 'ERR_PROFILYFILL_SYNTAX', file: 'rolled.js', line: 2, column: 3,
    });
    expect((await bundle(breaking({ lenient: true }), {}))[0].code).toBe('a;\nb c');
  });
});

describe('webpack', () => {
  const pack = (plugin, config = {}) => new Promise((resolve, reject) => {
    webpack({
      context: folder, entry: './packed.js', mode: 'none', plugins: [plugin].flat(),
      infrastructureLogging: { level: 'none' }, ...config,
      output: { path: join(folder, 'webpack'), filename: '[name]-[contenthash:8].js', clean: true },
    }, (error, stats) => {
      if (error) reject(error);
      else {
        const files = readdirSync(join(folder, 'webpack'));
        const name = files.find((file) => file.endsWith('.js'));
        const code = name && readFileSync(join(folder, 'webpack', name), 'utf8');
        resolve({ files, name, code, errors: stats.compilation.errors });
      }
    });
  });

  beforeAll(() => write('packed.js', `${SPIN}\nspin(1);`));

  const DEVTOOLS = ['inline-source-map', 'hidden-source-map', 'eval', false];

  test.each(DEVTOOLS)('with devtool: %j', async (devtool) => {
    const { code, files, name, errors } = await pack(plugins.webpack(), { devtool });
    expect(errors).toEqual([]);
    expect(code).toContain('Symbol.for("profilyfill")');
    let map;
    if (devtool === 'inline-source-map') map = readDataUrl(findMapUrl(code));
    else if (files.includes(`${name}.map`)) {
      map = readFileSync(join(folder, 'webpack', `${name}.map`), 'utf8');
    }
    expect(map !== undefined).toBe(/source-map/.test(devtool));
    if (map !== undefined) expect(findSource(code, map, 'for (let')).toMatchObject({ line: 3 });
  });

  test('changes names when options change, also those that are no hashes of the files', async () => {
    for (const realContentHash of [true, false]) {
      const optimization = { realContentHash };
      const made = [];
      for (const options of [{}, {}, { precision: 'low', minFunctionSize: 1000 }]) {
        made.push((await pack(plugins.webpack(options), { optimization })).name);
      }
      expect(made[1]).toBe(made[0]);
      expect(made[2]).not.toBe(made[0]);
    }
  });

  test.each([true, false])('tables are files beside the scripts; realContentHash: %j', async (real) => {
    const { files, errors } = await pack(plugins.webpack({ separateTable: true }), {
      devtool: 'source-map', optimization: { realContentHash: real },
    });
    expect(errors).toEqual([]);
    const read = (name) => [name, readFileSync(join(folder, 'webpack', name), 'utf8')];
    checkTables(Object.fromEntries(files.map(read)), 1);
  });

  test('fails where code cannot be instrumented, unless it is lenient', async () => {
    const breaking = (options) => [
      new webpack.BannerPlugin({ banner: 'a;\nb c', raw: true }), plugins.webpack(options),
    ];
    const { errors } = await pack(breaking());
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'ERR_PROFILYFILL_SYNTAX', line: 2, column: 3 });
    expect(errors[0].file).toMatch(/^main-\w+\.js$/);
    const { code, errors: none } = await pack(breaking({ lenient: true }));
    expect(none).toEqual([]);
    expect(code).toMatch(/^a;\nb c/);
  });
});
