// What polls do: when they look at the clock, and which of them takes a sample.
//
// Nothing can interrupt running JavaScript, and reading a clock costs as much as a hundred polls. Where
// there is a worker (isolated pages, js/ticker.js), it calls the next poll when a tick is due, whichever
// poll that is, and so whoever ran at that moment is charged. Elsewhere some polls are counted down, and
// when a count runs out the clock is read and the next count is set: for half of the time that is left
// until the tick, at the pace of polls that was just seen.
//
//   ordinary   loops, and entries of functions that recur or are called back: counted by their pace
//   foreign    calls of what may take a while: every time where they are slow, every 64th time where they
//              are quick
//   text       replace() and the like: the same, every 16th time
//   long       built-ins such as JSON.parse, before and after: every time, every 5th time where they are not
//
// Whoever takes a tick is charged with it, so who that is may depend on the code by nothing but the time that
// it takes. A look that finds a tick due calls the next WINDOW polls at most, of all kinds: the first that sees
// the clock move takes it, else one at random. Only where a call has just ended, and fewer polls ran since
// somebody last looked than usually do in that time, it was the call that took the time. Where polls are
// SPARSE, all of them look, and the first that finds a tick due takes it.
//
// With a worker the ordinary ones are counted down to a moment after the tick, for when the worker gets no
// processor; the others need not watch.
//
// After a pause (the page was idle) nothing is known of the pace: the counts start at zero and
// double.

import { NativeError, max, min, now } from './builtins.js';
import { COUNTDOWN_MAX, FOREIGN, LONG, ORDINARY, RAISED, TEXT } from './hub.js';
import { lowerLimit, raiseLimit } from './stack.js';

const LATE = 1; // ms: by then an ordinary poll has served a tick, unless one call took all the time
const WINDOW = 1024; // polls
const WINDOW_LOOK = 8; // polls of the window that share a look
const LOOK_MIN = 0.05; // ms: looking more often than this would cost more than 1 % of the time
const LOOK_MAX = 0.2; // ms: also what a change of pace can cost
const BACKUP_MAX = 200_000; // polls: where a worker makes them due
const ORDINARY_MAX = 20_000; // polls: 20 us of the tightest loop, seconds of the slowest handler
const UNKNOWN_MAX = 500; // polls: 0.1 ms of code that is not compiled yet
const SHARED_MAX = [0, 0, 63, 15]; // by cell: calls that share a look, which costs each foreign one a few ns
const LONG_MAX = 8; // beginnings and ends of long calls that were not long
const QUICK = 0.005; // ms a foreign call: ten times what the clock costs
const SPARSE = 100; // polls a millisecond: where there are fewer, all of them look
const WAIT = 30; // steps of the clock until that is tried again where it was wrong

/**
 * @param {object} hub see js/hub.js
 * @param {object} sampler
 * @param {() => number} sampler.getDue when the next tick is due; Infinity: never
 * @param {() => boolean} sampler.hasTicker whether a worker calls polls as well
 * @param {(time: number, error: Error, kind: number) => void} sampler.onTick takes the samples that
 *   are due; the first frame of `error` is the poll handler
 */
export function createPolls(hub, { getDue, hasTicker, onTick }) {
  const cells = hub.c;
  const left = [0, 0, 0, 0, 0]; // what the cells held when the handler was called
  let given = 0; // what ORDINARY was set to last
  let counted = 0; // ordinary polls since `since`
  let pace = 0; // ordinary polls a millisecond, 0 = unknown
  let calls = 0; // looks since `since`
  let step = 1; // ms: of the clock, as far as is known
  let isSparse = false; // whether all polls look
  let wait = 0; // steps of the clock until they may
  let since = -1; // the last edge of the clock that was seen, -1 = none
  let start = -1; // no count is larger than this: doubles with every look after a pause
  const shared = [0, 0, 0, 0, 0]; // by cell: what FOREIGN, TEXT and LONG were set to last
  let looked = 0; // when somebody looked last
  let ordinaryLeft = 0; // what ORDINARY held then
  let hasBegun = false; // whether the last look was before a long call
  let skip = 0; // polls until one takes the tick that is due, 0 = nobody has been called
  let isRaised = false; // whether all polls were called
  let isBusy = false;
  let random = 1; // of our own: a page may count on the sequence of its Math.random

  /** 0 to 1. Polls and the page's own loops must not fall into step. */
  function draw() {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return random / 2 ** 32;
  }

  /** The clock is coarse: only when it has moved is the pace known. */
  function measure(time) {
    const elapsed = time - since;
    calls++;
    if (since >= 0 && elapsed > 0) {
      step = min(step, elapsed);
      const seen = (counted + given - left[ORDINARY]) / elapsed;
      // A fall is believed at once, a rise by halves: looking too early costs a clock read,
      // looking too late a tick.
      pace = pace && seen > pace ? (pace + seen) / 2 : seen;
      isSparse = max(pace, calls / elapsed) < SPARSE && --wait < 0;
    } else if (calls > 2 * SPARSE * step) {
      isSparse = false;
      wait = WAIT;
    }
    if (elapsed === 0) return;
    since = time;
    counted = left[ORDINARY] - given;
    calls = 0;
  }

  /** Sets the counts of the watching polls, with `ordinary` left to the ordinary ones. */
  function watch(time, ordinary) {
    // Calls that are quick need not be watched one by one, until one of them is not.
    for (let cell = FOREIGN; cell <= TEXT; cell++) {
      if (left[cell] >= 0) continue;
      const isQuick = time - looked < QUICK * (shared[cell] + 1);
      shared[cell] = isQuick ? min(shared[cell] * 2 + 1, SHARED_MAX[cell]) : 0;
    }
    looked = time;
    cells[ORDINARY] = ordinaryLeft = ordinary;
    // In slow code everybody looks every time.
    if (!hasTicker()) {
      cells[FOREIGN] = shared[FOREIGN];
      cells[TEXT] = shared[TEXT];
      cells[LONG] = hasBegun ? 0 : shared[LONG];
      if (isSparse) cells[RAISED] = COUNTDOWN_MAX;
    }
  }

  /** Sets all counts, `remaining` ms before the tick. */
  function count(time, remaining) {
    counted += given - left[ORDINARY];
    start = min(start * 2 + 1, hasTicker() ? BACKUP_MAX : ORDINARY_MAX);
    if (start < 0) start = 0;
    const ahead = hasTicker() ? remaining + LATE
      : max(LOOK_MIN, min(LOOK_MAX, remaining / 2)) * (0.75 + draw() / 2);
    given = min(start, pace ? min(pace * ahead, BACKUP_MAX) | 0 : UNKNOWN_MAX);
    watch(time, given);
  }

  function interrupt() {
    since = start = -1;
    given = ordinaryLeft = skip = 0;
    cells[ORDINARY] = cells[FOREIGN] = cells[TEXT] = cells[LONG] = 0;
    cells[RAISED] = COUNTDOWN_MAX;
  }

  function stop() {
    cells[RAISED] = 0;
    cells[ORDINARY] = cells[FOREIGN] = cells[TEXT] = cells[LONG] = COUNTDOWN_MAX;
    since = -1;
  }

  /** Whether the poll that runs takes the tick that is due. */
  function isTaker(time) {
    if (skip) return skip === 1 || time > looked;
    // Everybody was called, at a moment that has nothing to do with the code. Or nobody has looked since the
    // call began.
    if (isRaised || (hasBegun && left[LONG] < 0) || time - getDue() >= LATE) return true;
    // The part of the time since somebody looked that the call has taken. The clock may just have moved.
    if (left[ORDINARY] >= 0 &&
        ordinaryLeft - left[ORDINARY] < draw() * pace * (time - looked - 2 * step)) return true;
    if (!hasTicker()) skip = 1 + (draw() * WINDOW | 0);
    return false;
  }

  function poll(kind) {
    // Until the counts are set again no poll may call us: not those that a bundler's plugin has put
    // into what we call ourselves. The worker may want them to.
    if (isBusy) return;
    if (skip > 1 && --skip % WINDOW_LOOK && cells[LONG] >= 0) return;
    isBusy = true;
    isRaised = cells[RAISED] > 0;
    for (let cell = ORDINARY; cell <= LONG; cell++) {
      left[cell] = cells[cell];
      cells[cell] = COUNTDOWN_MAX;
    }
    cells[RAISED] = 0;
    try {
      const time = now();
      const isDue = time >= getDue();
      const isTaking = isDue && isTaker(time);
      measure(time);
      // Two each: they begin and end.
      if (hasBegun && left[LONG] < 0) shared[LONG] = time > looked ? 0 : min(shared[LONG] * 2 + 2, LONG_MAX);
      hasBegun = kind === 3;
      if (isTaking) {
        const limit = raiseLimit();
        const error = new NativeError(); // its first frame is this function
        lowerLimit(limit);
        onTick(time, error, kind);
        skip = 0;
        count(time, getDue() - time);
      } else if (skip) {
        // Those that are called keep their counts.
        cells[RAISED] = COUNTDOWN_MAX;
        watch(time, left[ORDINARY]);
      } else if (isRaised || left[ORDINARY] < 0) {
        count(time, isDue ? LOOK_MAX : getDue() - time);
      } else {
        watch(time, left[ORDINARY]);
      }
      if (getDue() === Infinity) stop();
    } catch {
      // A full stack: the page is about to get its RangeError anyway, and even a call from here could
      // throw another. As interrupt() does; the ticks stay due.
      since = start = -1;
      given = ordinaryLeft = skip = 0;
      cells[1] = cells[2] = cells[3] = cells[4] = 0;
      cells[0] = COUNTDOWN_MAX;
    }
    isBusy = false;
  }

  return {
    // Tells js/instrument/ to put no polls into this function, however it was bundled and minified.
    mark: 'profilyfill/unpolled',

    poll,

    /** The page was idle: what was counted says nothing, and the next poll has to look. */
    interrupt,

    /** Whether the poll that runs is the first one since interrupt(). */
    isFirst: () => since < 0,

    /** Whether no poll has run since interrupt(). */
    isUntouched: () => since < 0 && start < 0 && cells[RAISED] > 0,

    /** No poll needs to look. */
    stop,
  };
}
