/** The drivers themselves: a test that fails for want of a working driver must fail here first. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { BROWSERS, installedBrowsers, launch } from './support/browsers.js';
import { sleep } from './support/processes.js';
import { startServer } from './support/server.js';

jest.setTimeout(120_000);

const PAGE = `<!doctype html><meta charset="utf-8"><title>drivers</title>
<button id="button">press</button>
<script src="page.js"></script>
`;
const SCRIPT = `
document.querySelector('#button').addEventListener('click', (event) => {
  window.clicked = { trusted: event.isTrusted, target: event.target.id };
});
window.fail = () => setTimeout(() => { throw new Error('thrown in a timer'); }, 0);
`;

let server;

beforeAll(async () => {
  server = await startServer({ files: { '/page.html': PAGE, '/page.js': SCRIPT } });
});

afterAll(() => server.close());

test('all three browsers are installed', () => {
  expect(installedBrowsers()).toEqual(BROWSERS);
});

test('a browser that is missing is an error with a code that says what to install', async () => {
  const packages = { chromium: 'chromium', firefox: 'firefox-esr', webkit: 'webkit2gtk-driver' };
  for (const name of BROWSERS) {
    await expect(launch(name, { binary: '/nowhere/browser' })).rejects.toMatchObject({
      code: 'BROWSER_NOT_FOUND', message: expect.stringContaining(`apt-get install ${packages[name]}`),
    });
  }
  await expect(launch('mosaic')).rejects.toMatchObject({ code: 'BROWSER_UNKNOWN' });
});

test.each(['chromium', 'firefox'])('a %s that takes too long to start is ended', async (name) => {
  const mark = `--mark-${process.pid}`;
  const findAll = () => readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false; // it has ended meanwhile
    }
  });
  const started = launch(name, { args: [mark], startTimeout: 400, attempts: 1 });
  await expect(started).rejects.toMatchObject({ code: 'BROWSER_START_FAILED' });
  for (let turn = 0; turn < 100 && findAll().length; turn++) await sleep(50);
  expect(findAll()).toEqual([]);
});

test('a browser that cannot start is an error with a code, after as many attempts as asked for', async () => {
  await expect(launch('chromium', { binary: '/bin/false', attempts: 2 })).rejects.toMatchObject({
    code: 'BROWSER_START_FAILED', message: expect.stringContaining('2 attempts'),
  });
});

describe.each(BROWSERS)('%s', (name) => {
  let browser;
  let page;

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
    await page.goto(server.url('page.html'));
  });

  afterAll(() => browser?.close());

  test('tells its version', () => {
    expect(browser.version).toMatch(/^(Chromium|Firefox|WebKitGTK) \d+\.\d+/);
  });

  test('evaluates functions with arguments, expressions and promises, and returns JSON', async () => {
    expect(await page.evaluate((a, b) => a.x + b[0], { x: 1 }, [2])).toBe(3);
    expect(await page.evaluate('document.title')).toBe('drivers');
    expect(await page.evaluate('({ a: undefined, b: null, c: [NaN, "\\u2028\\u0000"] })'))
      .toEqual({ b: null, c: [null, '\u2028\u0000'] });
    expect(await page.evaluate(() => undefined)).toBeUndefined();
    const later = () => new Promise((resolve) => setTimeout(() => resolve('later'), 20));
    expect(await page.evaluate(later)).toBe('later');
    expect(await page.waitFor(() => performance.now() > 30 && 'yes')).toBe('yes');
  });

  test('rejects with what the page threw', async () => {
    await expect(page.evaluate(() => { throw new TypeError('wrong'); }))
      .rejects.toMatchObject({ code: 'PAGE_ERROR', message: 'wrong', pageName: 'TypeError' });
    await expect(page.evaluate(() => Promise.reject('a string')))
      .rejects.toMatchObject({ message: 'a string' });
  });

  test('gives up on what does not become true', async () => {
    await expect(page.waitFor('false', { timeout: 100 })).rejects.toMatchObject({ code: 'BROWSER_TIMEOUT' });
  });

  test('clicks as a user does', async () => {
    await page.click('#button');
    expect(await page.evaluate('window.clicked')).toEqual({ trusted: true, target: 'button' });
    await expect(page.click('#nothing')).rejects.toMatchObject({ code: 'ELEMENT_NOT_FOUND' });
  });

  test('collects errors of the page', async () => {
    const before = page.errors.length;
    await page.evaluate(() => {
      window.fail();
      console.error('said to the console');
      Promise.reject(new Error('rejected'));
    });
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    const texts = page.errors.slice(before).map(({ text }) => text).join('\n');
    expect(texts).toContain('thrown in a timer');
    expect(texts).toContain('said to the console');
    expect(texts).toContain('rejected');
  });

  test('sizes the viewport and takes a picture of it', async () => {
    await page.setViewport({ width: 640, height: 480 });
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([640, 480]);
    const png = await page.screenshot();
    expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([640, 480]);
  });

  test('several pages live side by side', async () => {
    const other = await browser.newPage();
    await other.goto(server.url('page.html?other'));
    await page.evaluate(() => { window.mine = 1; });
    expect(await other.evaluate(() => [typeof window.mine, location.search]))
      .toEqual(['undefined', '?other']);
    await other.close();
    expect(await page.evaluate(() => window.mine)).toBe(1);
  });

  test('a page that cannot be loaded is an error with a code', async () => {
    const gone = await startServer();
    await gone.close();
    const other = await browser.newPage();
    await expect(other.goto(gone.url('page.html'))).rejects.toMatchObject({ code: 'NAVIGATION_FAILED' });
    await other.close();
  });

  test('the isolated prefix isolates the page where the engine knows isolation', async () => {
    await page.goto(server.url('page.html', 'isolated'));
    // WebKitGTK answers the headers with isolation too, but never has SharedArrayBuffer.
    const answer = await page.evaluate(() => [self.crossOriginIsolated, typeof SharedArrayBuffer]);
    if (name === 'webkit') expect(answer[1]).toBe('undefined');
    else expect(answer).toEqual([true, 'function']);
    await page.goto(server.url('page.html', 'plain'));
    expect(await page.evaluate(() => [self.crossOriginIsolated, typeof SharedArrayBuffer]))
      .toEqual([false, 'undefined']);
  });

  test('the native prefix allows native profiling where there is any', async () => {
    const construct = () => {
      try {
        new Profiler({ sampleInterval: 10, maxBufferSize: 1 }).stop();
        return 'native';
      } catch (error) {
        return error.name;
      }
    };
    await page.goto(server.url('page.html', 'native'));
    expect(await page.evaluate(construct)).toBe(name === 'chromium' ? 'native' : 'ReferenceError');
    await page.goto(server.url('page.html', 'plain'));
    expect(await page.evaluate(construct)).toBe(name === 'chromium' ? 'NotAllowedError' : 'ReferenceError');
  });

  test('the csp prefix refuses eval', async () => {
    server.file('/eval.js', 'try { eval("1"); window.ran = true; } catch (e) { window.refused = e.name; }');
    server.file('/eval.html', '<!doctype html><script src="eval.js"></script>');
    await page.goto(server.url('eval.html', 'csp'));
    expect(await page.evaluate(() => [window.ran, window.refused])).toEqual([null, 'EvalError']);
  });
});

describe('server', () => {
  const get = (path, mode, init) => fetch(server.url(path, mode), init);

  test('types, caching and unknown paths', async () => {
    server.file('/m.wasm', new Uint8Array([0, 97, 115, 109]));
    server.file('/any/*', ({ path, query }) => `${path}?${query}`);
    const wasm = await get('m.wasm');
    expect(wasm.headers.get('content-type')).toBe('application/wasm');
    expect(wasm.headers.get('cache-control')).toBe('no-store');
    expect(new Uint8Array(await wasm.arrayBuffer())).toEqual(new Uint8Array([0, 97, 115, 109]));
    expect((await get('page.js')).headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(await (await get('any/thing/x.js?a=1')).text()).toBe('/any/thing/x.js?a=1');
    expect((await get('nothing.js')).status).toBe(404);
    expect((await get('page.js', 'nomode')).status).toBe(404);
  });

  test('roots are served by all modes, with headers; modes add up', async () => {
    const rooted = await startServer({ roots: [new URL('./support', import.meta.url).pathname] });
    try {
      const response = await fetch(rooted.url('server.js', 'isolated+csp'));
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(response.headers.get('content-security-policy')).toBe("script-src 'self'");
      expect((await fetch(rooted.url('../../../package.json'))).status).toBe(404);
    } finally {
      await rooted.close();
    }
  });
});
