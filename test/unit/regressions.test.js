/**
 * Faults that were found once. One line each on what broke.
 */
import { describe, expect, jest, test } from '@jest/globals';
import vm from 'node:vm';
import { instrument } from '../../js/instrument.js';
import { observe } from './support/compare.js';
import { makeRealm } from './support/realm.js';

jest.setTimeout(60_000);

async function expectSame(code, sourceType, modules) {
  const { plain, quiet, polled } = await observe(code, sourceType, modules);
  expect({ code, quiet }).toEqual({ code, quiet: plain });
  expect({ code, polled }).toEqual({ code, polled: plain });
  return plain;
}

const LOOP = '(function () { for (let i = 0; i < 2; i++) log(i) })()';

describe('instrumented code', () => {
  test('asks the object of `with` for no names of ours: a proxy that has every name gave none', async () => {
    await expectSame(`with (new Proxy({ log }, { has: () => true, get: (o, key) => o[key] })) ${LOOP}`);
    await expectSame(`function f(o) { with (o) for (var i = 0; i < 2; i++) log(i); return log(2) }
      f(new Proxy({}, { has: (o, key) => { log(String(key)); return false } }))`);
  });

  test('may declare a globalThis of its own: the prologue took it before it was set', async () => {
    await expectSame(`let globalThis = { log }; ${LOOP}`);
    await expectSame(`const globalThis = { log }; ${LOOP}`, 'module');
    await expectSame(`var globalThis; ${LOOP}`, 'commonjs');
    await expectSame(`const self = 1, window = 2, globalThis = 3, global = 4; ${LOOP}`, 'commonjs');
  });

  test('runs where the page has patched Error, or Object.prototype: the prologue threw', () => {
    const { code } = instrument('function f() { for (;;) return 5 } f()');
    for (const first of ['Error = class extends Error {}', 'Error = function () { throw 1 }',
      'Object.prototype.get = 1', 'Object.prototype.set = Object.prototype.writable = () => {}']) {
      const realm = makeRealm();
      vm.runInContext(first, realm);
      expect(vm.runInContext(code, realm)).toBe(5);
    }
  });

  test('may evaluate the text of a function, whatever makes it text: the names were unknown', async () => {
    const f = 'function f() { for (let i = 0; i < 2; i++) log(i); return 3 }';
    for (const text of ['new Function("return " + f)()', '(0, eval)("(" + f + ")")', 'Function(`return ${f}`)()',
      'window.eval("(" + f + ")")', '(() => { const F = Function; return F("return " + f)() })()']) {
      await expectSame(`(function () { ${f} return ${text}() })()`);
    }
    // What many libraries do to get at the global object tells nothing.
    expect(instrument(`${f} var g = Function("return this")()`).code).not.toContain('typeof $h');
  });

  test('may hand out functions before its body runs: only some of them set up the polls', async () => {
    const main = `import 'other';
      function b() { for (let i = 0; i < 2; i++) log(i); return 1 }
      export function direct() { return b }
      export function preset(f = b) { return f }
      export function* generator() { return { b } }
      export function put(o) { o.b = b }
      export function klass() { return class { static b = b } }`;
    const other = `import { direct, preset, generator, put, klass } from 'main';
      const o = {};
      put(o);
      log(direct()(), preset()(), generator().next().value.b(), o.b(), klass().b());`;
    const plain = await expectSame(main, 'module', { other });
    expect(plain).toContain('1 1 1 1 1');
  });

  test('too deep to walk is told by an error of ours: the walker let the RangeError out', () => {
    const deep = 'x' + '.f()'.repeat(20_000);
    expect(() => instrument(deep)).toThrow(expect.objectContaining({ code: 'ERR_PROFILYFILL_SYNTAX' }));
  });
});
