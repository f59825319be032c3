// V8 keeps a string that was put together as its parts, until somebody reads it: `'x'.repeat(1e6)` takes some
// hundred bytes, and reading one character of it a million more. To compare its first character with that of
// another string does not join it, but takes twice as long as where all characters of a string lie in a row,
// one byte each. That is how long strings are told apart. Those in two bytes, which take as long as ropes,
// count as such if their first character says so.

import { now } from './walk-builtins.js';

const TURNS = 60_000;
const ROUNDS = 3;
const MARGIN = 0.05; // ms, of coarse clocks
/** Two, so that no compiler finds one answer for all turns. */
const PROBES = ['\u0000', '\u0001'];
const REFERENCE = 'a string in a row';

let reference = Infinity; // ms
export let turns = 0;

function time(text) {
  const from = now();
  for (let i = 0; i < TURNS; i++) if (text < PROBES[i & 1]) turns++;
  return now() - from;
}

/** Whether a long string may be a rope. An interruption can make it look like one: so it is asked again. */
export function isRope(text) {
  if (reference === Infinity) time(REFERENCE); // until it is compiled
  for (let round = 0; round < ROUNDS; round++) {
    const known = time(REFERENCE);
    if (known < reference) reference = known;
    if (time(text) <= 1.6 * reference + MARGIN) return false;
  }
  return true;
}
