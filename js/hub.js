// The hub: where instrumented scripts and the profiler meet, whichever comes first.
//
// A property of the global that no page will name by accident; the prologue of an instrumented
// script makes the same object when it runs before us (see js/instrument/prologue.js).
//
//   c   Int32Array(64), over shared memory where the page may have it. Polls call p where c[0] is more
//       than 0, and some of them, those of loops and of calls that may take long (js/polls.js), count down
//       one of c[1] to c[3] and call it below 0, too. What the ticker's worker stored to a countdown
//       would be lost to the polls' own stores, most often between polls that follow each other closely.
//       The rest is the ticker's (js/ticker.js)
//   t   function tables, pushed by instrumented scripts, of version `v`: in `p` and `n`, or in a file of their
//       own (js/positions/separate.js)
//   p   the poll handler, called by the polled function itself with 4 times a level (js/instrument/weights.js)
//       and the kind of the poll:
//       1   the segment that ends here is the polled function's own
//       0   it is the caller's (function entry, after yield or await)
//       2   the same, in an async function that is no generator
//       3   as 1, and a call begins that may take long
//   a, b, d, e   where no level is known, reading one of these calls the handler for kind 0, 1, 2, 3: a third
//       less of bytecode than a call, and so much more of other code is inlined (js/instrument/prologue.js)
//
// The cells are a property of the global object by themselves, too, named FLAGS.

export const HUB = Symbol.for('profilyfill');
export const CELLS = 64;
/** Versions of function tables: in the script, which is also the file's, and in a file of its own. */
export const TABLE = 2;
export const SEPARATE_TABLE = 3;
/** Properties of the hub by the kind of poll that reads them. */
export const READ_BY = 'abde';
/** A global name that neither people nor minifiers come up with. */
export const FLAGS = '$pf_';
/** Cells. */
export const RAISED = 0;
export const ORDINARY = 1;
export const FOREIGN = 2;
export const LONG = 3;
export const COUNTDOWN_MAX = 0x7fffffff;
