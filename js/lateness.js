// How late polls are when they take the samples that are due: what a page can tell of the quality of its
// own traces.

import { stateOf } from './brand.js';
import { clz32, floor, max, min } from './builtins.js';

// Timers are late by themselves: nested ones by 4 ms, more while the browser lays out and paints.
const TIMER_SLACK = 10; // ms
// A histogram takes the place of the single values: below 1/16 ms, 1/8 ms, 1/4 ms and so on.
const EDGE = 1 / 16; // ms

/** The statistics of a session that begins. */
export const makeLateness = () => ({ samples: 0, polls: 0, sum: 0, max: 0, uncovered: 0, bins: [] });

/**
 * Takes note of ticks that are served, the first of which was due `late` ms ago.
 * @param {boolean} wasRunning by a poll, and not the first since the page was idle: what came due before
 *   that one may have come due in an idle page
 */
export function noteLateness({ interval, lateness }, late, wasRunning) {
  if (late >= (wasRunning ? interval : max(interval, TIMER_SLACK))) lateness.uncovered += late;
  if (!wasRunning) return;
  lateness.polls++;
  lateness.samples += floor(late / interval) + 1;
  lateness.sum += late;
  lateness.max = max(lateness.max, late);
  const bin = 32 - clz32(late / EDGE);
  lateness.bins[bin] = (lateness.bins[bin] ?? 0) + 1;
}

/**
 * How late the polls of a profiler's session were so far; also after stop(). All times in ms.
 *
 * A poll is late by the time since the tick came due whose sample it takes; when it takes several, by
 * that of the first. Ticks that came due before the first poll of a task are left out: the page may have
 * been idle then.
 *
 * @param {Profiler} profiler
 * @returns {{ samples: number, polls: number, mean: number, max: number, p50: number, p95: number,
 *   p99: number, uncovered: number }} `samples`: taken by `polls` polls; `p50`, `p95`, `p99`: as many of a
 *   hundred polls were late by no more than that, rounded up to a power of two; `uncovered`: the sum of
 *   all times from when a tick came due to when it was served, where that took an interval or longer.
 *   It counts ticks that were served by a timer, or before the first poll of a task, too, if they
 *   waited for 10 ms at least: code without polls was running
 * @throws {TypeError} `profiler` is none of this polyfill
 */
export function lateness(profiler) {
  const { bins, sum, ...rest } = stateOf(profiler).lateness;
  const percentile = (share) => {
    let left = rest.polls * share;
    let edge = EDGE / 2;
    for (let bin = 0; left > 0; bin++) {
      left -= bins[bin] ?? 0;
      edge *= 2;
    }
    return min(edge, rest.max);
  };
  rest.mean = sum / (rest.polls || 1);
  return { ...rest, p50: percentile(0.5), p95: percentile(0.95), p99: percentile(0.99) };
}
