// Prints the sizes of what pages load, or writes them into README.md, between `<!-- sizes -->` and
// `<!-- /sizes -->`. A test compares the two, so that the README tells the truth.
//
//   node js/build/sizes.js [--write]

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));

const FILES = {
  'profilyfill.iife.js': 'the script-tag build, wasm embedded',
  'profilyfill.wasm': 'the core alone',
  'profilyfill-twin.js': 'its JavaScript twin, loaded only where a page refuses wasm',
  'profilyfill-worker.js': 'the build for workers, loaded by those that the option `workers` wraps',
  'profilyfill-positions.js': 'reads scripts that are not instrumented, loaded when a trace has some',
  'measure-memory.iife.js': 'measures memory, wasm embedded; apart from all others',
  'measure-memory-twin.js': 'the twin of its core, loaded only where a page refuses wasm',
  'profilyfill-service-worker.js': 'instruments on the way where there is no build; no page loads it',
  'esm/fxprof.js': 'the builder of Firefox profiles, wasm embedded; apart from all others',
};

const BLOCK = /<!-- sizes -->\n([\s\S]*?)<!-- \/sizes -->/;

/**
 * The sizes in bytes by file, as servers send them: compressed ahead, as well as can be.
 * @returns {Record<string, { raw: number, gzip: number, brotli: number }>}
 */
export function measure() {
  return Object.fromEntries(Object.keys(FILES).map((name) => {
    const bytes = readFileSync(`${root}wasm-out/${name}`);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return [name, {
      raw: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes, { params }).length,
    }];
  }));
}

const format = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** The sizes as a table in Markdown. */
export function print(sizes) {
  const rows = Object.entries(sizes).map(([name, { raw, gzip, brotli }]) =>
    `| \`${name}\` | ${FILES[name]} | ${format(raw)} | ${format(gzip)} | ${format(brotli)} |`);
  return `${['| file | what it is | raw | gzip | brotli |', '|---|---|--:|--:|--:|', ...rows].join('\n')}\n`;
}

/**
 * The sizes in bytes that a README tells.
 * @returns {ReturnType<typeof measure> | undefined}  undefined: it has no such block
 */
export function parse(readme) {
  const block = BLOCK.exec(readme)?.[1];
  if (block === undefined) return undefined;
  const rows = block.matchAll(/^\| `(.+?)` \|.*\| ([\d.]+) kB \| ([\d.]+) kB \| ([\d.]+) kB \|$/gm);
  return Object.fromEntries(Array.from(rows, ([, name, ...numbers]) => {
    const [raw, gzip, brotli] = numbers.map((number) => Math.round(number * 1000));
    return [name, { raw, gzip, brotli }];
  }));
}

/** A README with the sizes in its block; null: it has none. */
export const update = (readme, sizes) => (BLOCK.test(readme)
  ? readme.replace(BLOCK, () => `<!-- sizes -->\n${print(sizes)}<!-- /sizes -->`) : null);

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = measure();
  process.stdout.write(print(sizes));
  if (process.argv.includes('--write')) {
    const updated = update(readFileSync(`${root}README.md`, 'utf8'), sizes);
    if (updated === null) throw new Error('README.md has no <!-- sizes --> and <!-- /sizes -->');
    writeFileSync(`${root}README.md`, updated);
  }
}
