// When the polls should look at the clock.
//
// Nothing can interrupt running JavaScript, and reading a clock costs as much as a hundred polls. So
// polls are counted down, and when a count runs out the clock is read and the next counts are set:
// for half of the time that is left until the tick, at the pace that was just seen.
//
// A pace is only worth something for code of one kind: a loop over numbers has a million polls a
// millisecond, a handler that calls into the DOM has ten. The transformer therefore says of every
// poll what kind of segment ends there, and each kind has a countdown of its own, so that a tight
// loop does not set the pace by which slow code is watched:
//
//   cell 0  no calls                       counted by its pace alone
//   cell 1  calls of functions             watched at least every 512th time: code changes its pace
//   cell 2  calls of what is not ours      every 64th time where they are quick, every time where not
//   cell 3  built-ins that can take long   every time: JSON.parse costs more than a clock read
//
// After a pause (the page was idle, a tick was served by the timer) nothing is known: the counts
// start at one and double. (spec/sampling.md section 2)

import { COUNTDOWN_MAX, POLL_CELLS } from './hub.js';
import { max, min } from './builtins.js';

const LOOK_MIN = 0.05; // ms: looking more often than this would cost more than 1 % of the time
const LOOK_MAX = 0.2; // ms: also what a change of pace can cost
const COUNT_MAX = [COUNTDOWN_MAX - 1, 512, 64, 0];
const SLOW = 0.02; // ms: a segment longer than this is worth a look each time

export function createCountdown(cells) {
  const given = [0, 0, 0, 0]; // the counts that were set last
  const counted = [0, 0, 0, 0]; // polls since `since`
  const pace = [0, 0, 0, 0]; // polls a millisecond, 0 = unknown
  let since = -1; // the last edge of the clock that was seen, -1 = none
  let start = 1; // no count is larger than this: doubles with every look after a pause
  let random = 1; // of our own: a page may count on the sequence of its Math.random

  /** Polls and the page's own loops must not fall into step: 0.75 to 1.25. */
  function jitter() {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return 0.75 + random / 2 ** 33;
  }

  /** The clock is coarse: only when it has moved is the pace known. */
  function measure(elapsed) {
    for (let kind = 0; kind < POLL_CELLS; kind++) {
      const seen = counted[kind] / elapsed;
      // A fall is believed at once, a rise by halves: looking too early costs a clock read,
      // looking too late a tick.
      if (seen > 0) pace[kind] = pace[kind] && seen > pace[kind] ? (pace[kind] + seen) / 2 : seen;
      counted[kind] = 0;
    }
  }

  return {
    /** Nothing that was counted says anything; the next poll has to look. */
    interrupt() {
      since = -1;
      start = 1;
      for (let kind = 0; kind < POLL_CELLS; kind++) cells[kind] = given[kind] = 0;
    },

    /**
     * Sets the counts, `remaining` ms before the tick, at time `time`.
     * @param {boolean} isExact whether the cells hold what the polls have left of the counts
     */
    set(time, remaining, isExact) {
      let total = 0;
      for (let kind = 0; kind < POLL_CELLS; kind++) {
        const polls = given[kind] - cells[kind];
        counted[kind] += polls;
        total += polls;
      }
      const elapsed = time - since;
      if (since < 0 || elapsed < 0 || !isExact) {
        since = time;
        for (let kind = 0; kind < POLL_CELLS; kind++) counted[kind] = 0;
      } else if (elapsed > 0) {
        measure(elapsed);
        since = time;
        if (elapsed > SLOW * total) start = 1;
      }
      start = min(start * 2, COUNTDOWN_MAX / 2);
      const ahead = max(LOOK_MIN, min(LOOK_MAX, remaining / 2)) * jitter();
      for (let kind = 0; kind < POLL_CELLS; kind++) {
        const wanted = pace[kind] ? pace[kind] * ahead : start;
        given[kind] = max(0, min(wanted, start, COUNT_MAX[kind])) | 0;
        cells[kind] = given[kind];
      }
    },

    /** No poll needs to look. */
    stop() {
      for (let kind = 0; kind < POLL_CELLS; kind++) cells[kind] = given[kind] = COUNTDOWN_MAX;
      since = -1;
    },
  };
}
