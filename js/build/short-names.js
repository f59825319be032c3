// One letter for each export of the core, in what pages load: a fifth of a kilobyte in the script-tag
// build. The module that is shipped by itself keeps the names of c/wasm/core.exports.

import { readFileSync } from 'node:fs';

const names = readFileSync(new URL('../../c/wasm/core.exports', import.meta.url), 'utf8').trim().split('\n')
  .filter((name) => name.startsWith('core_'));
if (names.length > 26) throw new Error('more exports than letters');

/** @type {Map<string, string>} long name -> letter */
const shortNames = new Map(names.map((name, i) => [name, String.fromCharCode(97 + i)]));

/** JavaScript that uses the exports, with their short names. */
export const shortenText = (text) => text.replace(/\bcore_\w+/g, (name) => shortNames.get(name) ?? name);

/** The exports of a core as pages load it, with their long names. */
export function lengthenNames(exports) {
  const named = { ...exports };
  for (const [name, short] of shortNames) {
    named[name] = exports[short];
    delete named[short];
  }
  return named;
}

/** One unsigned LEB128 number of a wasm binary, and where it ends. */
export function readLeb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, at };
  }
}

function leb(value) {
  const bytes = [];
  for (; value > 127; value >>= 7) bytes.push(value & 127 | 128);
  return [...bytes, value];
}

const EXPORTS = 7;

/** The content of an export section with other names. */
function renameExports(bytes) {
  let { value: count, at } = readLeb(bytes, 0);
  const renamed = leb(count);
  for (; count > 0; count--) {
    const name = readLeb(bytes, at);
    const end = name.at + name.value;
    const text = bytes.subarray(name.at, end).toString();
    const short = Buffer.from(shortNames.get(text) ?? text);
    const index = readLeb(bytes, end + 1);
    renamed.push(...leb(short.length), ...short, ...bytes.subarray(end, index.at));
    ({ at } = index);
  }
  return Buffer.from(renamed);
}

/**
 * @param {Buffer} wasm
 * @returns {Buffer} the same module, its exports with their short names
 */
export function shortenWasm(wasm) {
  const parts = [wasm.subarray(0, 8)];
  for (let at = 8; at < wasm.length;) {
    const { value: size, at: start } = readLeb(wasm, at + 1);
    const content = wasm.subarray(start, start + size);
    const kept = wasm[at] === EXPORTS ? renameExports(content) : content;
    parts.push(Buffer.from([wasm[at], ...leb(kept.length)]), kept);
    at = start + size;
  }
  return Buffer.concat(parts);
}
