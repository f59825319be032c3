/** The memory page of the demo: measures, shows where the memory is, and what grew. */
import { buildDemo } from '../../demo/build.js';
import { compare, formatBytes, groupByRealm } from '../../demo/memory/analysis.js';
import { BROWSERS, launch } from './support/browsers.js';
import { startServer } from './support/server.js';

let server;

beforeAll(async () => {
  server = await startServer({ roots: await buildDemo() });
});

afterAll(() => server?.close());

test.each(BROWSERS)('%s: what is added is found and shown', async (name) => {
  const browser = await launch(name);
  const page = await browser.newPage();
  try {
    await page.goto(server.url('memory/'));
    const measure = async (count) => {
      await page.click('#measure');
      return page.waitFor((wanted) => {
        const { state, results } = window.demo;
        return state === 'error' || state === 'done' && results.length === wanted ? state : false;
      }, { args: [count] });
    };
    const grow = (number) => page.click(`#growers button:nth-child(${number})`);
    expect(await measure(1)).toBe('done');
    await grow(5); // a frame
    await grow(6); // a worker
    await page.waitFor(() => frames.length === 1 && frames[0].words);
    await grow(3); // a buffer
    await page.waitFor(() => window.kept.length === 3);
    expect(await measure(2)).toBe('done');

    const [before, after] = (await page.evaluate(() => window.demo.results)).map(({ result }) => result);
    const base = server.url('memory/');
    const realms = groupByRealm(after, base);
    expect(realms.map((realm) => realm.name)).toEqual(
      ['worker blob:…', 'this page', 'frame.html in #frame-0']);
    const [most, next] = compare(before, after, base);
    // In MB; Firefox has whole pages of 1 MiB for them.
    const grown = ({ name: realm, type, growth }) => [realm, type, Math.round(growth / 1e6)];
    expect(grown(most)).toEqual(['worker blob:…', 'JavaScript', 5]);
    expect(grown(next)).toEqual(['this page', 'JavaScript', 4]);

    const shown = await page.evaluate(() => ({
      cells: [...document.querySelectorAll('.cell')].map((cell) => cell.getAttribute('aria-label')),
      inside: [...document.querySelectorAll('.cell')].every((cell) => {
        const map = document.getElementById('map').getBoundingClientRect();
        const { left, right, top, bottom } = cell.getBoundingClientRect();
        return left >= map.left - 1 && right <= map.right + 1
          && top >= map.top - 1 && bottom <= map.bottom + 1;
      }),
      bars: document.querySelectorAll('#history button').length,
      grown: document.querySelector('#grown tbody tr').textContent,
      wide: document.documentElement.scrollWidth <= innerWidth,
    }));
    expect(shown.cells).toContain(`worker blob:…, JavaScript: ${formatBytes(most.after)}`);
    expect(shown).toMatchObject({ inside: true, bars: 2, wide: true });
    expect(shown.grown).toContain(`+${formatBytes(most.growth)}`);

    await page.click('#free');
    expect(await measure(3)).toBe('done');
    const last = (await page.evaluate(() => window.demo.results[2])).result;
    expect(groupByRealm(last, base).map((realm) => realm.name)).toEqual(['this page']);
    expect(page.errors).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('bytes are written as people read them', () => {
  expect([0, 812, 24_000, -1_240_000, 21_800_000].map(formatBytes)).toEqual(
    ['0 B', '812 B', '24.0 kB', '-1.24 MB', '21.8 MB']);
});
