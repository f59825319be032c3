/** The command `profilyfill`. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import { spawnSync } from 'node:child_process';
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { instrument } from '../../js/instrument.js';

const COMMAND = fileURLToPath(new URL('../../js/command.js', import.meta.url));
const CODE = 'export const f = (a) => {\n  for (const b of a) b();\n};\n';

let folder;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'profilyfill-command-')));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name, text) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const read = (name) => readFileSync(join(folder, name), 'utf8');

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' },
  });
  return { status, stdout, stderr };
}

test('instruments files, folders and globs in place, each once', () => {
  const names = ['a.js', 'dist/[id].js', 'dist/x/c.mjs', 'dist/.d/e.cjs', 'lib/f.js'];
  for (const name of names) write(name, CODE);
  write('dist/x/g.ts', CODE);
  write('other/h.js', CODE);
  write('dist/vendor.js', CODE);
  const args = [
    'instrument', 'a.js', 'dist', 'dist/[id].js', 'l*/**/*.js', '--exclude', 'vendor*', '--precision', 'high',
  ];
  expect(run(...args)).toEqual({
    status: 0, stderr: '',
    stdout: expect.stringMatching(/^profilyfill: 5 files, 5 functions, \d+ polls, 0\.3 kB \+ .* %\)\n$/),
  });
  const { code } = instrument(CODE, { precision: 'high' });
  for (const name of names) expect([name, read(name)]).toEqual([name, code]);
  for (const name of ['dist/x/g.ts', 'other/h.js', 'dist/vendor.js']) expect(read(name)).toBe(CODE);
  // Again: nothing is done twice.
  expect(run(...args)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^profilyfill: 0 files/) });
  for (const name of names) expect(read(name)).toBe(code);
});

test('keeps what was put into large files, where there are node_modules', () => {
  const large = `${CODE}${'g();\n'.repeat(3000)}`;
  const kept = () => readdirSync(join(folder, 'node_modules/.cache/profilyfill'));
  const use = (...args) => {
    write('a.js', large);
    write('b.js', CODE);
    const { status, stdout } = run('instrument', 'a.js', 'b.js', ...args);
    expect([status, read('b.js').includes('.p(')]).toEqual([0, true]);
    return stdout;
  };
  const said = use();
  const { code } = instrument(large);
  expect(read('a.js')).toBe(code);
  expect(existsSync(join(folder, 'node_modules'))).toBe(false);
  mkdirSync(join(folder, 'node_modules'));
  use('--no-cache');
  expect(existsSync(join(folder, 'node_modules/.cache'))).toBe(false);
  for (let turn = 0; turn < 2; turn++) {
    expect(use()).toBe(said);
    expect(read('a.js')).toBe(code);
    expect(kept()).toHaveLength(1);
  }
  // What is kept is what is used; what is broken is made anew.
  const [name] = kept();
  const path = `node_modules/.cache/profilyfill/${name}`;
  write(path, gzipSync('{"insertions":[[0,"/**/"]],"functions":1,"polls":0}'));
  use();
  expect(read('a.js')).toBe(`/**/${large}`);
  write(path, 'broken');
  use();
  expect(read('a.js')).toBe(code);
  // Five hundred at most.
  for (let i = 0; i < 520; i++) write(`node_modules/.cache/profilyfill/${i}`, '');
  use('--precision', 'high');
  expect(kept()).toHaveLength(500);
});

test('tables are files beside the scripts, also of what was kept', () => {
  const large = `${CODE}${'g();\n'.repeat(3000)}`;
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (let turn = 0; turn < 2; turn++) {
    write('a.js', large);
    expect(run('instrument', 'a.js', '--separate-table')).toMatchObject({ status: 0, stderr: '' });
    const { code, table } = instrument(large, { separateTable: true });
    expect([read('a.js'), read('a.js.functions.json')]).toEqual([code, table]);
    rmSync(join(folder, 'a.js.functions.json'));
  }
});

test.each(['linked', 'external', 'inline'])('maps: %s, elsewhere', async (sourcemap) => {
  write('src/in.js', CODE);
  await build({
    entryPoints: [join(folder, 'src/in.js')], outdir: join(folder, 'dist/js'), format: 'esm', sourcemap,
    logLevel: 'silent',
  });
  write('dist/js/left.js', 'not js');
  const args = ['--out-dir', 'a/b/out', '--base', 'dist', '--lenient', '--plain-maps'];
  expect(run('instrument', 'dist', ...args)).toEqual({
    status: 0, stderr: '',
    stdout: expect.stringMatching(/^profilyfill: 1 file, .*; left as it was: 1 file \(js\/left\.js:1:5: /),
  });
  const code = read('a/b/out/js/in.js');
  expect(read('dist/js/in.js')).not.toContain('Symbol.for("profilyfill")');
  expect(read('a/b/out/js/left.js')).toBe('not js');
  const map = sourcemap === 'inline'
    ? Buffer.from(/base64,(\S+)/.exec(code)[1], 'base64').toString() : read('a/b/out/js/in.js.map');
  const lines = code.split('\n');
  const line = lines.findIndex((text) => text.includes('for (const'));
  const plain = JSON.parse(read('a/b/out/js/in.js.plain.map'));
  expect({ ...JSON.parse(map), mappings: plain.mappings }).toEqual(plain);
  expect(plain.mappings).not.toBe(JSON.parse(map).mappings);
  const traced = new TraceMap(map, `file://${folder}/a/b/out/js/in.js.map`);
  expect(originalPositionFor(traced, { line: line + 1, column: lines[line].indexOf('for (const') }))
    .toMatchObject({ source: `file://${folder}/src/in.js`, line: 2, column: 2 });
});

test('goes on behind files that have a fault, and fails', () => {
  write('a.js', 'a;\nb c');
  write('b.js', CODE);
  write('b.js.map', '{ "version": 3, "sources": ["b.ts"], "names": [], "mappings": "AAAA;;;;;AAAA" }');
  write('c.js', CODE);
  const { status, stdout, stderr } = run('instrument', '*.js');
  expect(status).toBe(1);
  expect(stderr.split('\n')).toEqual([
    'profilyfill: ERR_PROFILYFILL_SYNTAX: a.js:2:3: Unexpected token',
    expect.stringMatching(/^profilyfill: ERR_PROFILYFILL_MAP: b\.js:6:1: the source map is of another file/),
    '',
  ]);
  expect(stdout).toMatch(/^profilyfill: 1 file, /);
  expect([read('a.js'), read('b.js')]).toEqual(['a;\nb c', CODE]);
  expect(read('c.js')).toBe(instrument(CODE).code);
});

describe('what it says', () => {
  test.each([
    [[], 2, '', /^Usage: profilyfill <command>/],
    [['--help'], 0, /^Usage: profilyfill <command>/, ''],
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, ''],
    [['toString'], 2, '', /^profilyfill: no command "toString"/],
    [['instrument', '--help'], 0, /^Usage: profilyfill instrument /, ''],
    [['instrument'], 2, '', /^profilyfill: no files/],
    [['instrument', 'none/*.js'], 2, '', /^profilyfill: no files/],
    [['instrument', 'a.js', '--minify'], 2, '', /^profilyfill: Unknown option '--minify'/],
    [['instrument', 'a.js', '--precision', 'top'], 2, '', /^profilyfill: precision must be one of/],
    [['instrument', 'a.js', '--min-function-size', '1e2'], 2, '', /^profilyfill: minFunctionSize must be/],
  ])('%j', (args, status, stdout, stderr) => {
    const match = (text) => (text === '' ? '' : expect.stringMatching(text));
    expect(run(...args)).toEqual({ status, stdout: match(stdout), stderr: match(stderr) });
  });
});
