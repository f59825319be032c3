// Isolated pages: a worker makes the polls due, through shared memory.
//
// The worker sleeps until the time of the next tick and then makes the next poll call its handler, which
// moves the time of the next tick on. Where nothing polls, it asks again, ever more rarely. The countdowns
// go on by themselves meanwhile, for a page whose worker gets no processor.

import { NativeWorker } from './builtins.js';
import { COUNTDOWN_MAX, RAISED } from './hub.js';

// Cells beside the countdowns, far enough from them that writing these does not slow the polls down.
const WAKE = 16; // counts up, and is notified, when the worker has to look at the time again
const RUNNING = 17; // 1 as soon as the worker runs
const DUE = 16; // as doubles: when the next tick is due, in ms since the epoch; Infinity = never

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
      store(c, ${RAISED}, ${COUNTDOWN_MAX});
      wait(c, ${WAKE}, wake, pause);
      pause = Math.min(pause * 2, 50);
    }
  }
};`;

const { Atomics } = globalThis; // as it was when this module was loaded: a page may take it away

/** Whether a ticker can work on these cells: only memory that is shared reaches the worker. */
export const canShare = (cells) => Atomics && typeof SharedArrayBuffer === 'function' &&
  cells.buffer instanceof SharedArrayBuffer && NativeWorker;

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
    worker = new NativeWorker(url);
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
