// The README's recipes for Sentry, for source maps, and for whoever sends traces himself: run as they are.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';
import { execFile } from 'node:child_process';
import {
  cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { readEnvelope } from '../../demo/ingest.js';
import { instrument } from '../../js/instrument.js';
import { launch } from './support/browsers.js';
import { CLOCK } from './support/clock.js';
import { findFunctions } from './support/find-functions.js';
import { SPIN } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const README = readFileSync(join(root, 'README.md'), 'utf8');
const BUSY = readFileSync(join(root, 'test/apps/sdks/busy.js'), 'utf8');

/** The code block that is marked so. */
function readRecipe(name) {
  const mark = `<!-- recipe: ${name} -->\n\`\`\`js\n`;
  const at = README.indexOf(mark);
  expect([name, at]).not.toEqual([name, -1]);
  return README.slice(at + mark.length, README.indexOf('```', at + mark.length));
}

const execute = (cwd, ...args) => promisify(execFile)(process.execPath, args, {
  cwd, env: { ...process.env, NODE_OPTIONS: '' },
});

let folder;
let browser;
let server;
let page;

beforeAll(async () => {
  // Below the package, so that its name is known there.
  mkdirSync(join(root, 'wasm-out/test'), { recursive: true });
  folder = mkdtempSync(join(root, 'wasm-out/test/recipes-'));
  [browser, server] = await Promise.all([
    launch('chromium'), startServer({ roots: [folder, join(root, 'wasm-out')] }),
  ]);
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

/** The scripts of a build with their maps, by the scripts' names. */
function readMaps(out, extension) {
  const assets = join(folder, out, 'assets');
  return Object.fromEntries(readdirSync(assets).filter((name) => name.endsWith(`.js${extension}`))
    .map((name) => [name.slice(0, -extension.length), JSON.parse(readFileSync(join(assets, name), 'utf8'))]));
}

/** Where the busy functions are that a map's positions lead to. */
function expectLeads(map, frames, names) {
  const original = findFunctions(BUSY, 'module');
  const traced = new TraceMap(map);
  const found = frames.map(({ lineno: line, colno: column }) => line && originalPositionFor(traced, {
    line, column: column - 1,
  })).filter((place) => place?.source?.endsWith('busy.js')).map(({ line }) => line);
  for (const name of names) expect(found).toContain(original[name].line);
}

describe('Sentry in a build of Vite', () => {
  const run = (out) => execute(folder, join(root, 'node_modules/vite/bin/vite.js'), 'build', '--base', './',
    '--outDir', out, '--logLevel', 'error');

  beforeAll(() => {
    const main = readRecipe('main.js').replace("'@sentry/browser'", "'sentry-11'")
      .replace(/dsn: '[^']*',/, "dsn: 'https://abc@o1.ingest.example.com/1', tunnel: '../tunnel',");
    writeFileSync(join(folder, 'busy.js'),
      `${BUSY}\nexport function fail() { globalThis.busy = 'fail'; throw new Error('failed'); }`);
    writeFileSync(join(folder, 'main.js'), `${main}
      ${readRecipe('after Sentry.init')}
      import { crunch, fail, work } from './busy.js';
      globalThis.run = async () => {
        Sentry.uiProfiler.startProfiler();
        await new Promise((resolve) => setTimeout(() => { work(200); crunch(1); resolve(); }));
        Sentry.uiProfiler.stopProfiler();
        try { fail(); } catch (error) { Sentry.captureException(error); }
        await new Promise((resolve) => setTimeout(resolve, 100));
        await Sentry.flush(2000);
      };`);
    writeFileSync(join(folder, 'index.html'),
      '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>');
    writeFileSync(join(folder, 'other-ids.mjs'), readRecipe('other-ids.mjs'));
  });

  test('by the plugin: polls, and maps without them', async () => {
    writeFileSync(join(folder, 'vite.config.js'), readRecipe('vite.config.js'));
    await run('by-plugin');
    const [maps, plain] = ['.map', '.plain.map'].map((extension) => readMaps('by-plugin', extension));
    for (const [name, map] of Object.entries(plain)) {
      const code = readFileSync(join(folder, 'by-plugin/assets', name), 'utf8');
      expect(code).toContain(`//# debugId=${map.debugId}`);
      expect(maps[name].debugId).toBe(map.debugId);
      expect(maps[name].mappings).not.toBe(map.mappings);
    }
    expect(Object.keys(plain).length).toBeGreaterThan(0);
  });

  test('by the command: errors and profiles lead to the sources by ids of their own', async () => {
    const config = readRecipe('vite.config.js').replace(/, profilyfill\(.*?\)]/, ']');
    expect(config).not.toContain('profilyfill(');
    writeFileSync(join(folder, 'vite.config.js'), config);
    await run('dist');
    cpSync(join(folder, 'dist'), join(folder, 'dist-plain'), { recursive: true });
    await execute(folder, 'other-ids.mjs', 'dist-plain');
    await execute(folder, join(root, 'js/command.js'), 'instrument', 'dist');

    const items = [];
    server.file('/tunnel', async (request) => {
      items.push(...readEnvelope(await request.body()));
      return '{}';
    });
    await page.goto(server.url('dist/index.html'));
    await page.waitFor(() => typeof globalThis.run === 'function');
    await page.evaluate(() => globalThis.run());
    const payload = (type) => items.find(({ header }) => header.type === type).payload;
    const profile = payload('profile_chunk');
    const event = payload('event');

    const find = (out, images, url) => {
      const { debug_id: id } = images.find(({ code_file: file }) => file === url);
      const maps = Object.values(readMaps(out, '.map')).filter(({ debugId }) => debugId === id);
      expect(maps).toHaveLength(1);
      return maps[0];
    };
    const { profile: { frames }, debug_meta: { images } } = profile;
    const [{ stacktrace }] = event.exception.values;
    const url = stacktrace.frames.at(-1).filename;
    const own = frames.filter((frame) => frame.abs_path === url);
    expectLeads(find('dist-plain', images, url), own, ['work', 'crunch']);
    // The ids of the one are not those of the other.
    const errorMap = find('dist', event.debug_meta.images, url);
    expect(Object.values(readMaps('dist-plain', '.map')).map(({ debugId }) => debugId))
      .not.toContain(errorMap.debugId);
    const { lineno: line, colno: column } = stacktrace.frames.at(-1);
    const { source, line: at } = originalPositionFor(new TraceMap(errorMap), { line, column: column - 1 });
    expect([source.split('/').pop(), at])
      .toEqual(['busy.js', BUSY.split('\n').length + 1]);
  });
});

test('whoever sends traces: what it says of their size', async () => {
  const recipe = readRecipe('send.js').replace('< 0.05', '< 1');
  const [{ text }] = (await build({
    stdin: { contents: recipe, resolveDir: root }, bundle: true, write: false, format: 'esm',
    external: ['./profilyfill-*'],
  })).outputFiles;
  server.file('/clock.js', CLOCK);
  server.file('/send.js', `${text}\nwindow.ready = true;`);
  server.file('/work.js', instrument(`${SPIN}
    window.work = () => { spin(100); jump(16_000); spin(100); };`, { sourceType: 'script' }).code);
  server.file('/send.html', '<!doctype html><link rel="icon" href="data:,"><script src="clock.js"></script>' +
    '<script src="work.js"></script><script type="module" src="send.js"></script>');
  const bodies = [];
  const serve = async (request) => {
    bodies.push({ body: await request.body(), type: request.headers['content-type'] });
    return 'thanks';
  };
  await page.goto(server.url('send.html'));
  // The recipe's address is that of the site's root.
  const sent = page.evaluate(() => new Promise((resolve) => {
    const { sendBeacon } = navigator;
    navigator.sendBeacon = (url, body) => {
      resolve(url);
      return sendBeacon.call(navigator, 'traces', body);
    };
    (function look() {
      if (window.ready) work();
      else setTimeout(look, 10);
    })();
  }));
  server.file('/traces', serve);
  expect(await sent).toBe('/traces');
  await page.waitFor(() => true, { delay: 300 });
  expect(bodies).toHaveLength(1);
  const { samples, frames, stacks } = JSON.parse(bodies[0].body);
  expect(samples).toHaveLength(1500);
  expect(frames.length).toBeGreaterThan(0);
  expect(stacks.length).toBeGreaterThan(0);
  const json = JSON.stringify(samples);
  const [, raw, gzip] = /<!-- wire -->([\d.]+) bytes, ([\d.]+) after gzip/.exec(README);
  expect(Math.abs(json.length / samples.length / raw - 1)).toBeLessThan(0.1);
  expect(Math.abs(gzipSync(json).length / samples.length / gzip - 1)).toBeLessThan(0.3);
});
