// Traces for the Firefox Profiler.

import { Profile } from '../fxprof.js';

const TRACE = 'ERR_PROFILYFILL_TRACE';
const OPTION = 'ERR_PROFILYFILL_OPTION';

const MAX_POSITION = 2 ** 32 - 1;

// As Firefox's own; so the stack chart shows measures, too. Both texts are looked at as they are.
const USER_TIMING = {
  name: 'UserTiming',
  chartLabel: '{marker.data.name}',
  tooltipLabel: '{marker.data.name}',
  tableLabel: '{marker.data.name}',
  fields: [
    { key: 'name', label: 'Name', format: 'sanitized-string', searchable: true },
    { key: 'entryType', label: 'Entry type', format: 'sanitized-string' },
  ],
};

function refuse(code, what) {
  throw Object.assign(new TypeError(what), { code });
}

const isObject = (value) => typeof value === 'object' && value !== null;

/** One of what was made of a trace's list so far. */
function pick(list, id, where) {
  if (!Number.isInteger(id) || id < 0 || id >= list.length) {
    refuse(TRACE, `${where} is ${String(id)}, not below ${list.length}`);
  }
  return list[id];
}

const isPosition = (number) =>
  number === undefined || Number.isInteger(number) && number > 0 && number <= MAX_POSITION;

function checkPosition({ line, column }, where) {
  if (!isPosition(line) || !isPosition(column)) refuse(TRACE, `${where} has no such position`);
}

function checkTrace(trace) {
  for (const key of ['resources', 'frames', 'stacks', 'samples']) {
    if (!Array.isArray(trace?.[key])) refuse(TRACE, `trace.${key} is not an array`);
    trace[key].forEach((item, i) => {
      const isItem = key === 'resources' ? typeof item === 'string' : isObject(item);
      if (!isItem) refuse(TRACE, `${key}[${i}] is ${String(item)}`);
    });
  }
  trace.frames.forEach((frame, i) => {
    if (typeof frame.name !== 'string') refuse(TRACE, `frames[${i}].name is not a string`);
    checkPosition(frame, `frames[${i}]`);
  });
  trace.stacks.forEach((stack, i) => checkPosition(stack, `stacks[${i}]`));
  trace.samples.forEach(({ timestamp }, i) => {
    if (!Number.isFinite(timestamp)) refuse(TRACE, `samples[${i}].timestamp is ${String(timestamp)}`);
  });
}

const isUserTiming = ({ entryType }) => entryType === 'mark' || entryType === 'measure';

function checkOptions({ product, timeOrigin, interval, entries }) {
  if (typeof product !== 'string') refuse(OPTION, 'product is not a string');
  if (!Number.isFinite(timeOrigin)) refuse(OPTION, `timeOrigin is ${String(timeOrigin)}`);
  if (!Number.isFinite(interval) || interval <= 0) refuse(OPTION, `interval is ${String(interval)}`);
  if (!Array.isArray(entries) || !entries.every(isObject)) refuse(OPTION, 'entries is no array of objects');
  entries.filter(isUserTiming).forEach(({ name, startTime, duration }) => {
    if (typeof name !== 'string' || !Number.isFinite(startTime) || !Number.isFinite(duration)) {
      refuse(OPTION, `the entry ${String(name)} has no name or no time`);
    }
  });
}

/** The usual time between two samples; bursts and gaps are not usual. */
function medianStep(samples) {
  const times = samples.map(({ timestamp }) => timestamp).sort((a, b) => a - b);
  const steps = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);
  return steps[steps.length >> 1] || 1;
}

/** Makes a profile of a trace; see export.d.ts. */
export async function toFirefoxProfile(trace, options = {}) {
  checkTrace(trace);
  if (!isObject(options)) refuse(OPTION, 'the options are not an object');
  const {
    product = 'JavaScript', timeOrigin = performance.timeOrigin, interval = medianStep(trace.samples),
    entries = [],
  } = options;
  checkOptions({ product, timeOrigin, interval, entries });

  const profile = await Profile.create(product, timeOrigin, interval);
  profile.setSymbolicated(true);
  const thread = profile.addThread(profile.addProcess(product, 1, 0), 1, 0, true);
  profile.setThreadOmitWeights(thread, true); // with weights, running times are not shown

  const category = profile.addCategory('JavaScript', 'yellow');
  const flags = ['is-js'];
  const files = trace.resources.map((resource) => profile.internString(resource));
  const frames = trace.frames.map(({ name, resourceId, line: startLine, column: startColumn }, i) => ({
    label: profile.internString(name || '(anonymous)'),
    source: {
      file: resourceId === undefined ? undefined : pick(files, resourceId, `frames[${i}].resourceId`),
      startLine, startColumn, hasResource: true,
    },
  }));
  const stacks = [];
  trace.stacks.forEach(({ frameId, parentId, line, column }, i) => {
    const { label, source } = pick(frames, frameId, `stacks[${i}].frameId`);
    const parent = parentId === undefined ? null : pick(stacks, parentId, `stacks[${i}].parentId`);
    const info = { label, category, flags, source: { ...source, line, column } };
    stacks.push(profile.internStack(thread, parent, profile.internFrame(thread, info)));
  });

  // Without CPU times a thread is drawn as busy all the time, also where there is no stack. But not where
  // the category is transparent; and the front-end can leave out what is in "Idle".
  const idle = {
    label: profile.internString('(idle)'), category: profile.addCategory('Idle', 'transparent'),
  };
  let idleStack;
  trace.samples.forEach(({ timestamp, stackId }, i) => {
    const stack = stackId === undefined ? idleStack ??= profile.internStackFrames(thread, [idle])
      : pick(stacks, stackId, `samples[${i}].stackId`);
    profile.addSample(thread, timestamp, stack, null, 1);
  });

  entries.filter(isUserTiming).forEach(({ entryType, name, startTime, duration }) => {
    const timing = entryType === 'mark' ? { instant: startTime }
      : { interval: [startTime, startTime + duration] };
    const label = profile.internString(name);
    profile.addMarker(thread, timing, USER_TIMING, label, category, [label, profile.internString(entryType)]);
  });
  return profile;
}
