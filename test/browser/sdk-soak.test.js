// A short slice of `make soak` (test/soak.js): one session of Datadog's after the other leaves nothing.

import { fileURLToPath } from 'node:url';
import { BROWSERS, launch } from './support/browsers.js';
import { startServer } from './support/server.js';
import { soak } from './support/soak.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each(BROWSERS)('%s', (name) => {
  let browser, server;
  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(name), startServer({ roots: [`${root}wasm-out`] })]);
  });
  afterAll(() => Promise.all([browser?.close(), server?.close()]));

  test('sessions come and go', async () => {
    let session;
    const { notes, left, profiles } = await soak(browser, server, {
      mode: 'isolated', seconds: 7, scale: 120,
      async look(page) {
        if (name !== 'chromium') return {};
        session ??= await page.native.createCDPSession();
        await session.send('HeapProfiler.collectGarbage');
        return { heap: (await session.send('Runtime.getHeapUsage')).usedSize };
      },
    });
    const workers = name === 'webkit' ? 0 : 1;
    expect(profiles.length).toBeGreaterThanOrEqual(5);
    for (const { frames, samples } of profiles.slice(1, -1)) {
      expect(samples.length).toBeGreaterThan(10);
      expect(samples.some(({ stack }) => stack.some((at) => frames[at].name === 'spin'))).toBe(true);
    }
    expect(Math.max(...notes.map((note) => note.workers))).toBe(workers);
    // That of the ticks, and one for each trace that waits for scripts to be read.
    expect(Math.max(...notes.map((note) => note.timers))).toBeLessThanOrEqual(4);
    expect(left).toMatchObject({ timers: 0, workers: 0 });
    // What was learnt of stacks stays while a session follows the other; it is not more with each of them.
    const [half, last] = [notes[9], notes[19]];
    expect(last.sessions).toBeGreaterThan(half.sessions);
    expect(last.core).toBe(half.core);
    if (name === 'chromium') {
      expect((last.heap - half.heap) / (last.sessions - half.sessions)).toBeLessThan(100_000);
    }
  });
});
