/** In bundles that hold the polyfill and are instrumented as a whole only the page's code gets polls. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';
import { instrument } from '../../js/instrument.js';

const built = fileURLToPath(new URL('../../wasm-out/', import.meta.url));

const PAGE = `globalThis.page = function page(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += i;
  return sum;
};`;
const ENTRY = `import 'profilyfill/auto'; import { coreKind } from 'profilyfill'; ${PAGE} console.log(coreKind());`;
const external = ['./profilyfill-*', '../esm/profilyfill-*'];

let folder;

beforeAll(() => {
  // Below the package, which so is found by its name.
  mkdirSync(join(built, 'test'), { recursive: true });
  folder = mkdtempSync(join(built, 'test/unpolled-'));
  writeFileSync(join(folder, 'entry.js'), ENTRY);
  writeFileSync(join(folder, 'entry.cjs'), ENTRY.replace(/import ('[^']*')/, 'require($1)')
    .replace(/import ({[^}]*}) from ('[^']*')/, 'const $1 = require($2)'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const byEsbuild = async (options) => {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'entry.js')], bundle: true, write: false, external, logLevel: 'error',
    format: 'esm', ...options,
  });
  return outputFiles[0].text;
};

test.each([
  ['esbuild', () => byEsbuild({ minify: true })],
  ['esbuild, CommonJS', () => byEsbuild({ entryPoints: [join(folder, 'entry.cjs')], minify: true })],
  ['terser', async () => (await minify(await byEsbuild(), {
    module: true, toplevel: true, compress: { passes: 3, unsafe: true },
  })).code],
])('%s', async (_, bundle) => {
  const code = await bundle();
  expect(code).toContain('Failed to construct');
  const { functions, polls } = instrument(code);
  expect(functions).toBeGreaterThan(100);
  expect(polls).toBeGreaterThan(0);
  // Those of the loop, and what the bundler has put around; the polyfill would have hundreds.
  expect(polls).toBeLessThan(20);
});

test.each(['profilyfill.iife.js', 'profilyfill-worker.js', 'cjs/index.cjs'])('%s as it is', (name) => {
  expect(instrument(readFileSync(join(built, name), 'utf8')).polls).toBe(0);
});
