// The rows of memory measurement: the polyfill in each browser, and in isolated Chromium the native method
// where it departs from them as well as where it does not. What rows ask for in a few words is in
// test/data/memory-conformance.json, with what is not met, and why.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import callers from './memory/callers.js';
import frames from './memory/frames.js';
import realms from './memory/realms.js';
import shape from './memory/shape.js';
import { TARGETS, launchOptions, runScene, startOrigins } from './memory/support.js';
import { launch } from './support/browsers.js';
import { within } from './support/processes.js';

// That of frames is last: native never answers when a worker ends meanwhile, be it of a page that was left.
const scenes = [...shape, ...callers, ...realms, ...frames];
const table = JSON.parse(readFileSync(new URL('../data/memory-conformance.json', import.meta.url), 'utf8'));
const roots = [fileURLToPath(new URL('../../wasm-out', import.meta.url))];

const rows = scenes.flatMap((scene) => scene.rows);

test('every row of the table has a test, and every test a row', () => {
  const numbers = (list) => [...new Set(list.map(({ row }) => row))].sort((a, b) => a - b);
  expect(numbers(rows)).toEqual(numbers(table));
  expect(numbers(table)).toEqual(Array.from({ length: 48 }, (x, i) => i + 1));
});

test('every departure has a reason, and every reason a test', () => {
  const departing = rows.flatMap(({ row, departs = {} }) => Object.keys(departs).map((id) => `${row} ${id}`));
  const explained = table.flatMap(({ row, differs = {} }) => (
    Object.keys(differs).map((id) => `${row} ${id}`)));
  expect([...new Set(departing)].sort()).toEqual(explained.sort());
});

describe.each(TARGETS.map((target) => [target.title, target]))('%s', (title, target) => {
  const shown = scenes.filter(({ only }) => only?.(target) ?? true);
  const seen = new Map();
  let browser, origins, page;
  const start = async () => {
    browser = await launch(target.engine, launchOptions(target));
    page = await browser.newPage();
  };
  beforeAll(async () => {
    [, origins] = await Promise.all([start(), startOrigins(target, roots)]);
    for (const scene of shown) seen.set(scene, await see(scene));
  }, 240_000);

  // Where native never answers, another browser may: see the order of scenes.
  const see = async (scene, attempts = target.isNative ? 3 : 1) => {
    const value = runScene(browser, page, origins, scene, target);
    try {
      return { value: await (target.isNative ? within(15_000, `${scene.name} did not end`, value) : value) };
    } catch (error) {
      if (attempts === 1) return { error };
      await browser.close();
      await start();
      return see(scene, attempts - 1);
    }
  };
  afterAll(() => Promise.all([browser?.close(), origins?.close()]));

  for (const scene of shown) {
    for (const { row, title: requirement, check, departs } of scene.rows) {
      test(`row ${row}: ${requirement}`, () => {
        const { value, error } = seen.get(scene);
        if (error) throw error;
        (departs?.[target.id] ?? check)(value, target);
      });
    }
  }
});
