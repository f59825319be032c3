/**
 * What is instrumented computes what it computed before, for every construct of the language that the polls
 * touch: same log, same result (for scripts, the completion value), same errors. The messages of the engine
 * that quote code are left out.
 */
import { describe, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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
  expect(text).toMatch(/\.p\(\d\)/);
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
