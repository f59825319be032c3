/**
 * What is instrumented computes what it computed before, for every construct of the language that the polls
 * touch: same log, same result (for scripts, the completion value), same errors. The messages of the engine
 * that quote code are left out.
 */
import { describe, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { instrument } from '../../js/instrument.js';
import { observe } from './support/compare.js';
import { makeRealm } from './support/realm.js';

jest.setTimeout(60_000);

const probes = JSON.parse(
  readFileSync(new URL('../data/language-probes.json', import.meta.url), 'utf8'),
);

async function check(code, sourceType, modules, precision) {
  let observed;
  try {
    observed = await observe(code, sourceType, modules, precision);
  } catch (error) {
    // What the parser refuses must be what the engine refuses.
    expect(error.code).toBe('ERR_PROFILYFILL_SYNTAX');
    return 0;
  }
  const { plain, quiet, polled, calls, code: instrumented } = observed;
  expect({ code, instrumented, quiet }).toEqual({ code, instrumented, quiet: plain });
  expect({ code, instrumented, polled }).toEqual({ code, instrumented, polled: plain });
  return calls;
}

describe.each(Object.keys(probes))('%s', (sourceType) => {
  test.each(Object.keys(probes[sourceType]))('%s', async (group) => {
    let calls = 0;
    for (const code of probes[sourceType][group]) {
      calls += await check(code, sourceType);
      await check(code, sourceType, {}, 'normal');
    }
    expect(calls).toBeGreaterThan(0);
  });
});

test('import cycles: functions that are called before the body of their module has run', async () => {
  const main = `
    import { early } from 'other';
    export function called(a = early('default') + 1, { b = later() } = {}) { log('called', a, b); return a }
    export default function () { return called() }
    function later() { for (let i = 0; i < 2; i++) log('later', i); return 'b' }
    export { later as renamed };
    export async function* gen(a = (() => log('arrow'))(), b = class { static s = log('static') }) {
      log(b.name); yield a;
    }
    export function plain(f = () => log('never'), g = class {}) { return () => log(f.name, g.name) }
    export let early2 = log('main body');
    log(await gen().next());`;
  const other = `
    import call, { called, renamed, gen, plain, early2 } from 'main';
    export function early(x) { log('early', x); return 1 }
    log(typeof renamed, renamed(), called(5), call());
    plain()();
    gen().next().then((x) => log('gen', x));
    try { early2 } catch (e) { log(e.name) }
    log('other body');`;
  expect(await check(main, 'module', { other })).toBeGreaterThan(10);
  const { plain, code } = await observe(main, 'module', { other });
  // `other` ran first, and called what `main` had not begun to define.
  expect(plain.findIndex((line) => /later/.test(line))).toBe(0);
  expect(plain.findIndex((line) => /main body/.test(line))).toBeGreaterThan(5);
  expect(code).toMatch(/^\s*var /);
});

test('modules with attributes', async () => {
  const code = `import data from 'data' with { type: 'json' };
    export { default as again } from 'data' with { type: 'json' };
    function f() { for (const key of Object.keys(data)) log(key, data[key]); return log('done') } f()`;
  expect(await check(code, 'module', { data: 'export default JSON.parse(`{"a":[1],"b":null}`)' }))
    .toBeGreaterThan(2);
  const { code: instrumented } = await observe(code, 'module', { data: 'export default {}' });
  expect(instrumented).toContain("with { type: 'json' }");
  // A file of JSON is none of these.
  expect(() => instrument('{"a": 1}')).toThrow(expect.objectContaining({ code: 'ERR_PROFILYFILL_SYNTAX' }));
});

test('declarations that dispose of what they hold', () => {
  // The engine at hand may not know them: test/browser/language.test.js runs them.
  for (const [code, sourceType] of [
    ['{ using a = f(); for (;;) g(a); }', 'script'], ['for (using a of f()) g(a);', 'script'],
    ['await using a = f(); for (;;) g(a);', 'module'],
    ['async function h() { for await (await using a of f()) return g(a); }', 'script'],
  ]) {
    const { code: instrumented } = instrument(code, { sourceType, precision: 'high' });
    expect(instrumented).toMatch(/\$h\w*\.[abde]\b/);
    expect(instrument(instrumented, { sourceType }).code).toBe(instrumented);
  }
});

test('what the parser does not know is an error, at its place', () => {
  for (const [code, column] of [['@a class B {}', 1], ['class B { accessor c = 1 }', 20]]) {
    expect(() => instrument(code)).toThrow(
      expect.objectContaining({ code: 'ERR_PROFILYFILL_SYNTAX', line: 1, column }));
  }
});

/** How deep a function calls itself before the stack is full. */
function measureDepth(code) {
  const realm = makeRealm();
  realm.depth = 0;
  vm.runInContext(code, realm);
  // Compiled code takes less of the stack.
  for (let turn = 0; turn < 3; turn++) {
    realm.depth = 0;
    try {
      realm.run();
    } catch (error) {
      expect(error.name).toBe('RangeError');
    }
  }
  return realm.depth;
}

test.each([
  'function run() { depth++; return 1 + run() }',
  'function run(n) { depth++; return run(n + 1) }',
  'function run(a = [1]) { depth++; return other(a) } function other(a) { return run(a.slice()) }',
  'function run(a) { if (!a) { a = {}; a.a = a } depth++; for (const k of Object.keys(a)) run(a[k]) }',
])('recursion goes three fifths as deep at least, also from a tail: %s', (code) => {
  const plain = measureDepth(code);
  expect(plain).toBeGreaterThan(1000);
  expect(measureDepth(instrument(code).code)).toBeGreaterThan(0.6 * plain);
});

test('a bundle of 9 MB, plain and with polls', () => {
  const bundle = new URL('../../node_modules/typescript/lib/typescript.js', import.meta.url);
  const text = readFileSync(bundle, 'utf8');
  expect(text.length).toBeGreaterThan(5e6);
  const source =
    'enum A { B = 1 << 2 }\nexport const f = async <T,>(a: T): Promise<T> => { await a; return a ?? A.B };';
  const { code: polled } = instrument(text, { sourceType: 'commonjs', url: 'typescript.js' });
  const results = [text, polled].map((code) => {
    const module = { exports: {} };
    const path = fileURLToPath(import.meta.url);
    vm.compileFunction(code, ['module', 'exports', 'require', '__filename', '__dirname'])(
      module, module.exports, createRequire(import.meta.url), path, dirname(path),
    );
    const { transpile, ScriptTarget } = module.exports;
    return transpile(source, { target: ScriptTarget.ES2015 });
  });
  expect(results[0]).toContain('__awaiter');
  expect(results[1]).toBe(results[0]);
});

test('code loaded twice in one realm', async () => {
  const code = 'function f(x) { return x ? f(x - 1) : log(1) } f(2); var a = () => log(2); a()';
  const block = '(function () { log(3) })()';
  for (const text of [code, block, code + ';let z = 1']) {
    const instrumented = instrument(text).code;
    const realm = makeRealm();
    realm.log = (value) => value;
    vm.runInContext(instrumented, realm);
    const again = () => vm.runInContext(instrumented, realm);
    if (text.includes('let')) expect(again).toThrow(/already been declared/);
    else again();
    expect(Object.keys(realm).filter((key) => key.startsWith('$'))).toEqual([]);
  }
});

test('functions whose text is evaluated in another realm run there without polls', () => {
  const code = `
    function work(n) { let sum = 0; for (let i = 0; i < n; i++) sum += Math.sqrt(i); return String(sum) }
    var text = '(' + work.toString() + ')(10)';
    function start() { return new Worker(URL.createObjectURL(new Blob([text]))) }
    text;`;
  const text = vm.runInContext(instrument(code).code, makeRealm());
  expect(text).toMatch(/\$h\w*\.[abde]\b/);
  const plain = vm.runInContext(code, makeRealm());
  expect(vm.runInContext(text, makeRealm())).toBe(vm.runInContext(plain, makeRealm()));
});

test('random programs', async () => {
  // In a process of its own, since they leave rejected promises behind; test/fuzz/ runs more of them.
  const script = fileURLToPath(new URL('../fuzz/instrument.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--count', '100']);
  const { programs, refused, polls } = JSON.parse(stdout);
  expect({ programs, refused }).toEqual({ programs: 100, refused: 0 });
  expect(polls).toBeGreaterThan(1000);
});
