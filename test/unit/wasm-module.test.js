/** The wasm module: what it exports, imports, reserves and weighs; and when it is compiled. */
import { describe, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findSection, readMemoryLimits, readWasm } from './support/raw-core.js';

jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const bytes = readWasm();
const module = new WebAssembly.Module(bytes);

const listed = readFileSync(`${root}c/wasm/core.exports`, 'utf8').trim().split('\n');

test('exports what c/wasm/core.exports lists, and nothing else', () => {
  const exported = WebAssembly.Module.exports(module);
  expect(exported.map(({ name }) => name).sort()).toEqual([...listed].sort());
  expect(exported.filter(({ kind }) => kind !== 'function'))
    .toEqual([{ name: 'memory', kind: 'memory' }]);
});

test('every export is used by the shim', () => {
  const shim = readFileSync(`${root}js/core.js`, 'utf8');
  expect(listed.filter((name) => !new RegExp(`\\.${name}\\b`).test(shim))).toEqual([]);
});

test('imports nothing', () => {
  expect(WebAssembly.Module.imports(module)).toEqual([]);
});

test('begins with 256 KB of memory, grows to 1 GB at most, and shares none', () => {
  expect(readMemoryLimits(bytes)).toMatchObject({ initial: 4, maximum: 16_384 });
  const { start } = findSection(bytes, 5);
  expect(bytes[start]).toBe(1); // one memory
  expect(bytes[start + 1]).toBe(1); // has a maximum, is not shared
});

// Growth has to be meant: raise this only together with the reason.
test('weighs 24 KB at most', () => {
  expect(bytes.length).toBeLessThanOrEqual(24 * 1024);
});

test('carries no names, no debug information and no section that engines do not need', () => {
  for (const section of ['name', 'producers', 'sourceMappingURL', '.debug_info', 'target_features']) {
    expect([section, WebAssembly.Module.customSections(module, section).length]).toEqual([section, 0]);
  }
});

test("has nothing of the C library's printing, parsing and time keeping", () => {
  // Their tables and messages would be in the data section.
  const { start, end } = findSection(bytes, 11);
  const text = bytes.subarray(start, end).toString('latin1');
  const words = text.match(/[\x20-\x7e]{4,}/g) ?? [];
  for (const trace of ['-+   0X0x', '(null)', 'Success', 'Illegal byte sequence', 'out of memory',
    'assert', 'infinity', '%d', '%s', '/dev/', 'LC_ALL', 'Sunday']) {
    expect([trace, words.filter((word) => word.includes(trace))]).toEqual([trace, []]);
  }
  expect(end - start).toBeLessThan(2048);
});

describe('nothing is decoded or compiled at import', () => {
  // In a process of its own: spies on all that could, then imports, then makes a profiler.
  const observe = (load) => JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', `
    const calls = [];
    for (const name of ['Module', 'Instance', 'instantiate', 'compile', 'validate', 'instantiateStreaming',
      'compileStreaming', 'Memory']) {
      const native = WebAssembly[name];
      WebAssembly[name] = new Proxy(native ?? function () {}, {
        apply: (target, self, args) => (calls.push(name), Reflect.apply(native, self, args)),
        construct: (target, args) => (calls.push(name), Reflect.construct(native, args)),
      });
    }
    // What is decoded needs a room of that size.
    globalThis.Uint8Array = new Proxy(Uint8Array, {
      construct(target, args) {
        if (args[0] > 10_000) calls.push('Uint8Array');
        return Reflect.construct(target, args);
      },
    });
    const from = Buffer.from;
    Buffer.from = (...args) => (calls.push('Buffer.from'), from(...args));
    const { Profiler, coreKind } = await (async () => { ${load} })();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const atImport = [...calls];
    const kindAtImport = coreKind();
    const start = performance.now();
    const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10 });
    const trace = await profiler.stop();
    console.log(JSON.stringify({
      atImport, kindAtImport, atUse: calls, kindAtUse: coreKind(),
      // Beside the first one no more than have come due while the core was loaded.
      hasItsSamples: trace.samples.length >= 1 && trace.samples.length <= 1 + (performance.now() - start) / 10,
    }));
  `], { cwd: root, encoding: 'utf8' }));

  const expected = {
    atImport: [], kindAtImport: 'none', atUse: ['Uint8Array', 'instantiate'], kindAtUse: 'wasm', hasItsSamples: true,
  };

  test.each([
    ['as an ES module', "return import('./wasm-out/esm/index.js');"],
    ['as CommonJS', `
      const { createRequire } = await import('node:module');
      return createRequire(process.cwd() + '/')('./wasm-out/cjs/index.cjs');`],
    ['by the script tag', `
      const { readFileSync } = await import('node:fs');
      (0, eval)(readFileSync('./wasm-out/profilyfill.iife.js', 'utf8'));
      return globalThis.profilyfill;`],
    ['profilyfill/auto in a page', `
      globalThis.document = { scripts: [] };
      await import('./wasm-out/esm/auto.js');
      return import('./wasm-out/esm/index.js');`],
  ])('%s', (how, load) => {
    expect(observe(load)).toEqual(expected);
  });
});
