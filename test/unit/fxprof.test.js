/** The profile builder: the call scripts, natively and through wasm; the Profile class; the library. */
import { describe, expect, jest, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { replay } from '../fxprof/replay.mjs';
import {
  CpuDelta, FxprofError, Profile, ReferenceTimestamp, SamplingInterval, Timestamp,
} from '../../wasm-out/esm/fxprof.js';

jest.setTimeout(120_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const cases = readdirSync(`${root}test/data/fxprof`).map((file) => file.replace('.json', ''));
const readCase = (name) => readFileSync(`${root}test/data/fxprof/${name}.json`, 'utf8');

const replayNatively = (text) => JSON.parse(execFileSync(`${root}wasm-out/fxprof-replay`,
  { input: text, encoding: 'utf8', maxBuffer: 1 << 28 }));

const replayWasm = (text) => {
  const result = replay(JSON.parse(text));
  return { ...result, profile: result.profile.toJSON() };
};

test('there are call scripts', () => {
  expect(cases.length).toBeGreaterThanOrEqual(91);
});

describe.each([['natively', replayNatively], ['through wasm', replayWasm]])('%s', (how, run) => {
  test.each(cases)('%s', (name) => {
    const text = readCase(name);
    const { expected } = JSON.parse(text);
    const { profile, errors, values, handles } = run(text);
    expect(errors.map(({ call }) => call)).toEqual((expected.errors ?? []).map(({ call }) => call));
    // The kinds that scripts know; an invalid argument may turn out to be something more particular.
    for (const [i, { kind }] of (expected.errors ?? []).entries()) {
      expect(errors[i].code).toBe(`ERR_FXPROF_${kind.toUpperCase().replace('-', '_')}`);
    }
    expect(values).toMatchObject(expected.values ?? {});
    for (const group of expected.same ?? []) {
      expect([group, new Set(group.map((variable) => handles[variable])).size]).toEqual([group, 1]);
    }
    for (const group of expected.distinct ?? []) {
      const different = new Set(group.map((variable) => handles[variable]));
      expect([group, different.size]).toEqual([group, group.length]);
    }
    expect(profile).toEqual(expected.profile);
  });
});

test('doubles are printed as JavaScript prints them', () => {
  const COUNT = 1_000_000;
  const numbers = new Float64Array(COUNT);
  const words = new Uint32Array(numbers.buffer);
  let state = 1;
  const random = () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return (state ^ state >>> 15) >>> 0;
  };
  for (let i = 0; i < COUNT; i++) {
    if (i % 4 < 3) {
      words[i * 2] = random();
      words[i * 2 + 1] = random(); // any bits
    } else numbers[i] = random() / 10 ** (random() % 12);
    if (i < 4094) numbers[i] = (i & 1 ? -1 : 1) * 2 ** (i / 2 - 1074 | 0); // the powers of two
  }
  const profile = new Profile('numbers', 0, 1);
  const process = profile.addProcess('p', 1, 0);
  profile.addThread(process, 1, 0, true);
  const counter = profile.addCounter(process, 'c', '', '');
  for (let i = 0; i < COUNT; i++) profile.addCounterSample(counter, 0, numbers[i], 0);
  const text = profile.toString();
  const start = text.indexOf('"count":[') + 9;
  const printed = text.slice(start, text.indexOf(']', start)).split(',');
  expect(printed).toHaveLength(COUNT);
  const wrong = [];
  for (let i = 0; i < COUNT && wrong.length < 5; i++) {
    const number = numbers[i];
    let wanted = JSON.stringify(number);
    if (Object.is(number, -0)) wanted = '-0';
    else if (Math.abs(number) >= 2 ** 53 && /^-?\d+$/.test(wanted)) wanted += '.0';
    if (printed[i] !== wanted) wrong.push([printed[i], wanted]);
  }
  expect(wrong).toEqual([]);
});

describe('Profile', () => {
  const make = () => {
    const profile = new Profile('test', 0, 1);
    const process = profile.addProcess('p', 1, 0);
    return { profile, process, thread: profile.addThread(process, 1, 0, true) };
  };
  const INVALID = 'ERR_FXPROF_INVALID_ARGUMENT';
  const UNKNOWN = 'ERR_FXPROF_UNKNOWN_HANDLE';
  const codeOf = (call) => {
    try {
      call();
    } catch (error) {
      expect(error).toBeInstanceOf(FxprofError);
      return error.code;
    }
    return undefined;
  };

  test('is made at once or asynchronously', async () => {
    const profile = await Profile.create('created', 5, 2.5);
    expect(profile.toJSON().meta).toMatchObject({ product: 'created', startTime: 5, interval: 2.5 });
    await expect(Profile.create(5, 0, 1)).rejects.toThrow(FxprofError);
    expect(new Profile('after', 0, 1).toJSON().meta.product).toBe('after');
  });

  test('takes times in milliseconds and bigints', () => {
    const { profile, thread } = make();
    profile.addSample(thread, 1.5, null, 0.25, 1);
    profile.addSample(thread, Timestamp.fromNanoseconds(2_000_000), null, CpuDelta.fromNanoseconds(1999), 1);
    profile.addSample(thread, Timestamp.fromMilliseconds(NaN), null, CpuDelta.UNKNOWN, 1);
    profile.addSample(thread, Infinity, null, CpuDelta.fromMilliseconds(Infinity), 1);
    const { timeDeltas, threadCPUDelta } = profile.toJSON().threads[0].samples;
    expect(timeDeltas).toEqual([0, 1.5, 0.5, 18446744073707.55]);
    expect(threadCPUDelta).toEqual([null, 250, 1, 2 ** 64]);
    expect(SamplingInterval.fromHertz(999)).toBe(1001001n);
    expect(ReferenceTimestamp.fromDuration(1, 500_000_000)).toBe(1500);
    expect(codeOf(() => SamplingInterval.fromHertz(0))).toBe(INVALID);
    expect(codeOf(() => SamplingInterval.fromMilliseconds(2 ** 60))).toBe('ERR_FXPROF_OVERFLOW');
  });

  test('handles are the same objects for the same things, and of one profile', () => {
    const { profile, thread } = make();
    const label = profile.internString('f');
    expect(profile.internString('f')).toBe(label);
    const frame = { label, source: { file: profile.internString('a.js'), line: 3, startLine: 2 } };
    expect(profile.internFrame(thread, frame)).toBe(profile.internFrame(thread, frame));
    const stack = profile.internStackFrames(thread, [frame]);
    expect(profile.internStack(thread, null, profile.internFrame(thread, frame))).toBe(stack);
    expect(profile.internStackFrames(thread, [])).toBeNull();
    expect(profile.addCategory('Other', 'grey')).not.toBe(profile.other);
    expect(Object.keys(stack)).toEqual([]);

    const other = make();
    const second = profile.addThread(profile.addProcess('q', 2, 0), 2, 0, true);
    const before = profile.toString();
    for (const wrong of [other.profile.internString('f'), thread, null, undefined, 5, {}]) {
      expect(codeOf(() => profile.internFrame(thread, { label: wrong ?? null }))).toBe(UNKNOWN);
    }
    expect(codeOf(() => other.profile.addSample(other.thread, 0, stack, 0, 1))).toBe(UNKNOWN);
    expect(codeOf(() => profile.addSample(second, 0, stack, 0, 1))).toBe('ERR_FXPROF_FOREIGN_HANDLE');
    expect(profile.toString()).toBe(before);
  });

  test('what is not an argument is an error with a code, and changes nothing', () => {
    const { profile, process, thread } = make();
    const name = profile.internString('n');
    const before = profile.toString();
    for (const call of [
      () => profile.setProduct(5),
      () => profile.addProcess('p', -1, 0), () => profile.addProcess('p', 1.5, 0),
      () => profile.addCategory('c', 'pink'), () => profile.addThread(process, 2 ** 32, 0, true),
      () => profile.addThread(process, 1, '0', true), () => profile.addThread(process, 1, -1n, true),
      () => profile.addSample(thread, 0, null, 0, 2 ** 31),
      () => profile.addSample(thread, 2n ** 64n, null, 0, 1),
      () => profile.internFrame(thread, {}), () => profile.internFrame(thread, { instructionPointer: 0.5 }),
      () => profile.addAllocationSample(thread, 0, null, 0, 2n ** 63n),
      () => profile.registerMarkerType({ name: 'm', locations: ['nowhere'] }),
      () => profile.registerMarkerType({ name: 'm', fields: [{ key: 'type', format: 'url' }] }),
      () => profile.addLib({ name: 'l', debugName: '', path: '', debugPath: '', debugId: 'x' }),
      () => profile.addMarker(thread, {}, { name: 'm' }, name, profile.other, []),
      () => profile.addMarker(thread, { instant: 0 }, { name: 'm' }, name, profile.other, [1]),
    ]) {
      expect([String(call), codeOf(call)]).toEqual([String(call), INVALID]);
    }
    expect(profile.toString()).toBe(before);
  });

  test('a static schema is registered once', () => {
    const { profile, thread } = make();
    const schema = { name: 'Text', fields: [{ key: 'text', format: 'unique-string' }] };
    const name = profile.internString('n');
    for (let i = 0; i < 3; i++) {
      profile.addMarker(thread, { instant: i }, schema, name, profile.other, [name]);
    }
    profile.addMarker(thread, { intervalEnd: 3n }, { ...schema }, name, profile.other, [name]);
    const { meta, threads } = profile.toJSON();
    expect(meta.markerSchema).toHaveLength(1);
    expect(meta.markerSchema[0].display).toEqual(['marker-chart', 'marker-table']);
    expect(threads[0].markers.data).toEqual(Array(4).fill({ type: 'Text', text: 0 }));
    expect(threads[0].markers.phase).toEqual([0, 0, 0, 3]);
  });

  test('writes in pieces; what takes them may throw', () => {
    const { profile, thread } = make();
    for (let i = 0; i < 5000; i++) profile.addSample(thread, i, null, 0, i);
    const pieces = [];
    profile.write((piece) => pieces.push(piece));
    expect(pieces.length).toBeGreaterThan(3);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(8192);
    expect(Buffer.concat(pieces).equals(profile.toBytes())).toBe(true);
    const mine = new Error('full');
    expect(() => profile.write(() => { throw mine; })).toThrow(mine);
    expect(JSON.parse(JSON.stringify(profile))).toEqual(profile.toJSON());
  });

  test('what grows beyond the memory is an error', () => {
    const { profile } = make();
    expect(codeOf(() => profile.internString('a'.repeat(2 ** 28 * 1.9)))).toBe('ERR_FXPROF_NO_MEMORY');
    expect(profile.getString(profile.internString('small'))).toBe('small');
  });
});

test('the module exports what c/wasm/fxprof.exports lists, and imports one function', () => {
  const module = new WebAssembly.Module(readFileSync(`${root}wasm-out/fxprof.wasm`));
  const listed = readFileSync(`${root}c/wasm/fxprof.exports`, 'utf8').trim().split('\n');
  expect(WebAssembly.Module.exports(module).map(({ name }) => name).sort()).toEqual([...listed].sort());
  expect(WebAssembly.Module.imports(module))
    .toEqual([{ module: 'fxprof', name: 'write', kind: 'function' }]);
  const files = ['fxprof.js', 'fxprof/engine.js'];
  const used = files.map((file) => readFileSync(`${root}js/${file}`, 'utf8')).join('');
  expect(listed.filter((name) => !new RegExp(`\\.${name}\\b`).test(used))).toEqual([]);
});

test('the library compiles an example by pkg-config, which packs what it writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-fxprof-'));
  try {
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'fxprof'], {
      encoding: 'utf8', env: { ...process.env, PKG_CONFIG_PATH: `${root}wasm-out/lib/pkgconfig` },
    }).trim().split(/\s+/);
    const program = join(folder, 'example');
    execFileSync('cc', ['-std=c11', '-Wall', '-Wextra', '-Wpedantic', '-Werror', `${root}c/example/fxprof.c`,
      ...flags, '-o', program]);
    const text = execFileSync(program, { encoding: 'utf8' });
    execFileSync(program, [join(folder, 'profile.json.gz')]);
    expect(gunzipSync(readFileSync(join(folder, 'profile.json.gz'))).toString()).toBe(text);
    const { threads: [thread] } = JSON.parse(text);
    expect(thread.stringArray).toEqual(['main', 'work', 'example.c', 'Phase', 'half way']);
    expect(thread.samples.stack).toEqual(Array(10).fill(1));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
