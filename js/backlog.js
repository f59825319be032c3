// Captured stacks on their way into the core.
//
// Errors are kept as they are and formatted later, when the page is idle or the trace is asked for: the
// engine's formatting is half the cost of a sample. What is kept is bounded.

import { max, min, now } from './builtins.js';
import * as core from './core.js';
import { readStack } from './stack.js';

// Kept errors pin the functions on their stacks and what those hold: no more than this many.
const KEPT_ERRORS_MAX = 256;
// Texts of stacks (2 KB each) while the core is not there: 8 MB. What comes later loses its stack.
const KEPT_TEXTS_MAX = 4096;
// Samples that may wait for the core before those are dropped that circular sessions would not keep.
const WAITING_MAX = 4096;

/**
 * @typedef {object} Capture  one stack, and the samples that it serves
 * @property {Error | null} error  null: see `text`
 * @property {string | null} text  of a stack whose error is not kept any more; null: nothing was running
 * @property {{ leaf: number, wrapper: boolean, isEntry?: boolean }} drop  see c/trace/stacks.h
 * @property {number} root  frames to drop there
 * @property {object[]} takers  sessions, of each sample
 * @property {number[]} times  of each sample, ms
 */

let captures = [];
let drained = 0; // captures at the front that are done
let keptErrors = 0;
let keptTexts = 0;
let waiting = 0; // samples
let trimAt = WAITING_MAX;
let lost = 0;

const isIdle = (capture) => !capture.error && capture.text === null;

/** A capture to add samples to; idle ones that follow each other are one. */
export function makeCapture(error, drop, root) {
  const last = captures[captures.length - 1];
  if (!error && last && isIdle(last)) return last;
  return { error, text: null, drop, root, takers: [], times: [] };
}

/** Where there is no core: drops what circular sessions would not keep, and what nobody asks for any more. */
export function trim() {
  let kept = 0;
  waiting = 0;
  for (let i = 0; i < captures.length; i++) {
    const capture = captures[i];
    const { takers, times } = capture;
    let left = 0;
    for (let k = 0; k < takers.length; k++) {
      const session = takers[k];
      if (session.discarded || (session.limit && session.queued > session.limit)) {
        session.queued--;
      } else {
        takers[left] = session;
        times[left++] = times[k];
      }
    }
    takers.length = times.length = left;
    waiting += left;
    if (left) captures[kept++] = capture;
    else if (capture.error) keptErrors--;
    else if (capture.text !== null) keptTexts--;
  }
  captures.length = kept;
  trimAt = max(WAITING_MAX, waiting * 2);
}

/** Adds a sample to a capture. */
export function add(capture, session, time) {
  capture.takers[capture.takers.length] = session;
  capture.times[capture.times.length] = time;
  session.queued++;
  if (++waiting > trimAt && !core.isReady()) trim();
}

/** Keeps a capture that has got its samples. */
export function keep(capture) {
  if (capture === captures[captures.length - 1]) return;
  if (capture.error) {
    if (keptErrors >= KEPT_ERRORS_MAX) formatOldest();
    keptErrors++;
  }
  captures[captures.length] = capture;
}

/** The oldest kept error becomes text, which pins nothing. */
function formatOldest() {
  if (core.isReady()) {
    drain(1);
    return;
  }
  for (let i = drained; i < captures.length; i++) {
    const capture = captures[i];
    if (!capture.error) continue;
    if (keptTexts < KEPT_TEXTS_MAX) {
      capture.text = readStack(capture.error);
      keptTexts++;
    } else {
      lost++;
    }
    capture.error = null;
    keptErrors--;
    return;
  }
}

/** Hands captures over to the core, which has to be there; the oldest first. */
export function drain(count) {
  const end = min(captures.length, drained + count);
  for (; drained < end; drained++) {
    const capture = captures[drained];
    captures[drained] = undefined;
    if (capture.error) keptErrors--;
    else if (capture.text !== null) keptTexts--;
    const text = capture.error ? readStack(capture.error) : capture.text;
    if (capture.error && text === null) lost++;
    const stack = core.internStack(text, capture.drop, capture.root);
    waiting -= capture.takers.length;
    for (let i = 0; i < capture.takers.length; i++) {
      const session = capture.takers[i];
      session.queued--;
      if (session.discarded) continue;
      session.handle ??= core.openSession(session.limit);
      core.addSample(session.handle, capture.times[i], stack);
    }
  }
  if (drained === captures.length) forget();
}

/** The same, for about so long. */
export function drainFor(ms) {
  const end = now() + ms;
  while (captures.length && now() < end) drain(16);
}

/** Drops everything. */
function forget() {
  captures = [];
  drained = keptErrors = keptTexts = waiting = 0;
}

/** Where there will be no core, all that can be told of a session: when its samples were taken. */
export function readTimes(session) {
  const samples = [];
  trim();
  for (let i = drained; i < captures.length; i++) {
    const capture = captures[i];
    let isOurs = false;
    for (let k = 0; k < capture.takers.length; k++) {
      if (capture.takers[k] !== session) continue;
      samples[samples.length] = { timestamp: capture.times[k] };
      isOurs = true;
    }
    if (isOurs && !isIdle(capture)) lost++;
  }
  return samples;
}

/** Stacks that could not be read or were too many to keep until the core was there. */
export const countLost = () => lost;
