/** `profilyfill calibrate`, from the command to a trace of a plain page. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { instrument } from '../../js/instrument.js';
import { launch } from './support/browsers.js';
import { startServer } from './support/server.js';

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

// A call of `long` takes some hundred times as long as one of `short`, which is called ten times as often.
const APP = `
function short(list, i) { return list[i % 100].length + list[(i * 7) % 100].indexOf("b"); }
function long(list) {
  let sum = 0;
  const texts = list.map((one) => one.split("a").join("b"));
  for (let i = 0; i < 3; i++) sum += texts.join().replace(/b+/g, "").length;
  return sum;
}
function run(list) {
  let sum = 0;
  for (let i = 0; i < 1000; i++) {
    sum += short(list, i);
    if (i % 10 === 0) sum += long(list);
  }
  return sum;
}
const list = Array.from({ length: 100 }, (x, i) => "a".repeat(i % 10) + i);
globalThis.app = (ms) => {
  let sum = 0;
  for (const end = performance.now() + ms; performance.now() < end;) sum += run(list);
  return sum;
};
`;

const HTML = `<!-- <head> --><!doctype html><html lang="en"><head><meta charset="utf-8"><title>é</title>
<script>globalThis.first = typeof globalThis[Symbol.for("profilyfill")];</script>
<script src="app.js"></script><script src="broken.js"></script>
<script>onerror = null; const worker = new Worker("worker.js"); worker.onmessage = (e) => { said = e.data; };
var said;</script></head><body></body></html>`;

let server;
let folder;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'profilyfill-calibrate-'));
  server = await startServer({
    roots: [file('wasm-out')],
    files: {
      '/index.html': {
        body: HTML, headers: { 'Content-Security-Policy': "script-src 'unsafe-inline' 'self'" },
      },
      '/app.js': APP,
      '/broken.js': 'var broken = ;',
      '/worker.js': 'importScripts("part.js"); postMessage(part([3, 1]));',
      '/part.js': 'function part(list) { for (const one of list) if (one) list.sort(); return list.length; }',
      '/plain.html': '<!doctype html><script src="profilyfill.iife.js" data-force></script>' +
        '<script src="weighed.js"></script>',
    },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Starts the command; its address, and how it ends. */
async function start(...args) {
  const child = spawn(process.execPath, [file('js/command.js'), 'calibrate', ...args], { cwd: folder });
  let said = '';
  const ended = new Promise((resolve) => {
    child.once('close', (status) => resolve({ status, said }));
  });
  const address = await new Promise((resolve) => {
    const listen = (text) => {
      said += text;
      const [url] = /http:\S+\//.exec(said) ?? [];
      if (url) resolve(url);
    };
    child.stdout.setEncoding('utf8').on('data', listen);
    child.stderr.setEncoding('utf8').on('data', (text) => { said += text; });
    ended.then(() => resolve(undefined));
  });
  return { address, ended, stop: () => child.kill('SIGINT') };
}

/** Levels of all polls, in the order of the text; 0: they tell none. */
const levelsOf = (code) => [...code.matchAll(/&&\$h\w*\.(?:p\((\d+)\)|[abde]\b)/g)]
  .map(([, digits = 0]) => digits >> 2);

describe.each(['chromium', 'firefox'])('%s', (name) => {
  let browser;
  beforeAll(async () => { browser = await launch(name); });
  afterAll(() => browser.close());

  test('a site is measured as its server sends it, and its traces are right', async () => {
    const out = join(folder, `${name}.json`);
    const command = await start(server.origin, '--out', out);
    const page = await browser.newPage();
    await page.goto(`${command.address}plain/index.html`);
    const { first, isIsolated, title, said } = await page.evaluate(async () => {
      // The clock may take a moment to begin, and needs the page to be idle for that.
      for (let i = 0; i < 10; i++) {
        globalThis.app(200);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      while (globalThis.said === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
      // What was counted is told every second.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return {
        first: globalThis.first, isIsolated: globalThis.crossOriginIsolated, title: document.title,
        said: globalThis.said,
      };
    });
    expect({ first, isIsolated, title, said })
      .toEqual({ first: 'object', isIsolated: true, title: 'é', said: 2 });
    await page.close();
    command.stop();
    const { status, said: output } = await command.ended;
    expect(output).toMatch(/broken\.js is left as it is: .*Unexpected token/);
    expect(output).toMatch(/profilyfill: \d+ functions of \d+ measured in \d+ s, written to /);
    expect(status).toBe(0);

    // Nothing of the workers, and what takes long is told from what is short.
    const weights = JSON.parse(readFileSync(out, 'utf8'));
    const { code } = instrument(APP, { weights });
    const between = (from, to) => levelsOf(code.slice(code.indexOf(from), code.indexOf(to)));
    const short = between('function short', 'function long');
    const long = between('function long', 'function run');
    expect(Math.max(...long)).toBeGreaterThan(Math.max(...short) + 4);
    expect(instrument(APP).polls).toBe(levelsOf(code).length);

    server.file('/weighed.js', code);
    const plain = await browser.newPage();
    await plain.goto(server.url('plain.html'));
    const { names, missed } = await plain.evaluate(async () => {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const start = performance.now();
      globalThis.app(1500);
      const end = performance.now();
      const { samples, stacks, frames } = await profiler.stop();
      const found = samples.filter(({ timestamp }) => timestamp > start && timestamp < end);
      return {
        names: found.filter(({ stackId }) => stackId !== undefined)
          .map(({ stackId }) => frames[stacks[stackId].frameId].name),
        missed: found.filter(({ stackId }) => stackId === undefined).length,
      };
    });
    await plain.close();
    expect(names.length).toBeGreaterThan(50);
    expect(missed).toBeLessThan(names.length / 10);
    const share = (...wanted) => names.filter((one) => wanted.includes(one)).length / names.length;
    expect(share('long', '')).toBeGreaterThan(0.7);
    expect(share('short')).toBeLessThan(0.2);
  });
});

describe('the command', () => {
  test('ends with a command of its user, whose exit code is its own', async () => {
    const { ended } = await start(server.origin, '--', process.execPath, '-e',
      'fetch(process.env.PROFILYFILL_URL + "plain/app.js").then((r) => r.text()).then((t) => process.exit(' +
      '/\\+\\+\\$h\\w*\\.v\\[/.test(t) ? 7 : 8))');
    expect((await ended).status).toBe(7);
  });

  test('makes times of ticks, and of interruptions where the clock shares the processor', async () => {
    const out = join(folder, 'told.json');
    const { address, ended, stop } = await start(server.origin, '--out', out);
    await (await fetch(`${address}plain/app.js`)).text();
    // Of each poll: passes, ticks, then ticks of segments that had several, and how many did.
    const sites = [[0, 1e6, 10_000, 0, 0], [1, 1e6, 0, 8000, 100], [2, 1000, 0, 8000, 100], [3, 1e6, 0, 0, 0]];
    const report = { ms: 1000, ticks: 10_000, lost: 500, sites };
    const { status } = await fetch(`${address}__profilyfill__/counts`, {
      method: 'POST', body: JSON.stringify(report),
    });
    stop();
    const { said } = await ended;
    expect(status).toBe(204);
    expect(said).toContain('the clock had no processor for 50 % of the time');
    const { code } = instrument(APP, { weights: JSON.parse(readFileSync(out, 'utf8')) });
    const times = levelsOf(code).filter((level) => level > 0).map((level) => (2 + level % 2) * 2 ** (level >> 1) / 8);
    // ns. A tick is (1000 - 500) / 10,000 ms, an interruption 500 / 200; where there are many of those, the
    // code takes long; where nothing was seen, it is the shortest.
    expect(times.sort((a, b) => a - b)).toEqual([0.375, 256, 512, 393216]);
  });

  test('says so when nothing was measured, or its server does not answer', async () => {
    const { address, ended, stop } = await start('http://localhost:9', '--seconds', '1');
    const answer = await fetch(address);
    expect([answer.status, await answer.text()]).toEqual([502, expect.stringMatching(/does not answer: /)]);
    expect((await fetch(`${address}__profilyfill__/counts`, { method: 'POST', body: '{' })).status).toBe(400);
    stop();
    expect(await ended).toEqual(
      { status: 1, said: expect.stringContaining('no page has reported anything') });
  });

  test.each([
    [], ['ftp://localhost'], ['http://localhost', 'http://localhost'], ['http://localhost', '--seconds', '0'],
    ['http://localhost', '--precision', 'best'],
  ])('refuses %j %j %j', async (...args) => {
    const { address, ended } = await start(...args);
    expect(address).toBeUndefined();
    expect(await ended).toEqual({ status: 2, said: expect.stringMatching(/^profilyfill: /) });
  });
});
