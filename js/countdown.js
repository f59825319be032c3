// Plain pages: when the polls should look at the clock.
//
// Nothing can interrupt running JavaScript, and reading a clock costs a hundred polls. So polls
// are counted down, and when the count runs out the clock is read and the next count set: half
// of what is left until the tick, at the rate of polls a millisecond that was just seen, but
// never far enough ahead that a change of pace could carry us well past the tick.
// (spec/sampling.md section 2.)

import { COUNTDOWN_MAX } from './hub.js';
import { max, min } from './builtins.js';

const FIRST_COUNT = 500; // a few microseconds to a millisecond of any code: the rate is not known
const LOOK_MIN = 0.05; // ms: looking more often than this would cost more than 1 % of the time
const LOOK_MAX = 0.2; // ms: code that suddenly polls a hundred times less is noticed in 20 ms
const COUNT_MIN = 16;

export function createCountdown() {
  let rate = 0; // polls a millisecond, 0 = unknown
  let counted = 0; // polls since `since`
  let since = -1; // the last edge of the clock that was seen, -1 = none
  let given = 0; // the count that was set last
  let random = 1; // of our own: a page may count on the sequence of its Math.random

  return {
    /** The page was idle, or the profiler asleep: what was counted says nothing. */
    interrupt() {
      since = -1;
      given = 0;
    },

    /**
     * The next count, `remaining` ms before the tick, at time `time`; the last count has run out.
     * The clock is coarse: only when it has moved is the rate of polls known.
     */
    next(time, remaining) {
      counted += given + 1;
      if (since < 0 || time < since) {
        since = time;
        counted = 0;
      } else if (time > since) {
        const seen = counted / (time - since);
        // A quick fall of the rate is believed at once, a rise by halves: looking too early
        // costs a clock read, looking too late a tick.
        rate = rate && seen > rate ? (rate + seen) / 2 : seen;
        since = time;
        counted = 0;
      }
      const ahead = max(LOOK_MIN, min(LOOK_MAX, remaining / 2));
      // Polls and the page's own loops must not fall into step: 0.75 to 1.25 of it.
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      const jitter = 0.75 + random / 2 ** 33;
      given = rate ? max(COUNT_MIN, (rate * ahead * jitter) | 0) : FIRST_COUNT;
      given = min(given, COUNTDOWN_MAX - 1);
      return given;
    },
  };
}
