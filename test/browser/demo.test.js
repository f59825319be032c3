/**
 * The demo, as a visitor meets it: in every browser, on a plain and on an isolated page, a click leads to a
 * trace with the positions that native Chromium reports, and the page shows it.
 */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { buildDemo } from '../../demo/build.js';
import { addIngest } from '../../demo/ingest.js';
import { analyse } from '../../demo/viewer/analysis.js';
import { formatPosition } from '../../demo/viewer/format.js';
import { findFaults } from '../fxprof/format.mjs';
import { BROWSERS, launch } from './support/browsers.js';
import { describeStack } from './support/pages.js';
import { startServer } from './support/server.js';

jest.setTimeout(120_000);

const HOT = ['genPrimes generate.js:15:26', 'handleClick main.js:5:27', 'isPrime generate.js:6:17'];

let server;

beforeAll(async () => {
  server = await startServer({ roots: await buildDemo() });
  addIngest(server);
});

afterAll(() => server?.close());

async function open(page, { mode = 'plain', query = '' } = {}) {
  await page.goto(server.url(query, mode));
}

// Every look at the page runs code in it, which its profiler may see: so the first look comes late.
async function finish(page) {
  await page.waitFor(() => ['done', 'error'].includes(window.demo.state), { delay: 1_500, every: 300 });
  return page.evaluate(() => window.demo);
}

async function run(page, where) {
  await open(page, where);
  await page.click('#generate');
  return { ...(await finish(page)), base: server.url('', where.mode) };
}

const labelOf = (func, base) => `${func.name} ${formatPosition(func, base)}`;
const labels = (functions, base) => functions.map((func) => labelOf(func, base));

/** Adds the samples of a run to the counts, by the function that was running. */
function countSelf(counts, { trace }, base) {
  for (const { stackId } of trace.samples) {
    if (stackId === undefined) continue;
    const { resourceId, ...frame } = trace.frames[trace.stacks[stackId].frameId];
    const label = labelOf({ ...frame, resource: trace.resources[resourceId] }, base);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}

describe.each(BROWSERS)('%s', (name) => {
  let browser;
  let page;

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
  });

  afterAll(() => browser?.close());

  // The last one's page is what the tests below look at.
  const modes = ['isolated', 'csp', 'plain'];
  test.each(modes)('a click gives a trace with the native positions: %s', async (mode) => {
    const { state, error, base, run: made } = await run(page, { mode });
    expect([state, error]).toEqual(['done', undefined]);
    expect(made.implementation).toBe('polyfill');
    const { trace, started, looped, ended, interval } = made;
    const { functions, stackedTime, root, timeline } = analyse(trace, interval);
    expect(labels(functions, base)).toEqual(expect.arrayContaining(HOT));

    // handleClick > genPrimes > isPrime, and by far the most self time in isPrime.
    expect(describeStack(trace, trace.samples[0].stackId)).toBe('handleClick');
    const [click] = root.children;
    expect(click.func.name).toBe('handleClick');
    const genPrimes = click.children.find(({ func }) => func.name === 'genPrimes');
    const isPrime = genPrimes.children.find(({ func }) => func.name === 'isPrime');
    expect(isPrime.self / stackedTime).toBeGreaterThan(0.6);
    expect(functions[0].name).toBe('isPrime');

    // Samples while the loop runs, then idle ones.
    expect(made.counts.loop.stacked).toBeGreaterThanOrEqual(0.8 * made.counts.loop.expected);
    const after = timeline.filter(({ time }) => time > looped + interval);
    expect(after.length).toBeGreaterThanOrEqual(5);
    expect(trace.samples.filter(({ timestamp }) => timestamp > looped + interval).slice(0, -2)
      .every((sample) => !('stackId' in sample))).toBe(true);

    // Increasing, and in the page's own time.
    const times = trace.samples.map(({ timestamp }) => timestamp);
    times.slice(1).forEach((time, i) => expect(time).toBeGreaterThan(times[i]));
    expect(times[0]).toBeGreaterThanOrEqual(started - 1);
    expect(times.at(-1)).toBeLessThanOrEqual(ended + 1);
    const refusal = mode === 'csp' ? /policy/i : /Document policy violation/;
    expect(page.errors.splice(0).filter(({ text }) => !refusal.test(text))).toEqual([]);
  });

  test('the page shows the trace: summary, flame graph, samples, table', async () => {
    const seen = await page.evaluate(() => ({
      result: !document.getElementById('result').hidden,
      hottest: document.querySelector('#figures dd').firstChild.textContent,
      boxes: [...document.querySelectorAll('.box')].map(({ textContent }) => textContent),
      bars: document.querySelectorAll('#strip path').length,
      rows: [...document.querySelectorAll('#functions tbody tr')].map((row) => (
        [row.querySelector('th code').textContent, row.lastChild.textContent])),
      wide: document.documentElement.scrollWidth <= innerWidth,
    }));
    expect(seen).toMatchObject({ result: true, hottest: 'isPrime', wide: true });
    expect(seen.boxes.slice(0, 4)).toEqual(['all samples', 'handleClick', 'genPrimes', 'isPrime']);
    expect(seen.bars).toBeGreaterThanOrEqual(2);
    expect(seen.rows.map((row) => row.join(' '))).toEqual(expect.arrayContaining(HOT));
  });

  test('zooming, the other order, sorting', async () => {
    const boxes = () => page.evaluate(() => [...document.querySelectorAll('.box')]
      .map((box) => [box.textContent, box.classList.contains('box-above')]));
    await page.click('.box:nth-child(3)');
    expect((await boxes()).slice(0, 4)).toEqual(
      [['all samples', true], ['handleClick', true], ['genPrimes', false], ['isPrime', false]]);
    await page.click('#zoom-out');
    expect((await boxes()).every(([, above]) => !above)).toBe(true);

    await page.click('#order-time');
    expect((await boxes()).map(([text]) => text)).toContain('no stack');
    expect(await page.evaluate(() => document.querySelector('[aria-pressed="true"]').id)).toBe('order-time');

    const names = () => page.evaluate(() => [...document.querySelectorAll('tbody th code:first-of-type')]
      .map(({ textContent }) => textContent));
    await page.click('[data-key="name"]');
    const ascending = await names();
    expect(ascending).toEqual([...ascending].sort());
    await page.click('[data-key="name"]');
    expect(await names()).toEqual(ascending.reverse());
    expect(await page.evaluate(() => document.querySelector('[aria-sort]').textContent)).toBe('Function');
  });

  test('runs again, with nothing of the viewer below handleClick', async () => {
    await page.click('#again');
    const { state, run: made } = await finish(page);
    expect(state).toBe('done');
    const { root } = analyse(made.trace, made.interval);
    expect(root.children[0].func.name).toBe('handleClick');
    expect(root.children[0].total / root.total).toBeGreaterThan(0.9);
  });

  test.each([
    ['trace', 'download'], ['firefox-profile', 'firefox-profile'],
  ])('offers the trace as a file: %s', async (kind, button) => {
    const [file, content, trace] = await page.evaluate((id) => new Promise((resolve) => {
      // The link is clicked without being part of the page.
      const { click } = HTMLAnchorElement.prototype;
      HTMLAnchorElement.prototype.click = async function () {
        HTMLAnchorElement.prototype.click = click;
        resolve([this.download, await (await fetch(this.href)).text(), window.demo.run.trace]);
      };
      document.getElementById(id).click();
    }), button);
    expect(file).toBe(`${kind}-${name}-polyfill.json`);
    if (kind === 'trace') expect(content).toBe(JSON.stringify(trace, undefined, 1));
    else {
      const profile = JSON.parse(content);
      expect(findFaults(profile)).toEqual([]);
      const [{ samples, stringArray, markers }] = profile.threads;
      expect(samples.length).toBe(trace.samples.length);
      expect(stringArray).toEqual(expect.arrayContaining(['handleClick', 'genPrimes', 'isPrime']));
      expect(markers.length).toBe(1);
    }
  });

  test('the page of the SDKs shows what has arrived', async () => {
    await page.goto(server.url('sdks/?sdk=sentry'));
    await page.waitFor(() => document.getElementById('sdk').textContent === 'Sentry');
    await page.click('#start');
    await page.waitFor(() => window.demo.state !== 'idle', { delay: 1_500, every: 300 });
    const seen = await page.evaluate(() => ({
      status: document.getElementById('status').textContent,
      figures: [...document.querySelectorAll('#figures dd')].map((dd) => dd.firstChild.textContent),
      rows: [...document.querySelectorAll('#functions tbody tr')].map((row) =>
        `${row.firstElementChild.textContent} ${row.lastElementChild.textContent}`),
      bytes: window.demo.received.bytes,
    }));
    expect(seen.status).toBe('it has arrived');
    expect(seen.figures).toEqual([
      expect.stringMatching(/^Sentry\/11\./), `${(seen.bytes / 1000).toFixed(1)} kB`,
      expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/),
    ]);
    expect(seen.rows[0]).toBe('isPrime generate.js:6:17');
    expect(seen.rows).toContain('genPrimes generate.js:15:26');
    expect(page.errors.splice(0).filter(({ text }) => !/Document policy violation/.test(text))).toEqual([]);
  });

  test('says so when there is no trace, and recovers', async () => {
    await open(page);
    await page.evaluate(() => {
      window.kept = window.Profiler;
      window.Profiler = function () { throw new DOMException('not on this page', 'NotAllowedError'); };
    });
    await page.click('#generate');
    await page.waitFor(() => window.demo.state === 'error');
    expect(await page.evaluate(() => [
      document.getElementById('error').hidden, document.getElementById('error-text').textContent,
      document.getElementById('result').hidden,
    ])).toEqual([false, 'NotAllowedError: not on this page', true]);
    await page.evaluate(() => { window.Profiler = window.kept; });
    await page.click('#generate');
    expect((await finish(page)).state).toBe('done');
    expect(await page.evaluate(() => document.getElementById('error').hidden)).toBe(true);
  });
});

describe('chromium with the header', () => {
  let browser;

  beforeAll(async () => {
    browser = await launch('chromium');
  });

  afterAll(() => browser?.close());

  test('native and polyfill name the same functions at the same positions, and can be switched', async () => {
    const page = await browser.newPage();
    const switches = () => page.evaluate(() => [...document.querySelectorAll('#implementations a')]
      .map((link) => [link.textContent, link.ariaCurrent]));
    const found = new Set();
    const native = new Map();
    // The native profiler has a stack for only some of the samples of a tight loop (about 5 to 60 a run,
    // most of them before the loop is compiled), so the runs of several fresh pages are taken together.
    for (let turn = 0; turn < 8 && !(turn >= 4 && HOT.every((label) => found.has(label))); turn++) {
      const made = await run(page, { mode: 'native' });
      expect(made.run.implementation).toBe('native');
      for (const label of labels(analyse(made.run.trace).functions, made.base)) found.add(label);
      countSelf(native, made.run, made.base);
    }
    expect(await switches()).toEqual([['Native', 'true'], ['Polyfill', null]]);

    const made = await run(page, { mode: 'native', query: '?impl=polyfill' });
    expect(made.run.implementation).toBe('polyfill');
    expect(await switches()).toEqual([['Native', null], ['Polyfill', 'true']]);

    // Without built-ins, which only native names, and the nameless callback of main.js, which takes no time.
    const named = (all) => [...all].filter((label) => /^\w+ (main|generate)\.js:/.test(label)).sort();
    expect(named(found)).toEqual(HOT);
    expect(named(labels(analyse(made.run.trace).functions, made.base))).toEqual(HOT);
    const polyfill = countSelf(new Map(), made.run, made.base);
    for (const counts of [native, polyfill]) {
      const [[hottest]] = [...counts].sort((a, b) => b[1] - a[1]);
      expect(hottest).toBe('isPrime generate.js:6:17');
    }
  });
});
