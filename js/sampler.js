// The sampler: when samples are due, whose they are, and where they wait for the core.
//
// Every session has a tick each `interval` ms. Ticks are served in two ways:
//   - a poll in instrumented code finds that ticks have come due: they belong to the segment of
//     execution that ends at this poll. One stack is captured and serves every tick that the
//     segment swallowed, each at its own time;
//   - the timer finds that ticks have come due while nothing of ours was running: those samples
//     have a time only.
// What makes a poll call us: the polls' own countdown, and in isolated pages also the ticker's worker,
// which counts the polls down to nothing at the right time. Both work on the same cells, so on the
// same instrumented code.
//
// Captured errors are kept as they are and formatted later, when the page is idle or the trace is
// asked for: the engine's formatting is half the cost of a sample. What is kept is bounded.

import {
  NativeError, apply, clearTimer, floor, max, min, nativeDispatchEvent, now, setTimer, timeOrigin,
} from './builtins.js';
import * as core from './core.js';
import { getHub } from './hub.js';
import { addMissingTables } from './missing-tables.js';
import { createPolls } from './polls.js';
import { countFrames, lowerLimit, raiseLimit, readStack } from './stack.js';
import { canShare, createTicker } from './ticker.js';

// Kept errors pin the functions on their stacks and what those hold: no more than this many.
const KEPT_ERRORS_MAX = 256;
// Texts of stacks (2 KB each) while the core is not there: 8 MB. What comes later loses its stack.
const KEPT_TEXTS_MAX = 4096;
// Ticks that one segment or one idle time can be worth: a computer that was asleep is no sample.
const CATCH_UP_MS = 60_000;
// Formatting in the timer must not become a long task itself.
const DRAIN_MS = 4;

// On top of every captured stack is one frame of ours, the function that made the error. What else
// to drop of it by the kind of the poll (js/hub.js): the segment that ends at an entry is the
// caller's, the polled function has not run yet.
const DROP = [
  { leaf: 2, wrapper: false },
  { leaf: 1, wrapper: false },
  { leaf: 2, wrapper: true },
];
const DROP_OWN = DROP[1];
const DROP_OWN_ASYNC = { leaf: 1, wrapper: true };

let hub;
let ticker;
let polls;
const sessions = []; // running
let due = Infinity; // the first tick of all sessions
let isStarting = false; // a session was started by the code that runs now, since the timer fired last
let timer = 0;
let timerDue = Infinity; // the tick that the timer was set for

// Captures that have not reached the core: { error, text, drop, sessions, times }.
let backlog = [];
let drained = 0; // entries at the front of the backlog that are done
let keptErrors = 0;
let keptTexts = 0;
let lostCaptures = 0;

// While an event of ours is dispatched, our own frames are at the root of every stack.
let dropRoot = 0;

function setDue() {
  due = Infinity;
  for (let i = 0; i < sessions.length; i++) due = min(due, sessions[i].due);
  ticker?.setDue(timeOrigin + due);
}

// Taking samples ----------------------------------------------------------------------------------

function store(entry) {
  if (entry.error) {
    if (keptErrors >= KEPT_ERRORS_MAX) formatOldest();
    keptErrors++;
  }
  backlog[backlog.length] = entry;
}

/** The oldest kept error becomes text, which pins nothing. */
function formatOldest() {
  if (core.isReady()) {
    drain(1);
    return;
  }
  for (let i = drained; i < backlog.length; i++) {
    const entry = backlog[i];
    if (!entry.error) continue;
    if (keptTexts < KEPT_TEXTS_MAX) {
      entry.text = readStack(entry.error);
      keptTexts++;
    } else {
      lostCaptures++;
    }
    entry.error = null;
    keptErrors--;
    return;
  }
}

// As coarse as the clock of Chromium (row 41), in steps a millisecond: the time of a tick is worked out,
// and tells more digits than performance.now() would.
const STEPS = globalThis.crossOriginIsolated ? 200 : 10;
const coarsen = (time) => floor(time * STEPS + 1e-6) / STEPS;

/** Stores one sample of a session at `time`; true when its buffer was full already. */
function addTick(session, time, entry) {
  if (session.stored >= session.maxBufferSize) {
    session.due = Infinity;
    session.onFull();
    return true;
  }
  session.stored++;
  entry.sessions[entry.sessions.length] = session;
  entry.times[entry.times.length] = coarsen(time);
  return false;
}

const isIdle = (entry) => entry && !entry.error && entry.text === null;

/** A page in the background is not looked at often: what it did meanwhile is not made up. */
function skipUnseen(time) {
  if (!globalThis.document?.hidden) return;
  for (let i = 0; i < sessions.length; i++) {
    const session = sessions[i];
    if (session.due > time) continue;
    session.tick = floor((time - session.start) / session.interval);
    session.due = session.start + session.tick * session.interval;
  }
}

/** Gives every tick that has come due to one stack; `error` null: nothing was running. */
function take(time, error, { leaf, wrapper }) {
  const last = backlog[backlog.length - 1];
  const joins = !error && isIdle(last);
  const entry = joins ? last : {
    error, text: null, drop: { leaf, wrapper, root: dropRoot }, sessions: [], times: [],
  };
  for (let i = 0; i < sessions.length; i++) {
    const session = sessions[i];
    if (session.due < time - CATCH_UP_MS) {
      session.tick = floor((time - CATCH_UP_MS - session.start) / session.interval);
      session.due = session.start + session.tick * session.interval;
    }
    while (session.due <= time) {
      if (addTick(session, session.due, entry)) break;
      // Not by adding up: a thousand intervals of 16.7 ms must not drift.
      session.due = session.start + ++session.tick * session.interval;
    }
  }
  if (!joins && entry.sessions.length) store(entry);
  setDue();
}

// The timer ---------------------------------------------------------------------------------------

function onTimer() {
  timer = 0;
  isStarting = false;
  // In a bundle that is instrumented whole our own functions have polls, too.
  polls.stop();
  if (!sessions.length) return;
  const time = now();
  skipUnseen(time);
  if (time >= due) take(time, null, DROP_OWN);
  if (core.isReady()) drainFor(DRAIN_MS);
  schedule();
  polls.interrupt();
}

function schedule() {
  // A session that has started since may be due long before.
  if (timer && timerDue <= due) return;
  if (timer) clearTimer(timer);
  timerDue = due;
  timer = due < Infinity ? setTimer(onTimer, max(0, due - now())) : 0;
}

// Into the core -----------------------------------------------------------------------------------

function drain(count) {
  const end = min(backlog.length, drained + count);
  for (; drained < end; drained++) {
    const entry = backlog[drained];
    backlog[drained] = undefined;
    if (entry.error) keptErrors--;
    else if (entry.text !== null) keptTexts--;
    const text = entry.error ? readStack(entry.error) : entry.text;
    if (entry.error && text === null) lostCaptures++;
    const stack = core.internStack(text, entry.drop);
    for (let i = 0; i < entry.sessions.length; i++) {
      const session = entry.sessions[i];
      if (session.discarded) continue;
      session.handle ??= core.openSession();
      core.addSample(session.handle, entry.times[i], stack);
    }
  }
  if (drained === backlog.length) forgetBacklog();
}

function forgetBacklog() {
  backlog = [];
  drained = keptErrors = keptTexts = 0;
}

function drainFor(ms) {
  const end = now() + ms;
  while (backlog.length && now() < end) drain(16);
}

let registeredTables = 0;

/** Hands the function tables of scripts that have run since to the core. */
function registerTables() {
  const tables = hub.t;
  for (; registeredTables < tables.length; registeredTables++) {
    const table = tables[registeredTables];
    tables[registeredTables] = undefined;
    if (table?.v !== 1) continue;
    core.addScript({
      stack: readStack(table.e) ?? '',
      url: table.u ?? '',
      positions: table.p,
      names: table.n,
      line: table.l,
      column: table.o,
    });
  }
}

// Sessions ----------------------------------------------------------------------------------------

/**
 * Starts a session. Its first sample is the stack of `error`, now (conformance row 34).
 * @param {object} options
 * @param {number} options.interval ms between ticks
 * @param {number} options.maxBufferSize samples to keep
 * @param {Error} options.error made in the function that the page has called
 * @param {() => void} options.onFull called once, from within running code, when a tick finds the
 *   buffer full
 */
export function startSession({ interval, maxBufferSize, error, onFull }) {
  if (!hub) {
    hub = getHub();
    polls = createPolls(hub, {
      getDue: () => due,
      hasTicker: () => ticker !== undefined && ticker.isRunning(),
      onTick: (time, error, kind) => take(time, error, DROP[kind] ?? DROP_OWN),
    });
  }
  core.load();
  const time = now();
  const session = {
    interval, maxBufferSize, onFull, start: time, tick: 0, due: time, stored: 0,
    handle: undefined, discarded: false,
  };
  hub.p = polls.poll;
  if (!ticker && canShare(hub.c)) ticker = createTicker(hub.c);
  sessions[sessions.length] = session;
  isStarting = true;
  // Ticks of other sessions that have come due belong to the code that is running now, too.
  take(time, error, DROP_OWN);
  schedule();
  polls.interrupt();
  return session;
}

/** Whether a tick has come due that nobody has served yet. */
export const isDue = () => now() >= due;

/**
 * Ends sampling; what was sampled stays for takeTrace() or discardSession().
 * @param {Error | null} error made in the async function that the page has called: ticks that are
 *   due are its caller's, if a poll has run or a session was started since the page was last idle
 */
export function endSession(session, error) {
  const time = now();
  const wasIdle = polls.isUntouched() && !isStarting;
  if (time >= due) take(time, wasIdle ? null : error, DROP_OWN_ASYNC);
  let left = 0;
  for (let i = 0; i < sessions.length; i++) {
    if (sessions[i] !== session) sessions[left++] = sessions[i];
  }
  sessions.length = left;
  setDue();
  if (left) return;
  if (timer) clearTimer(timer);
  timer = 0;
  polls.stop();
  ticker?.stop();
  ticker = undefined;
}

/** Frees what was sampled. */
export function discardSession(session) {
  session.discarded = true;
  if (session.handle !== undefined) core.closeSession(session.handle);
}

/**
 * The trace of an ended session, once the core is there; the session is freed.
 * @param isShown see core.buildTrace()
 */
export async function takeTrace(session, isShown) {
  const times = [];
  if (!core.isReady() && !(await core.load())) {
    // Neither wasm nor the twin may run here: all that can be told is when samples were taken.
    for (let i = drained; i < backlog.length; i++) {
      const entry = backlog[i];
      let isOurs = false;
      for (let k = 0; k < entry.sessions.length; k++) {
        if (entry.sessions[k] !== session) continue;
        times[times.length] = { timestamp: entry.times[k] };
        isOurs = true;
      }
      if (isOurs && !isIdle(entry)) lostCaptures++;
    }
    discardSession(session);
    if (!sessions.length) forgetBacklog();
    return { frames: [], resources: [], samples: times, stacks: [] };
  }
  registerTables();
  drain(Infinity);
  if (session.handle !== undefined) {
    await addMissingTables(core.findMissingTables(session.handle, isShown));
  }
  const trace = session.handle === undefined
    ? { frames: [], resources: [], samples: [], stacks: [] }
    : core.buildTrace(session.handle, isShown);
  discardSession(session);
  return trace;
}

/**
 * Dispatches an event, so that the page's listeners run with our frames below theirs left out of
 * the stacks: all that is on the stack here.
 */
export function dispatch(target, event) {
  const before = dropRoot;
  const limit = raiseLimit();
  const error = new NativeError();
  lowerLimit(limit);
  dropRoot = countFrames(readStack(error));
  try {
    apply(nativeDispatchEvent, target, [event]);
  } finally {
    dropRoot = before;
  }
}

/**
 * What went wrong since the page was loaded; all zero in a healthy page.
 * lostCaptures: stacks that could not be read or were too many to keep until the core was there.
 * Others: see c/trace/recorder.h.
 */
export const counters = () => ({ lostCaptures, ...core.counters() });
