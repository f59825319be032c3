// The conformance table, row by row: Chromium's own Profiler and the polyfill in each browser. What
// rows ask for in a few words is in test/data/conformance.json, with what cannot be met, and why;
// test/conformance.js prints both as a table.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'webidl2';
import buffer from './conformance/buffer.js';
import construction from './conformance/construction.js';
import ends from './conformance/ends.js';
import filtering from './conformance/filtering.js';
import policy from './conformance/policy.js';
import sampling from './conformance/sampling.js';
import shape from './conformance/shape.js';
import trace from './conformance/trace.js';
import { launch } from './support/browsers.js';
import {
  LEAVING, NO_WASM, POLICY_MODES, TARGETS, launchOptions, leavePage, runRows, stacksOf,
} from './support/conformance.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rows = [...shape, ...construction, ...policy, ...sampling, ...buffer, ...trace, ...filtering,
  ...ends];
const table = JSON.parse(readFileSync(new URL('../data/conformance.json', import.meta.url), 'utf8'));

const definitions = parse(readFileSync(new URL('../data/js-self-profiling.webidl', import.meta.url), 'utf8'));
const dictionaries = Object.fromEntries(definitions.filter(({ type }) => type === 'dictionary')
  .map((dictionary) => [dictionary.name, dictionary]));
const idl = definitions.find(({ name }) => name === 'Profiler');
const options = dictionaries.ProfilerInitOptions;

test('every row of the table has a test, and every test a row', () => {
  const numbers = (list) => [...new Set(list.map(({ row }) => row))].sort((a, b) => a - b);
  expect(numbers(rows)).toEqual(numbers(table));
  expect(numbers(table)).toEqual(Array.from({ length: 86 }, (x, i) => i + 1));
});

describe.each(TARGETS.map((target) => [target.title, target]))('%s', (title, common) => {
  const ownMode = common.mode;
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([
      launch(common.engine, launchOptions(common)),
      startServer({ roots: [`${root}wasm-out`], modes: POLICY_MODES }),
    ]);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  describe.each(common.isNative ? [ownMode] : [ownMode, NO_WASM])('%s page', (mode) => {
    const target = { ...common, mode };
    let seen, problems, core, sent;
    beforeAll(async () => {
      ({ seen, problems, core } = await runRows(browser, server, rows, target));
      if (!target.isNative) sent = await leavePage(browser, server, target);
    });

    rows.forEach(({ row, title: requirement, uses, check, only }, id) => {
      if (only && !only(target)) return;
      test(`row ${row}: ${requirement}`, () => {
        const source = uses === undefined ? id : rows.findIndex((other) => other.row === uses && other.page);
        const { value, error } = seen[source];
        if (error) throw new Error(error);
        check(value, { target, idl, options, dictionaries });
      });
    });

    // Native settles in a task, for which the page does not live long enough.
    if (!target.isNative) {
      test.each(LEAVING)('row 53: stop() in a %s listener settles in time for a beacon', (event) => {
        expect(sent[event] && stacksOf(sent[event])).toContain('leaves > spin');
      });
    }

    test('the core is the wasm, or its twin where wasm is refused', () => {
      expect(core).toBe(target.isNative ? undefined : { [ownMode]: 'wasm', [NO_WASM]: 'twin' }[mode]);
    });

    test('no error has gone uncaught', () => {
      expect(problems).toEqual([]);
    });
  });
});
