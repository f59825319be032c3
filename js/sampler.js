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

import { clearTimer, defineProperty, floor, max, min, now, setTimer, timeOrigin } from './builtins.js';
import * as backlog from './backlog.js';
import * as core from './core.js';
import { countRoots } from './dispatch.js';
import { CELLS, HUB } from './hub.js';
import { makeLateness, noteLateness } from './lateness.js';
import { addMissingTables } from './missing-tables.js';
import { createPolls } from './polls.js';
import { isUnseen, unwatchSeen, watchSeen } from './seen.js';
import { registerTables } from './tables.js';
import { canShare, createTicker } from './ticker.js';

// Ticks that one segment can be worth, in ms.
const CATCH_UP_MS = 60_000;
// When nothing was running for longer than this, and no timer came, then the computer was asleep or the
// worker's page frozen, which no event tells workers. It can also have been a task without any poll.
const ASLEEP_MS = globalThis.document ? 10_000 : 1_000;
// Formatting in the timer must not become a long task itself.
const DRAIN_MS = 4;

// On top of every captured stack is one frame of ours, the function that made the error. What else
// to drop of it by the kind of the poll (js/hub.js): the segment that ends at an entry is the
// caller's, the polled function has not run yet.
const DROP = [
  { leaf: 2, wrapper: false, isEntry: true },
  { leaf: 1, wrapper: false },
  { leaf: 2, wrapper: true, isEntry: true },
];
const DROP_OWN = DROP[1];
const DROP_OWN_ASYNC = { leaf: 1, wrapper: true };
const DROP_TWO = { leaf: 2, wrapper: false };

let hub;
let ticker;
let polls;
const sessions = []; // running
let due = Infinity; // the first tick of all sessions
let isStarting = false; // a session was started by the code that runs now, since the timer fired last
let timer = 0;
let timerDue = Infinity; // the tick that the timer was set for

function setDue() {
  due = Infinity;
  for (let i = 0; i < sessions.length; i++) due = min(due, sessions[i].due);
  ticker?.setDue(timeOrigin + due);
}

// Taking samples ----------------------------------------------------------------------------------

// As coarse as the clock of Chromium (row 41), in steps a millisecond: the time of a tick is worked out,
// and tells more digits than performance.now() would.
const STEPS = globalThis.crossOriginIsolated ? 200 : 10;
const coarsen = (time) => floor(time * STEPS + 1e-6) / STEPS;

/** Stores one sample of a session at `time`; true when its buffer was full already. */
function addTick(session, time, capture) {
  if (session.stored >= session.maxBufferSize) {
    if (!session.extras?.circular) {
      session.due = Infinity;
      session.onFull();
      return true;
    }
    if (!session.limit) return false;
  }
  session.stored++;
  backlog.add(capture, session, coarsen(time));
  return false;
}

/**
 * Gives every tick that has come due to one stack; `error` null: nothing was running. Where nobody could
 * look meanwhile only the last tick of each session is told of: what happened before is not made up.
 */
function take(time, error, drop) {
  const capture = backlog.makeCapture(error, drop, countRoots());
  const isGap = isUnseen() || (!error && time - due > ASLEEP_MS);
  const oldest = isGap ? time : time - CATCH_UP_MS;
  for (let i = 0; i < sessions.length; i++) {
    const session = sessions[i];
    if (session.due < oldest) {
      session.tick = floor((oldest - session.start) / session.interval);
      session.due = session.start + session.tick * session.interval;
    } else if (session.tick && session.due <= time) {
      noteLateness(session, time - session.due, error && !polls.isFirst());
    }
    while (session.due <= time) {
      if (addTick(session, session.due, capture)) break;
      // Not by adding up: a thousand intervals of 16.7 ms must not drift.
      session.due = session.start + ++session.tick * session.interval;
    }
  }
  if (capture.takers.length) backlog.keep(capture);
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
  if (time >= due) take(time, null, DROP_OWN);
  if (core.isReady()) backlog.drainFor(DRAIN_MS);
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

/** Until now the page was seen, or it was not. */
function onSeenChange() {
  const time = now();
  if (time >= due) take(time, null, DROP_OWN);
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
 * @param {{ circular: boolean, executing: boolean } | null} options.extras of a session that
 *   startProfiler() makes: one more frame on the stack is ours, that function's
 */
export function startSession({ interval, maxBufferSize, error, onFull, extras }) {
  if (!hub) {
    const { SharedArrayBuffer } = globalThis;
    hub = globalThis[HUB];
    // No instrumented script has made it yet.
    if (!hub) {
      hub = { c: new Int32Array(SharedArrayBuffer ? new SharedArrayBuffer(CELLS * 4) : CELLS), t: [] };
      defineProperty(globalThis, HUB, { __proto__: null, value: hub });
    }
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
    handle: undefined, discarded: false, extras, limit: extras?.circular ? maxBufferSize : 0, queued: 0,
    lateness: makeLateness(),
  };
  polls.takeOver();
  if (!ticker && canShare(hub.c)) ticker = createTicker(hub.c);
  if (!sessions.length) watchSeen(onSeenChange);
  sessions[sessions.length] = session;
  isStarting = true;
  // Ticks of other sessions that have come due belong to the code that is running now, too.
  take(time, error, extras ? DROP_TWO : DROP_OWN);
  schedule();
  polls.interrupt();
  return session;
}

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
  unwatchSeen();
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
  if (!core.isReady() && !(await core.load())) {
    // Neither wasm nor the twin may run here.
    const samples = backlog.readTimes(session);
    discardSession(session);
    backlog.trim();
    return { ...core.emptyTrace(), samples };
  }
  registerTables(hub.t);
  backlog.drain(Infinity);
  if (session.handle !== undefined) {
    await addMissingTables(core.findMissingTables(session.handle, isShown));
  }
  const trace = session.handle === undefined
    ? core.emptyTrace() : core.buildTrace(session.handle, isShown, session.extras);
  discardSession(session);
  return trace;
}

/**
 * What went wrong since the page was loaded; all zero in a healthy page.
 * lostCaptures: see js/backlog.js. Others: see c/trace/recorder.h.
 */
export const counters = () => ({ lostCaptures: backlog.countLost(), ...core.counters() });
