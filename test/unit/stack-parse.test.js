/** What the C core reads from lines of `error.stack`: every row of the zoo, and lines found besides. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, jest, test } from '@jest/globals';

jest.setTimeout(120_000);

const SCRIPT = fileURLToPath(new URL('../stack-parse.mjs', import.meta.url));
const ZOO = new URL('../data/stack-zoo.jsonl', import.meta.url);

/** Runs the script on text, from a folder that has nothing to do with the repository. */
function run(input, options = {}) {
  return spawnSync(process.execPath, [SCRIPT], {
    input, cwd: tmpdir(), encoding: 'utf8', maxBuffer: Infinity, ...options,
  });
}

function parse(rows) {
  const done = run(rows.map((row) => JSON.stringify(row)).join('\n'));
  expect(done.stderr).toBe('');
  expect(done.status).toBe(0);
  return done.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line));
}

function parseLine(engine, line) {
  return parse([{ id: 1, engine, line }])[0];
}

/** Five fields of a reading, as text: what the tests compare and what a failure shows. */
function show({ kind, name, url, line, column }) {
  return [kind, JSON.stringify(name), url, line, column].join(' | ');
}

describe('the zoo', () => {
  test('every row is read as expected, an ambiguous one in any of the ways listed', () => {
    const rows = readFileSync(ZOO, 'utf8').trim().split('\n').map((text) => JSON.parse(text));
    const wrong = [];
    parse(rows).forEach((reading, index) => {
      const row = rows[index];
      const accepted = [{}, ...row.alt ?? []].map((alt) => {
        const { kind, name, url, lineNo, col } = { ...row, ...alt };
        return show({ kind, name, url, line: lineNo, column: col });
      });
      if (reading.id === row.id && accepted.includes(show(reading))) return;
      wrong.push(`${row.id} ${row.engine} ${JSON.stringify(row.line)}\n  is       ${show(reading)}\n`
        + accepted.map((text) => `  expected ${text}`).join('\n'));
    });
    expect(wrong).toEqual([]);
    expect(rows.length).toBeGreaterThan(250);
  });
});

// Printed by Chromium 156, Firefox ESR 153, WebKitGTK 2.50 and Node 20 running code made for it; by
// older versions where a remark says so. [line, kind, name, url, line number, column]
const U = 'https://app.example.com/forms.js';
const EVIL = 'https://evil.example.com/z.js';
const LINES = {
  v8: [
    // eval and its relatives
    [`    at eval (eval at host (${U}:6:45), <anonymous>:1:21)`, 'eval', 'eval', null, 1, 21],
    [`    at eval (eval at <anonymous> (eval at host (${U}:9:53)), <anonymous>:1:24)`,
      'eval', 'eval', null, 1, 24],
    [`    at eval (eval at <anonymous> (eval at host (${U}:1:2), <anonymous>:1:1), <anonymous>:1:3)`,
      'eval', 'eval', null, 1, 3], // before V8 9
    [`    at new eval (eval at host (${U}:14:47), <anonymous>:1:36)`, 'eval', 'eval', null, 1, 36],
    [`    at p (q) (eval at <anonymous> (${U}:20:58), <anonymous>:3:25)`, 'eval', 'p (q)', null, 3, 25],
    ['    at f (eval at evaluate (:290:30), <anonymous>:3:5)', 'eval', 'f', null, 3, 5],
    ['    at f (eval at <anonymous> (unknown source), <anonymous>:1:2)', 'eval', 'f', null, 1, 2],
    [`    at eval at host (${U}:6:45), <anonymous>:1:21`, 'eval', '', null, 1, 21],
    [`    at async eval (eval at host (${U}:6:45), <anonymous>:1:21)`, 'async', 'eval', null, 1, 21],
    ['    at eval (webpack:///./src/@a/b(1).js?x=1:1:20)', 'frame', 'eval',
      'webpack:///./src/@a/b(1).js?x=1', 1, 20],
    // names
    [`    at async (${U}:1:2)`, 'frame', 'async', U, 1, 2],
    [`    at new (${U}:1:2)`, 'frame', 'new', U, 1, 2],
    [`    at new Shop.Foo (${U}:26:80)`, 'frame', 'Shop.Foo', U, 26, 80],
    [`    at o.<computed> [as zz] (${U}:51:124)`, 'frame', 'o.<computed>', U, 51, 124],
    [`    at [a b (c)] (${U}:37:83)`, 'frame', '[a b (c)]', U, 37, 83],
    [`    at Object.sum [as [Symbol.iterator]] (${U}:1:2)`, 'frame', 'Object.sum', U, 1, 2],
    [`    at get #q (${U}:41:102)`, 'frame', 'get #q', U, 41, 102],
    [`    at a ( (${U}:1:2)`, 'frame', 'a (', U, 1, 2],
    [`    at ) (${U}:1:2)`, 'frame', ')', U, 1, 2],
    [`    at tab\tname (${U}:1:2)`, 'frame', 'tab\tname', U, 1, 2],
    [`    at a\rb (${U}:1:2)`, 'frame', 'a\rb', U, 1, 2],
    [`    at x\u2028y (${U}:1:2)`, 'frame', 'x\u2028y', U, 1, 2],
    [`    at x:wasm-function[1]:0x12 (${U}:1:2)`, 'frame', 'x:wasm-function[1]:0x12', U, 1, 2],
    [`    at q (${EVIL} (${U}:1:2)`, 'frame', `q (${EVIL}`, U, 1, 2],
    [`    at x (eval at foo (${EVIL}:1:1), <anonymous>:1:1) (${U}:1:2)`, 'frame',
      `x (eval at foo (${EVIL}:1:1), <anonymous>:1:1)`, U, 1, 2],
    [`    at x\n    at forged (${EVIL}:1:1) (${U}:1:2)`, 'frame', `x\n    at forged (${EVIL}:1:1)`, U, 1, 2],
    // places
    ['    at C:\\Program Files (x86)\\My App\\x.js:3:4', 'frame', '',
      'C:\\Program Files (x86)\\My App\\x.js', 3, 4],
    ['    at f (C:\\Program Files (x86)\\My App\\x.js:3:4)', 'frame', 'f',
      'C:\\Program Files (x86)\\My App\\x.js', 3, 4],
    ['    at f (file:///srv/my app (1)/x.js:3:4)', 'frame', 'f', 'file:///srv/my app (1)/x.js', 3, 4],
    ['    at f (https://app.example.com/a)b.js:3:4)', 'frame', 'f', 'https://app.example.com/a)b.js', 3, 4],
    ['    at f (http://[2001:db8::1]:8080/x.js:3:4)', 'frame', 'f', 'http://[2001:db8::1]:8080/x.js', 3, 4],
    ['    at f (webpack-internal:///(rsc)/./app/page.tsx:3:4)', 'frame', 'f',
      'webpack-internal:///(rsc)/./app/page.tsx', 3, 4],
    ['    at f (data:text/javascript,if (x) go(1):3:4)', 'frame', 'f',
      'data:text/javascript,if (x) go(1)', 3, 4],
    ['    at REPL1:1:7', 'frame', '', 'REPL1', 1, 7],
    ['    at async file:///srv/x.mjs:3:4', 'async', '', 'file:///srv/x.mjs', 3, 4],
    ['    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)', 'frame',
      'process.processTicksAndRejections', 'node:internal/process/task_queues', 95, 5],
    [`    at f (${U})`, 'frame', 'f', U, null, null],
    ['    at <anonymous>', 'native', '', null, null, null], // Node 8
    ['    at async Promise.allSettled (index 2)', 'async', 'Promise.allSettled', null, null, null],
    ['    at wasm://wasm/3f3ee306:wasm-function[1]:0x27', 'wasm', '', 'wasm://wasm/3f3ee306', null, null],
    ['    at f (wasm-function[17]:12)', 'wasm', 'f', null, null, null], // before V8 7.7
    ['    at part1', 'not-frame', null, null, null, null],
    [`part2 (${U}:1:2)`, 'not-frame', null, null, null, null],
    ['    at see (the manual)', 'not-frame', null, null, null, null],
  ],
  spidermonkey: [
    [`@${U} line 8 > eval line 1 > eval:1:1`, 'eval', '', `${U} line 8 > eval line 1 > eval`, 1, 1],
    [`anonymous@${U} line 13 > GeneratorFunction:3:7`, 'eval', 'anonymous',
      `${U} line 13 > GeneratorFunction`, 3, 7],
    ['@webpack:///./src/@a/b(1).js?x=1:1:20', 'frame', '', 'webpack:///./src/@a/b(1).js?x=1', 1, 20],
    ['@my-chunk.js:1:42', 'frame', '', 'my-chunk.js', 1, 42],
    [`forms/</shop["odd key"]@${U}:66:85`, 'frame', 'forms/</shop["odd key"]', U, 66, 85],
    [`get [Symbol.toStringTag]@${U}:36:77`, 'frame', 'get [Symbol.toStringTag]', U, 36, 77],
    [`@@${U}:17:30`, 'frame', '@', U, 17, 30],
    [`*@${U}:17:30`, 'frame', '*', U, 17, 30],
    [`x\n    at forged (${EVIL}:1:1)@${U}:1:2`, 'frame', `x\n    at forged (${EVIL}:1:1)`, U, 1, 2],
    [`q@${EVIL}:1:1\nz@${U}:1:2`, 'frame', `q@${EVIL}:1:1\nz`, U, 1, 2],
    [`@${U} line 73 > WebAssembly.Module:wasm-function[1]:0x27`, 'wasm', '',
      `${U} line 73 > WebAssembly.Module`, null, null],
    ['f@https://esm.example.com/p@npm:q@1.0.0/x.js:1:2', 'frame', 'f',
      'https://esm.example.com/p@npm:q@1.0.0/x.js', 1, 2],
    ['f@https://user:word@app.example.com:8080/x.js:1:2', 'frame', 'f',
      'https://user:word@app.example.com:8080/x.js', 1, 2],
    [`FrameRequestCallback*tick@${U}:1:2`, 'async', 'tick', U, 1, 2],
    [`([object Object],"a@b")@${U}:7`, 'frame', '', U, 7, null], // Firefox 3
    [`f@${U}:1:0`, 'frame', 'f', U, 1, 0], // columns from 0 up to Firefox 39
    ['Error: see me@https://app.example.com/ for more', 'not-frame', null, null, null, null],
  ],
  jsc: [
    ['@', 'eval', '', null, null, null],
    ['inner@', 'eval', 'inner', null, null, null],
    [`x@${EVIL}:9:9@`, 'eval', `x@${EVIL}:9:9`, null, null, null],
    ['@[native code]', 'native', '', null, null, null],
    ['1@<?>:wasm-function[1]', 'wasm', '1', '<?>', null, null],
    ['<?>.wasm-function[2]@[wasm code]', 'wasm', '<?>.wasm-function[2]', null, null, null],
    [`#p@${U}:41:65`, 'frame', '#p', U, 41, 65],
    ['f@file:///var/containers/Bundle/Application/0A1B/My%20App.app/main.jsbundle:12:34', 'frame', 'f',
      'file:///var/containers/Bundle/Application/0A1B/My%20App.app/main.jsbundle', 12, 34],
    ['f@undefined:9:2', 'frame', 'f', 'undefined', 9, 2],
    ['https://app.example.com/@scope/pkg@1.2.3/x.js:1:2', 'frame', '',
      'https://app.example.com/@scope/pkg@1.2.3/x.js', 1, 2],
    ['eval code', 'eval', 'eval code', null, null, null], // Safari 9
    ['RangeError: Maximum call stack size exceeded.', 'not-frame', null, null, null, null],
  ],
  'an engine nobody knows': [
    ['   at f (Function code:1:2)', 'eval', 'f', null, 1, 2],
    ['    at value (address at index.android.bundle:1:27726)', 'frame', 'value', 'index.android.bundle',
      1, 27726],
    [`f@${U}:1:2`, 'frame', 'f', U, 1, 2],
    [`    at f (${U}:1:2)`, 'frame', 'f', U, 1, 2],
    ['junk', 'not-frame', null, null, null, null],
  ],
};

describe.each(Object.entries(LINES))('%s', (engine, lines) => {
  test('lines besides the zoo', () => {
    const readings = parse(lines.map(([line], id) => ({ id, engine, line })));
    const wrong = [];
    lines.forEach(([text, kind, name, url, line, column], index) => {
      const expected = show({ kind, name, url, line, column });
      if (show(readings[index]) === expected) return;
      wrong.push(`${JSON.stringify(text)}\n  is       ${show(readings[index])}\n  expected ${expected}`);
    });
    expect(wrong).toEqual([]);
  });
});

describe('the script', () => {
  test('keeps the order and the ids, whatever these are', () => {
    const ids = ['b', 7, null, { deep: [1] }, 'b'];
    expect(parse(ids.map((id) => ({ id, engine: 'v8', line: 'x' }))).map(({ id }) => id)).toEqual(ids);
  });

  test('NULs, newlines, astral characters and lone surrogates arrive', () => {
    expect(parseLine('v8', '    at a\0b\nc\u{1F600}\ud800 (x.js:1:2)').name).toBe('a\0b\nc\u{1F600}\ufffd');
  });

  test('no rows, no output', () => {
    expect(run('')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(run('\n\n')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  test('100 000 rows, and a line of megabytes', () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({
      id, engine: 'v8', line: `    at f${id} (https://app.example.com/x.js:${id}:1)`,
    }));
    rows.push({ id: 'long', engine: 'v8', line: `    at ${'('.repeat(3_000_000)} (x.js:1:2)` });
    const readings = parse(rows);
    expect(readings[99_999]).toEqual({
      id: 99_999, kind: 'frame', name: 'f99999', url: 'https://app.example.com/x.js', line: 99_999, column: 1,
    });
    expect(readings[100_000].name).toHaveLength(3_000_000);
  });

  test.each([
    ['not JSON', '{"id":1,', 'row on line 2 is not JSON'],
    ['not an object', '[1]', 'row on line 2 is not an object'],
    ['null', 'null', 'row on line 2 is not an object'],
    ['no line', '{"id":1,"engine":"v8"}', 'row on line 2: "line" is not a string'],
    ['no engine', '{"id":1,"line":"x"}', 'row on line 2: "engine" is not a string'],
  ])('a row that is wrong (%s) is an error with a code', (_, row, message) => {
    const done = run(`{"id":0,"engine":"v8","line":"x"}\n${row}\n`);
    expect(done.status).toBe(1);
    expect(done.stdout).toBe('');
    expect(done.stderr).toContain(`stack-parse: ERR_STACK_PARSE_INPUT: ${message}`);
  });

  test('without the means to build, an error with a code', () => {
    const done = run('{"id":0,"engine":"v8","line":"x"}', { env: { PATH: '/nowhere' } });
    expect(done.status).toBe(1);
    expect(done.stderr).toContain('stack-parse: ERR_STACK_PARSE_BUILD: make');
  });
});
