/** Weights: what polls tell of their times, and how they are measured. */
import { expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instrument } from '../../js/instrument.js';
import { makeWeights } from '../../js/instrument/weights.js';
import { Instrumenter } from '../../js/plugin/instrumenter.js';

const CODE = `
function outer(list) {
  let sum = 0;
  for (const one of list) sum += inner(one);
  return sum;
  function inner(one) { return JSON.stringify(one).length + list.indexOf(one); }
}
var total = outer([1, 22, 333]);
`;

/** Codes of the polls, in the order of the text. */
const codesOf = (code) => [...code.matchAll(/&&\$h\w*\.(?:p\((\d+)\)|([abde]))/g)]
  .map(([, digits, kind]) => Number(digits ?? 'abde'.indexOf(kind)));

function calibrate(code, options) {
  const { calibrated } = instrument(code, { calibrate: 0, ...options });
  return calibrated;
}

/** Runs calibrating code; how often each poll was passed. */
function run(code) {
  const hub = { c: new Int32Array(64), t: [], v: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], p() {} };
  hub.c.fill(2 ** 31 - 1, 1, 4);
  const key = Symbol.for('profilyfill');
  Object.defineProperty(globalThis, key, { value: hub, configurable: true });
  try {
    const result = (0, eval)(code);
    return { visits: hub.v, result };
  } finally {
    delete globalThis[key];
  }
}

test('polls count themselves, each its own, and the code computes the same', () => {
  const { code, calibrated, polls } = instrument(CODE, { calibrate: 2 });
  const count = calibrated.reduce((sum, one) => sum + one.count, 0);
  expect(count).toBe(polls);
  expect(codesOf(code).map((one) => one >> 2)).toEqual(Array.from({ length: polls }, (x, i) => i + 2));
  expect(codesOf(code).map((one) => one & 3)).toEqual(codesOf(instrument(CODE).code));
  const { visits } = run(`${code}\n;total`);
  expect(visits.slice(0, 2)).toEqual([0, 0]);
  expect(visits.slice(2, 2 + polls).every((one) => one > 0)).toBe(true);
  const { result } = run(`${code}\n;total`);
  expect(result).toBe(run(`${CODE}\n;total`).result);
});

test('times come back as levels, at most a quarter off, or half below a nanosecond', () => {
  const times = [0.4, 1, 3, 10, 77, 1e3, 5e4, 1e6, 9e7];
  const functions = [{ key: 'a-1', first: 0, count: times.length }];
  const weights = makeWeights(functions, (site) => times[site]);
  expect(weights.version).toBe(1);
  const [levels] = Object.values(weights.functions);
  expect(levels).toHaveLength(times.length);
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv';
  for (let i = 0; i < times.length; i++) {
    const level = alphabet.indexOf(levels[i]);
    const told = (2 + (level & 1) << (level >> 1)) / 8; // as js/polls.js does
    expect(Math.abs(Math.log(told / times[i]))).toBeLessThan(times[i] < 1 ? 0.5 : 0.26);
  }
  // Nothing is known of what has not run, and of what is beyond the longest nothing else can be said.
  expect(makeWeights(functions, () => 0).functions).toEqual({});
  expect(makeWeights(functions, () => 1e12).functions['a-1']).toBe('v'.repeat(times.length));
});

test('functions have the weights of their text, wherever they are', () => {
  const weights = makeWeights(calibrate(CODE), (site) => (site + 1) * 100);
  const plain = codesOf(instrument(CODE).code);
  const codes = codesOf(instrument(CODE, { weights }).code);
  expect(codes.map((one) => one & 3)).toEqual(plain);
  expect(codes.every((one) => one > 3)).toBe(true);
  // Below other code, in a module, and with another function inside that has changed.
  const before = 'export const before = () => { for (;;) if (Math.random() > 0.5) break; };\n';
  const moved = before + CODE.trimStart();
  const known = codesOf(instrument(moved, { weights }).code).filter((one) => one > 3);
  expect(known.length).toBeGreaterThanOrEqual(codes.length - 1);
  const changed = CODE.replace('list.indexOf(one)', 'list.lastIndexOf(one)');
  const left = codesOf(instrument(changed, { weights }).code);
  const ofOuter = left.filter((one) => one > 3);
  expect(ofOuter.length).toBeGreaterThan(0);
  expect(left.length - ofOuter.length).toBe(calibrate(CODE).at(-1).count);
  // Of a function that has other polls by now nothing is known.
  const more = calibrate(CODE).map((one) => ({ ...one, count: one.count + 1 }));
  const other = makeWeights(more, () => 100);
  expect(codesOf(instrument(CODE, { weights: other }).code)).toEqual(plain);
});

test('what is no weights is refused', () => {
  const wrong = [1, null, {}, { version: 2, functions: {} }, { version: 1, functions: 'x' }, [], ''];
  for (const weights of wrong) {
    expect(() => instrument(CODE, { weights })).toThrow(expect.objectContaining(
      { code: 'ERR_PROFILYFILL_OPTION', message: expect.stringMatching(/^weights must be/) }));
  }
  expect(() => instrument(CODE, { calibrate: -1 })).toThrow(/^calibrate must be/);
  // Values in it that make no sense are as if they were not there.
  const [{ key, count }] = calibrate(CODE);
  for (const levels of [7, '~'.repeat(count), '', ['1']]) {
    const { code } = instrument(CODE, { weights: { version: 1, functions: { [key]: levels } } });
    expect(codesOf(code)).toEqual(codesOf(instrument(CODE).code));
  }
  const inherited = { version: 1, functions: Object.create({ [key]: '5'.repeat(count) }) };
  expect(codesOf(instrument(CODE, { weights: inherited }).code)).toEqual(codesOf(instrument(CODE).code));
});

test('the plugin reads them from a file, whose contents are part of its digest', () => {
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-weights-'));
  const path = join(folder, 'weights.json');
  try {
    const weights = makeWeights(calibrate(CODE), () => 100);
    writeFileSync(path, JSON.stringify(weights));
    const first = new Instrumenter({ weights: path, cache: false });
    expect(codesOf(first.instrument('a.js', CODE).code).every((one) => one > 3)).toBe(true);
    expect(new Instrumenter({ weights, cache: false }).digest).toBe(first.digest);
    writeFileSync(path, JSON.stringify(makeWeights(calibrate(CODE), () => 200)));
    expect(new Instrumenter({ weights: path }).digest).not.toBe(first.digest);
    expect(() => new Instrumenter({ weights: join(folder, 'none.json') })).toThrow(expect.objectContaining(
      { code: 'ERR_PROFILYFILL_OPTION', message: expect.stringMatching(/^weights cannot be read: /) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('polls of every kind and home count themselves', () => {
  const sources = [
    'export async function f(a) { for await (const b of a) { await b(); a.sort(); } }',
    'const e = (x) => eval(x); const y = (z) => { while (z) z = e(z); return z.replace(/a/, "b"); };',
    'import "./b.js"; export function f() { return g().sort(); }\nexport function g() { for (;;); }',
    'var a = 1; function* g() { yield a.sort(); while (a) a--; }',
    'class A { m() { return this.n().map((x) => x.sort()); } static { for (;;) break; } }',
  ];
  for (const source of sources) {
    const { code, calibrated, polls } = instrument(source, { calibrate: 0 });
    expect(calibrated.reduce((sum, { count }) => sum + count, 0)).toBe(polls);
    expect(code.match(/\+\+\$h\w*\.v\[\d+\]/g)).toHaveLength(polls);
    expect(() => instrument(code)).not.toThrow(); // it parses
  }
});
