/**
 * Faults that were found once, in pages. One line each on what broke.
 */
import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { SPIN, checkShape, countSelf, runPage, servePage } from './support/pages.js';
import { startServer } from './support/server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const MAIN = `${SPIN}(async () => {
  const profiler = new Profiler({ sampleInterval: 5, maxBufferSize: 1000 });
  spin(150);
  return { trace: await profiler.stop() };
})().then((value) => { window.done = value; }, (error) => { window.done = { error: String(error) }; });`;

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  let pages = 0;
  // `plain` runs after the polyfill and before the instrumented script.
  const expectSpin = async (plain, mode = 'plain') => {
    const id = `regression${pages++}`;
    servePage(server, id, { plain: { 'page.js': plain }, classic: { 'main.js': MAIN } });
    const { trace, error } = await runPage(browser, server, id, mode);
    expect(error).toBeUndefined();
    checkShape(trace);
    expect(countSelf(trace)).toMatchObject({ 'spin 2:14': expect.any(Number) });
  };

  test("a wrapper of Error: its frame was taken for the instrumented script's", async () => {
    await expectSpin('const Native = Error; window.Error = function (...args) { return new Native(...args); };');
    await expectSpin('Error = class extends Error { constructor(...args) { super(...args); } };');
  });

  test('accessors on Object.prototype: instrumented scripts threw', async () => {
    await expectSpin('Object.prototype.get = Object.prototype.set = () => {};');
  });

  test('Atomics taken away from an isolated page: the constructor threw', async () => {
    await expectSpin('delete window.Atomics;', 'isolated');
  });
});
