/** The core of memory measurements as it is shipped: what its module has, and that the twin is the same. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import * as twin from '../../wasm-out/measure-memory-twin.mjs';

const read = (name) => readFileSync(new URL(`../../${name}`, import.meta.url));
const bytes = read('wasm-out/measure-memory.wasm');
const module = new WebAssembly.Module(bytes);
const listed = read('c/wasm/memory.exports').toString().trim().split('\n').sort();

test('exports what c/wasm/memory.exports lists, all of which the shim uses, and imports nothing', () => {
  expect(WebAssembly.Module.exports(module).map(({ name }) => name).sort()).toEqual(listed);
  expect(Object.keys(twin.instantiate()).sort()).toEqual(listed);
  const shim = read('js/measure-memory/core.js').toString();
  expect(listed.filter((name) => !new RegExp(`\\.${name}\\b`).test(shim))).toEqual([]);
  expect(WebAssembly.Module.imports(module)).toEqual([]);
});

test('weighs 9 kB at most', () => {
  expect(bytes.length).toBeLessThanOrEqual(9_000);
});

/** Calls a core as the shim does, with all kinds of arguments, in an order that is the same each time. */
function exercise(core) {
  let seed = 1;
  const random = (bound) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(seed / 2 ** 32 * bound);
  };
  const said = [];
  const write = (...lengths) => {
    const room = lengths.reduce((sum, length) => sum + length, 0);
    const at = core.memory_input(room);
    const units = new Uint16Array(core.memory.buffer, at, room);
    for (let i = 0; i < room; i++) units[i] = random(4) ? 32 + random(96) : random(65_536);
    return lengths;
  };
  core._initialize?.();
  for (let measurement = 0; measurement < 5; measurement++) {
    for (let i = 0; i < 400; i++) {
      const realm = i < 9 ? i - 1 : random(40) - 1; // at first there are but few to refer to
      const known = random(20) || i < 9 ? realm : 1_000;
      switch (i < 9 ? 0 : random(4)) {
        case 0:
          said.push(core.memory_window(known, random(3) || i < 9 ? 1 : 0,
            ...write(random(60), random(9), random(60))));
          break;
        case 1:
          said.push(core.memory_worker(known, random(5), ...write(random(60))));
          break;
        default:
          for (let j = random(3), at = realm; j >= 0; j--) {
            at += 1 + random(2);
            said.push(core.memory_attribute(at));
          }
          said.push(core.memory_bytes(random(34), random(30) ? random(2 ** 31) * 2 ** random(11) : 0.5));
      }
      said[said.length - 1] |= 0;
    }
    for (let result = 0; result < 3; result++) {
      const words = core.memory_random_words();
      const room = new Uint32Array(core.memory.buffer, core.memory_random(), words);
      for (let i = 0; i < words; i++) room[i] = result === 2 ? 0 : random(2 ** 32);
      const at = core.memory_result();
      const text = at && Buffer.from(core.memory.buffer, at, core.memory_length()).toString();
      said.push([words, text, core.memory_last_status()]);
    }
    core.memory_end();
  }
  return said;
}

test('the twin says what the wasm says, call for call', () => {
  const expected = exercise(new WebAssembly.Instance(module, {}).exports);
  expect(exercise(twin.instantiate())).toEqual(expected);
  const results = expected.filter((item) => item[1]).map(([, text]) => JSON.parse(text));
  expect(results.length).toBeGreaterThanOrEqual(10);
  for (const { bytes: all, breakdown } of results) {
    expect(breakdown.reduce((sum, entry) => sum + entry.bytes, 0)).toBe(all);
    expect(breakdown.length).toBeGreaterThan(10);
  }
});
