/** The JS twin as it is shipped: its two files, and that it is the same core as the wasm module. */
import { describe, expect, jest, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { shortenText } from '../../js/build/short-names.js';
import { encodeTable } from './support/function-table.js';
import { JAVASCRIPTCORE, SPIDERMONKEY, V8, makeCore } from './support/raw-core.js';
import * as twinModule from '../../wasm-out/profilyfill-twin.mjs';

jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = readFileSync(`${root}wasm-out/profilyfill-twin.js`, 'utf8');
const listed = readFileSync(`${root}c/wasm/core.exports`, 'utf8').trim().split('\n')
  .map(shortenText).sort();

/** A realm whose policy refuses what `script-src 'self'` refuses: eval, new Function and wasm. */
const makeStrictRealm = () =>
  vm.createContext({}, { codeGeneration: { strings: false, wasm: false } });

test('the module exports instantiate(), whose result has the exports of the wasm', () => {
  expect(Object.keys(twinModule)).toEqual(['instantiate']);
  expect(Object.keys(twinModule.instantiate()).sort()).toEqual(listed);
});

test('the script defines profilyfillTwin and no other global, and works where code may not be made', () => {
  const realm = makeStrictRealm();
  expect(() => vm.runInContext('eval("1")', realm)).toThrow('Code generation from strings disallowed');
  vm.runInContext(script, realm);
  expect(Object.keys(realm)).toEqual(['profilyfillTwin']);
  expect(Object.keys(realm.profilyfillTwin.instantiate()).sort()).toEqual(listed);
  const stack = vm.runInContext(shortenText(`
    const core = profilyfillTwin.instantiate();
    core._initialize();
    core.core_init(1, 257, 1);
    const text = 'Error\\n    at f (https://a.example/app.js:1:2)';
    const at = core.core_input(text.length);
    new Uint8Array(core.memory.buffer).set(Array.from(text, (c) => c.charCodeAt(0)), at);
    core.core_stack(text.length, 0, 0, 0, 0);
  `), realm);
  expect(stack).toBe(1);
});

test('neither file needs what it stands in for', () => {
  const module = readFileSync(`${root}wasm-out/profilyfill-twin.mjs`, 'utf8');
  for (const text of [script, module]) {
    expect(text).not.toMatch(/\bWebAssembly\b|\beval\b|\bFunction\s*\(|\brequire\b|\bprocess\b|\bBuffer\b/);
  }
  expect(module).not.toMatch(/\bimport\b/);
});

test('what is imported twice makes independent instances', () => {
  const [one, two] = [twinModule.instantiate(), twinModule.instantiate()];
  expect(one.memory.buffer).not.toBe(two.memory.buffer);
});

/** A generator of whole numbers below a bound, for tests that must be the same each time. */
function makeRandom(seed) {
  return (bound) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(seed / 2 ** 32 * bound);
  };
}

const TABLE = encodeTable({
  last: [200, 80],
  events: Array.from({ length: 60 }, (_, i) => [
    { at: [i * 3, 5], definition: [i * 3, 3], name: `f${i % 40}` },
    { at: [i * 3 + 1, 9], end: true },
  ]).flat(),
});

/** Calls the core in a random but repeatable order and records all it says. */
function exercise(core, engine, seed) {
  const random = makeRandom(seed);
  const said = [];
  const line = () => {
    const url = `https://a.example/${'abc'[random(3)]}.js`;
    const [name, row, column] = [['f', 'Kit.m', '', 'é<'][random(4)], random(250), random(90)];
    if (random(12) === 0) return 'junk \0 \u{1f4a9}';
    const place = `${url}:${row}:${column}`;
    if (engine !== V8) return `${name}@${place}`;
    return name ? `    at ${name} (${place})` : `    at ${place}`;
  };
  const text = () => (engine === V8 ? ['Error'] : [])
    .concat(Array.from({ length: random(30) }, line)).join('\n');
  const texts = Array.from({ length: 60 }, text);
  const sessions = [];
  for (let step = 0; step < 3_000; step++) {
    const session = sessions[random(sessions.length)] ?? 0;
    switch (random(40)) {
      case 0:
        if (sessions.length < 6) sessions.push(core.open());
        said.push(sessions.at(-1));
        break;
      case 1:
        if (random(4) === 0) core.close(sessions.splice(random(sessions.length), 1)[0] ?? 99);
        break;
      case 2: {
        const trace = core.trace(session, (url, hasTable) => hasTable || !url.endsWith('b.js'));
        said.push(JSON.stringify(trace));
        break;
      }
      case 3:
        if (random(6) === 0) {
          const names = random(4) ? TABLE.names : TABLE.names.slice(0, 20);
          said.push(core.addScript({ ...TABLE, names, url: `https://a.example/${'ab'[random(2)]}.js` }));
        }
        break;
      case 4:
        said.push(core.counters());
        break;
      default: {
        const wanted = random(5) ? texts[random(texts.length)] : text();
        const drop = { leaf: random(3), wrapper: random(2), root: random(3) };
        const stack = core.stack(wanted, drop);
        said.push(stack, core.sample(session, step + random(1000) / 7, stack));
      }
    }
  }
  said.push(core.counters());
  return said;
}

describe('says what the wasm says, call for call', () => {
  test.each([['V8', V8], ['SpiderMonkey', SPIDERMONKEY], ['JavaScriptCore', JAVASCRIPTCORE]])(
    'on stacks of %s', async (name, engine) => {
      for (const seed of [1, 2, 3]) {
        const [wasm, twin] = await Promise.all(['wasm', 'twin'].map((kind) =>
          makeCore(kind, { engine, seed: 0x9e3779b9 * seed, frameLimit: 25 })));
        const expected = exercise(wasm, engine, seed);
        expect(exercise(twin, engine, seed)).toEqual(expected);
        // The run has to have come by the interesting places.
        const traces = expected.filter((item) => typeof item === 'string').map((item) => JSON.parse(item));
        expect(traces.some((trace) => trace.samples.length > 100)).toBe(true);
        expect(traces.some((trace) => trace.frames.some((frame) => frame.line))).toBe(true);
        expect(expected.at(-1).skippedLines).toBeGreaterThan(0);
        expect(twin.memorySize()).toBeGreaterThan(262_144);
      }
    });
});
