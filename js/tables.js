// The function tables that instrumented scripts bring along (js/instrument/table.js).

import { addScript } from './core.js';
import { TABLE } from './hub.js';
import { readStack } from './stack.js';

let registered = 0;

/** Hands the tables of scripts that have run since the last call to the core; `tables`: see hub.t. */
export function registerTables(tables) {
  for (; registered < tables.length; registered++) {
    const table = tables[registered];
    if (table?.v !== TABLE) continue; // those of files of their own are read when a trace needs them
    tables[registered] = undefined;
    addScript({
      stack: readStack(table.e) ?? '',
      url: table.u ?? '',
      positions: table.p,
      names: table.n,
      line: table.l,
      column: table.o,
    });
  }
}
