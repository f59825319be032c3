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
//   long       built-ins such as JSON.parse, which cost more than reading the clock: before and after
//
// Whoever takes a tick is charged with it, so who that is may depend on the code by nothing but the time
// that it takes. When a look has found a tick due, and the clock is about to move again, all polls are
// called, of whatever kind (but one of TURNS in loops: turns are short, and most of all polls). Each reads
// the clock, and the first that sees it move takes the tick: the longer the segment that it ends, the
// likelier that is. If the clock does not move soon, one of WINDOW polls takes the tick, at random.
//
// Where the code was calibrated (js/instrument/weights.js), polls tell how long their segments take on average.
// There everybody is called as soon as a look has found a tick due, and these times are added up to one that is
// drawn by lot, with no clock read in between: short segments are not made longer by looking.
//
// Nobody is called where it is known already who it was: where a call has just ended that was looked at
// before; where the tick is LATE; and where polls are SPARSE, so that all of them look.
//
// With a worker the ordinary ones are counted down to a moment after the tick, for when the worker gets no
// processor; the others need not watch.
//
// After a pause (the page was idle) nothing is known of the pace: polls are taken to be sparse until they
// turn out not to be.

import { NativeError, defineProperty, max, min, now } from './builtins.js';
import { COUNTDOWN_MAX, FOREIGN, LONG, ORDINARY, RAISED, READ_BY } from './hub.js';
import { lowerLimit, raiseLimit } from './stack.js';

const LATE = 0.5; // ms, and two steps of the clock: by then a tick is served, unless one call took that long
const WINDOW = 16384; // polls: a moment that the clock ends in most cases, of 1 ms steps, too
const TURNS = 8; // of loops: one of so many looks
const NEAR = 0.9; // of a step of the clock: when the next one is near
const LOOK_MIN = 0.05; // ms: looking more often than this would cost more than 1 % of the time
const LOOK_MAX = 0.2; // ms: also what a change of pace can cost
const COUNT_MAX = 200_000; // polls: 0.2 ms of the tightest loop
const PACE = 2500; // polls a millisecond, of code of which nothing is known
const FOREIGN_MAX = 63; // calls: a read of the clock shared by so many costs each a few ns
const QUICK = 0.0015; // ms a foreign call: three times what a look costs
const SPARSE = 100; // polls a millisecond: where there are fewer, all of them look
const SPAN = 240_000; // 1/8 ns of such times, at most: the look came at a moment that the code chose
const CHECK = 0.03; // how often the clock is read then all the same
const UNKNOWN = 10; // level of what was never seen to run: 4 ns
const TRIAL = 0.25; // how often that is tried: only looking at all of them tells how many there are

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
  let given = 0; // what ORDINARY was set to last
  let counted = 0; // ordinary polls since `since`
  let pace = PACE; // ordinary polls a millisecond
  let calls = 0; // looks since `since`
  let step = 1; // ms: of the clock, as far as is known
  let isSparse = false; // whether all polls look
  let since = -1; // the last edge of the clock that was seen, -1 = none
  let foreign = 0; // what FOREIGN was set to last
  let looked = 0; // when somebody looked last
  let seen = 0; // what ORDINARY held then, or when a poll was called since
  let hasBegun = false; // whether the last look was before a long call
  let isClose = false; // whether a tick has been found due
  let skip = 0; // polls, or 1/8 ns, until one takes the tick that is due, 0 = nobody has been called
  let isTimed = false; // whether `skip` is a time
  let isRaised = false; // whether all polls were called
  let isFirst = false; // whether nothing was known of the pace
  let isBusy = false;
  let random = 1; // of our own: a page may count on the sequence of its Math.random

  /** 0 to 1. Polls and the page's own loops must not fall into step. */
  function draw() {
    random = random * 16807 % 0x7fffffff;
    return random / 0x7fffffff;
  }

  /** The clock is coarse: only when it has moved is the pace known. */
  function measure(time) {
    const elapsed = time - since;
    calls++;
    if (since >= 0 && elapsed > 0) {
      step = min(step, elapsed);
      const measured = (counted + given - cells[ORDINARY]) / elapsed;
      // A fall is believed at once, a rise by halves: looking too early costs a clock read,
      // looking too late a tick.
      pace = measured > pace ? (pace + measured) / 2 : measured;
      isSparse = max(pace, calls / elapsed) < SPARSE && (isSparse || draw() < TRIAL);
    } else if (calls > SPARSE * step) {
      isSparse = false;
    }
    if (elapsed === 0) return;
    since = time;
    counted = cells[ORDINARY] - given;
    calls = 0;
  }

  function mute() {
    cells[FOREIGN] = cells[LONG] = COUNTDOWN_MAX;
  }

  /** Sets the counts of all but the ordinary polls. */
  function watch(time) {
    // Calls that are quick need not be watched one by one, until one of them is not.
    if (cells[FOREIGN] < 0) {
      foreign = time - looked < QUICK * (foreign + 1) ? min(foreign * 2 + 1, FOREIGN_MAX) : 0;
    }
    mute();
    if (!hasTicker()) {
      cells[FOREIGN] = foreign;
      cells[LONG] = 0;
      if (isSparse) cells[RAISED] = COUNTDOWN_MAX;
    }
    looked = time;
    seen = cells[ORDINARY];
  }

  /** Sets all counts. */
  function count(time) {
    counted += given - cells[ORDINARY];
    const remaining = getDue() - time;
    const ahead = hasTicker() ? max(remaining, 0) + LATE
      : remaining > 0 ? max(LOOK_MIN, min(LOOK_MAX, remaining / 2)) * (0.75 + draw() / 2) : NEAR * step;
    cells[ORDINARY] = given = min(pace * ahead, COUNT_MAX) | 0;
    watch(time);
  }

  function interrupt() {
    since = -1;
    pace = PACE;
    skip = 0;
    isSparse = true;
    hasBegun = isClose = false;
    cells[RAISED] = COUNTDOWN_MAX;
  }

  function stop() {
    cells[RAISED] = skip = 0;
    cells[ORDINARY] = COUNTDOWN_MAX;
    mute();
    since = -1;
  }

  /** Whether the poll that runs takes the tick that is due. */
  function isTaker(time, code) {
    if (skip) return skip === 1 || time > looked;
    // Everybody was called, at a moment that has nothing to do with the code. Or nobody has looked since the
    // call began. The tick was not due yet when somebody last looked.
    if (!isClose && (isRaised || (hasBegun && cells[LONG] < 0))) return true;
    if (time - getDue() >= LATE + 2 * step) return true;
    if (hasTicker()) return false;
    isTimed = code > 3;
    if (isTimed) skip = 1 + (draw() * SPAN | 0);
    else if (isClose && min(cells[ORDINARY], cells[FOREIGN]) < 0) skip = 1 + (draw() * WINDOW | 0);
    isClose = true;
    return false;
  }

  /** Whether the clock has not moved since all polls were called, or this one does not look. */
  function isPassed(kind, level) {
    if (skip < 2) return false;
    if (isTimed) {
      skip -= 2 + (level & 1) << (level >> 1);
      // Code may take longer today than when it was calibrated.
      if (skip > 1 && (draw() > CHECK || now() - getDue() < LATE)) return true;
      skip = 1;
      return false;
    }
    // Turns of loops are short, and most of all polls.
    const isLoop = kind === 1 && cells[ORDINARY] !== seen;
    seen = cells[ORDINARY];
    return (isLoop && seen % TURNS) || (now() === looked && skip--);
  }

  /** The handler; `own`: of what is not told. A function each, so that one frame of the stack is ours. */
  const makePoll = (own) => (code = own) => {
    const kind = code & 3;
    if (isBusy) return; // a bundler's plugin has put polls into what we call ourselves
    isBusy = true;
    try {
      if (isPassed(kind, code >> 2 || UNKNOWN)) return;
      isRaised = cells[RAISED] > 0;
      cells[RAISED] = 0;
      const time = now();
      const isDue = time >= getDue();
      const isTaking = isDue && isTaker(time, code);
      isFirst = since < 0;
      measure(time);
      if (!isDue) skip = 0;
      hasBegun = kind > 2;
      if (isTaking) {
        const limit = raiseLimit();
        const error = new NativeError(); // its first frame is this function
        lowerLimit(limit);
        onTick(time, error, kind);
        skip = 0;
        isClose = false;
        count(time);
      } else if (!skip && (isRaised || cells[ORDINARY] < 0)) {
        count(time);
      } else {
        watch(time);
        if (skip) cells[RAISED] = COUNTDOWN_MAX;
      }
      if (getDue() === Infinity) stop();
    } catch {
      // A full stack: the page is about to get its RangeError anyway, and even a call from here could
      // throw another. As interrupt() does; the ticks stay due.
      since = -1;
      skip = 0;
      cells[RAISED] = COUNTDOWN_MAX;
    } finally {
      isBusy = false;
    }
  };

  const poll = makePoll();

  return {
    // Tells js/instrument/ to put no polls into this function, however it was bundled and minified.
    isUnpolled: 'profilyfill/unpolled',

    /** Has the hub's polls call us, and nobody else who may be on the page. */
    takeOver() {
      if (hub.p === poll) return;
      hub.p = poll;
      for (let kind = 0; kind < 4; kind++) {
        defineProperty(hub, READ_BY[kind], { __proto__: null, get: makePoll(kind), configurable: true });
      }
    },

    /** The page was idle: what was counted says nothing, and the next poll has to look. */
    interrupt,

    /** Whether the poll that runs is the first one since interrupt(). */
    isFirst: () => isFirst,

    /** Whether no poll has run since interrupt(). */
    isUntouched: () => since < 0 && cells[RAISED] > 0,

    /** No poll needs to look. */
    stop,
  };
}
