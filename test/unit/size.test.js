/** What pages have to load weighs what it may, and what the README says. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { encodeCore } from '../../js/build/core-text.js';
import { shortenWasm } from '../../js/build/short-names.js';
import { measure, parse, print, update } from '../../js/build/sizes.js';

const sizes = measure();
const files = Object.keys(sizes);

// In bytes. The first is a promise; the others are what is there today and a little room.
const CEILINGS = {
  'profilyfill.iife.js': { gzip: 20_000, brotli: 19_000 },
  'profilyfill.wasm': { gzip: 12_000, brotli: 11_000 },
  'profilyfill-twin.js': { gzip: 18_000, brotli: 16_500 },
  'profilyfill-worker.js': { gzip: 20_500, brotli: 19_500 },
  'measure-memory.iife.js': { gzip: 21_500, brotli: 19_500 },
  'measure-memory-twin.js': { gzip: 8_000, brotli: 7_500 },
  'esm/fxprof.js': { gzip: 36_000, brotli: 33_000 },
  'profilyfill-service-worker.js': { gzip: 120_000, brotli: 102_000 },
  'profilyfill-positions.js': { gzip: 50_000, brotli: 42_500 },
};

test.each(files)('%s is not too large', (name) => {
  const { gzip, brotli } = sizes[name];
  expect(gzip).toBeLessThanOrEqual(CEILINGS[name].gzip);
  expect(brotli).toBeLessThanOrEqual(CEILINGS[name].brotli);
  // Compressed to next to nothing would mean that the build is broken.
  expect(gzip).toBeGreaterThan(5_000);
});

test('the embedded wasm is the one that is shipped beside', () => {
  const script = readFileSync(new URL('../../wasm-out/profilyfill.iife.js', import.meta.url), 'utf8');
  const wasm = readFileSync(new URL('../../wasm-out/profilyfill.wasm', import.meta.url));
  const text = encodeCore(shortenWasm(wasm));
  expect(script.split(text)).toHaveLength(2);
  // Wherever the script is put, in a document as well, it needs no escape.
  expect(text).toMatch(/^[ -~]+$/);
  expect(text).not.toMatch(/["<>\\]/);
});

test('the sizes in the README are those of the build, within 2 %', () => {
  const told = parse(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'));
  expect(Object.keys(told ?? {})).toEqual(files);
  for (const name of files) {
    for (const how of ['raw', 'gzip', 'brotli']) {
      const off = Math.abs(told[name][how] / sizes[name][how] - 1);
      expect([name, how, told[name][how], off <= 0.02]).toEqual([name, how, told[name][how], true]);
    }
  }
});

test('a README is updated between its marks only', () => {
  const before = 'Sizes:\n\n<!-- sizes -->\nold\n<!-- /sizes -->\n\n| `x` | y | 1.0 kB | 1.0 kB | 1.0 kB |\n';
  const after = update(before, sizes);
  expect(after).toBe(before.replace('old\n', () => print(sizes)));
  expect(Object.keys(parse(after))).toEqual(files);
  expect(update(after, sizes)).toBe(after);
  expect(update('no marks', sizes)).toBe(null);
  expect(parse('no marks')).toBe(undefined);
});
