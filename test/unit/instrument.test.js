/** The interface of `instrument`: options, errors, the map, and code that is left as it is. */
import { describe, expect, test } from '@jest/globals';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import { InstrumentError, instrument } from '../../js/instrument.js';
import { readTable } from './support/function-table.js';
import { makeRealm } from './support/realm.js';

const POLL = /(?:--\$pf_\w*\[\d\]<)?\$pf_\w*\[0\]&&\$h\w*\.[abde]/g;
const countPolls = (code, options) => instrument(code, options).code.match(POLL)?.length ?? 0;

function errorOf(...args) {
  try {
    instrument(...args);
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}

describe('errors', () => {
  test.each([
    ['not js', {}, 1, 5],
    ['a();\n  b(', {}, 2, 5],
    ['a();\r\n"\u2028";\rb b', {}, 4, 3],
    ['b b', { line: 7, column: 12 }, 7, 14],
    ['\nb b', { line: 7, column: 12 }, 8, 3],
    ['return 1', { sourceType: 'script' }, 1, 1],
    ['import "a"', { sourceType: 'script' }, 1, 1],
    ['with (a) b', { sourceType: 'module' }, 1, 1],
    ['import "a"; with (a) b', {}, 1, 13],
    ['import.meta; b b', {}, 1, 16],
  ])('%j with %j', (code, options, line, column) => {
    const error = errorOf(code, { url: 'https://x.test/a.js', ...options });
    expect(error).toBeInstanceOf(InstrumentError);
    expect(error).toMatchObject({ code: 'ERR_PROFILYFILL_SYNTAX', url: 'https://x.test/a.js', line, column });
    expect(error.message).toMatch(`https://x.test/a.js:${line}:${column}: `);
    expect(error.message).not.toMatch(/\(\d+:\d+\)/);
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  test('without a URL', () => {
    expect(errorOf('not js')).toMatchObject({ url: undefined, message: '<anonymous>:1:5: Unexpected token' });
  });

  test.each([
    [[undefined], /code must be a string, not undefined/],
    [[null], /code must be a string, not null/],
    [[1], /code must be a string, not 1/],
    [['a', null], /options must be an object, not null/],
    [['a', 'b'], /options must be an object, not "b"/],
    [['a', { name: 1 }], /unknown option "name"/],
    [['a', { url: new URL('https://x.test/') }], /url must be a string, not object/],
    [['a', { sourceType: 'json' }], /sourceType must be one of module, script, commonjs, not "json"/],
    [['a', { line: 0 }], /line must be a whole number from 1, not 0/],
    [['a', { line: '1' }], /line must be a whole number from 1, not "1"/],
    [['a', { column: 1.5 }], /column must be a whole number from 1, not 1.5/],
    [['a', { column: NaN }], /column must be a whole number from 1, not NaN/],
    [['a', { precision: 'top' }], /precision must be one of high, normal, low, not "top"/],
    [['a', { executing: 1 }], /executing must be a boolean, not 1/],
    [['a', { separateTable: 'no' }], /separateTable must be a boolean, not "no"/],
    [['a', { minFunctionSize: -1 }], /minFunctionSize must be a whole number from 0, not -1/],
  ])('%j', (args, message) => {
    const error = errorOf(...args);
    expect(error).toBeInstanceOf(InstrumentError);
    expect(error.code).toBe('ERR_PROFILYFILL_OPTION');
    expect(error.message).toMatch(message);
  });
});

describe('what is left as it is', () => {
  test.each(['', ' ', '// a', '#!/bin/a', '#!/bin/a\n', '\ufeff'])('nothing: %j', (code) => {
    const result = instrument(code);
    expect(result.code).toBe(code);
    expect(result.map.version).toBe(3);
  });

  test.each([
    ['a block', 'f(() => g())', 'script'],
    ['the global object', 'function f() { g() }', 'script'],
    ['a module', 'export const f = () => g();', 'module'],
    ['an import cycle', 'import "a"; export function f() { g() }', 'module'],
    ['a CommonJS file', 'return f(() => g())', 'commonjs'],
    ['directives', '#!/bin/a\n"use strict"\n"b"; f(() => g())', 'script'],
    ['comments before', '/* a */ // b\n f(() => g())', 'script'],
    ['names that are taken', 'f(() => g($pf_ + $h.a))', 'script'],
  ])('instrumented code: %s', (_, code, sourceType) => {
    const { code: once } = instrument(code, { sourceType, precision: 'high' });
    expect(once).toMatch(POLL);
    const { code: twice, map } = instrument(once, { sourceType, url: 'a.js' });
    expect(twice).toBe(once);
    expect(originalPositionFor(new TraceMap(map), { line: 1, column: 0 }))
      .toMatchObject({ source: 'a.js', line: 1, column: 0 });
  });

  test('but not code that speaks of it', () => {
    const code = 'var h = globalThis[Symbol.for("profilyfill")]; f(() => h.p(0))';
    expect(countPolls(code, { precision: 'high' })).toBeGreaterThan(0);
  });

  test('lines', () => {
    const code = 'a\r\nb\rc\u2028d\u2029e\nf(() => {\n  g();\n})\n';
    const terminators = (text) => text.match(/\r\n|[\n\r\u2028\u2029]/g);
    expect(terminators(instrument(code).code)).toEqual(terminators(code));
  });

  test('functions that are quick', () => {
    expect(countPolls('f = (a, b) => a + b * 2; function g(a) { this.a = a; return this }')).toBe(0);
    expect(countPolls('class A { get x() { return 1 } }')).toBe(0);
    // A function of the file is as quick as it is, also when another calls it.
    const wrapper = 'function f(a) { return g(a) } function g(a) { return a + 1 }';
    expect(countPolls(wrapper, { precision: 'low' })).toBe(0);
    expect(countPolls(wrapper.replace('a + 1', 'a.split()'), { precision: 'low' })).toBeGreaterThan(0);
    expect(countPolls('f = (a, g) => g(a)', { precision: 'low' })).toBe(0);
    expect(countPolls('f = (a) => g(a) + h(a)')).toBeGreaterThan(0);
    expect(countPolls('f = (a) => Object.keys(a)')).toBeGreaterThan(0);
    expect(countPolls('function f(a) { while (a--); }')).toBeGreaterThan(0);
    expect(countPolls(`f = (a) => ${'a + '.repeat(60)} a`)).toBeGreaterThan(0);
  });

  test('precision', () => {
    const code =
      'e = (a) => a.b; f = (a, b) => a.b(b); g = (a) => a.b() + a.c() + a.d(); h = () => { for (;;) f() }';
    const [low, normal, high] = ['low', 'normal', 'high'].map((precision) => countPolls(code, { precision }));
    expect(countPolls(code)).toBe(normal);
    expect(low).toBeGreaterThan(0);
    expect(normal).toBeGreaterThan(low);
    expect(high).toBeGreaterThan(normal);
  });

  test('minFunctionSize: shorter functions are like the time of their callers', () => {
    const small = 'function small(n) { while (n--); }';
    const large = `function large() { for (const a of b) ${'a.b(); '.repeat(9)} return small(9) }`;
    const call = /return (\$t\w*)=small\(9\),[^,]+,\1 /;
    const { code } = instrument(small + large, { minFunctionSize: small.length });
    expect(code).not.toContain(small);
    expect(code).toMatch(call);
    const { code: shorter, polls } = instrument(small + large, { minFunctionSize: small.length + 1 });
    expect(shorter).toContain(small);
    expect(shorter).toMatch(call);
    expect(polls).toBe(3);
    expect(countPolls(small + large, { minFunctionSize: 1000 })).toBe(0);
    const arrow = 'f = (a) => { for (;;) (() => g(JSON.parse(a)))() }';
    expect(instrument(arrow, { minFunctionSize: 25 }).code).toContain('(() => g(JSON.parse(a)))');
    // It may run before what initialises the polls of those it calls.
    const cycle = 'import "a"; function f() { for (;;); } export function g() { f() }';
    expect(instrument(cycle, { minFunctionSize: 21 }).code).toMatch(/export function g\(\) \{\$h\|\|\$i\(\);/);
  });

  test('what was put in, and counts', () => {
    const code = '"use strict"; function f(a) { while (a) a = g(a); return () => a }';
    const { insertions, functions, polls, code: instrumented } = instrument(code);
    let made = code;
    let shift = 0;
    for (const { offset, text } of insertions) {
      made = made.slice(0, offset + shift) + text + made.slice(offset + shift);
      shift += text.length;
    }
    expect(made).toBe(instrumented);
    expect([functions, polls]).toEqual([2, instrumented.match(POLL).length]);
    const { insertions: none, functions: no, polls: neither } = instrument(instrumented);
    expect([none, no, neither]).toEqual([[], 0, 0]);
  });

  test('asm.js', () => {
    const code = '(function () { "use asm"; function a() { while (1) b(); } return a })';
    expect(instrument(code).code).toContain(code);
  });
});

describe('the map', () => {
  test('leads back to the code as given', () => {
    const code = 'var first = () => {\n  return second(third);\n};\nfor (;;) fourth();\n';
    const result = instrument(code, { url: 'https://x.test/a.js' });
    expect(result.map).toMatchObject({
      version: 3, file: 'https://x.test/a.js', sources: ['https://x.test/a.js'], sourcesContent: [code],
    });
    expect(result.map).toBe(result.map);
    const map = new TraceMap(result.map);
    const place = (text, word) => {
      // The first of some is a name in the table.
      const before = text.slice(0, text.lastIndexOf(word)).split('\n');
      return { line: before.length, column: before.at(-1).length };
    };
    for (const word of ['first', 'second', 'third', 'fourth']) {
      expect(originalPositionFor(map, place(result.code, word))).toMatchObject(place(code, word));
    }
  });

  test('is there without a URL', () => {
    const { map } = instrument('a(() => b())');
    expect(JSON.parse(map.toString())).toMatchObject({ version: 3, sources: [''] });
  });
});

describe('the prologue', () => {
  const run = (code, realm = makeRealm()) => {
    vm.runInContext(instrument(code).code, realm);
    return realm[Symbol.for('profilyfill')];
  };

  test('makes the hub, out of the way of the page', () => {
    const realm = makeRealm();
    const hub = run('var a = (() => Math.random())()', realm);
    expect(Object.prototype.toString.call(hub.c)).toBe('[object Int32Array]');
    expect(hub.c.length).toBe(64);
    expect(Object.prototype.toString.call(hub.c.buffer)).toBe('[object SharedArrayBuffer]');
    expect(Object.getOwnPropertyDescriptor(realm, Symbol.for('profilyfill')))
      .toMatchObject({ writable: false, enumerable: false, configurable: false });
    expect(Object.getOwnPropertyDescriptor(realm, '$pf_'))
      .toEqual({ value: hub.c, writable: false, enumerable: false, configurable: false });
    for (const call of [() => hub.p(5), () => hub.a, () => hub.b, () => hub.e]) {
      hub.c.fill(-1, 1, 4);
      call();
      expect([...hub.c.subarray(0, 6)]).toEqual([0, ...Array(3).fill(0x7fffffff), 0, 0]);
    }
  });

  test('takes the hub that is there, and adds its table', () => {
    const realm = makeRealm();
    const hub = run('a = () => b()', realm);
    expect(run('c = () => d()', realm)).toBe(hub);
    expect(hub.t.map(({ n }) => n)).toEqual(['a', 'c']);
  });

  test('works where there is no SharedArrayBuffer', () => {
    const realm = makeRealm();
    vm.runInContext('delete globalThis.SharedArrayBuffer', realm);
    expect(Object.prototype.toString.call(run('a = () => b()', realm).c.buffer)).toBe('[object ArrayBuffer]');
  });

  test('does not throw where the hub cannot be put', () => {
    const realm = makeRealm();
    vm.runInContext(
      'var done; Object.defineProperty(globalThis, Symbol.for("profilyfill"), { get() {} })', realm,
    );
    vm.runInContext(instrument('(function () { for (let i = 0; i < 3; i++) done = i })()').code, realm);
    expect(realm.done).toBe(2);
  });

  test('keeps an error that tells the URL of the script', () => {
    const realm = makeRealm();
    vm.runInContext(instrument('a = () => b()').code, realm, { filename: 'https://x.test/own.js' });
    const { e: error } = realm[Symbol.for('profilyfill')].t[0];
    expect(error.stack.split('\n')[1]).toContain('https://x.test/own.js:1:');
  });

  test('says what it was told', () => {
    const { code } = instrument('a', { url: 'u', line: 2, column: 3 });
    expect(readTable(code)).toMatchObject({ u: 'u', l: 2, o: 3 });
  });
});

describe('the kind of a script that nobody named', () => {
  test.each([
    ['import "a"; f(() => g())', /^const /],
    ['export { f }; var f = () => g()', /^const /],
    ['import.meta; f(() => g())', /^const /],
    ['await f(() => g())', /^const /],
    ['f(() => g()) // import a from "b"', /^\{const /],
    ['import("a"); f(() => g())', /^\{const /],
    ['function f() { g() }', /^\{let /],
    ['let f = () => g()', /^\{let /],
    ['import "a"; export function f() { g() }', /^var /],
    ['var await = f(() => g()); /* export */', /^\{const /],
    // What parses as a module and is none.
    ['f(async () => { await g() }); import("a")', /^\{const /],
    ['f(() => g()); /* export */ a<!--b', /^\{const /],
    ['await\n(1); f(() => g()); /* export */', /^\{const /],
    ['for await (a of b) f(() => g()); /* export */', /^const /],
    ['{ await using a = f(() => g()) } /* export */', /^const /],
  ])('%s', (code, start) => {
    expect(instrument(code).code).toMatch(start);
  });
});

test('deep nesting', () => {
  const functions = `${'function f() { g(); '.repeat(500)}${'}'.repeat(500)}`;
  const blocks = `f(() => {${'if (a) {'.repeat(500)} b() ${'}'.repeat(500)}})`;
  for (const code of [functions, blocks]) expect(countPolls(code)).toBeGreaterThan(0);
});

test('memory: hardly more than parsing takes', async () => {
  // Of 9 MB, parsing alone takes some 130 MB.
  const worker = new Worker(`
    const { readFileSync } = require('node:fs');
    const { parentPort, workerData: { module, bundle } } = require('node:worker_threads');
    import(module).then(({ instrument }) => {
      parentPort.postMessage(instrument(readFileSync(bundle, 'utf8')).functions);
    });`, {
    eval: true,
    workerData: {
      module: new URL('../../js/instrument.js', import.meta.url).href,
      bundle: fileURLToPath(new URL('../../node_modules/typescript/lib/typescript.js', import.meta.url)),
    },
    resourceLimits: { maxOldGenerationSizeMb: 190, maxYoungGenerationSizeMb: 16 },
  });
  const [functions] = await once(worker, 'message');
  await worker.terminate();
  expect(functions).toBeGreaterThan(20_000);
}, 120_000);
