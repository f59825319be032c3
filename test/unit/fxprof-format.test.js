/** Documents of the profile builder: against the format's schema, and in the front-end itself. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { findFaults } from '../fxprof/format.mjs';
import { load } from '../fxprof/front-end.mjs';
import { replay } from '../fxprof/replay.mjs';

const folder = new URL('../data/fxprof/', import.meta.url);
const documents = readdirSync(folder).map((file) => {
  const { profile } = replay(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
  return [file.replace('.json', ''), profile.toString()];
});
const withThreads = documents.filter(([, text]) => JSON.parse(text).threads.length);
// What is loaded is too much for jest to print.
const isLoaded = (text) => load(text).then(() => true, () => false);

test.each(documents)('the schema takes %s', (name, text) => {
  expect(findFaults(JSON.parse(text))).toEqual([]);
});

test.each(withThreads)('the front-end loads %s', async (name, text) => {
  const { threads, counters } = JSON.parse(text);
  const loaded = await load(text);
  const { threads: listed } = await loaded.threadList();
  const wanted = threads.map((thread, i) => [i, thread.name, thread.processName, thread.pid, thread.tid]);
  expect(listed.map((thread) => [thread.threadIndex, thread.name, thread.processName, thread.pid, thread.tid])
    .sort(([a], [b]) => a - b)).toEqual(wanted);
  for (const { threadIndex, threadHandle, markerCount } of listed) {
    const { samples, markers } = threads[threadIndex];
    // Others make pairs.
    if (markers.phase.every((phase) => phase < 2)) expect(markerCount).toBe(markers.length);
    if (!samples.length) continue; // the program never ends when it is asked about such a thread
    const { sampleCount } = await loaded.threadInfo(threadHandle);
    expect(sampleCount).toBe(samples.length);
  }
  expect((await loaded.counterList()).counters).toHaveLength(counters.length);
});

test('the front-end refuses what has no thread', async () => {
  const empty = documents.filter(([, text]) => !JSON.parse(text).threads.length);
  expect(empty.length).toBeGreaterThan(0);
  for (const [, text] of empty) expect(await isLoaded(text)).toBe(false);
});

describe('what is wrong is found', () => {
  const text = documents.find(([name]) => name === 'gen_markers')[1];
  test.each([
    ['a key too many', ({ meta }) => { meta.more = 1; }],
    ['no category grey', ({ meta }) => { meta.categories[0].color = 'red'; }],
    ['a category without subcategories', ({ meta }) => { delete meta.categories[0].subcategories; }],
    ['another version', ({ meta }) => { meta.preprocessedProfileVersion = 56; }],
    ['a field without format', ({ meta }) => { delete meta.markerSchema[0].fields[0].format; }],
    ['a missing column', ({ threads: [thread] }) => { delete thread.resourceTable.host; }],
    ['a column too short', ({ threads: [thread] }) => { thread.markers.endTime.pop(); }],
    ['a name that is a text', ({ threads: [thread] }) => { thread.markers.name[0] = 'name'; }],
    ['a name that leads nowhere', ({ threads: [thread] }) => { thread.markers.name[0] = 1e6; }],
    ['a marker of no type', ({ threads: [thread] }) => { thread.markers.data[0].type = 'none'; }],
    ['time that runs backwards', ({ threads: [thread] }) => {
      thread.samples = { length: 1, weightType: 'samples', stack: [null], timeDeltas: [-1], weight: null };
    }],
    ['a pid that is a number', ({ threads: [thread] }) => { thread.pid = 5; }],
  ])('%s', (what, change) => {
    const profile = JSON.parse(text);
    change(profile);
    expect(findFaults(profile)).not.toEqual([]);
  });

  test('by the front-end, too', async () => {
    for (const change of [
      ({ meta }) => { delete meta.markerSchema; },
      ({ threads: [thread] }) => { delete thread.stackTable; },
      ({ threads: [thread] }) => { delete thread.markers.data; },
    ]) {
      const profile = JSON.parse(text);
      change(profile);
      expect([String(change), await isLoaded(JSON.stringify(profile))]).toEqual([String(change), false]);
    }
  });
});
