// Isolated pages: a worker makes the polls due, through shared memory.
//
// The worker sleeps until the time of the next tick and then sets the polls' countdowns far below
// zero. That store may be lost to the decrement of a poll at the same moment (in a loop of a
// nanosecond a turn nearly always: the processor forwards its own last store), so it is repeated,
// ever more rarely, until the page has moved the time of the next tick on. The countdowns go on
// by themselves meanwhile: they serve the tight loops that the worker cannot reach, and a page
// whose worker gets no processor; the worker reaches the slow code that countdowns misjudge.

import { POLL_CELLS } from './hub.js';

// Cells beside the countdowns, far enough from them that writing these does not slow the polls down.
const WAKE = 16; // counts up, and is notified, when the worker has to look at the time again
const RUNNING = 17; // 1 as soon as the worker runs
const DUE = 16; // as doubles: when the next tick is due, in ms since the epoch; Infinity = never

/** What the worker sets a countdown to: no poll counts that far. */
export const POKED = -(2 ** 30);

// Stores that one burst tries, some 50 us: one alone is lost more often to polls that come often, and
// whose ticks the rare ones would then get.
const BURST = 500;

// A text and not a function: a bundler may instrument or rename what it finds in our functions.
const SOURCE = `onmessage = ({ data: c }) => {
  const d = new Float64Array(c.buffer);
  const { load, store, wait } = Atomics;
  let pause, last;
  store(c, ${RUNNING}, 1);
  for (;;) {
    const wake = load(c, ${WAKE}), due = d[${DUE}];
    const left = due - performance.timeOrigin - performance.now();
    if (due !== last) { last = due; pause = 0.1; }
    if (left > 0) wait(c, ${WAKE}, wake, left);
    else {
      const word = load(c, ${DUE * 2});
      for (let n = 0; n < ${BURST} && load(c, ${DUE * 2}) === word; n++) {
        for (let i = 0; i < ${POLL_CELLS}; i++) store(c, i, ${POKED});
      }
      wait(c, ${WAKE}, wake, pause);
      pause = Math.min(pause * 2, 50);
    }
  }
};`;

// As they were when this module was loaded: a page may take them away, and we wrap Worker.
const { Atomics, Worker } = globalThis;

/** Whether a ticker can work on these cells: only memory that is shared reaches the worker. */
export const canShare = (cells) => Atomics && typeof SharedArrayBuffer === 'function' &&
  cells.buffer instanceof SharedArrayBuffer && typeof Worker === 'function';

/**
 * Starts the worker.
 * @param {Int32Array} cells the hub's, shared
 */
export function createTicker(cells) {
  const due = new Float64Array(cells.buffer);
  let worker, url;
  due[DUE] = Infinity;
  cells[RUNNING] = 0;
  try {
    url = URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' }));
    worker = new Worker(url);
    worker.onerror = (event) => event.preventDefault();
    worker.postMessage(cells);
  } catch {
    worker = undefined;
  }
  return {
    /** Whether the worker runs; where the page's policy forbids it, it never does. */
    isRunning: () => cells[RUNNING] === 1,

    /** Sets when the next tick is due, in ms since the epoch. */
    setDue(time) {
      const earlier = !(time >= due[DUE]);
      due[DUE] = time;
      // A later tick the worker finds by itself when it wakes.
      if (earlier) {
        Atomics.add(cells, WAKE, 1);
        Atomics.notify(cells, WAKE);
      }
    },

    /** Ends the worker, for good. */
    stop() {
      worker?.terminate();
      if (url) URL.revokeObjectURL(url);
    },
  };
}
