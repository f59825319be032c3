/**
 * Profiles of three kinds, brought to one form: what a trace of ours says, what Chromium's DevTools say, and
 * what Firefox's own profiler says. Pure computations, tested by test/unit/overlap.test.js.
 *
 * Functions are known by `line:column` of their definition in the file before instrumenting. Time of
 * built-ins, of wasm and of all that is not the program falls to the function of the program that called it;
 * time of garbage collection, which the engine's profiles charge to nobody, and of the engine is left out of
 * both and counted apart; so is that of the polyfill.
 */
import { TraceMap, decodedMappings } from '@jridgewell/trace-mapping';

/** Functions of the page's driver: what lies between them is what both sides are asked about. */
const START = 'benchStart';
const END = 'benchEnd';

/**
 * Leads from positions in the instrumented file to those in the original.
 *
 * @param {object} map what instrument() returns
 * @returns {(line: number, column: number, isGecko?: boolean) => string} 1-based; the key of the function.
 *   Gecko's positions of async arrow functions are those of their parameters, all others those of `async`
 */
export function makeKeys(map) {
  const lines = decodedMappings(new TraceMap(map));
  const original = map.sourcesContent[0].split('\n');
  const atAsync = (line, column) =>
    /\basync\s*$/.exec(original[line - 1].slice(0, column - 1))?.[0].length ?? 0;
  return (line, column, isGecko = false) => {
    const segments = lines[line - 1] ?? [];
    let low = 0;
    let high = segments.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (segments[middle][0] < column) low = middle;
      else high = middle;
    }
    const segment = segments[low];
    if (!segment || segment[0] >= column) return `${line}:${column}`;
    const found = segment[3] + column - segment[0];
    return `${segment[2] + 1}:${isGecko ? found - atAsync(segment[2] + 1, found) : found}`;
  };
}

/**
 * A trace of ours.
 *
 * @param {object} trace
 * @param {{ isProgram: (url: string) => boolean, from: number, to: number,
 *   collections?: { from: number, to: number }[],
 *   toKey?: (line: number, column: number) => string }} options  `collections`: when the engine collected
 *   garbage; `toKey`: of a native trace, whose positions are those of the instrumented file
 * @returns {{ profile: import('./overlap.js').Profile, samples: number, stackless: number, apart: number,
 *   collecting: number, names: Map<string, string> }} `stackless`: samples in which nothing ran; `apart`:
 *   nothing of the program
 */
export function readTrace(trace, options) {
  const { isProgram, from, to, collections = [] } = options;
  const { toKey = (line, column) => `${line}:${column}` } = options;
  const names = new Map();
  const keys = trace.frames.map(({ name, line, column, resourceId }) => {
    if (line === undefined || !isProgram(trace.resources[resourceId] ?? '')) return undefined;
    const key = toKey(line, column);
    names.set(key, name);
    return key;
  });
  const stacks = [];
  const stackOf = (id) => {
    if (id === undefined) return [];
    if (!stacks[id]) {
      const { frameId, parentId } = trace.stacks[id];
      const rest = stackOf(parentId);
      stacks[id] = keys[frameId] === undefined ? rest : [keys[frameId], ...rest];
    }
    return stacks[id];
  };
  const profile = [];
  let samples = 0;
  let stackless = 0;
  let apart = 0;
  let collecting = 0;
  let next = 0; // in `collections`
  for (const { timestamp, stackId } of trace.samples) {
    if (timestamp < from || timestamp > to) continue;
    samples++;
    while (next < collections.length && collections[next].to < timestamp) next++;
    if (collections[next]?.from <= timestamp) {
      collecting++;
      continue;
    }
    const stack = stackOf(stackId);
    if (stackId === undefined) stackless++;
    else if (stack.length === 0) apart++;
    else profile.push({ stack, weight: 1 });
  }
  return { profile, samples, stackless, apart, collecting, names };
}

/**
 * Weighs and sorts samples that have been read by one of the functions below.
 *
 * @param {{ time: number, kind: string, stack: string[] }[]} samples `time`: ms; `kind`: 'program', or what
 *   else was running
 * @param {number} longest ms that a sample may stand for: there are none while the processor is taken away
 */
function weigh(samples, longest) {
  // DevTools' may be a little out of order.
  samples.sort((a, b) => a.time - b.time);
  const first = samples.findLastIndex(({ kind }) => kind === START);
  const last = samples.findIndex(({ kind }) => kind === END);
  if (first < 0 || last < first) throw new Error('the truth has no start or no end');
  const origin = samples.find(({ kind }) => kind === START).time;
  const profile = [];
  const times = {};
  const collections = [];
  for (let i = first + 1; i < last; i++) {
    const { kind, stack, time } = samples[i];
    // A sample stands for half of the time to either neighbour.
    const weight = Math.min(time - samples[i - 1].time, longest) / 2 +
      Math.min(samples[i + 1].time - time, longest) / 2;
    if (kind === 'program') profile.push({ stack, weight });
    if (kind === 'gc') collections.push({ from: time - origin - weight / 2, to: time - origin + weight / 2 });
    times[kind] = (times[kind] ?? 0) + weight;
  }
  return { profile, times, collections };
}

/**
 * A profile of Chromium's DevTools.
 *
 * @param {object} profile `Profiler.stop`'s: nodes, samples, timeDeltas (us)
 * @param {{ isProgram: (url: string) => boolean, isPolyfill: (url: string) => boolean,
 *   toKey: (line: number, column: number) => string }} options
 * @returns {{ profile: import('./overlap.js').Profile, times: Record<string, number>,
 *   collections: { from: number, to: number }[], names: Map<string, string> }} `times`: ms by kind, 'program', 'polyfill', 'gc', 'other', 'idle';
 *   `collections`: when garbage was collected, in ms since START began
 */
export function readDevTools({ nodes, samples, timeDeltas }, { isProgram, isPolyfill, toKey }) {
  const names = new Map();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Map();
  const visit = (node, above) => {
    const { functionName, url, lineNumber, columnNumber } = node.callFrame;
    let { kind, stack } = above;
    if (functionName === START || functionName === END) kind = functionName;
    else if (functionName === '(garbage collector)') kind = 'gc';
    else if (functionName === '(idle)') kind = 'idle';
    else if (isPolyfill(url)) kind = 'polyfill';
    else if (isProgram(url)) {
      const key = toKey(lineNumber + 1, columnNumber + 1);
      names.set(key, functionName);
      kind = 'program';
      stack = [key, ...stack];
    }
    const here = { kind, stack };
    found.set(node.id, here);
    for (const child of node.children ?? []) visit(byId.get(child), here);
  };
  visit(nodes[0], { kind: 'other', stack: [] });
  let time = 0;
  const list = samples.map((id, i) => ({ ...found.get(id), time: time += timeDeltas[i] / 1000 }));
  return { ...weigh(list, 2), names };
}

// 'name (url:line:column)[script]'; without a name, a script's top level.
const GECKO_LOCATION = /^(?:(.*) \()?(\w+:\/\/.*?):(\d+):(\d+)\)?(?:\[\d+\])?$/;

/**
 * One thread of a profile of Firefox's own profiler.
 *
 * @param {object} thread `samples`, `stackTable`, `frameTable`, `stringTable`, and `categories`: their names
 * @param {object} options as those of readDevTools()
 * @returns as readDevTools()
 */
export function readGecko(thread, { isProgram, isPolyfill, toKey }) {
  const { samples, stackTable, frameTable, stringTable, categories } = thread;
  const names = new Map();
  const frames = frameTable.data.map((row) => {
    const location = stringTable[row[frameTable.schema.location]];
    const category = categories[row[frameTable.schema.category]] ?? '';
    const [, name = '', url = '', line, column] = GECKO_LOCATION.exec(location) ?? [];
    if (name === START || name === END) return { kind: name };
    if (category.startsWith('GC')) return { kind: 'gc' };
    if (isPolyfill(url)) return { kind: 'polyfill' };
    if (!isProgram(url)) return { kind: category === 'Idle' ? 'idle' : undefined };
    const key = toKey(Number(line), Number(column), true);
    names.set(key, name);
    return { kind: 'program', key };
  });
  const nothing = { kind: 'other', stack: [] };
  const stacks = [];
  // Prefixes come before what they are prefixes of.
  for (const row of stackTable.data) {
    const prefix = row[stackTable.schema.prefix];
    const above = prefix === null ? nothing : stacks[prefix];
    const { kind = above.kind, key } = frames[row[stackTable.schema.frame]];
    stacks.push({ kind, stack: key === undefined ? above.stack : [key, ...above.stack] });
  }
  const list = samples.data.map((row) => (
    { ...stacks[row[samples.schema.stack]] ?? nothing, time: row[samples.schema.time] }));
  return { ...weigh(list, 5), names };
}
