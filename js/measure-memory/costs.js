// What things cost in memory, by engine: bytes that the engine keeps for one of them.
//
// The tables follow the layouts of the engines' sources, and were checked against what Chromium's own
// measurement and Firefox's memory reporter say (test/bench/memory.mjs). A page cannot see how much room a
// growing array or object has left, so what is reserved ahead does not count: estimates are lower bounds.

import { JSC } from './costs-jsc.js';
import { SPIDERMONKEY } from './costs-spidermonkey.js';
import { V8 } from './costs-v8.js';

/** The engine, by how it words its own error: nothing that a page can have replaced is asked. */
function findCosts() {
  try {
    null.x;
  } catch ({ message }) {
    if (message[0] === 'C') return V8; // Cannot read properties of null (reading 'x')
    if (message[0] === 'c') return SPIDERMONKEY; // can't access property "x" of null
  }
  return JSC;
}

export const costs = findCosts();
