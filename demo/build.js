/**
 * Builds the demo into wasm-out/demo: the page and its viewer as they are, main.js and generate.js
 * instrumented, at the same addresses and with the same lines, and the script-tag build beside them.
 */
import { access, cp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { instrument } from '../js/instrument.js';

const require = createRequire(import.meta.url);

const SOURCE = new URL('./', import.meta.url);
const BUILT = new URL('../wasm-out/', import.meta.url);

/** Where the built demo lies. */
export const DEMO = new URL('demo/', BUILT);

const COPIED = ['index.html', 'style.css', 'icon.svg', 'boot.js', 'viewer', 'memory', 'sdks/index.html'];
const INSTRUMENTED = ['main.js', 'generate.js', 'sdks/main.js'];
/** The SDKs, as they come from npm. */
const BUNDLED = ['sdks/use-sentry.js', 'sdks/use-datadog.js'];
/** What a run of the demo leaves there. */
const RESULT = /^traces$|\.png$/;
/** What makes files of traces for other viewers. */
const EXPORT = ['export.js', 'fxprof.js'];
const POLYFILL = 'profilyfill.iife.js';

/**
 * Builds the demo. Traces and pictures of earlier runs are left alone.
 *
 * @returns {Promise<string>} the directory
 * @throws {Error} when the script-tag build is missing (`code` "ENOENT"), or what instrument() throws
 */
export async function buildDemo() {
  await access(new URL(POLYFILL, BUILT)).catch((error) => {
    const message = `wasm-out/${POLYFILL} is missing: run \`make build\` first`;
    throw Object.assign(new Error(message), { code: error.code });
  });
  await mkdir(DEMO, { recursive: true });
  for (const name of await readdir(DEMO)) {
    if (!RESULT.test(name)) await rm(new URL(name, DEMO), { recursive: true });
  }
  // What it loads from beside itself when it has to (where a page's policy refuses wasm) comes with it.
  const built = (await readdir(BUILT)).filter((name) => (
    /^(profilyfill|measure-memory)[\w.-]*\.(js|wasm)$/.test(name)));
  for (const name of built) await cp(new URL(name, BUILT), new URL(name, DEMO));
  for (const name of EXPORT) await cp(new URL(`esm/${name}`, BUILT), new URL(name, DEMO));
  for (const name of COPIED) await cp(new URL(name, SOURCE), new URL(name, DEMO), { recursive: true });
  await build({
    entryPoints: BUNDLED.map((name) => fileURLToPath(new URL(name, SOURCE))),
    outdir: fileURLToPath(new URL('sdks/', DEMO)), bundle: true, splitting: true, format: 'esm', minify: true,
  });
  await cp(require.resolve('d3-hierarchy'), new URL('memory/d3-hierarchy.mjs', DEMO));
  for (const name of INSTRUMENTED) {
    const code = await readFile(new URL(name, SOURCE), 'utf8');
    // No `url`: the scripts find out where they are served from, which differs with the server's port.
    await writeFile(new URL(name, DEMO), instrument(code, { sourceType: 'module' }).code);
  }
  return fileURLToPath(DEMO);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(await buildDemo());
}
