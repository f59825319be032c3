// What startProfiler() and lateness() tell beyond the standard: of code whose places, depth and cost are
// known. Mode csp: the JS twin of the core.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from './support/browsers.js';
import { describeStack, runPage, servePage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const finish = (body) => `(async () => { ${body} })().then(
  (value) => { window.done = value; }, (error) => { window.done = { error: String(error.stack) }; });`;

const LEAF = `function leaf(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}`;
// On one line, so that each call stands behind the insertions for those before.
const CALLS = ['leaf(31)', 'leaf(32)', 'leaf(33)', 'o.m()'];
const CALLER =
  'function caller() { const o = { m() { return leaf(34); } }; leaf(31); const a = leaf(32) + 1; ' +
  'for (let i = 0; i < 1; i++) { leaf(33); } return a + o.m(); }';
const TOLD = `${LEAF}\n${CALLER}`;
const UNTOLD = 'function untold() { const a = 1; callsPlainly(() => leaf(30)); return a; }';
const PLAIN = '/* 3 */ function callsPlainly(callback) { const a = [1]; a.map(() => callback()); }';
const DEEP = 'function deep(n) { return n ? deep(n - 1) + 1 : leaf(80); }';
const DEPTH = `function profiles(n) {
  if (n) return profiles(n - 1);
  return profilyfill.startProfiler({ sampleInterval: 1000, maxBufferSize: 1 }).stop();
}
${finish('for (let i = 0; i < 200; i++) await profiles(300); return profiles(300);')}`;
const INLINE_HEAD =
  '<!doctype html><meta charset="utf-8"><script src="profilyfill.iife.js"></script>\n<p><script>';
const INLINE = `${LEAF} function inline() { leaf(5); return leaf(45); }\n` +
  `function later() { leaf(5); return leaf(46); }\n${finish(`
    const profiler = profilyfill.startProfiler({ sampleInterval: 5, maxBufferSize: 1000, executing: true });
    inline(); later();
    return { trace: await profiler.stop() };`)}`;

const RUN = finish(`
  const options = { sampleInterval: 5, maxBufferSize: 1000 };
  const standard = new Profiler(options);
  const executing = profilyfill.startProfiler({ ...options, executing: true });
  const last = profilyfill.startProfiler({ sampleInterval: 5, maxBufferSize: 10, circular: true });
  caller(); untold(); deep(400); leaf(100);
  const traces = await Promise.all([standard, executing, last].map((profiler) => profiler.stop()));
  return { traces, core: profilyfill.coreKind(), isProfiler: executing instanceof Profiler };`);

const LATENESS = `
function measured(work) {
  const before = profilyfill.lateness(profiler).uncovered, start = performance.now();
  work();
  const took = performance.now() - start;
  return { took, uncovered: profilyfill.lateness(profiler).uncovered - before };
}
function parses() {
  const end = performance.now() + 50;
  let part = '[' + '[1,2,3],'.repeat(20000) + '0]';
  for (;;) { // as long as it takes for one to take 50 ms
    const start = performance.now();
    JSON.parse(part);
    const took = performance.now() - start;
    if (took >= 50) return took;
    part = '[' + (part + ',').repeat(Math.ceil(55 / (took + 1))) + '0]';
  }
}
function busy(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}
function callsPlain() { plainSpin(100); }
function parsing() { let took; const seen = measured(() => { took = parses(); }); return { ...seen, took }; }
// Again and again until the machine has not disturbed it, so that no more than the limit is uncovered.
async function undisturbed(run, limit) {
  for (let i = 0; ; i++) {
    const result = await run();
    if (result.uncovered < limit(result) || i === 40) return result;
  }
}
const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let profiler;
${finish(`
  profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100000 });
  await idle(100);
  const result = {};
  busy(100);
  const before = profilyfill.lateness(profiler);
  result.busy = await undisturbed(() => measured(() => busy(100)), () => 30);
  const after = profilyfill.lateness(profiler);
  result.polls = after.polls - before.polls;
  result.samples = after.samples - before.samples;
  result.plain = await undisturbed(() => measured(callsPlain), ({ took }) => took + 30);
  result.parses = parsing();
  await idle(20);
  result.idle = await undisturbed(async () => {
    const start = profilyfill.lateness(profiler).uncovered;
    await idle(100);
    return { uncovered: profilyfill.lateness(profiler).uncovered - start };
  }, () => 30);
  // A task without any poll: the timer is late.
  result.task = await undisturbed(() => new Promise((resolve) => {
    plainTask(100, () => profilyfill.lateness(profiler), resolve);
  }), ({ took }) => took + 60);
  await profiler.stop();
  result.end = profilyfill.lateness(profiler);
  return result;`)}`;
const PLAIN_SPIN = `
function plainSpin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) n += Math.sqrt(n + 1);
  return n;
}
function plainTask(ms, look, resolve) {
  setTimeout(() => {
    const before = look().uncovered, start = performance.now();
    plainSpin(ms);
    const took = performance.now() - start;
    setTimeout(() => setTimeout(() => resolve({ took, uncovered: look().uncovered - before }), 50), 50);
  }, 30);
}`;

/** Of each stack entry: the function, and where it was executing. */
const places = (trace) => trace.stacks.map(({ frameId, line, column }) => {
  const { name } = trace.frames[frameId];
  return { name, line, column };
});
const keys = (list) => [...new Set(list.flatMap((item) => Object.keys(item)))].sort().join();

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
    const told = (code) => instrument(code, { sourceType: 'script', executing: true }).code;
    servePage(server, 'extensions', {
      plain: { 'plain.js': PLAIN, 'told.js': told(TOLD), 'deep.js': told(DEEP) },
      classic: { 'untold.js': UNTOLD, 'run.js': RUN },
    });
    servePage(server, 'depth', { classic: { 'depth.js': DEPTH } });
    servePage(server, 'lateness', { plain: { 'plain.js': PLAIN_SPIN }, classic: { 'work.js': LATENESS } });
    const [line, column] = [2, INLINE_HEAD.split('\n')[1].length + 1];
    const code = instrument(INLINE, { sourceType: 'script', executing: true, line, column }).code;
    server.file('/inline.html', `${INLINE_HEAD}${code}</script>`);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  const run = async (page, mode) => {
    const result = await runPage(browser, server, page, mode);
    if (result.error) throw new Error(result.error);
    return result;
  };

  /** The calls on a line in whose text a place is: just where is up to the engine. */
  const findCalls = (text, calls, { line, column }, first = 1) => calls.filter((call) => {
    const at = text.split('\n')[line - first].indexOf(call);
    return at >= 0 && column - 1 >= at && column - 1 <= at + call.length;
  });
  const expectCall = (text, call, place) =>
    expect([findCalls(text, [call], place), place]).toEqual([[call], place]);

  test.each(['plain', 'csp'])('places, depths and the last samples (%s page)', async (mode) => {
    const { traces: [standard, executing, last], core, isProfiler } = await run('extensions', mode);
    expect([core, isProfiler]).toEqual([mode === 'csp' ? 'twin' : 'wasm', true]);

    // Standard profilers are not touched by any of it.
    expect(keys(standard.samples)).toBe('stackId,timestamp');
    expect(keys(standard.stacks)).toBe('frameId,parentId');

    expect(keys(executing.stacks)).toBe('column,frameId,line,parentId');
    const unique = (list) => new Set(list.map((item) => JSON.stringify(item))).size;
    expect(unique(executing.stacks)).toBe(executing.stacks.length);
    const found = places(executing);
    const of = (wanted) => found.filter((place) => place.name === wanted);
    // Where each call of leaf() stands in the code as it was before instrumenting.
    const text = TOLD.split('\n');
    const calls = of('caller').map((place) => findCalls(TOLD, CALLS, place).join());
    for (const call of calls) expect(CALLS).toContain(call);
    // On a busy machine one of them may get no sample.
    expect(new Set(calls).size).toBeGreaterThanOrEqual(3);
    for (const place of of('m')) expectCall(TOLD, 'leaf(34)', place);
    for (const { line, column } of of('leaf')) {
      expect(line >= 2 && line <= 6).toBe(true);
      expect(column <= text[line - 1].length + 1).toBe(true);
    }
    // Code that is not instrumented is where the engine says; without a table of insertions there are lines.
    for (const place of of('callsPlainly')) expectCall(PLAIN, 'a.map(', place);
    expect(of('untold')).toEqual([{ name: 'untold', line: 1 }]);
    // The constructing code, by its call of startProfiler().
    const first = executing.stacks[executing.samples[0].stackId];
    expect(executing.frames[first.frameId].name).toBe('');
    expect(first.line).toBe(RUN.split('\n').findIndex((line) => line.includes('executing = ')) + 1);

    // A whole stack begins with the script's own code.
    let cut = 0;
    for (const sample of executing.samples) {
      const stack = describeStack(executing, sample.stackId);
      const isCut = !/^( > |$)/.test(stack);
      const expected = isCut ? ['stackId', 'timestamp', 'truncated'] : ['stackId', 'timestamp'];
      expect([stack, Object.keys(sample)]).toEqual([stack, expected]);
      if (isCut) cut++;
    }
    expect(cut).toBeGreaterThanOrEqual(1);
    expect(executing.samples.length - cut).toBeGreaterThanOrEqual(20);

    expect(last.samples).toHaveLength(10);
    expect(last.samples[0].timestamp).toBeGreaterThan(executing.samples.at(-1).timestamp - 70);
    for (const frame of last.frames) expect(['', 'leaf']).toContain(frame.name);
    expect(keys(last.stacks)).toBe('frameId,parentId');
  });

  test('stacks are as deep after many captures', async () => {
    const { frames, stacks, samples: [sample] } = await run('depth', 'plain');
    let depth = 0;
    for (let id = sample.stackId; id !== undefined; id = stacks[id].parentId) depth++;
    expect([depth, sample.truncated]).toEqual([name === 'firefox' ? 126 : 255, true]);
    expect(frames.map((frame) => frame.name)).toEqual(['profiles']);
  });

  test('places in inline scripts', async () => {
    const { trace } = await run('inline', 'plain');
    const text = `${' '.repeat(INLINE_HEAD.split('\n')[1].length)}${INLINE}`;
    for (const [called, calls] of [
      ['inline', ['leaf(5)', 'return leaf(45)']], ['later', ['leaf(5)', 'return leaf(46)']],
    ]) {
      const found = places(trace).filter((place) => place.name === called);
      expect(found.length).toBeGreaterThanOrEqual(1);
      for (const place of found) {
        expect([place, findCalls(text, calls, place, 2).length]).toEqual([place, 1]);
      }
    }
  });

  test.each(['plain', 'isolated'])('lateness of code of known cost (%s page)', async (mode) => {
    const { busy, polls, samples, plain, parses, idle, task, end } = await run('lateness', mode);
    expect(busy.uncovered).toBeLessThan(30); // of 100
    expect(polls).toBeGreaterThanOrEqual(4); // of 10
    expect(samples).toBeGreaterThanOrEqual(polls);
    for (const { took, uncovered } of [plain, parses, task]) {
      expect(uncovered).toBeGreaterThan(took - 10 - 12); // an interval, and the coarse clocks
    }
    expect(plain.uncovered).toBeLessThan(plain.took + 30);
    expect(task.uncovered).toBeLessThan(task.took + 60);
    expect(idle.uncovered).toBeLessThan(30); // of 100
    expect(end.max).toBeGreaterThanOrEqual(80);
    expect(end.mean).toBeLessThan(end.max);
    expect(end.samples).toBeGreaterThan(end.polls);
    expect(end.p50 <= end.p95 && end.p95 <= end.p99 && end.p99 <= end.max).toBe(true);
  });
});
