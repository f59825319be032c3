/** What engines for pages know of the language and the one of the unit tests may not. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { instrument } from '../../js/instrument.js';
import { launch } from './support/browsers.js';

const PROGRAMS = {
  'declarations that dispose of what they hold': `
    const make = (name) => ({ name, [Symbol.dispose]() { for (let i = 0; i < 2; i++) log('end', name, i) } });
    function block(n) {
      { using a = make('a'), b = make('b'); log(a.name); if (n) return log(b.name, n) }
      return log(0);
    }
    function loop() { for (using c of [make('c'), make('d')]) { if (c.name === 'd') break; log(c.name) } }
    function thrown() { try { using e = make('e'); throw log('thrown') } catch (error) { log(error) } }
    block(0); block(1); loop(); thrown();`,
};

describe.each(['chromium', 'firefox'])('%s', (name) => {
  let browser;
  let page;

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
  });

  afterAll(() => browser?.close());

  test.each(Object.keys(PROGRAMS))('%s', async (what) => {
    const run = (code) => page.evaluate((text) => {
      const entries = [];
      let calls = 0;
      const call = () => { calls++; hub.c.fill(-1, 0, 4); };
      const hub = {
        c: globalThis.$pf_ ?? new Int32Array(64), t: [],
        get a() { call(); }, get b() { call(); }, get d() { call(); }, get e() { call(); },
      };
      hub.c.fill(-1);
      Object.defineProperty(globalThis, Symbol.for('profilyfill'), { value: hub, configurable: true });
      new Function('log', text)((...values) => {
        entries.push(values.join());
        return values[0];
      });
      delete globalThis[Symbol.for('profilyfill')];
      return { entries, calls };
    }, code);
    const plain = await run(PROGRAMS[what]);
    expect(plain.calls).toBe(0);
    expect(plain.entries.length).toBeGreaterThan(10);
    const { code } = instrument(PROGRAMS[what], { sourceType: 'commonjs', precision: 'high' });
    const polled = await run(code);
    expect(polled.entries).toEqual(plain.entries);
    expect(polled.calls).toBeGreaterThan(10);
  });
});
