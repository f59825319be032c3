// The hub: where instrumented scripts and the profiler meet, whichever comes first.
//
// A property of the global that no page will name by accident; the prologue of an instrumented
// script makes the same object when it runs before us (see js/instrument/prologue.js).
//
//   c   Int32Array(64), over shared memory where the page may have it. Polls call p where c[0] is more
//       than 0, and some of them, those of loops and of calls that may take long (js/polls.js), count down
//       one of c[1] to c[3] and call p below 0, too. What the ticker's worker stored to a countdown
//       would be lost to the polls' own stores, most often between polls that follow each other closely.
//       The rest is the ticker's (js/ticker.js)
//   t   function tables, pushed by instrumented scripts
//   p   the poll handler, called by the polled function itself:
//       p(1)  the segment that ends here is the polled function's own
//       p(0)  it is the caller's (function entry, after yield or await)
//       p(2)  the same, in an async function that is no generator
//       p(3)  as p(1), and a call begins that may take long

const CELLS = 64;
/** Cells. */
export const RAISED = 0;
export const ORDINARY = 1;
export const FOREIGN = 2;
export const LONG = 3;
export const COUNTDOWN_MAX = 0x7fffffff;

/** The hub of this global, made if need be. */
export function getHub() {
  const key = Symbol.for('profilyfill');
  if (!globalThis[key]) {
    const { SharedArrayBuffer } = globalThis;
    const value = {
      c: new Int32Array(SharedArrayBuffer ? new SharedArrayBuffer(CELLS * 4) : CELLS),
      t: [],
      p() {
        for (let cell = ORDINARY; cell <= LONG; cell++) this.c[cell] = COUNTDOWN_MAX;
      },
    };
    Object.defineProperty(globalThis, key, { value });
  }
  return globalThis[key];
}
