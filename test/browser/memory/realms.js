// Other windows, workers, and what happens while a measurement is under way: rows 13, 15, 19, 21, 30, 44.

import { attributionOf, attributionsOf, entriesOf, sum } from './support.js';

const worker = (query) => ({ scope: 'DedicatedWorkerGlobalScope', url: expect.stringMatching(query) });

export default [
  {
    name: 'windows',
    click: () => { globalThis.opened = window.open('frame.html?opened'); }, // WebKit opens none else
    page: async (env) => {
      await askUntilAnswered(opened, 'has');
      const result = await measure();
      const fromIt = await ask(opened, 'measure');
      opened.close();
      while (!opened.closed) await idle(20);
      // Natively it counts until it has been collected, which takes many seconds.
      return { result, fromIt, closed: env.isNative ? null : await measure() };
    },
    rows: [
      {
        row: 13, title: 'windows that were opened count, and who has opened them; not when they are closed',
        check({ result, fromIt, closed }) {
          for (const seen of [result, fromIt.value]) {
            expect(attributionOf(seen, '?opened')).toBeDefined();
            expect(attributionOf(seen, 'windows.html')).toBeDefined();
          }
          expect(attributionOf(closed, '?opened')).toBeUndefined();
        },
        departs: {
          native({ result, fromIt }) {
            expect(attributionOf(result, '?opened')).toBeDefined();
            expect(attributionOf(fromIt.value, 'windows.html')).toBeDefined();
          },
        },
      },
      {
        row: 30, title: 'top-level windows have no container',
        check({ result }) {
          for (const url of ['?opened', 'windows.html']) {
            expect(attributionOf(result, url)).toEqual(
              { scope: 'Window', url: expect.stringContaining(url) });
          }
        },
      },
    ],
  },
  {
    name: 'workers',
    page: async (env) => {
      // In workers of Firefox `new Worker` now and then never returns (js/builtins.js).
      let nesting;
      do {
        if (nesting) nesting.terminate();
        nesting = new Worker('nesting.js?outer');
      } while (!await Promise.race([ask(nesting, 'inner'), idle(4000)]));
      const blob = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
      const base = JSON.stringify(new URL('.', location).href);
      const load = env.isNative ? '' : `importScripts(${base} + 'measure-memory.iife.js');`;
      const inBlob = new Worker(blob(`${load} importScripts(${base} + 'helpers.js'); onmessage = answer;`));
      const frame = await add('iframe', { id: 'with-worker', src: 'frame.html' });
      const { contentWindow } = frame;
      const framed = new contentWindow.Worker('dedicated.js?framed');
      const holding = new Worker('holding.js');
      await Promise.all([inBlob, framed, holding].map((made) => ask(made, 'has')));
      const names = [typeof Worker, Worker.name, inBlob.constructor === Worker, inBlob instanceof Worker];
      const result = await measure();
      for (const made of [nesting, inBlob, framed, holding]) made.terminate();
      return { result, names, ended: env.isNative ? null : await measure() };
    },
    rows: [{
      row: 44, title: 'dedicated workers have the token of who made them',
      check({ result, names, ended }) {
        expect(names).toEqual(['function', 'Worker', true, true]);
        expect(attributionOf(result, '?outer')).toEqual(worker(/\/nesting\.js\?outer$/));
        expect(attributionOf(result, '?nested')).toEqual(worker(/\/dedicated\.js\?nested$/));
        expect(attributionOf(result, 'blob:')).toEqual(worker(/^blob:/));
        expect(attributionOf(result, '?framed')).toEqual({
          container: { id: 'with-worker', src: 'frame.html' }, ...worker(/\/dedicated\.js\?framed$/),
        });
        expect(sum(entriesOf(result, 'holding.js'))).toBeGreaterThanOrEqual(3_000_000);
        if (ended) expect(attributionsOf(ended).filter((one) => one.includes('Dedicated'))).toEqual([]);
      },
    }],
  },
  {
    name: 'silent-workers', only: ({ isNative }) => !isNative,
    page: async () => {
      profilyfillMemory.install({ workerTimeout: 600 });
      const deaf = new Worker('deaf.js');
      const busy = new Worker('busy.js');
      const closing = new Worker('closing.js');
      await new Promise((resolve) => {
        busy.onmessage = resolve;
        busy.postMessage(0);
      });
      const ending = new Worker('busy.js?ending');
      ending.postMessage(0);
      const begin = performance.now();
      const measuring = measure();
      await idle(100);
      ending.terminate();
      closing.postMessage(0);
      const result = await measuring;
      const time = performance.now() - begin;
      const again = performance.now();
      await measure();
      const seen = new Promise((resolve) => { deaf.onmessage = ({ data }) => resolve(data); });
      deaf.postMessage('mine');
      busy.terminate();
      return { result, time, again: performance.now() - again, seen: await seen };
    },
    rows: [
      {
        row: 15, title: 'workers that are busy, end or know nothing of it hold nothing up',
        check({ result, time }) {
          expect(entriesOf(result, 'busy.js')).toEqual(
            [{ attribution: [worker(/busy\.js$/)], bytes: 0, types: ['JavaScript'] }]);
          expect(entriesOf(result, 'deaf.js')).toEqual(
            [{ attribution: [worker(/deaf\.js$/)], bytes: 0, types: ['JavaScript'] }]);
          expect(entriesOf(result, '?ending')).toEqual([]);
          expect(time).toBeLessThan(10_000);
        },
      },
      {
        row: 48, title: 'a worker without the polyfill gets no message of ours',
        check: ({ seen }) => expect(seen).toEqual(['mine']),
      },
    ],
  },
  {
    name: 'growth',
    page: async () => {
      const frame = await add('iframe', { id: 'growing', src: 'frame.html' });
      const before = await measure();
      frame.contentWindow.eval('globalThis.kept = Array.from({ length: 1e4 }, (x, i) => ({ a: i, b: i }))');
      return { before, after: await measure() };
    },
    rows: [{
      row: 21, title: 'entries are disjoint: what grows in one realm changes one entry',
      check({ before, after }) {
        const key = ({ attribution, types }) => JSON.stringify([attribution, types]);
        const old = new Map(before.breakdown.map((entry) => [key(entry), entry.bytes]));
        expect(old.size).toBe(before.breakdown.length);
        const grown = after.breakdown.filter((entry) => Math.abs(entry.bytes - old.get(key(entry))) > 5_000);
        expect(grown).toHaveLength(1);
        expect(grown[0].attribution[0].container.id).toBe('growing');
        expect(grown[0].types).toEqual(['JavaScript']);
      },
      departs: {
        // How it divides JavaScript and Shared varies from one call to the next.
        native({ before, after }) {
          expect(entriesOf(after, 'growing').length).toBeGreaterThan(0);
          expect(after.bytes - before.bytes).toBeGreaterThan(200_000);
        },
      },
    }],
  },
  {
    name: 'shared-memory', mode: 'isolated', only: ({ id }) => id === 'firefox',
    page: async () => {
      globalThis.kept = new SharedArrayBuffer(2 << 20);
      const code = `importScripts(${JSON.stringify(new URL('measure-memory.iife.js', location).href)});
        onmessage = ({ data }) => { self.kept = data; postMessage(0); };`;
      const keeping = new Worker(URL.createObjectURL(new Blob([code])));
      await new Promise((resolve) => {
        keeping.onmessage = resolve;
        keeping.postMessage(kept);
      });
      const result = await measure();
      keeping.terminate();
      return result;
    },
    rows: [{
      row: 21, title: 'memory that threads share counts once, for who has made it',
      check(result) {
        expect(attributionsOf(result).some((one) => one.includes('blob:'))).toBe(true);
        const shared = result.breakdown.filter(({ types: [type] }) => type === 'Shared');
        expect(shared).toEqual([{
          attribution: [expect.objectContaining({ url: expect.stringContaining('shared-memory.html') })],
          bytes: 2 << 20, types: ['Shared'],
        }]);
      },
    }],
  },
  {
    name: 'responsiveness', only: ({ isNative }) => !isNative,
    page: async () => {
      globalThis.kept = Array.from({ length: 5e4 }, (x, i) => ({ a: i, b: { i } }));
      let longest = 0;
      let turns = 0;
      let last = performance.now();
      let isDone = false;
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        turns++;
        if (!isDone) port2.postMessage(0);
      };
      port2.postMessage(0);
      const begin = performance.now();
      const result = await measure();
      isDone = true;
      return { longest, turns, bytes: result.bytes, time: performance.now() - begin };
    },
    rows: [{
      row: 15, title: 'the page has its turn while 100,000 objects are walked',
      check({ longest, turns, bytes, time }) {
        expect(bytes).toBeGreaterThan(1.5e6);
        expect(turns).toBeGreaterThan(20);
        expect(longest).toBeLessThan(time / 2); // and 8 ms where nothing else runs: make bench
      },
    }],
  },
  {
    name: 'types', only: ({ isNative }) => !isNative,
    page: async () => {
      // No measurement of the polyfill has such an entry, so it is put together by hand.
      const { instance: { exports: core } } =
        await WebAssembly.instantiate(await (await fetch('measure-memory.wasm')).arrayBuffer());
      core._initialize();
      core.memory_window(-1, 1, 0, 0, 0);
      core.memory_window(0, 1, 0, 0, 0);
      core.memory_attribute(0);
      core.memory_attribute(1);
      core.memory_bytes(7, 12);
      const seen = { orders: {}, attributions: new Set() };
      for (let i = 0; i < 600; i++) {
        const at = core.memory_random();
        crypto.getRandomValues(new Uint32Array(core.memory.buffer, at, core.memory_random_words()));
        const text = core.memory_result();
        const bytes = new Uint8Array(core.memory.buffer, text, core.memory_length());
        const { types, attribution } = JSON.parse(new TextDecoder().decode(bytes)).breakdown
          .find((entry) => entry.bytes === 12);
        seen.orders[types] = (seen.orders[types] || 0) + 1;
        seen.attributions.add(JSON.stringify(attribution.map(({ container }) => Boolean(container))));
      }
      return { orders: seen.orders, attributions: [...seen.attributions] };
    },
    rows: [
      {
        row: 19, title: 'the types of an entry are in random order',
        check({ orders }) {
          expect(Object.keys(orders).sort()).toEqual([
            'Canvas,DOM,JavaScript', 'Canvas,JavaScript,DOM', 'DOM,Canvas,JavaScript',
            'DOM,JavaScript,Canvas', 'JavaScript,Canvas,DOM', 'JavaScript,DOM,Canvas',
          ]);
          for (const count of Object.values(orders)) expect(Math.abs(count - 100)).toBeLessThan(60);
        },
      },
      {
        row: 20, title: 'the realms of an entry keep their order',
        check: ({ attributions }) => expect(attributions).toEqual(['[false,true]']),
      },
    ],
  },
];
