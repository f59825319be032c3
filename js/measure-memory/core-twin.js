// Pages whose policy refuses wasm: the JS twin of the core, a file of its own beside this build.

import { isModule, loadScript } from '../beside.js';

// Unwrapped: the ledger is not to count the twin's memory.
const constructors = {};
for (const name of [
  'ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array',
  'Float32Array', 'Float64Array',
]) constructors[name] = globalThis[name];

/** Resolves to the twin's exports, named as the wasm's; rejects where it cannot be loaded. */
export const loadTwin = async () => (await (isModule
  ? import('./measure-memory-twin.mjs') : loadScript('measure-memory-twin.js', 'measureMemoryTwin')
)).instantiate(constructors);
