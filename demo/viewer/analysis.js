/**
 * What a trace says: time by function, the merged call tree, and where boxes of a flame graph lie. Pure
 * functions of the trace (https://wicg.github.io/js-self-profiling/#the-profilertrace-dictionary); nothing
 * here draws.
 */

/** How many intervals a sample can stand for. */
const LONGEST = 1.5;

/** Two moments closer than this, in ms, are one. */
const ROUNDING = 1e-6;

/**
 * @typedef {object} Trace
 * @property {string[]} resources
 * @property {{name: string, resourceId?: number, line?: number, column?: number}[]} frames
 * @property {{frameId: number, parentId?: number}[]} stacks
 * @property {{timestamp: number, stackId?: number}[]} samples
 */

/**
 * A function as the trace knows it. Times are in ms.
 *
 * @typedef {object} Func
 * @property {number} id its place in `Analysis.functions` before sorting: the order of first appearance
 * @property {string} name '' when it has none
 * @property {string|undefined} resource URL
 * @property {number|undefined} line of the definition, from 1
 * @property {number|undefined} column of the definition, from 1
 * @property {number} self time in which it was running
 * @property {number} total time in which it was on the stack, however often
 * @property {number} samples with it on the stack
 */

/**
 * A node of the merged call tree: all samples that share the stack from the root to here.
 *
 * @typedef {object} CallNode
 * @property {Func|undefined} func undefined for the root
 * @property {number} self ms
 * @property {number} total ms
 * @property {number} samples
 * @property {CallNode[]} children heaviest first
 */

/**
 * @typedef {object} Analysis
 * @property {number} interval ms between two samples, as it should be
 * @property {number} start ms, the first timestamp
 * @property {number} end ms, the last timestamp plus one interval
 * @property {number} samples
 * @property {number} stacked samples with a stack
 * @property {number} idle samples without
 * @property {number} stackedTime ms
 * @property {Func[]} functions most self time first
 * @property {CallNode} root its total is `stackedTime`
 * @property {{time: number, length: number, path: Func[]}[]} timeline by time; `length` is the time that the
 *   sample stands for, `path` starts at the root and is empty for a sample without a stack
 */

/**
 * Checks that the value is a trace whose ids lead somewhere.
 *
 * @param {unknown} trace
 * @returns {Trace} the same value
 * @throws {TypeError} with the place in its message, such as "stacks[3].parentId is 7, not below 3"
 */
export function checkTrace(trace) {
  if (trace === null || typeof trace !== 'object') throw new TypeError('the trace is not an object');
  for (const key of ['resources', 'frames', 'stacks', 'samples']) {
    if (!Array.isArray(trace[key])) throw new TypeError(`${key} is not an array`);
  }
  const { resources, frames, stacks, samples } = trace;
  frames.forEach((frame, i) => {
    if (typeof frame?.name !== 'string') throw new TypeError(`frames[${i}].name is not a string`);
    checkId(frame.resourceId, resources.length, `frames[${i}].resourceId`, true);
  });
  stacks.forEach((stack, i) => {
    checkId(stack?.frameId, frames.length, `stacks[${i}].frameId`, false);
    // A parent that comes first, as the specification builds it, also means that there are no cycles.
    checkId(stack.parentId, i, `stacks[${i}].parentId`, true);
  });
  samples.forEach((sample, i) => {
    if (!Number.isFinite(sample?.timestamp)) throw new TypeError(`samples[${i}].timestamp is not a number`);
    checkId(sample.stackId, stacks.length, `samples[${i}].stackId`, true);
  });
  return trace;
}

function checkId(id, limit, what, optional) {
  if (id === undefined && optional) return;
  if (!Number.isInteger(id) || id < 0 || id >= limit) {
    throw new TypeError(`${what} is ${String(id)}, not below ${limit}`);
  }
}

/**
 * Works out a trace.
 *
 * A sample stands for the time until the next one, but for no more than one and a half intervals, so that a
 * gap is nobody's time. Counting samples instead would go wrong where Chromium's own profiler takes hundreds
 * of extra samples in a few ms, as it does when it starts.
 *
 * @param {Trace} trace
 * @param {number} [interval] ms between two samples (`profiler.sampleInterval`); default: the median
 *   distance between two samples, or 0 with fewer than two
 * @returns {Analysis}
 * @throws {TypeError} see checkTrace
 */
export function analyse(trace, interval) {
  checkTrace(trace);
  const { functions, byFrame } = functionsOf(trace);
  const paths = trace.stacks.map(() => undefined);
  trace.stacks.forEach(({ frameId, parentId }, i) => {
    paths[i] = [...(parentId === undefined ? [] : paths[parentId]), byFrame[frameId]];
  });

  // Chromium's own samples can be out of order when a second profiler starts.
  const timeline = trace.samples
    .map(({ timestamp, stackId }) => (
      { time: timestamp, length: 0, path: stackId === undefined ? [] : paths[stackId] }))
    .sort((a, b) => a.time - b.time);
  const each = interval ?? medianStep(timeline);
  const start = timeline[0]?.time ?? 0;
  // With neither an interval nor two moments there is no time to share out; every sample weighs the same
  // then.
  const end = timeline.length > 0 ? timeline.at(-1).time + each : 0;
  timeline.forEach((sample, i) => {
    const next = timeline[i + 1]?.time ?? end;
    sample.length = end > start ? Math.min(next - sample.time, LONGEST * each) : 1;
  });

  const root = { func: undefined, self: 0, total: 0, samples: 0, children: [] };
  const index = new Map([[root, new Map()]]);
  for (const { path, length } of timeline) {
    if (path.length === 0) continue;
    root.total += length;
    root.samples++;
    let node = root;
    for (const func of path) {
      const known = index.get(node);
      let child = known.get(func);
      if (child === undefined) {
        child = { func, self: 0, total: 0, samples: 0, children: [] };
        known.set(func, child);
        index.set(child, new Map());
        node.children.push(child);
      }
      child.total += length;
      child.samples++;
      node = child;
    }
    node.self += length;
    path.at(-1).self += length;
    for (const func of new Set(path)) {
      func.total += length;
      func.samples++;
    }
  }
  for (const node of index.keys()) node.children.sort((a, b) => b.total - a.total);

  return {
    interval: each,
    start,
    end,
    samples: timeline.length,
    stacked: root.samples,
    idle: timeline.length - root.samples,
    stackedTime: root.total,
    functions: functions.filter(({ samples }) => samples > 0)
      .sort((a, b) => b.self - a.self || b.total - a.total || a.id - b.id),
    root,
    timeline,
  };
}

// Equal frames are one function even if a trace should list them twice.
function functionsOf({ frames, resources }) {
  const functions = [];
  const known = new Map();
  const byFrame = frames.map(({ name, resourceId, line, column }) => {
    const resource = resourceId === undefined ? undefined : resources[resourceId];
    const key = JSON.stringify([name, resource, line, column]);
    let func = known.get(key);
    if (func === undefined) {
      func = { id: functions.length, name, resource, line, column, self: 0, total: 0, samples: 0 };
      known.set(key, func);
      functions.push(func);
    }
    return func;
  });
  return { functions, byFrame };
}

function medianStep(timeline) {
  const steps = timeline.slice(1).map(({ time }, i) => time - timeline[i].time).sort((a, b) => a - b);
  return steps.length === 0 ? 0 : steps[Math.floor(steps.length / 2)];
}

/**
 * A box of a flame graph.
 *
 * @typedef {object} Box
 * @property {'all'|'func'|'idle'} kind
 * @property {Func|undefined} func for 'func'
 * @property {number} depth 0 for the box of all samples, 1 for the functions at the root of the stacks
 * @property {number} x0 left edge, 0..1
 * @property {number} x1 right edge, 0..1
 * @property {number} self ms
 * @property {number} total ms
 * @property {number} samples
 */

/**
 * The flame graph merged by stack: width is time, heaviest first. Samples without a stack are
 * left out.
 *
 * @param {Analysis} analysis
 * @returns {Box[]} parents before children
 */
export function layoutMerged(analysis) {
  const { root } = analysis;
  if (root.total === 0) return [];
  const boxes = [allBox(root)];
  const place = (nodes, depth, left) => {
    for (const { func, self, total, samples, children } of nodes) {
      const [x0, x1] = [left / root.total, (left + total) / root.total];
      boxes.push({ kind: 'func', func, depth, x0, x1, self, total, samples });
      place(children, depth + 1, left);
      left += total;
    }
  };
  place(root.children, 1, 0);
  return boxes;
}

const allBox = ({ total, samples }) => (
  { kind: 'all', func: undefined, depth: 0, x0: 0, x1: 1, self: 0, total, samples });

/**
 * The flame graph over time: a function's box lasts as long as one sample after the other has the same stack
 * down to it. A sample lasts until the next one, but no longer than one and a half intervals, so that gaps
 * are seen as gaps.
 *
 * @param {Analysis} analysis
 * @returns {Box[]} parents before children
 */
export function layoutOverTime(analysis) {
  const { timeline, start, end, samples } = analysis;
  const total = end - start;
  if (total === 0) return [];
  const boxes = [allBox({ total, samples })];
  let open = [];
  let until = start;
  for (const { time, length, path } of timeline) {
    const wanted = path.length > 0 ? path : [undefined];
    let same = 0;
    if (time - until < ROUNDING) {
      while (same < open.length && same < wanted.length && open[same].func === wanted[same]) same++;
    }
    open = open.slice(0, same);
    for (let depth = same; depth < wanted.length; depth++) {
      const func = wanted[depth];
      const kind = func === undefined ? 'idle' : 'func';
      const x0 = (time - start) / total;
      open.push({ kind, func, depth: depth + 1, x0, x1: x0, self: 0, total: 0, samples: 0 });
      boxes.push(open.at(-1));
    }
    until = time + length;
    for (const box of open) {
      box.x1 = (until - start) / total;
      box.total += length;
      box.samples++;
    }
    open.at(-1).self += length;
  }
  return boxes;
}

/**
 * How many samples a run should have had.
 *
 * @param {number} from ms
 * @param {number} to ms
 * @param {number} interval ms
 * @returns {number} whole intervals between the two moments
 */
export function expectedSamples(from, to, interval) {
  return interval > 0 ? Math.floor((to - from) / interval) : 0;
}

/**
 * The samples between two moments.
 *
 * @param {Analysis} analysis
 * @param {number} from ms
 * @param {number} to ms
 * @returns {{all: number, stacked: number}}
 */
export function samplesBetween({ timeline }, from, to) {
  const inside = timeline.filter(({ time }) => time >= from && time <= to);
  return { all: inside.length, stacked: inside.filter(({ path }) => path.length > 0).length };
}
