/** The demo viewer's reading of traces: demo/viewer/analysis.js and format.js. */
import { describe, expect, test } from '@jest/globals';
import {
  analyse, checkTrace, expectedSamples, layoutMerged, layoutOverTime, samplesBetween,
} from '../../demo/viewer/analysis.js';
import { formatName, formatPosition, formatShare, formatTime } from '../../demo/viewer/format.js';

/** Makes a trace from lines such as "a;b;c" (root first), one a sample; '' is a sample without a stack. */
function traceOf(lines, { step = 10, start = 100 } = {}) {
  const trace = { resources: ['https://a.example/app.js'], frames: [], stacks: [], samples: [] };
  const frameId = (name) => {
    const known = trace.frames.findIndex((frame) => frame.name === name);
    if (known >= 0) return known;
    return trace.frames.push({ name, resourceId: 0, line: trace.frames.length + 1, column: 1 }) - 1;
  };
  lines.forEach((line, i) => {
    const sample = { timestamp: start + i * step };
    for (const name of line === '' ? [] : line.split(';')) {
      const stack = { frameId: frameId(name), ...('stackId' in sample ? { parentId: sample.stackId } : {}) };
      const known = trace.stacks.findIndex(({ frameId: id, parentId }) => (
        id === stack.frameId && parentId === stack.parentId));
      sample.stackId = known >= 0 ? known : trace.stacks.push(stack) - 1;
    }
    trace.samples.push(sample);
  });
  return trace;
}

/** A tree or the boxes of a graph as text that a person can review. */
const printTree = (node, depth = 0) => node.children.flatMap((child) => [
  `${'  '.repeat(depth)}${child.func.name} ${child.self}/${child.total}`, ...printTree(child, depth + 1)]);
const printBoxes = (boxes) => boxes.map(({ kind, func, depth, x0, x1, self, total }) => (
  `${'  '.repeat(depth)}${func?.name ?? `(${kind})`} ${+x0.toFixed(3)}-${+x1.toFixed(3)} ${self}/${total}`));
const printFunctions = (analysis) => (
  analysis.functions.map(({ name, self, total }) => `${name} ${self}/${total}`));

describe('analyse', () => {
  test('counts self and total by function', () => {
    const lines = ['main', 'main;work', 'main;work;leaf', 'main;work', '', 'main;leaf', ''];
    const analysis = analyse(traceOf(lines), 10);
    expect(printFunctions(analysis)).toEqual(['work 20/30', 'leaf 20/20', 'main 10/50']);
    expect(analysis).toMatchObject({
      samples: 7, stacked: 5, idle: 2, stackedTime: 50, interval: 10, start: 100, end: 170,
    });
  });

  test('counts a recursive function once a sample, however deep', () => {
    const analysis = analyse(traceOf(['f', 'f;f', 'f;g;f', 'f;f;f;f']), 10);
    expect(printFunctions(analysis)).toEqual(['f 40/40', 'g 0/10']);
  });

  test('merges stacks into a tree, heaviest first', () => {
    const analysis = analyse(traceOf(['a;b', 'a;c', 'a;c', 'd', 'a;c;e', '']), 10);
    expect(printTree(analysis.root)).toEqual(['a 0/40', '  c 20/30', '    e 10/10', '  b 10/10', 'd 10/10']);
    expect(analysis.root).toMatchObject({ total: 50, samples: 5 });
  });

  test('equal frames are one function; another column is another function', () => {
    const trace = {
      resources: ['x.js'],
      frames: [
        { name: 'f', resourceId: 0, line: 1, column: 1 },
        { name: 'f', resourceId: 0, line: 1, column: 1 },
        { name: 'f', resourceId: 0, line: 1, column: 9 },
        { name: 'f' },
      ],
      stacks: [{ frameId: 0 }, { frameId: 1 }, { frameId: 2 }, { frameId: 3 }],
      samples: [0, 1, 2, 3].map((stackId) => ({ timestamp: stackId, stackId })),
    };
    expect(analyse(trace, 1).functions.map(({ column, self }) => [column, self]))
      .toEqual([[1, 2], [9, 1], [undefined, 1]]);
  });

  test('puts samples that are out of order in order', () => {
    const trace = traceOf(['a', 'b', 'c']);
    trace.samples[1].timestamp = 50;
    expect(analyse(trace, 10).timeline.map(({ path }) => path[0].name)).toEqual(['b', 'a', 'c']);
  });

  test('a sample stands for the time to the next one, but not for a gap', () => {
    const trace = traceOf(['a', 'b', 'b', 'c', 'd']);
    trace.samples[2].timestamp -= 9; // b twice within 1 ms, as Chromium does; then no sample for 19 ms
    trace.samples[4].timestamp += 1_000;
    const analysis = analyse(trace, 10);
    expect(printFunctions(analysis)).toEqual(['b 16/16', 'c 15/15', 'a 10/10', 'd 10/10']);
    expect(analysis.functions[0].samples).toBe(2);
    // One moment and no interval: there is no time, so the samples are counted.
    expect(printFunctions(analyse(traceOf(['a', 'b', 'a'], { step: 0 }), 0))).toEqual(['a 2/2', 'b 1/1']);
  });

  test('takes the median step for the interval when it is not told', () => {
    const trace = traceOf(['a', 'a', 'a', 'a'], { step: 16 });
    trace.samples.at(-1).timestamp += 500;
    expect(analyse(trace).interval).toBe(16);
    expect(analyse(traceOf(['a'])).interval).toBe(0);
  });

  test('functions that only frames know, no sample, are left out', () => {
    const trace = traceOf(['a']);
    trace.frames.push({ name: 'never' });
    expect(printFunctions(analyse(trace, 10))).toEqual(['a 10/10']);
  });

  test('an empty trace is a trace', () => {
    const analysis = analyse({ resources: [], frames: [], stacks: [], samples: [] }, 10);
    expect(analysis).toMatchObject({ samples: 0, stacked: 0, functions: [], start: 0, end: 0 });
    expect(layoutMerged(analysis)).toEqual([]);
    expect(layoutOverTime(analysis)).toEqual([]);
  });

  test('the trace is not changed', () => {
    const trace = traceOf(['a;b', '', 'a']);
    trace.samples.reverse();
    const before = JSON.stringify(trace);
    analyse(trace, 10);
    expect(JSON.stringify(trace)).toBe(before);
  });
});

describe('checkTrace', () => {
  const broken = (change) => {
    const trace = traceOf(['a;b', '']);
    change(trace);
    return () => checkTrace(trace);
  };

  test('accepts a sound trace and returns it', () => {
    const trace = traceOf(['a;b', '']);
    expect(checkTrace(trace)).toBe(trace);
  });

  test.each([
    ['no object', () => checkTrace(null), 'the trace is not an object'],
    ['no samples', broken((t) => { delete t.samples; }), 'samples is not an array'],
    ['no name', broken((t) => { delete t.frames[1].name; }), 'frames[1].name is not a string'],
    ['no such resource', broken((t) => { t.frames[0].resourceId = 1; }), 'resourceId is 1, not below 1'],
    ['no such frame', broken((t) => { t.stacks[0].frameId = 2; }), 'stacks[0].frameId is 2, not below 2'],
    ['frame missing', broken((t) => { delete t.stacks[0].frameId; }), 'stacks[0].frameId is undefined'],
    ['a parent that comes later', broken((t) => { t.stacks[0].parentId = 1; }), 'stacks[0].parentId is 1'],
    ['its own parent', broken((t) => { t.stacks[1].parentId = 1; }), 'stacks[1].parentId is 1, not below 1'],
    ['no such stack', broken((t) => { t.samples[0].stackId = -1; }), 'samples[0].stackId is -1'],
    ['an id that is no integer', broken((t) => { t.samples[0].stackId = '0'; }), 'samples[0].stackId is 0'],
    ['no time', broken((t) => { t.samples[1].timestamp = NaN; }), 'samples[1].timestamp is not a number'],
  ])('refuses: %s', (_, check, message) => {
    expect(check).toThrow(TypeError);
    expect(check).toThrow(message);
  });
});

describe('flame graph', () => {
  test('merged: width is samples with a stack, children lie inside their parent', () => {
    const boxes = layoutMerged(analyse(traceOf(['a;b', 'a;c', 'd', 'a;c', '', '']), 10));
    expect(printBoxes(boxes)).toEqual([
      '(all) 0-1 0/40',
      '  a 0-0.75 0/30',
      '    c 0-0.5 20/20',
      '    b 0.5-0.75 10/10',
      '  d 0.75-1 10/10',
    ]);
  });

  test('over time: what runs on is one box, what comes back is another', () => {
    const lines = ['a;b', 'a;b', 'a', 'a;b', '', '', 'a;b', 'a', 'c', 'c'];
    const boxes = layoutOverTime(analyse(traceOf(lines), 10));
    expect(printBoxes(boxes)).toEqual([
      '(all) 0-1 0/100',
      '  a 0-0.4 10/40',
      '    b 0-0.2 20/20',
      '    b 0.3-0.4 10/10',
      '  (idle) 0.4-0.6 20/20',
      '  a 0.6-0.8 10/20',
      '    b 0.6-0.7 10/10',
      '  c 0.8-1 20/20',
    ]);
  });

  test('over time: a gap without samples stays empty, and splits what was open', () => {
    const trace = traceOf(['a', 'a', 'a', 'a']);
    trace.samples[2].timestamp += 60;
    trace.samples[3].timestamp += 60;
    expect(printBoxes(layoutOverTime(analyse(trace, 10)))).toEqual([
      '(all) 0-1 0/100',
      '  a 0-0.25 25/25',
      '  a 0.8-1 20/20',
    ]);
  });

  test('over time: samples of one moment have no width, and do not divide by zero', () => {
    const boxes = layoutOverTime(analyse(traceOf(['a', 'a'], { step: 0 }), 0));
    expect(boxes.every(({ x0, x1 }) => Number.isFinite(x0) && Number.isFinite(x1))).toBe(true);
  });

  test('a deep stack of thousands of samples is laid out', () => {
    const deep = Array.from({ length: 255 }, (_, i) => `f${i}`).join(';');
    const analysis = analyse(traceOf(Array.from({ length: 2_000 }, () => deep)), 10);
    expect(layoutMerged(analysis)).toHaveLength(256);
    expect(layoutOverTime(analysis)).toHaveLength(256);
  });
});

test('samples due and got between two moments', () => {
  const analysis = analyse(traceOf(['a', 'a', '', 'a']), 10);
  expect(samplesBetween(analysis, 105, 130)).toEqual({ all: 3, stacked: 2 });
  expect(expectedSamples(100, 139.9, 10)).toBe(3);
  expect(expectedSamples(100, 140, 0)).toBe(0);
});

describe('format', () => {
  test('times', () => {
    expect([0, 8.25, 10, 99.96, 812.4, 1_240].map(formatTime))
      .toEqual(['0 ms', '8.3 ms', '10 ms', '100 ms', '812 ms', '1.24 s']);
  });

  test('shares', () => {
    const shares = [[0, 5], [0, 0], [5, 5], [974, 1000], [1, 10_000]];
    expect(shares.map(([part, whole]) => formatShare(part, whole)))
      .toEqual(['0 %', '0 %', '100 %', '97.4 %', '< 0.1 %']);
  });

  test('names and positions', () => {
    expect(formatName({ name: '' })).toBe('(anonymous)');
    const func = { name: 'f', resource: 'https://a.example/x/app.js?v=1', line: 6, column: 17 };
    expect(formatPosition(func)).toBe('https://a.example/x/app.js?v=1:6:17');
    expect(formatPosition(func, 'https://a.example/x/?impl=polyfill')).toBe('app.js?v=1:6:17');
    expect(formatPosition(func, 'https://a.example/y/page.html')).toBe('https://a.example/x/app.js?v=1:6:17');
    const whole = { resource: 'https://a.example/x/app.js' };
    expect(formatPosition(whole, 'https://a.example/x/#top')).toBe('app.js');
    expect(formatPosition({})).toBe('(no script)');
  });
});
