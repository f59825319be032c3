// Isolated pages: a worker makes the polls due, through shared memory.
//
// The worker sleeps until the time of the next tick and then sets the polls' countdown to zero.
// That store may be lost to the decrement of a poll at the same moment, so it is repeated, ever
// more rarely, until the page has moved the time of the next tick on.

// Shared cells beside c[0], far enough from it that writing them does not slow the polls down.
const WAKE = 16; // counts up, and is notified, when the worker has to look at the time again
const READY = 17; // set by the worker once it runs
const DUE = 16; // as doubles: when the next tick is due, in ms since the epoch; Infinity = never

// A text and not a function: a bundler may instrument or rename what it finds in our functions.
const SOURCE = `onmessage = ({ data: c }) => {
  const d = new Float64Array(c.buffer);
  const { load, store, wait } = Atomics;
  let pause, last;
  store(c, ${READY}, 1);
  for (;;) {
    const wake = load(c, ${WAKE}), due = d[${DUE}];
    const left = due - performance.timeOrigin - performance.now();
    if (due !== last) { last = due; pause = 0.1; }
    if (left > 0) wait(c, ${WAKE}, wake, left);
    else { store(c, 0, 0); wait(c, ${WAKE}, wake, pause); pause = Math.min(pause * 2, 50); }
  }
};`;

/** Whether a ticker can work on these cells: only memory that is shared reaches the worker. */
export const canShare = (cells) => typeof SharedArrayBuffer === 'function' &&
  cells.buffer instanceof SharedArrayBuffer && typeof Worker === 'function';

/**
 * Starts the worker. Where the page's policy forbids it, it never becomes ready.
 * @param {Int32Array} cells the hub's, shared
 */
export function createTicker(cells) {
  const due = new Float64Array(cells.buffer);
  let worker, url;
  due[DUE] = Infinity;
  Atomics.store(cells, READY, 0);
  try {
    url = URL.createObjectURL(new Blob([SOURCE], { type: 'text/javascript' }));
    worker = new Worker(url);
    worker.onerror = (event) => event.preventDefault();
    worker.postMessage(cells);
  } catch {
    worker = undefined;
  }
  return {
    /** Whether the worker runs; until then the polls have to look at the clock themselves. */
    isReady: () => Atomics.load(cells, READY) === 1,

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

    stop() {
      worker?.terminate();
      if (url) URL.revokeObjectURL(url);
      Atomics.store(cells, READY, 0);
    },
  };
}
