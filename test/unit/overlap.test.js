// What the accuracy benchmark computes, on profiles that are made up.

import { describe, expect, test } from '@jest/globals';
import { instrument } from '../../js/instrument.js';
import { ceiling, compare, differences, median, overlap, shares } from '../bench/support/overlap.js';
import { makeKeys, readDevTools, readGecko, readTrace } from '../bench/support/profiles.js';

const isProgram = (url) => url.endsWith('/program.js');
const isPolyfill = (url) => url.endsWith('/polyfill.js');

describe('shares and overlap', () => {
  const profile = [
    { stack: ['leaf', 'root'], weight: 3 },
    { stack: ['root'], weight: 1 },
    { stack: ['leaf', 'leaf', 'root'], weight: 4 },
  ];

  test('self time goes to the leaf, total time once to each function on the stack', () => {
    const { self, total } = shares(profile);
    expect(Object.fromEntries(self)).toEqual({ leaf: 7 / 8, root: 1 / 8 });
    expect(Object.fromEntries(total)).toEqual({ leaf: 7 / 8, root: 1 });
  });

  test('the overlap is the sum of the smaller shares', () => {
    const { self } = shares(profile);
    expect(overlap(self, self)).toBeCloseTo(1, 12);
    expect(overlap(self, new Map([['leaf', 0.5], ['other', 0.5]]))).toBeCloseTo(0.5, 12);
    expect(overlap(self, new Map([['other', 1]]))).toBe(0);
    expect(overlap(new Map(), new Map())).toBe(0);
  });

  test('what is drawn from the truth comes nearer to it the more is drawn', () => {
    const truth = Array.from({ length: 200 },
      (_, i) => ({ stack: [`f${i % 40}`, 'run'], weight: 1 + i % 3 }));
    const few = ceiling(truth, 20);
    const many = ceiling(truth, 5000);
    expect(few.self).toBeGreaterThan(0.3);
    expect(few.self).toBeLessThan(0.7);
    expect(many.self).toBeGreaterThan(0.95);
    expect(many.total).toBeGreaterThan(many.self);
    expect(ceiling(truth, 20)).toEqual(few);
    expect(ceiling(truth, 20, { seed: 2 })).not.toEqual(few);
  });

  test('draws heed weights', () => {
    const truth = [{ stack: ['a'], weight: 99 }, { stack: ['b'], weight: 1 }];
    expect(ceiling(truth, 1).self).toBeGreaterThan(0.85);
  });

  test('a perfect sampler has a ratio of about 1, one that sees another function has 0', () => {
    const truth = Array.from({ length: 4000 }, (_, i) => ({ stack: [`f${i % 30}`], weight: 1 }));
    const ours = truth.filter((_, i) => i % 7 === 0).map((sample) => ({ ...sample, weight: 1 }));
    const { self, total } = compare(truth, ours);
    expect(self.ratio).toBeGreaterThan(0.97);
    expect(self.ratio).toBeCloseTo(self.overlap / self.ceiling, 12);
    expect(total).toEqual(self);
    expect(compare(truth, [{ stack: ['g'], weight: 1 }]).self.overlap).toBe(0);
  });

  test('the largest differences come first', () => {
    const truth = [{ stack: ['a'], weight: 8 }, { stack: ['b'], weight: 2 }];
    const ours = [{ stack: ['b'], weight: 1 }, { stack: ['b'], weight: 1 }, { stack: ['a'], weight: 2 },
      { stack: ['c'], weight: 1 }];
    expect(differences(truth, ours, 'self', 2).map(({ key, truth: share }) => [key, share]))
      .toEqual([['a', 0.8], ['b', 0.2]]);
  });

  test('median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});

test('positions in instrumented code lead to those of the original', () => {
  const code = 'function f(x) { for (;;) { g(x); } }\nconst h = (y) => { while (y) f(y); }, k = (z) => z;\n';
  const { code: instrumented, map } = instrument(code, { sourceType: 'script' });
  const toKey = makeKeys(map);
  const lines = instrumented.split('\n');
  for (const [line, text] of [[1, '(x)'], [2, '(y)'], [2, '(z)']]) {
    const original = code.split('\n')[line - 1];
    expect(toKey(line, lines[line - 1].indexOf(text) + 1)).toBe(`${line}:${original.indexOf(text) + 1}`);
  }
  expect(lines[0].indexOf('(x)')).toBeGreaterThan(code.indexOf('(x)'));
});

test('of an async arrow function Gecko says where its parameters are', () => {
  const code = 'const f = async (x) => { await x; }, g = async y => y; async function h(z) { await z; }\n';
  const { code: instrumented, map } = instrument(code, { sourceType: 'script' });
  const toKey = makeKeys(map);
  const at = (text) => instrumented.indexOf(text) + 1;
  expect(toKey(1, at('(x)'), true)).toBe('1:11');
  expect(toKey(1, at('async (x)'))).toBe('1:11');
  expect(toKey(1, at('y =>'), true)).toBe(`1:${code.indexOf('async y') + 1}`);
  expect(toKey(1, at('(z)'), true)).toBe(`1:${code.indexOf('(z)') + 1}`);
});

test('a trace: samples of the time asked for, functions of the program alone', () => {
  const trace = {
    resources: ['http://a/program.js', 'http://a/driver.js'],
    frames: [
      { name: 'run', resourceId: 0, line: 3, column: 5 },
      { name: 'driver', resourceId: 1, line: 3, column: 5 },
      { name: 'native' }, { name: 'leaf', resourceId: 0, line: 9, column: 1 },
    ],
    stacks: [
      { frameId: 1 }, { frameId: 0, parentId: 0 }, { frameId: 3, parentId: 1 }, { frameId: 2, parentId: 2 },
    ],
    samples: [
      { timestamp: 5, stackId: 2 }, { timestamp: 10, stackId: 3 }, { timestamp: 20 },
      { timestamp: 30, stackId: 0 }, { timestamp: 40, stackId: 1 }, { timestamp: 50, stackId: 2 },
    ],
  };
  const { names, ...rest } = readTrace(trace, { isProgram, from: 10, to: 40 });
  expect(rest).toEqual({
    profile: [{ stack: ['9:1', '3:5'], weight: 1 }, { stack: ['3:5'], weight: 1 }],
    samples: 4, stackless: 1, apart: 1, collecting: 0,
  });
  const collections = [{ from: 2, to: 9 }, { from: 9.5, to: 10 }, { from: 29, to: 31 }, { from: 45, to: 60 }];
  expect(readTrace(trace, { isProgram, from: 10, to: 40, collections })).toMatchObject({
    profile: [{ stack: ['3:5'], weight: 1 }], samples: 4, stackless: 1, apart: 0, collecting: 2,
  });
  expect(names.get('9:1')).toBe('leaf');
});

test('a profile of DevTools: callees that are not the program fall to it, the rest is apart', () => {
  const node = (id, functionName, url, lineNumber, columnNumber, children = []) =>
    ({ id, callFrame: { functionName, url, lineNumber, columnNumber }, children });
  const program = 'http://a/program.js';
  const { profile, times, collections } = readDevTools({
    nodes: [
      node(1, '(root)', '', -1, -1, [2, 3, 4, 5, 9]),
      node(2, 'benchStart', 'http://a/driver.js', 1, 1),
      node(3, 'benchEnd', 'http://a/driver.js', 2, 1),
      node(4, '(garbage collector)', '', -1, -1),
      node(5, 'measure', 'http://a/driver.js', 5, 1, [6]),
      node(6, 'run', program, 2, 4, [7, 8]),
      node(7, 'stringify', '', -1, -1),
      node(8, 'poll', 'http://a/polyfill.js', 0, 100),
      node(9, '(idle)', '', -1, -1),
    ],
    samples: [6, 2, 6, 7, 4, 8, 5, 9, 6, 3, 6],
    timeDeltas: [0, 200, 200, 200, 200, 200, 200, 200, 200, 9000, 200],
  }, { isProgram, isPolyfill, toKey: (line, column) => `${line}:${column}` });
  expect(profile.map(({ stack }) => stack)).toEqual([['3:5'], ['3:5'], ['3:5']]);
  // The last one stands for half of a gap that is cut to 2 ms.
  expect(profile.map(({ weight }) => Math.round(weight * 1000))).toEqual([200, 200, 1100]);
  expect(Object.keys(times).sort()).toEqual(['gc', 'idle', 'other', 'polyfill', 'program']);
  expect(times.gc).toBeCloseTo(0.2, 9);
  // In ms since benchStart was first seen.
  expect(collections).toHaveLength(1);
  expect(collections[0].from).toBeCloseTo(0.5, 9);
  expect(collections[0].to).toBeCloseTo(0.7, 9);
});

test('a profile of Firefox: frames of the engine fall to the program, its collections are apart', () => {
  const program = 'http://a/program.js';
  const stringTable = [
    '(root)', 'benchStart (http://a/driver.js:1:1)[3]', 'benchEnd (http://a/driver.js:2:1)[3]',
    `run (${program}:3:5)[4]`, `a (b) (${program}:9:1)[4]`, '0x7f00', 'IncrementalGC',
    'poll (http://a/polyfill.js:1:7)[2]', 'JSON.parse',
  ];
  const categories = ['Idle', 'Other', 'JavaScript', 'GC / CC'];
  const schema = { location: 0, category: 1 };
  const frame = (location, category) => (category === undefined ? [location] : [location, category]);
  const { profile, times, names } = readGecko({
    stringTable, categories,
    frameTable: { schema, data: [frame(0, 1), frame(1, 2), frame(2, 2), frame(3, 2), frame(4, 2), frame(5),
      frame(6, 3), frame(7, 2), frame(8, 2)] },
    stackTable: { schema: { prefix: 0, frame: 1 }, data: [[null, 0], [0, 1], [0, 2], [0, 3], [3, 4], [4, 5],
      [4, 6], [3, 7], [3, 8]] },
    samples: { schema: { stack: 0, time: 1 }, data: [[4, 0], [1, 1], [5, 2], [6, 3], [7, 4], [8, 5], [0, 6],
      [null, 7], [2, 8]] },
  }, { isProgram, isPolyfill, toKey: (line, column) => `${line}:${column}` });
  expect(profile).toEqual([{ stack: ['9:1', '3:5'], weight: 1 }, { stack: ['3:5'], weight: 1 }]);
  expect(times).toEqual({ program: 2, gc: 1, polyfill: 1, other: 2 });
  expect([...names]).toEqual([['3:5', 'run'], ['9:1', 'a (b)']]);
});
