// Turns wasm2js's output, a module that makes its instance when imported, into the two files of the
// JS twin: an ES module and a classic script, both of which make an instance when asked.
//
//   node js/build/twin.js RAW.js wasm-out/some-twin
//
// The script defines a global of that name, `someTwin`.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { transformSync } from 'esbuild';
import { shortenText } from './short-names.js';

const [raw, out] = process.argv.slice(2);
const name = basename(out).replace(/-(\w)/g, (dash, letter) => letter.toUpperCase());
let source = readFileSync(raw, 'utf8');

function replaceOnce(pattern, replacement) {
  const matches = source.match(new RegExp(pattern, 'g')) ?? [];
  if (matches.length !== 1) throw new Error(`wasm2js prints something else now: ${pattern}`);
  source = source.replace(pattern, replacement);
}

// One instance a call, and no `export var` for each function.
replaceOnce(/var retasmFunc = asmFunc\([\s\S]*$/, '');
// Growing must fail as it does in wasm, by a result, where no array can be had.
replaceOnce(
  /var newBuffer = new ArrayBuffer\(Math_imul\(newPages, 65536\)\);/,
  `var newBuffer;
   try { newBuffer = new ArrayBuffer(Math_imul(newPages, 65536)); } catch (e) { return -1; }`,
);
// Memory is made by the constructors that it is handed, by default those of the global.
const CONSTRUCTORS = [
  'ArrayBuffer', 'Uint8Array', 'Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array',
  'Float32Array', 'Float64Array',
];
source = `function instantiate({ ${CONSTRUCTORS} } = globalThis) {
  ${source}
  return asmFunc({ abort() { throw new Error("abort"); } });
}`;

const minify = (code, format) => transformSync(code, {
  minify: true, target: 'es2020', format, globalName: format === 'iife' ? name : undefined,
}).code;
source = shortenText(source);
const exported = `${source}\nexport { instantiate };\n`;
writeFileSync(`${out}.mjs`, minify(exported, 'esm'));
// A property of the global for module workers, too, which import() it.
writeFileSync(`${out}.js`, `${minify(exported, 'iife')}globalThis.${name}=${name};\n`);
