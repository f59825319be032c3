// Who may call: rows 1 and 6 to 12, 14, 45, 47.

import { attributionsOf, entriesOf, sum } from './support.js';

const SECURITY = { error: 'SecurityError', code: 18 };

/** What a caller that may not is told; natively it has no such method. */
const refused = (name) => ({
  check: (seen) => expect(seen[name]).toMatchObject(SECURITY),
  departs: { native: (seen) => expect(seen[name]).toBe('absent') },
});

export default [
  {
    name: 'frames-call',
    page: async (env) => {
      const same = await add('iframe', { src: 'frame.html' });
      const blank = await add('iframe', {});
      if (!env.isNative) {
        const script = blank.contentDocument.createElement('script');
        script.src = new URL('measure-memory.iife.js', location).href;
        await new Promise((resolve) => {
          script.onload = resolve;
          blank.contentDocument.body.append(script);
        });
      }
      const around = await add('iframe', { src: `${env.b}outer.html?inner=${env.a}frame.html` });
      while (!around.contentWindow.length) await idle(20);
      const inner = around.contentWindow[0];
      await askUntilAnswered(inner, 'has');
      const answered = await ask(inner, 'measure');
      const { performance: kept, Promise: OwnPromise, DOMException: OwnException } = blank.contentWindow;
      const native = kept[NAME];
      const fromBlank = await outcome(kept[NAME]());
      blank.remove();
      let gone;
      let isPromise;
      try {
        const rejection = native.call(kept);
        isPromise = rejection instanceof OwnPromise;
        const told = rejection.then(() => 'resolved', (error) => ({
          error: error.name, code: error.code, message: error.message,
          isOfRealm: error instanceof OwnException,
        }));
        gone = await Promise.race([told, idle(500).then(() => 'never')]);
      } catch (error) {
        gone = `thrown ${error}`;
      }
      return {
        top: await outcome(measure()), same: await ask(same, 'measure'), blank: fromBlank, inner: answered,
        gone, isPromise,
        other: await ask(await add('iframe', { src: `${env.b}frame.html` }), 'measure'),
        crossSite: await ask(await add('iframe', { src: `${env.c}frame.html` }), 'measure'),
        opaque: await ask(await add('iframe', { src: 'frame.html', sandbox: 'allow-scripts' }), 'measure'),
      };
    },
    rows: [
      {
        row: 8, title: 'frames of the origin of the top-level window may call, wherever they are',
        check({ top, same, blank, inner }) {
          for (const { value } of [top, same, blank, inner]) {
            expect(value.bytes).toBe(sum(value.breakdown));
            // All of them see the whole page.
            expect(entriesOf(value, 'frames-call.html').length).toBeGreaterThan(0);
            expect(entriesOf(value, 'frame.html').length).toBeGreaterThan(0);
          }
        },
        departs: {
          native({ top, same, blank, inner }) {
            for (const { value } of [top, same, blank]) {
              expect(entriesOf(value, 'frames-call.html').length).toBeGreaterThan(0);
            }
            expect(inner).toBe('absent');
          },
        },
      },
      { row: 9, title: 'frames of another origin, same site, may not', ...refused('other') },
      { row: 9, title: 'frames of another site may not', ...refused('crossSite') },
      { row: 10, title: 'frames of an opaque origin may not', ...refused('opaque') },
      {
        row: 11, title: 'nobody else may: who is refused is told so by a SecurityError of its own realm',
        check({ other, crossSite, opaque }) {
          for (const { message } of [other, crossSite, opaque]) {
            expect(message).toMatch(/^Failed to execute 'measureUserAgentSpecificMemory' on 'Performance': /);
          }
        },
        departs: {
          native: ({ other, crossSite, opaque }) =>
            expect([other, crossSite, opaque]).toEqual(['absent', 'absent', 'absent']),
        },
      },
      {
        row: 12, title: 'a frame that has been removed may not',
        check({ gone, isPromise }) {
          expect(gone).toMatchObject({ ...SECURITY, isOfRealm: true });
          expect(gone.message).toContain('detached');
          expect(isPromise).toBe(true);
        },
        departs: { firefox: ({ gone, isPromise }) => expect([gone, isPromise]).toEqual(['never', true]) },
      },
    ],
  },
  {
    name: 'workers-call',
    page: async () => {
      const dedicated = new Worker('dedicated.js');
      const shared = new SharedWorker('shared.js');
      const holding = new SharedWorker('holding.js');
      shared.port.start();
      holding.port.start();
      const registration = await navigator.serviceWorker.register('service.js', { scope: 'nowhere/' });
      const service = registration.active || await new Promise((resolve) => {
        const worker = registration.installing || registration.waiting;
        worker.onstatechange = () => { if (worker.state === 'activated') resolve(worker); };
      });
      const callers = { dedicated, shared, service };
      const has = {};
      const result = {};
      for (const name in callers) {
        has[name] = await ask(callers[name], 'has');
        result[name] = await ask(callers[name], 'measure');
      }
      const seen = { has, result, holding: await ask(holding, 'measure'), page: await measure() };
      dedicated.terminate();
      await registration.unregister();
      return seen;
    },
    rows: [
      {
        row: 1, title: 'the method is in windows, shared and service workers, not in dedicated ones',
        check: ({ has }) => expect(has).toEqual(
          { dedicated: 'undefined', shared: 'function', service: 'function' }),
        departs: {
          native: ({ has }) => expect(has).toEqual(
            { dedicated: 'undefined', shared: 'undefined', service: 'function' }),
        },
      },
      {
        row: 6, title: 'shared workers may call',
        check: ({ result }) => expect(result.shared.value.bytes).toBe(sum(result.shared.value.breakdown)),
        departs: { native: ({ result }) => expect(result.shared).toBe('absent') },
      },
      {
        row: 7, title: 'service workers may call',
        check: ({ result }) => expect(result.service.value.bytes).toBe(sum(result.service.value.breakdown)),
      },
      {
        row: 14, title: 'they see themselves, and nothing else',
        check({ result: { shared, service } }) {
          expect(attributionsOf(shared.value)).toHaveLength(1);
          expect(attributionsOf(service.value)).toHaveLength(1);
        },
        departs: { native: ({ result }) => expect(attributionsOf(result.service.value)).toHaveLength(1) },
      },
      {
        row: 45, title: 'they have no container, and their own scope',
        check({ result: { shared, service } }) {
          const [one] = attributionsOf(shared.value);
          expect(JSON.parse(one)).toEqual(
            { scope: 'SharedWorkerGlobalScope', url: expect.stringMatching(/\/shared\.js$/) });
          const [other] = attributionsOf(service.value);
          expect(JSON.parse(other)).toEqual(
            { scope: 'ServiceWorkerGlobalScope', url: expect.stringMatching(/\/service\.js$/) });
        },
        departs: {
          native: ({ result }) => expect(JSON.parse(attributionsOf(result.service.value)[0])).toEqual(
            { scope: 'ServiceWorkerGlobalScope', url: expect.stringMatching(/\/service\.js$/) }),
        },
      },
      {
        row: 47, title: 'pages do not count them',
        check({ holding, page }) {
          expect(holding.value.bytes).toBeGreaterThan(3_000_000);
          expect(page.bytes).toBeLessThan(1_000_000);
          expect(JSON.stringify(page)).not.toMatch(/shared\.js|holding\.js|service\.js/);
        },
        departs: { native: ({ page }) => expect(page.bytes).toBeLessThan(1_500_000) },
      },
    ],
  },
];
