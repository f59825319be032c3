/**
 * Programs around real packages compute the same with polls in them: plain or minified, as a classic
 * script or a module, whether no poll calls the handler or every one does.
 */
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import vm from 'node:vm';
import { instrument } from '../../js/instrument.js';
import { bundle, programs } from './support/packages.js';
import { closeRealms, makeRealm, pollAlways, show } from './support/realm.js';

jest.setTimeout(60_000);

afterAll(closeRealms);

async function load(realm, code, format) {
  if (format === 'iife') {
    vm.runInContext(code, realm);
    return realm.program.run;
  }
  const module = new vm.SourceTextModule(code, { context: realm });
  await module.link((specifier) => { throw new Error(`not bundled: ${specifier}`); });
  await module.evaluate();
  return module.namespace.run;
}

test('enough packages', () => {
  expect(Object.keys(programs).length).toBeGreaterThanOrEqual(12);
});

describe.each(Object.keys(programs))('%s', (name) => {
  test.each([
    { minify: true, format: 'iife' },
    { minify: false, format: 'esm' },
  ])('computes the same: %o', async ({ minify, format }) => {
    const code = await bundle(name, { minify, format });
    const instrumented = instrument(code, { url: `${name}.js` });
    expect(instrumented.code.split('\n').length).toBe(code.split('\n').length);

    const run = await load(makeRealm(), code, format);
    const expected = show(run());
    expect(expected.length).toBeGreaterThan(50);

    const quiet = makeRealm();
    const runQuiet = await load(quiet, instrumented.code, format);
    expect(show(runQuiet()) === expected).toBe(true);
    expect(quiet[Symbol.for('profilyfill')].t).toHaveLength(1);
    expect(Object.keys(quiet).filter((key) => key.startsWith('$'))).toEqual([]);

    const polled = makeRealm();
    const countCalls = pollAlways(polled);
    const runPolled = await load(polled, instrumented.code, format);
    const before = countCalls();
    expect(show(runPolled()) === expected).toBe(true);
    expect(countCalls() - before).toBeGreaterThan(1000);
  });
});
