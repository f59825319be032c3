/**
 * The core through its exports, as c/wasm/core.c documents them: every test runs on the wasm module
 * and on its JS twin.
 */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { encodeTable } from './support/function-table.js';
import {
  CORES, COUNTERS, JAVASCRIPTCORE, NONE, SPIDERMONKEY, V8, makeCore, printStack,
} from './support/raw-core.js';

jest.setTimeout(60_000);

const APP = 'https://a.example/app.js';
const LIB = 'https://a.example/lib.js';

/** A stack's text as V8 prints it, from 'name url:line:column', innermost first. */
const v8 = (...frames) => `Error\n${frames.map((frame) => {
  const [name, place] = frame.split(' ');
  return `    at ${name} (${place})`;
}).join('\n')}`;

const NO_FAULTS = Object.fromEntries(COUNTERS.map((name) => [name, 0]));

describe.each(CORES)('%s', (kind) => {
  let release = () => {};
  afterEach(() => {
    release();
    release = () => {};
  });

  async function make(options) {
    const core = await makeCore(kind, options);
    release = core.release;
    return core;
  }

  /** What a single stack comes to in a trace. */
  function traceOf(core, text, drop) {
    const session = core.open();
    core.sample(session, 1, core.stack(text, drop));
    const trace = core.trace(session);
    core.close(session);
    return printStack(trace, trace.samples[0]);
  }

  describe('stacks', () => {
    test('the same text has the same number, another stack another', async () => {
      const core = await make();
      const first = core.stack(v8(`f ${APP}:1:2`, `g ${APP}:3:4`));
      const second = core.stack(v8(`f ${APP}:1:3`, `g ${APP}:3:4`));
      expect(first).toBeGreaterThan(0);
      expect(second).toBeGreaterThan(0);
      expect(second).not.toBe(first);
      expect(core.stack(v8(`f ${APP}:1:2`, `g ${APP}:3:4`))).toBe(first);
      // Another text of the same frames.
      expect(core.stack(v8(`x ${LIB}:9:9`, `f ${APP}:1:2`, `g ${APP}:3:4`), { leaf: 1 })).toBe(first);
      expect(core.counters()).toEqual(NO_FAULTS);
    });

    test('a text without frames is no stack', async () => {
      const core = await make();
      expect(core.stack('')).toBe(0);
      expect(core.stack('Error')).toBe(0);
      expect(core.stack(v8(`f ${APP}:1:2`), { leaf: 1 })).toBe(0);
      expect(core.stack(v8(`f ${APP}:1:2`), { leaf: 7 })).toBe(0);
      expect(core.stack(v8(`f ${APP}:1:2`), { root: 1 })).toBe(0);
      expect(core.counters()).toEqual(NO_FAULTS);
    });

    test('frames of the profiler are dropped at both ends', async () => {
      const core = await make();
      const text = v8(`poll ${LIB}:1:1`, `f ${APP}:1:2`, `g ${APP}:3:4`, `dispatch ${LIB}:2:2`);
      expect(traceOf(core, text, { leaf: 1, root: 1 })).toEqual([`f ${APP}`, `g ${APP}`]);
      expect(traceOf(core, text, { leaf: 2 })).toEqual([`g ${APP}`, `dispatch ${LIB}`]);
    });

    test('frames at the root stay when the engine has cut off those that are meant', async () => {
      const core = await make({ frameLimit: 3 });
      const text = v8(`poll ${LIB}:1:1`, `f ${APP}:1:2`, `g ${APP}:3:4`);
      expect(traceOf(core, text, { leaf: 1, root: 1 })).toEqual([`f ${APP}`, `g ${APP}`]);
    });

    test('the innermost 255 frames are kept (conformance row 63)', async () => {
      const core = await make();
      const frames = Array.from({ length: 300 }, (_, i) => `f${i} ${APP}:${i + 1}:1`);
      const kept = traceOf(core, v8(...frames), { leaf: 1 });
      expect(kept).toHaveLength(255);
      expect(kept[0]).toBe(`f1 ${APP}`);
      expect(kept[254]).toBe(`f255 ${APP}`);
    });

    test.each([
      ['V8', V8, `Error\n    at f (${APP}:1:2)\n    at async g (${APP}:3:4)\n    at new Kit (${LIB}:5:6)`,
        [`f ${APP}`]],
      ['V8, synchronous', V8, `Error\n    at f (${APP}:1:2)\n    at new Kit (${LIB}:5:6)\n    at ${LIB}:7:8`,
        [`f ${APP}`, `Kit ${LIB}`, ` ${LIB}`]],
      ['SpiderMonkey', SPIDERMONKEY,
        `f@${APP}:1:2\nouter/<@${LIB}:3:4\nsetTimeout handler*g@${APP}:5:6\n@${APP}:7:1\n`,
        [`f ${APP}`, ` ${LIB}`]],
      ['JavaScriptCore', JAVASCRIPTCORE,
        `f@${APP}:1:2\nforEach@[native code]\nglobal code@${LIB}:3:4`, [`f ${APP}`, ` ${LIB}`]],
    ])('reads what %s prints', async (name, engine, text, expected) => {
      expect(traceOf(await make({ engine }), text)).toEqual(expected);
    });

    test('numbers do not depend on the seed', async () => {
      const texts = Array.from({ length: 500 }, (_, i) =>
        v8(`f${i % 7} ${APP}:${i % 31}:2`, `g${i % 3} ${LIB}:1:1`));
      const one = await make({ seed: 1 });
      const two = await make({ seed: 0xdeadbeef });
      expect(texts.map((text) => one.stack(text))).toEqual(texts.map((text) => two.stack(text)));
    });
  });

  describe('sessions', () => {
    test('hold their own samples in order, over several blocks', async () => {
      const core = await make();
      const [one, two] = [core.open(), core.open()];
      expect(two).not.toBe(one);
      const f = core.stack(v8(`f ${APP}:1:2`));
      const g = core.stack(v8(`g ${APP}:1:2`));
      const times = Array.from({ length: 1_234 }, (_, i) => i * 10.005);
      for (const [i, time] of times.entries()) {
        expect(core.sample(one, time, i % 3 ? f : 0)).toBe(1);
        if (i % 100 === 0) expect(core.sample(two, time + 0.5, g)).toBe(1);
      }
      const first = core.trace(one);
      expect(first.samples).toEqual(times.map((time, i) => [time, i % 3 ? 1 : 0]));
      expect(printStack(first, first.samples[1])).toEqual([`f ${APP}`]);
      expect(first.frames).toHaveLength(1);
      const second = core.trace(two);
      expect(second.samples).toEqual(times.filter((_, i) => i % 100 === 0).map((time) => [time + 0.5, 1]));
      expect(printStack(second, second.samples[0])).toEqual([`g ${APP}`]);
      expect(core.counters()).toEqual(NO_FAULTS);
    });

    test('end: nothing is stored any more, handles are used again, memory too', async () => {
      const core = await make();
      let size;
      for (let round = 0; round < 40; round++) {
        const session = core.open();
        expect(session).toBe(0);
        for (let i = 0; i < 5_000; i++) {
          core.sample(session, i, core.stack(v8(`f${i % 500}-${round} ${APP}:${i % 50}:1`)));
        }
        expect(core.trace(session).samples).toHaveLength(5_000);
        core.close(session);
        if (round === 3) size = core.memorySize();
      }
      expect(core.memorySize()).toBe(size);
      expect(core.sample(0, 1, 0)).toBe(0);
      expect(core.counters()).toEqual({ ...NO_FAULTS, lostSamples: 1 });
      core.close(0); // a second time
      core.close(12_345);
      expect(core.open()).toBe(0);
    });

    test('of unknown handles are empty', async () => {
      const core = await make();
      expect(core.trace(77)).toMatchObject({ resources: [], frames: [], stacks: [], samples: [] });
      expect(core.sample(77, 1, 0)).toBe(0);
      expect(core.counters()).toEqual({ ...NO_FAULTS, lostSamples: 1 });
    });

    test('take 16 bytes a sample at most', async () => {
      const core = await make();
      const session = core.open();
      const stack = core.stack(v8(`f ${APP}:1:2`));
      const fill = (count) => {
        for (let i = 0; i < count; i++) core.sample(session, i, stack);
        return core.memorySize();
      };
      const before = fill(50_000);
      // Memory grows in steps; over many samples that evens out.
      expect((fill(400_000) - before) / 400_000).toBeLessThan(16);
    });
  });

  describe('traces', () => {
    test('are shaped as specified: unique elements, parents first, members in order', async () => {
      const core = await make();
      const session = core.open();
      const texts = [
        v8(`a ${APP}:1:2`, `main ${APP}:9:9`), v8(`b ${LIB}:1:2`, `main ${APP}:9:9`),
        v8(`a ${APP}:1:7`, `main ${APP}:9:9`), // the same function at another place
        v8(`a ${APP}:1:2`, `a ${APP}:1:4`, `main ${APP}:9:9`), v8(`main ${APP}:9:9`),
      ];
      texts.forEach((text, i) => core.sample(session, i, core.stack(text)));
      core.stack(v8(`unsampled https://a.example/other.js:1:1`));
      const trace = core.trace(session);
      expect(trace.json).toBe(
        '{"resources":["https://a.example/app.js","https://a.example/lib.js"],' +
        '"frames":[{"name":"main","resourceId":0},{"name":"a","resourceId":0},{"name":"b","resourceId":1}],' +
        '"stacks":[{"frameId":0},{"frameId":1,"parentId":0},{"frameId":2,"parentId":0},' +
        '{"frameId":1,"parentId":1}]}');
      expect(trace.samples).toEqual([[0, 2], [1, 3], [2, 2], [3, 4], [4, 1]]);
      expect(trace.sources.map(({ url }) => url).sort()).toEqual([APP, LIB]);
    });

    test('leave out, frame by frame, what may not be shown (conformance row 79)', async () => {
      const core = await make();
      const session = core.open();
      core.sample(session, 1, core.stack(v8(`f ${APP}:1:2`, `secret ${LIB}:1:1`, `g ${APP}:3:4`)));
      core.sample(session, 2, core.stack(v8(`secret ${LIB}:1:1`)));
      const trace = core.trace(session, (url) => url !== LIB);
      expect(printStack(trace, trace.samples[0])).toEqual([`f ${APP}`, `g ${APP}`]);
      expect(trace.samples[1]).toEqual([2, 0]);
      expect(trace.json).not.toContain('secret');
      expect(trace.resources).toEqual([APP]);
    });

    test('keep names and URLs of any text', async () => {
      const core = await make();
      const name = '日本語_\u{1d51e}$"\\\u0001\u007f';
      const url = 'https://a.example/%20é"x".js';
      const session = core.open();
      core.sample(session, 1, core.stack(`Error\n    at ${name} (${url}:1:2)`));
      const trace = core.trace(session);
      expect(trace.frames[0].name).toBe(name);
      expect(trace.resources).toEqual([url]);
    });
  });

  describe('function tables', () => {
    // function outer() { …; function inner() {…} … }   as if instrumented
    const EVENTS = [
      { at: [0, 40], definition: [0, 14], name: 'outer' },
      { at: [2, 10], definition: [2, 6], name: 'inner,\\x' },
      { at: [4, 3], end: true },
      { at: [4, 30], definition: [3, 70], name: '' },
      { at: [4, 60], end: true },
      { at: [5, 1], end: true },
      { at: [6, 0], definition: [6, 9], name: 'outer' },
      { at: [6, 20], end: true },
    ];
    const table = encodeTable({ last: [7, 12], events: EVENTS });

    const lookUp = (core, line, column, url = APP) => traceOf(core, v8(`x ${url}:${line}:${column}`))[0];

    test('say which function a place of the instrumented script lies in', async () => {
      const core = await make();
      expect(core.addScript({ ...table, stack: v8(` ${APP}:1:1`) })).toBe(1);
      expect(lookUp(core, 1, 40)).toBe(` ${APP} 1:1`); // before the first: top-level code
      expect(lookUp(core, 1, 41)).toBe(`outer ${APP} 1:15`);
      expect(lookUp(core, 3, 10)).toBe(`outer ${APP} 1:15`);
      expect(lookUp(core, 3, 11)).toBe(`inner,\\x ${APP} 3:7`);
      expect(lookUp(core, 4, 999)).toBe(`inner,\\x ${APP} 3:7`);
      expect(lookUp(core, 5, 3)).toBe(`inner,\\x ${APP} 3:7`);
      expect(lookUp(core, 5, 4)).toBe(`outer ${APP} 1:15`);
      expect(lookUp(core, 5, 31)).toBe(` ${APP} 4:71`);
      expect(lookUp(core, 6, 1)).toBe(`outer ${APP} 1:15`);
      expect(lookUp(core, 6, 2)).toBe(` ${APP} 1:1`);
      expect(lookUp(core, 7, 1)).toBe(`outer ${APP} 7:10`);
      expect(core.counters()).toEqual(NO_FAULTS);
    });

    test('leave a place beyond the code as it was printed', async () => {
      const core = await make();
      core.addScript({ ...table, url: APP });
      expect(lookUp(core, 8, 12)).toBe(` ${APP} 1:1`);
      expect(lookUp(core, 8, 500)).toBe(`x ${APP}`);
      expect(lookUp(core, 9, 1)).toBe(`x ${APP}`);
      expect(core.counters()).toEqual(NO_FAULTS);
    });

    test('of several inline scripts of a document', async () => {
      const core = await make();
      core.addScript({ ...table, url: APP, line: 10, column: 9 });
      core.addScript({ ...table, url: APP, line: 30, column: 1 });
      expect(lookUp(core, 10, 41 + 8)).toBe(`outer ${APP} 10:23`);
      expect(lookUp(core, 10, 40 + 8)).toBe(` ${APP} 10:9`);
      expect(lookUp(core, 12, 11)).toBe(`inner,\\x ${APP} 12:7`);
      expect(lookUp(core, 32, 11)).toBe(`inner,\\x ${APP} 32:7`);
      expect(lookUp(core, 25, 1)).toBe(`x ${APP}`); // between the two
      expect(lookUp(core, 5, 1)).toBe(`x ${APP}`);
    });

    test('belong to the URL that the engine prints, else to the one given', async () => {
      const core = await make();
      expect(core.addScript({ ...table, stack: v8(` ${LIB}:1:1`), url: APP })).toBe(1);
      expect(core.addScript({ ...table, stack: 'unreadable', url: 'https://a.example/third.js' })).toBe(1);
      expect(lookUp(core, 3, 11, LIB)).toBe(`inner,\\x ${LIB} 3:7`);
      expect(lookUp(core, 3, 11, 'https://a.example/third.js'))
        .toBe('inner,\\x https://a.example/third.js 3:7');
      expect(lookUp(core, 3, 11)).toBe(`x ${APP}`);
      expect(core.addScript({ ...table })).toBe(0);
      expect(core.counters()).toEqual({ ...NO_FAULTS, lostTables: 1 });
    });

    test('tell of scripts that have one', async () => {
      const core = await make();
      core.addScript({ ...table, url: APP });
      const session = core.open();
      core.sample(session, 1, core.stack(v8(`f ${APP}:1:2`, `g ${LIB}:1:2`)));
      expect(core.trace(session).sources).toEqual(expect.arrayContaining([
        { url: APP, hasTable: true }, { url: LIB, hasTable: false },
      ]));
    });

    test('may come after the samples that need them', async () => {
      const core = await make();
      const session = core.open();
      core.sample(session, 1, core.stack(v8(`x ${APP}:3:11`)));
      core.addScript({ ...table, url: APP });
      const trace = core.trace(session);
      expect(printStack(trace, trace.samples[0])).toEqual([`inner,\\x ${APP} 3:7`]);
    });

    test.each([
      ['nothing', ''],
      ['too few digits', '?????@'],
      ['other characters', `${table.positions.slice(0, -1)}!`],
      ['a text that goes on', `${table.positions}?`],
      ['a text cut off', table.positions.slice(0, -3)],
      ['an end without a start',
        encodeTable({ last: [7, 12], events: [{ at: [1, 0], end: true }] }).positions],
      ['numbers beyond 30 bits', `?????${'~'.repeat(60)}`],
      ['ten thousand starts', encodeTable({
        last: [7, 12], events: Array(10_000).fill({ at: [0, 1], definition: [0, 1], name: '' }),
      }).positions],
    ])('that are malformed (%s) leave frames as printed, and are counted', async (what, positions) => {
      const core = await make();
      core.addScript({ ...table, positions, url: APP });
      expect(lookUp(core, 3, 11)).toBe(`x ${APP}`);
      expect(core.counters()).toEqual({ ...NO_FAULTS, malformedTables: 1 });
      expect(lookUp(core, 3, 11, LIB)).toBe(`x ${LIB}`);
    });

    test('with too few names are malformed', async () => {
      const core = await make();
      core.addScript({ ...table, names: 'outer', url: APP });
      expect(lookUp(core, 3, 11)).toBe(`x ${APP}`);
      expect(core.counters()).toEqual({ ...NO_FAULTS, malformedTables: 1 });
    });
  });

  describe('hostile texts', () => {
    const MEGABYTES = 4 << 20;
    const HOSTILE = {
      'megabytes without a newline': 'a'.repeat(MEGABYTES),
      'megabytes of opening parentheses': `    at ${' ('.repeat(MEGABYTES / 2)}`,
      'megabytes of @': '@'.repeat(MEGABYTES),
      'megabytes of newlines': '\n'.repeat(MEGABYTES),
      'megabytes of digits and colons': '1:'.repeat(MEGABYTES / 2),
      'NULs': '\0'.repeat(1000),
      'NULs in lines': `\0\n    at \0\n\0@\0\n`,
      'lone surrogates': '\ud800\n\udfff\ud800 at \udc00 (\ud800)\n@\udc00',
      'bytes that are no UTF-8': Uint8Array.from({ length: 4096 }, (_, i) => (i * 167 + 128) | 128),
      'every byte': Uint8Array.from({ length: 65_536 }, (_, i) => i * 193 >> 3),
      'half a frame': '    at f (https://a.example/app.js',
      'numbers beyond all bounds': `    at f (${APP}:${'9'.repeat(400)}:1)\nf@${APP}:1:${'9'.repeat(400)}`,
    };

    test.each([['V8', V8], ['SpiderMonkey', SPIDERMONKEY], ['JavaScriptCore', JAVASCRIPTCORE]])(
      'change nothing but a counter (as %s)', async (name, engine) => {
        const core = await make({ engine });
        const healthy = engine === V8 ? v8(`f ${APP}:1:2`, `g ${LIB}:3:4`) : `f@${APP}:1:2\ng@${LIB}:3:4\n`;
        const session = core.open();
        core.sample(session, 1, core.stack(healthy));
        const before = core.trace(session).json;
        let skipped = 0;
        for (const [what, text] of Object.entries(HOSTILE)) {
          const stack = core.stack(text);
          expect([what, stack]).toEqual([what, expect.any(Number)]);
          expect([what, stack === NONE]).toEqual([what, false]);
          const counters = core.counters();
          expect([what, counters.skippedLines >= skipped]).toEqual([what, true]);
          expect({ ...counters, skippedLines: 0 }).toEqual(NO_FAULTS);
          skipped = counters.skippedLines;
          expect(core.sample(session, 2, stack)).toBe(1);
        }
        expect(skipped).toBeGreaterThan(0);
        core.sample(session, 3, core.stack(healthy));
        // Whatever could be taken for a frame names no script that a page may see.
        const trace = core.trace(session, (url) => url === APP || url === LIB);
        expect(trace.json).toBe(before);
        expect(trace.samples[0][1]).toBe(trace.samples.at(-1)[1]);
        expect(trace.samples.slice(1, -1).every(([, stack]) => stack === 0)).toBe(true);
      });

    test('of a hundred thousand frames are one stack of 255', async () => {
      const core = await make();
      const frames = Array.from({ length: 100_000 }, (_, i) => `f${i} ${APP}:${i + 1}:1`);
      expect(traceOf(core, v8(...frames))).toHaveLength(255);
    });

    test('in function tables and URLs are read or refused', async () => {
      const core = await make();
      for (const text of Object.values(HOSTILE)) {
        expect(core.addScript({ url: APP, positions: text, names: text })).toBe(1);
      }
      core.addScript({ url: HOSTILE['every byte'], positions: '', names: '' });
      expect(traceOf(core, v8(`f ${APP}:1:2`))).toEqual([`f ${APP}`]);
      expect(core.counters().malformedTables).toBeGreaterThan(0);
    });
  });

  describe('without memory', () => {
    const PAGES = 24; // 1.5 MB: the twin needs a little more to begin with than the wasm
    const deep = (i) => v8(...Array.from({ length: 40 }, (_, k) => `f${i}_${k} ${APP}:${i + 1}:${k + 1}`));

    test('room for an input is refused', async () => {
      const core = await make({ pages: PAGES });
      expect(core.exports.core_input(64 << 20)).toBe(0);
      expect(core.exports.core_input(0xffffffff)).toBe(0);
      expect(core.stack(v8(`f ${APP}:1:2`))).toBe(1);
    });

    test('samples lose their stacks, then are lost, each counted; the rest is told', async () => {
      const core = await make({ pages: PAGES });
      const session = core.open();
      expect(core.sample(session, 0, core.stack(v8(`first ${APP}:1:2`)))).toBe(1);
      let lostStacks = 0;
      for (let i = 0; i < 3_000; i++) {
        const stack = core.stack(deep(i));
        if (stack === NONE) lostStacks++;
        expect(core.sample(session, i + 1, stack)).toBe(1);
        if (lostStacks === 10) break;
      }
      expect(lostStacks).toBe(10);
      expect(core.counters()).toEqual({ ...NO_FAULTS, lostStacks: 10 });
      // What is known still is.
      expect(core.stack(v8(`first ${APP}:1:2`))).toBe(1);

      let time = 10_000;
      while (core.sample(session, time, 0)) {
        time++;
        expect(time).toBeLessThan(1_000_000);
      }
      expect(core.sample(session, time, 0)).toBe(0);
      expect(core.counters()).toEqual({ ...NO_FAULTS, lostStacks: 10, lostSamples: 2 });

      // There may be no room for a trace; asking must do no harm.
      const trace = core.trace(session);
      if (trace) expect(printStack(trace, trace.samples[0])).toEqual([`first ${APP}`]);
      expect(core.addScript({ url: APP, positions: 'A'.repeat(1 << 20), names: '' })).toBe(0);

      core.close(session);
      const next = core.open();
      expect(core.sample(next, 1, core.stack(v8(`after ${APP}:1:2`)))).toBe(1);
      const after = core.trace(next);
      expect(printStack(after, after.samples[0])).toEqual([`after ${APP}`]);
    });

    test('a trace that cannot be built can be asked for again', async () => {
      const core = await make({ pages: PAGES });
      const [session, hog] = [core.open(), core.open()];
      core.sample(session, 1, core.stack(v8(`f ${APP}:1:2`, `g ${APP}:3:4`)));
      let time = 0;
      while (core.sample(hog, time, 0)) time++;
      // Now only what is left of the blocks: a trace of a few hundred bytes may fit or not.
      const tight = core.trace(session);
      core.close(hog);
      const trace = core.trace(session);
      expect(printStack(trace, trace.samples[0])).toEqual([`f ${APP}`, `g ${APP}`]);
      if (tight) expect(tight.json).toBe(trace.json);
    });
  });

  test('instances know nothing of each other', async () => {
    const [one, two] = [await make(), await makeCore(kind)];
    one.stack(v8(`f ${APP}:1:2`));
    expect(two.stack(v8(`g ${APP}:1:2`))).toBe(1);
    expect(traceOf(two, v8(`g ${APP}:1:2`))).toEqual([`g ${APP}`]);
  });
});
