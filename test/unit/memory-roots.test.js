import { runInNewContext } from 'node:vm';
import { parse } from 'acorn';
import { instrument } from '../../js/instrument.js';
import { bundleProgram } from '../bench/support/programs.js';

/** Runs a classic script with the option; `read` reads all that it shows. */
function run(code, options = {}) {
  const context = { WeakRef, console };
  context.globalThis = context;
  const made = instrument(code, { memoryRoots: true, sourceType: 'script', ...options }).code;
  const result = runInNewContext(made, context);
  const read = () => {
    const seen = [];
    const hub = runInNewContext('globalThis[Symbol.for("profilyfill")]', context);
    for (let next = hub.m; next; next = next.n) next.f((value) => seen.push(value));
    for (let i = 0; i < (hub.l?.n ?? 0); i++) hub.l.a[i].deref()?.((value) => seen.push(value));
    return seen;
  };
  return { result, read, context };
}

test('off, nothing changes', () => {
  const code = 'let a = 1; function f(b) { return () => a + b; }';
  const plain = instrument(code);
  expect(instrument(code, { memoryRoots: false }).code).toBe(plain.code);
  expect(instrument(code, { memoryRoots: true }).code).not.toBe(plain.code);
});

test('only takes a boolean', () => {
  expect(() => instrument('', { memoryRoots: 1 })).toThrow(
    expect.objectContaining({ code: 'ERR_PROFILYFILL_OPTION' }));
});

test('variables of a script that no global leads to', () => {
  const { read } = run(`let a = "let"; const b = "const"; var c = "var"; class D {}
    function e() { return a; }`);
  const seen = read();
  expect(seen).toEqual(expect.arrayContaining(['let', 'const']));
  expect(seen).toHaveLength(3); // and the class
});

test('of functions: what inner ones use', () => {
  const { read } = run(`
    function outer(a, { b }, ...c) {
      "use strict".length;
      var d = "d"; let e = "e"; const unused = "unused";
      return () => [a, b, c, d, e];
    }
    var kept = outer("a", { b: "b" }, "c");`);
  expect(read().flat()).toEqual(expect.arrayContaining(['a', 'b', 'c', 'd', 'e']));
  expect(read().flat()).not.toContain('unused');
});

test.each([
  ['var f = (a) => () => a; var k = f("seen");'],
  ['var f = async (a, b = "seen") => () => b; var k = f();'],
  ['var f = (a) => ({ get: () => a }); var k = f("seen");'],
  ['var f = a => b => c => a + b + c; var k = f("seen")(1);'],
  ['var o = { m(a) { return () => a; }, get g() { var x = 1; return () => x; } }; var k = o.m("seen");'],
  ['class C { constructor(a) { this.f = () => a; } } var k = new C("seen");'],
  ['class B {} class C extends B { constructor(a) { super(); this.f = () => a; } } var k = new C("seen");'],
  ['function* g(a) { yield () => a; } var k = g("seen").next();'],
  ['function f(a) { "use strict"; return function () { return a; }; } var k = f("seen");'],
  ['function f(a) { "use strict"\nreturn function () { return a; }; } var k = f("seen");'],
  ['(function () { var a = "seen"; globalThis.k = function () { return a; }; })();'],
  ['function f(a) { eval("1"); return () => a; } var k = f("seen");'],
  ['var f = (a) => (slow(), () => a); function slow() { for (let i = 0; i < 9; i++); } var k = f("seen");'],
])('%s', (code) => {
  expect(run(code).read()).toContain('seen');
});

test('a variable that is not there yet is left out', () => {
  const { context } = run(`
    function outer(read) {
      let early = "early"; const f = () => [early, late]; read(); let late = "late"; return f;
    }
    var during = [];
    var kept = outer(() => {
      const list = globalThis[Symbol.for("profilyfill")].l;
      for (let i = 0; i < list.n; i++) list.a[i].deref()((value) => { during.push(value); });
    });`);
  expect(context.during).toContain('early');
  expect(context.during).not.toContain('late');
});

test('the same is computed', async () => {
  for (const code of [
    'var f = function () {}; var g = (a) => () => a; [f.name, g.name, g.length, g(3)()].join()',
    'function f(a, b) { arguments[0] = 5; var g = () => a; return g(); } f(1)',
    'var r = []; for (let i = 0; i < 3; i++) r.push(() => i); r.map((f) => f()).join()',
    'function f() { try { return h(); } catch (e) { return e.name; } const z = 1; function h() { z; } } f()',
    'label: for (var x of [1]) { (() => x)(); break label; } x',
    'var { a = () => b, b = 2 } = {}; a() + b',
    'function f(x, g = () => x) { var x = 2; return g() + x; } f(1)',
    'class A { #p = 1; static s = () => A; get v() { return this.#p; } } [A.s() === A, new A().v].join()',
  ]) {
    expect(run(code).result).toBe(runInNewContext(code));
  }
});

test('functions, polls and their places stay what they were', () => {
  const code = `import x from 'x';
    export const make = (a) => () => a + x; export function f(b) { const c = [b]; return () => c; }`;
  const on = instrument(code, { memoryRoots: true });
  const off = instrument(code);
  expect([on.functions, on.polls]).toEqual([off.functions, off.polls]);
  expect(on.code.split('\n')).toHaveLength(code.split('\n').length);
  // Without what was put in, it is the code as given.
  let rest = on.code;
  for (const { offset, text } of on.insertions) {
    expect(rest.slice(offset, offset + text.length)).toBe(text);
    rest = rest.slice(0, offset) + rest.slice(offset + text.length);
  }
  expect(rest).toBe(code);
});

test.each(['immer', 'fflate'])('%s stays valid', async (name) => {
  const code = await bundleProgram(name, { minify: true });
  const made = instrument(code, { memoryRoots: true, sourceType: 'script' }).code;
  expect(() => parse(made, { ecmaVersion: 'latest', sourceType: 'script' })).not.toThrow();
});

test('many calls do not add up', () => {
  const { context } = run('function f(a) { return () => a; } for (var i = 0; i < 1e5; i++) f(i);');
  const hub = runInNewContext('globalThis[Symbol.for("profilyfill")]', context);
  expect(hub.l.n).toBeLessThanOrEqual(32_768);
  expect(hub.l.a.length).toBeLessThanOrEqual(32_768);
});
