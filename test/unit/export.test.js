/** Traces as Firefox profiles: what is in them, by the format and by the front-end. */
import { describe, expect, test } from '@jest/globals';
import { findFaults } from '../fxprof/format.mjs';
import { load } from '../fxprof/front-end.mjs';
import { toFirefoxProfile } from '../../wasm-out/esm/export.js';
import { Profile } from '../../wasm-out/esm/fxprof.js';

const APP = 'https://a.example/app.js';
const TRACE = {
  resources: [APP, 'blob:https://a.example/1'],
  frames: [
    { name: 'outer', resourceId: 0, line: 3, column: 15 }, { name: '', resourceId: 1, line: 4, column: 1 },
    { name: 'parse' },
  ],
  stacks: [
    { frameId: 0 }, { frameId: 1, parentId: 0 }, { frameId: 2, parentId: 1 }, { frameId: 0, parentId: 0 },
  ],
  samples: [
    { timestamp: 100, stackId: 1 }, { timestamp: 110.5, stackId: 2 }, { timestamp: 120 }, { timestamp: 130 },
    { timestamp: 140, stackId: 3 },
  ],
};
const OPTIONS = { product: 'page', timeOrigin: 1.7e12, interval: 10 };
const ENTRIES = [
  { entryType: 'mark', name: 'go', startTime: 105, duration: 0 },
  { entryType: 'measure', name: 'work', startTime: 101, duration: 20.5 },
  { entryType: 'resource', name: APP, startTime: 1, duration: 5 },
];
const make = async (trace, options = OPTIONS) => {
  const profile = await toFirefoxProfile(trace, options);
  expect(profile).toBeInstanceOf(Profile);
  const document = profile.toJSON();
  expect(findFaults(document)).toEqual([]);
  return document;
};

/** The stacks of a thread's samples, root first: name, resource, where it is defined and where it runs. */
function stacksOf({ samples, stackTable, frameTable, funcTable, stringArray }) {
  return samples.stack.map((stack) => {
    const frames = [];
    for (let at = stack; at !== null; at = stackTable.prefix[at]) {
      const frame = stackTable.frame[at];
      const func = frameTable.func[frame];
      frames.unshift([
        stringArray[funcTable.name[func]], stringArray[funcTable.fileName[func]], funcTable.lineNumber[func],
        funcTable.columnNumber[func], frameTable.line[frame], frameTable.column[frame], funcTable.isJS[func],
      ]);
    }
    return frames;
  });
}

test('one thread; frames with resource, line and column; neither weights nor CPU times', async () => {
  const { meta, threads, counters } = await make(TRACE);
  expect(meta).toMatchObject({ product: 'page', startTime: 1.7e12, interval: 10, symbolicated: true });
  expect([threads.length, counters.length]).toEqual([1, 0]);
  const [{ samples, resourceTable, stringArray, name }] = threads;
  expect(name).toBe('page');
  expect(samples.weight).toBeNull();
  expect(samples).not.toHaveProperty('threadCPUDelta');
  expect(samples.timeDeltas).toEqual([100, 10.5, 9.5, 10, 10]);

  const outer = ['outer', APP, 3, 15, null, null, true];
  const anonymous = ['(anonymous)', 'blob:https://a.example/1', 4, 1, null, null, true];
  const idle = ['(idle)', undefined, null, null, null, null, false];
  const parse = ['parse', undefined, null, null, null, null, true];
  expect(stacksOf(threads[0])).toEqual(
    [[outer, anonymous], [outer, anonymous, parse], [idle], [idle], [outer, outer]]);
  expect(resourceTable.name.map((index) => stringArray[index])).toEqual(
    ['https://a.example', 'blob:https://a.example/1']);
});

test('idle samples are in a category that is not drawn, all others in one that is', async () => {
  const { meta: { categories }, threads: [{ samples, stackTable, frameTable }] } = await make(TRACE);
  const used = samples.stack.map((stack) => categories[frameTable.category[stackTable.frame[stack]]]);
  expect(used.map(({ name, color }) => `${name} ${color}`)).toEqual(
    ['JavaScript yellow', 'JavaScript yellow', 'Idle transparent', 'Idle transparent', 'JavaScript yellow']);
});

test('where functions were executing is the line of the frame', async () => {
  const stacks = [{ frameId: 0, line: 7, column: 2 }, { frameId: 0, line: 8 }];
  const samples = [{ timestamp: 1, stackId: 0 }, { timestamp: 2, stackId: 1 }];
  const { threads: [thread] } = await make({ ...TRACE, stacks, samples });
  expect(stacksOf(thread)).toEqual([
    [['outer', APP, 3, 15, 7, 2, true]], [['outer', APP, 3, 15, 8, null, true]],
  ]);
  expect(thread.funcTable.length).toBe(1);
});

test('marks and measures are markers, other entries are not', async () => {
  const { threads: [{ markers, stringArray }] } = await make(TRACE, { ...OPTIONS, entries: ENTRIES });
  expect(markers.name.map((index) => stringArray[index])).toEqual(['go', 'work']);
  expect(markers).toMatchObject({ phase: [0, 1], startTime: [105, 101], endTime: [0, 121.5] });
  expect(markers.data).toEqual([
    { type: 'UserTiming', name: 'go', entryType: 'mark' },
    { type: 'UserTiming', name: 'work', entryType: 'measure' },
  ]);
  performance.mark('mine');
  const { threads: [own] } = await make(TRACE, { entries: performance.getEntriesByName('mine') });
  expect(own.markers.data).toMatchObject([{ name: 'mine' }]);
});

test('the front-end tells of the trace what is in it', async () => {
  const loaded = await load((await toFirefoxProfile(TRACE, { ...OPTIONS, entries: ENTRIES })).toString());
  expect(await loaded.profileMeta()).toMatchObject({ product: 'page', interval: 10, startTime: 1.7e12 });
  const { context: { rootRange }, sampleCount } = await loaded.threadInfo('t-0');
  expect([sampleCount, rootRange]).toEqual([5, { start: 100, end: 150 }]);
  const { categoryBreakdown, topFunctionsByTotal, weightType, callTreeSummaryStrategy } =
    await loaded.threadSamples('t-0', true);
  expect([weightType, callTreeSummaryStrategy]).toEqual(['samples', 'timing']);
  expect(categoryBreakdown.categories.map(({ name, samples }) => [name, samples]))
    .toEqual([['JavaScript', 3], ['Idle', 2]]);
  const functions = topFunctionsByTotal.map(({ name, totalSamples, selfSamples }) =>
    [name.replace(/.*!/, ''), totalSamples, selfSamples]);
  expect(functions.sort()).toEqual(
    [['(anonymous)', 2, 1], ['(idle)', 2, 2], ['outer', 3, 1], ['parse', 1, 1]]);
  // As the program has it where nobody asks for idle time.
  expect((await loaded.threadSamples('t-0')).categoryBreakdown.totalSamples).toBe(3);
  const { byType } = await loaded.threadMarkers('t-0');
  const markers = byType.flatMap(({ topMarkers }) => topMarkers).map(({ label, start, duration }) =>
    [label, start, duration]);
  expect(markers.sort()).toEqual([['go', 5, undefined], ['work', 1, 20.5]]); // since the first sample
});

test('samples out of order, none, and what is not given', async () => {
  const [first, second] = TRACE.samples;
  const { meta, threads: [{ samples }] } = await make(
    { ...TRACE, samples: [second, first, { timestamp: 500 }, { timestamp: 510.5 }] }, {});
  expect(samples.timeDeltas).toEqual([100, 10.5, 389.5, 10.5]);
  expect(meta).toMatchObject({ product: 'JavaScript', startTime: performance.timeOrigin, interval: 10.5 });
  const empty = await make({ resources: [], frames: [], stacks: [], samples: [] }, {});
  expect([empty.threads[0].samples.length, empty.meta.interval]).toEqual([0, 1]);
});

describe('what is not an argument is refused with a code', () => {
  const frame = { name: 'f' };
  test.each([
    undefined, null, 5, {}, { ...TRACE, samples: undefined }, { ...TRACE, resources: [5] },
    { ...TRACE, frames: [null] }, { ...TRACE, frames: [{}] },
    { ...TRACE, frames: [{ ...frame, resourceId: 2 }] },
    { ...TRACE, frames: [{ ...frame, line: 0 }] }, { ...TRACE, frames: [{ ...frame, column: 2 ** 32 }] },
    { ...TRACE, stacks: [{}] }, { ...TRACE, stacks: [{ frameId: 3 }] },
    { ...TRACE, stacks: [{ frameId: '0' }] },
    { ...TRACE, stacks: [{ frameId: 0, parentId: 0 }] }, { ...TRACE, stacks: [{ frameId: 0, line: 1.5 }] },
    { ...TRACE, samples: [{}] }, { ...TRACE, samples: [{ timestamp: NaN }] },
    { ...TRACE, samples: [{ timestamp: 1, stackId: 4 }] },
    { ...TRACE, samples: [{ timestamp: 1, stackId: -1 }] },
  ])('trace %#', async (trace) => {
    await expect(toFirefoxProfile(trace)).rejects
      .toMatchObject({ name: 'TypeError', code: 'ERR_PROFILYFILL_TRACE' });
  });

  test.each([
    null, 5, { product: 5 }, { timeOrigin: '0' }, { timeOrigin: Infinity }, { interval: 0 },
    { interval: NaN }, { entries: 5 }, { entries: [null] },
    { entries: [{ entryType: 'mark', name: 'm', startTime: NaN, duration: 0 }] },
    { entries: [{ entryType: 'measure', name: 'm', startTime: 1 }] }, { entries: [{ entryType: 'mark' }] },
  ])('options %#', async (options) => {
    await expect(toFirefoxProfile(TRACE, options)).rejects
      .toMatchObject({ name: 'TypeError', code: 'ERR_PROFILYFILL_OPTION' });
  });
});
