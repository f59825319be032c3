// Prints the graph that makes wasm-metadce keep the exports listed in a file, and nothing else:
// Emscripten exports helpers for glue code that this project does not have.

import { readFileSync } from 'node:fs';

const names = readFileSync(process.argv[2], 'utf8').trim().split('\n');
const graph = [
  { name: 'outside', root: true, reaches: names },
  ...names.map((name) => ({ name, export: name })),
];
console.log(JSON.stringify(graph));
