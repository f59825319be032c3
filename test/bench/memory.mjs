/**
 * How true measured memory is: what the walk finds in pages that hold one kind of thing or a mixture, beyond
 * an empty page, / what the engine itself says; how fast it walks, and how long it blocks the page.
 *
 *     node test/bench/memory.mjs [--json] [--browser chromium|firefox|webkit] [SCENARIO...]
 *
 * `growth`: of what the engine says, by measuring twice. WebAssembly's memory, which Chromium's measurement
 * leaves out, is not compared there. Code that hides what it holds is instrumented with `memoryRoots`.
 *
 * The truth is Chromium's own measurement, and Firefox's memory reporter (objects, strings and DOM). WebKit
 * has none: its columns are what the walk says.
 */
import { parseArgs } from 'node:util';
import { instrument } from '../../js/instrument.js';
import { BROWSERS } from '../browser/support/browsers.js';
import { bundleMemoryPage } from '../browser/support/memory-bundle.js';
import { within } from '../browser/support/processes.js';
import { startServer } from '../browser/support/server.js';
import { say } from './support/bench.js';
import { makeScenarios } from './support/memory-scenarios.js';
import { startTruth } from './support/memory-truth.js';

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean' },
    browser: { type: 'string', multiple: true, default: BROWSERS },
  },
  allowPositionals: true,
});

const chosen = (await makeScenarios()).filter(({ name }) =>
  positionals.length === 0 || positionals.some((word) => name.includes(word)));

let count = 0;

/** Has a page run a scenario: as it is, or as a script of its own, instrumented if it hides something. */
async function run(page, server, { code, kind, sourceType }) {
  if (sourceType === undefined) {
    await page.evaluate((text) => { (0, eval)(`{${text}}`); }, code);
    return;
  }
  server.file('/scenario.js', kind !== 'hidden' ? code :
    instrument(code, { sourceType, memoryRoots: true }).code);
  await page.evaluate((type) => new Promise((resolve, reject) => {
    const script = document.createElement('script');
    Object.assign(script, { src: 'scenario.js', type, onload: resolve, onerror: reject });
    document.head.append(script);
  }), sourceType === 'module' ? 'module' : '');
}

/** What a page with a scenario holds; without one, with nothing. */
async function measurePage({ browser, measure: truth }, server, scenario) {
  const page = await browser.newPage();
  try {
    await page.goto(server.url(`memory.html?${count++}`, browser.name === 'webkit' ? 'plain' : 'isolated'));
    if (scenario) await run(page, server, scenario);
    const before = await truth?.(page);
    const walk = await page.evaluate(() => globalThis.measureByWalk());
    const again = await page.evaluate(() => globalThis.measureByWalk());
    return { before, walk, again, after: await truth?.(page) };
  } finally {
    // Each page in a process of its own, as far as the browser makes some: what pages leave behind counts.
    await page.close();
  }
}

function compare({ name: scenario, kind }, { before, walk, again, after }, empty, isChromium) {
  const bytes = before && before.bytes - empty.bytes;
  const { WebAssembly: apart = 0 } = isChromium ? walk.types : {};
  return {
    scenario, kind, bytes, estimate: walk.bytes, ratio: bytes && (walk.bytes - apart) / bytes,
    types: walk.types, engineTypes: before?.types,
    isStable: walk.bytes === again.bytes, growth: after && after.bytes - before.bytes,
    ms: walk.ms, longest: Math.max(walk.longest, again.longest),
  };
}

async function measure(name, server) {
  let engine = await startTruth(name);
  const { version } = engine.browser;
  try {
    const { before: empty, walk: emptyWalk } = await measurePage(engine, server);
    if (!values.json) console.log(`\n${name} (${version}), empty page: ${emptyWalk.bytes} bytes\n`);
    show('', COLUMNS);
    const scenarios = [];
    for (const one of chosen) {
      say(`${name}: ${one.name}`);
      let result;
      for (let attempt = 0; attempt < 2; attempt++) {
        try {
          const seen = await within(60_000, 'no answer', measurePage(engine, server, one));
          result = compare(one, seen, empty, name === 'chromium');
          break;
        } catch (error) {
          // A native measurement that never answers, a browser that has come to its end: another one may do.
          result = { scenario: one.name, kind: one.kind, error: error.message };
          await engine.browser.close();
          engine = await startTruth(name);
        }
      }
      scenarios.push(result);
      showScenario(result);
    }
    return { browser: name, version, empty, emptyWalk, scenarios };
  } finally {
    await engine.browser.close();
  }
}

const COLUMNS = ['engine', 'walk', 'ratio', 'growth', 'same', 'ms', 'longest'];
const show = (name, cells) => {
  if (!values.json) console.log([name.padEnd(28), ...cells.map((cell) => cell.padStart(9))].join(' '));
};
const number = (value, digits = 0) => value?.toFixed(digits) ?? '-';

function showScenario({ scenario, error, bytes, estimate, ratio, growth, isStable, ms, longest }) {
  show(scenario, error ? [error.split('\n')[0]] : [
    number(bytes), number(estimate), number(ratio, 3), number(growth), isStable ? 'yes' : 'NO', number(ms),
    number(longest, 1),
  ]);
}

const server = await startServer({
  files: {
    '/memory.js': await bundleMemoryPage(),
    '/memory.html': '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">' +
      '<script src="memory.js"></script><body>',
  },
});
const results = [];
try {
  for (const name of values.browser) {
    const result = await measure(name, server);
    results.push(result);
  }
} finally {
  await server.close();
}
if (values.json) console.log(JSON.stringify(results, null, 2));
