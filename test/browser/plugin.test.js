/**
 * The plugin in every bundler it serves: an app is built with it and without, the maps of both builds are
 * compared, and the app is profiled in Chromium.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TraceMap, decodedMappings, originalPositionFor } from '@jridgewell/trace-mapping';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { instrument } from '../../js/instrument.js';
import { launch } from './support/browsers.js';
import { findFunctions } from './support/find-functions.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const BUNDLERS = ['vite', 'rollup', 'rolldown', 'webpack', 'rspack', 'esbuild'];
const MARK = 'Symbol.for("profilyfill")';
const LOOP = 300; // ms in each part of the app

let out;
let browser;
let page;
let server;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'profilyfill-apps-'));
  const builder = fileURLToPath(new URL('support/build-apps.js', import.meta.url));
  const build = (...bundlers) => promisify(execFile)(process.execPath, [builder, out, ...bundlers], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  // One takes as long as all the others.
  await Promise.all([build('webpack'), build(...BUNDLERS.filter((bundler) => bundler !== 'webpack'))]);
  [browser, server] = await Promise.all([
    launch('chromium'), startServer({ roots: [out, join(root, 'wasm-out')] }),
  ]);
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  if (out) rmSync(out, { recursive: true, force: true });
});

// Of file names in general, and in webpack's lists of chunks.
const HASH = /-[\w-]{8}(?=\.(?:js|css)\b)|(?<=")[\da-f]{8}(?=\\?")/g;
const withoutHashes = (text) => text.replace(HASH, '');

/** The scripts of a build by their names without hash. */
function readScripts(bundler, variant) {
  const folder = join(out, bundler, variant);
  const scripts = {};
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    if (!name.endsWith('.js')) continue;
    const path = join(folder, name);
    const key = withoutHashes(name);
    expect(scripts).not.toHaveProperty([key]);
    scripts[key] = {
      name, path, code: readFileSync(path, 'utf8'), map: JSON.parse(readFileSync(`${path}.map`, 'utf8')),
    };
  }
  return scripts;
}

/** The samples that have this function on their stacks, with how many lie below it. */
function countSamples({ samples, stacks, frames, resources }, url, wanted) {
  const isOn = stacks.map(() => false);
  stacks.forEach(({ frameId, parentId }, i) => {
    const { name, line, column, resourceId } = frames[frameId];
    isOn[i] = (parentId !== undefined && isOn[parentId]) || (resources[resourceId] === url &&
      name === wanted.name && line === wanted.line && column === wanted.column);
  });
  return samples.filter(({ stackId }) => isOn[stackId]).length;
}

describe.each(BUNDLERS)('%s', (bundler) => {
  test('every token of every chunk leads where it led without polls', () => {
    const plain = readScripts(bundler, 'plain');
    const polled = readScripts(bundler, 'polled');
    expect(Object.keys(polled).sort()).toEqual(Object.keys(plain).sort());
    for (const [key, { code, map: { mappings, ...map } }] of Object.entries(plain)) {
      const { code: polledCode, map: { mappings: moved, ...polledMap } } = polled[key];
      expect(polledCode).toContain(MARK);
      const plainMap = JSON.parse(readFileSync(`${polled[key].path}.plain.map`, 'utf8'));
      expect(plainMap).toEqual({ ...polledMap, mappings });
      const [rest, polledRest] = [map, polledMap]
        .map((one) => JSON.parse(withoutHashes(JSON.stringify(one))));
      expect(polledRest).toEqual(rest);

      const maps = [mappings, moved].map((text) => new TraceMap({ ...map, mappings: text }));
      const [before, after] = maps.map((one) => decodedMappings(one));
      const [lines, polledLines] = [code, polledCode].map((text) => text.split('\n'));
      expect(polledLines).toHaveLength(lines.length);
      expect(after.map(({ length }) => length)).toEqual(before.map(({ length }) => length));
      const wrong = [];
      let tokens = 0;
      before.forEach((segments, line) => segments.forEach(([column], i) => {
        const [polledColumn] = after[line][i];
        const [one, other] = [lines[line][column], polledLines[line][polledColumn]];
        const [leads, polledLeads] = [column, polledColumn].map((at, which) => JSON.stringify(
          originalPositionFor(maps[which], { line: line + 1, column: at })));
        // Hashes differ.
        const isSame = one === other || /^[\da-f]{2}$/.test(one + other);
        if (!isSame || leads !== polledLeads) wrong.push({ line, column, one, other, leads, polledLeads });
        tokens++;
      }));
      expect(wrong).toEqual([]);
      expect(tokens).toBeGreaterThan(5);
    }
  });

  test('names have other hashes with other options, and everything is found by them', () => {
    const [polled, low] = ['polled', 'low'].map((variant) => Object.values(readScripts(bundler, variant)));
    let different = 0;
    for (const { name, code } of polled) {
      if (withoutHashes(name) === name) continue;
      const same = low.find((script) => script.name === name);
      // webpack makes hashes of the files as they are in the end, which an option may not change.
      if (same) expect(same.code).toBe(code);
      else different++;
    }
    expect(different).toBeGreaterThan(1);
    for (const scripts of [polled, low]) {
      const referenced = scripts.flatMap(({ code, path }) => [
        ...code.matchAll(/(?:from|import\(?)\s*["'`](\.[^"'`]+)["'`]/g),
        ...code.matchAll(/sourceMappingURL=(\S+)/g),
      ].map((match) => join(dirname(path), match[1])));
      expect(referenced.length).toBeGreaterThanOrEqual(scripts.length);
      expect(referenced.filter((path) => !existsSync(path))).toEqual([]);
    }
  });

  test('says in one line what it has done', () => {
    const said = JSON.parse(readFileSync(join(out, bundler, 'said.json'), 'utf8'));
    const lines = said.filter((text) => / polls?, /.test(text)).slice(-2);
    const files = Object.keys(readScripts(bundler, 'polled')).length;
    for (const line of lines) {
      expect(line).toMatch(/\d files, \d+ functions, \d+ polls, \d+\.\d kB \+ \d+\.\d kB \(\d+ %\)\n?$/);
      expect(line).toContain(`${files} files, `);
    }
  });

  test('the app runs, and its functions are where they are without polls', async () => {
    const from = server.log.length;
    await page.goto(server.url(`${bundler}/polled/index.html`));
    await page.waitFor(() => typeof globalThis.run === 'function', { timeout: 20_000 });
    const traces = await page.evaluate((ms) => globalThis.run(ms), LOOP);
    expect(traces.color).toBe('rgb(1, 2, 3)');
    expect(server.log.slice(from).filter(({ status }) => status >= 400)).toEqual([]);

    const plain = readScripts(bundler, 'plain');
    const polled = readScripts(bundler, 'polled');
    const found = new Set();
    for (const [key, { code }] of Object.entries(plain)) {
      const url = server.url(`${bundler}/polled/${polled[key].name}`);
      for (const [what, wanted] of Object.entries(findFunctions(code, 'module'))) {
        const counts = [traces.page, traces.worker].map((trace) => countSamples(trace, url, wanted));
        // A part that two scripts have is run from one of them.
        if (Math.max(...counts) > 0.6 * LOOP / 10) found.add(what);
      }
    }
    expect([...found].sort()).toEqual(['render', 'run', 'spin']);
  });
});

describe("Vite's dev server", () => {
  const SPIN = `
export function spin(ms: number) {
  globalThis.busy = 'spin';
  const end = performance.now() + ms;
  while (performance.now() < end) for (let i = 0; i < 10_000; i++) Math.sqrt(i);
}
`;

  test('sends modules with polls; one that is replaced keeps its own positions', async () => {
    const folder = join(out, 'dev');
    mkdirSync(join(folder, 'public'), { recursive: true });
    const write = (name, text) => writeFileSync(join(folder, name), text);
    copyFileSync(join(root, 'wasm-out/profilyfill.iife.js'), join(folder, 'public/profilyfill.iife.js'));
    write('index.html',
      '<script src="/profilyfill.iife.js"></script><script type="module" src="/main.js"></script>');
    write('main.js', `
      import './style.css';
      import './other.js';
      import { spin } from './spin.ts';
      let current = spin;
      globalThis.version = 1;
      globalThis.run = async (ms) => {
        const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10_000 });
        current(ms);
        return profiler.stop();
      };
      import.meta.hot.accept('./spin.ts', (next) => { current = next.spin; globalThis.version++; });`);
    write('style.css', 'a { color: red }');
    write('other.js', 'export const other = () => {};');
    write('spin.ts', SPIN);
    const servers = spawn(process.execPath, [
      fileURLToPath(new URL('support/dev-servers.js', import.meta.url)), folder,
    ], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } });
    try {
      const [plain, polled] = JSON.parse((await once(servers.stdout, 'data'))[0]);
      const get = async (base, path) => (await (await fetch(base + path)).text())
        .replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
      for (const name of ['main.js', 'spin.ts']) {
        const { code } = instrument(await get(plain, name), { sourceType: 'module' });
        expect(await get(polled, name)).toBe(code);
      }
      for (const name of ['other.js', 'style.css', '@vite/client']) {
        expect(await get(polled, name)).not.toContain(MARK);
      }

      await page.goto(polled);
      await page.waitFor(() => globalThis.version === 1, { timeout: 20_000 });
      const check = async (version, text) => {
        const trace = await page.evaluate((ms) => globalThis.run(ms), LOOP);
        const url = trace.resources.find((one) => /spin\.ts/.test(one));
        expect(/[?&]t=/.test(url)).toBe(version > 1);
        let code;
        // The other server may see a change later.
        do code = await get(plain, url.slice(polled.length)); while (!code.includes(text));
        const wanted = findFunctions(code, 'module').spin;
        expect(countSamples(trace, url, wanted)).toBeGreaterThan(0.6 * LOOP / 10);
        return wanted;
      };
      const before = await check(1, 'spin');
      write('spin.ts', `// a comment\n\nfunction added() { return 1 }${SPIN.replace('export', ' export')}`);
      await page.waitFor(() => globalThis.version === 2, { timeout: 20_000 });
      const after = await check(2, 'added');
      expect(after).not.toEqual(before);
    } finally {
      servers.kill();
    }
  });
});
