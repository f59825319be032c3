// The snippets of the README's section on uses of memory measurements, as they stand there, but for the
// pause, which is 5 minutes long.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const [, section] = /\n### Uses\n([^]*?)\n##+ /.exec(readme);
const [nowAndThen, ...uses] = Array.from(section.matchAll(/```js\n([^]*?)```/g), ([, code]) => code);

const EXPECTED = [
  { version: '1.2.3', minutes: 0, bytes: expect.any(Number), types: expect.any(Object) },
  { experiment: 'new-feature', arm: expect.stringMatching(/^with(out)?$/), bytes: expect.any(Number) },
  { bytes: expect.any(Number), slowest: expect.any(Number) },
];

test('there is a snippet for each use that the specification names', () => {
  expect(nowAndThen).toContain('mean = 5 * 60_000');
  expect(uses).toHaveLength(EXPECTED.length);
});

test.each(BROWSERS)('%s: they measure at random times and send what they have found', async (name) => {
  const sent = uses.map(() => []);
  const server = await startServer({ roots: [`${root}wasm-out`] });
  server.file('/now-and-then.js', nowAndThen.replace('5 * 60_000', '40').replace("'/memory'", "'memory' + page"));
  const browser = await launch(name);
  try {
    const page = await browser.newPage();
    for (const [i, code] of uses.entries()) {
      server.file(`/memory${i}`, async (request) => {
        sent[i].push(JSON.parse(await request.body()));
        return 'thanks';
      });
      server.file(`/use-${i}.js`, code);
      server.file('/use.html', `<!doctype html><html data-version="1.2.3"><link rel="icon" href="data:,">
        <script src="measure-memory.iife.js"></script><script>const page = ${i}; let kept = {};</script>
        <button>click</button><script type="module" src="use-${i}.js"></script>`);
      await page.goto(server.url('use.html'));
      await page.click('button');
      for (const end = Date.now() + 20_000; sent[i].length < 3 && Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(sent[i].slice(0, 3)).toEqual(Array(3).fill(EXPECTED[i]));
    }
    const [{ bytes, types }] = sent[0];
    expect(Object.values(types).reduce((sum, part) => sum + part, 0)).toBe(bytes);
    expect(bytes).toBeGreaterThan(0);
    expect(new Set(sent[1].map(({ arm }) => arm)).size).toBe(1); // keeps to it
    expect(page.errors).toEqual([]);
  } finally {
    await browser.close();
    await server.close();
  }
});
