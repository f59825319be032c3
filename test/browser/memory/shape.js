// Rows 1 to 5, and what every result is like: rows 16 to 18, 23 to 25.

import { sum } from './support.js';

const KEYS = ['breakdown', 'bytes'];

export default [
  {
    name: 'shape',
    page: async () => {
      const { prototype } = Performance;
      const { value: method, ...rest } = Object.getOwnPropertyDescriptor(prototype, NAME);
      const thrown = (f) => {
        try {
          f();
          return 'nothing';
        } catch (error) {
          return error.name;
        }
      };
      const promise = measure(1, {}, null);
      let isSettled = false;
      promise.then(() => { isSettled = true; });
      await null;
      const isAsync = !isSettled;
      const first = await promise;
      const others = [null, undefined, 1, {}, prototype, document].map((self) => {
        const rejection = method.call(self);
        return rejection instanceof Promise ? outcome(rejection) : 'no promise';
      });
      const pair = await Promise.all([measure(), measure()]);
      return {
        descriptor: rest, type: typeof method, name: method.name, length: method.length,
        construct: thrown(() => new method()), hasPrototype: 'prototype' in method,
        isPromise: Object.getPrototypeOf(promise) === Promise.prototype, isAsync,
        first, others: await Promise.all(others), pair, isSame: pair[0] === pair[1],
        isPlain: [first, first.breakdown[0]].every((made) => Object.getPrototypeOf(made) === Object.prototype)
          && Array.isArray(first.breakdown) && !Object.isFrozen(first),
        again: await measure(),
      };
    },
    rows: [
      {
        row: 4, title: 'the method has the descriptor, name and length of WebIDL, and is no constructor',
        check({ descriptor, type, name, length, construct, hasPrototype }) {
          expect(descriptor).toEqual({ writable: true, enumerable: true, configurable: true });
          expect([type, name, length]).toEqual(['function', 'measureUserAgentSpecificMemory', 0]);
          expect([construct, hasPrototype]).toEqual(['TypeError', false]);
        },
      },
      {
        row: 4, title: 'what is no Performance is refused by a rejected promise',
        check({ others }) {
          expect(others.length).toBe(6);
          for (const other of others) {
            expect(other).toMatchObject({ error: 'TypeError' });
            expect(other.message).toContain('Illegal invocation');
          }
        },
      },
      {
        row: 5, title: 'returns a promise, which is never settled at once; arguments are ignored',
        check: ({ isPromise, isAsync }) => expect([isPromise, isAsync]).toEqual([true, true]),
      },
      {
        row: 16, title: 'bytes is the sum of the entries',
        check({ first, pair, again }) {
          for (const { bytes, breakdown } of [first, ...pair, again]) {
            expect(bytes).toBe(sum(breakdown));
            expect(Number.isSafeInteger(bytes)).toBe(true);
          }
        },
      },
      {
        row: 17, title: 'there is one entry of nothing',
        check({ first, pair }) {
          for (const { breakdown } of [first, ...pair]) {
            const nothing = breakdown.filter(({ types, attribution }) => !types.length
              && !attribution.length);
            expect(nothing).toEqual([{ bytes: 0, attribution: [], types: [] }]);
          }
        },
      },
      {
        row: 25, title: 'results are plain dictionaries with sorted keys, new for each call',
        check({ first, isSame, isPlain }) {
          expect([isSame, isPlain]).toEqual([false, true]);
          expect(Object.keys(first)).toEqual(KEYS);
          for (const entry of first.breakdown) {
            expect(Object.keys(entry)).toEqual(['attribution', 'bytes', 'types']);
            for (const realm of entry.attribution) expect(Object.keys(realm)).toEqual(['scope', 'url']);
          }
        },
      },
      {
        row: 23, title: 'an empty page holds next to nothing',
        check: ({ first }) => expect(first.bytes).toBeLessThan(60_000),
        departs: { native: ({ first }) => expect(first.bytes).toBeGreaterThan(300_000) },
      },
      {
        row: 24, title: 'the same page has the same bytes',
        check: ({ first, pair, again }) =>
          expect([pair[0].bytes, pair[1].bytes, again.bytes]).toEqual(Array(3).fill(first.bytes)),
        departs: {
          native({ first, pair, again }) {
            expect(pair[0].bytes).toBe(pair[1].bytes);
            expect(Math.abs(again.bytes / first.bytes - 1)).toBeLessThan(0.1);
          },
        },
      },
    ],
  },
  {
    name: 'order',
    page: async () => {
      await add('iframe', { src: 'frame.html' });
      const zero = [];
      for (let i = 0; i < 30; i++) {
        const results = await Promise.all(Array.from({ length: 10 }, () => measure()));
        for (const { breakdown } of results) {
          zero.push([breakdown.findIndex(({ attribution, types }) => !attribution.length && !types.length),
            breakdown.length]);
        }
      }
      return zero;
    },
    rows: [{
      row: 18, title: 'the order is a random one: 300 results, those that shared a walk as well',
      check(zero) {
        const [, size] = zero[0];
        const counts = new Array(size).fill(0);
        for (const [at, all] of zero) {
          expect(all).toBe(size);
          counts[at]++;
        }
        const expected = zero.length / size;
        const chi = counts.reduce((total, count) => total + (count - expected) ** 2 / expected, 0);
        expect(size).toBeGreaterThanOrEqual(3);
        expect(Math.min(...counts)).toBeGreaterThan(0);
        expect(chi).toBeLessThan(size + 25); // one run in a million or so
      },
    }],
  },
  {
    name: 'gate', mode: 'plain',
    page: async (env) => ({
      isolated: globalThis.crossOriginIsolated, own: typeof performance[NAME],
      installed: globalThis.profilyfillMemory && profilyfillMemory.installed,
      strict: await ask(await add('iframe', { src: 'strict.html' }), 'has'),
      wrong: env.isNative ? [] : [
        { x: 1 }, { requireIsolation: 1 }, { workerTimeout: 0 }, { workerTimeout: '1' },
      ].map((options) => {
        try {
          return profilyfillMemory.install(options);
        } catch ({ name, code }) {
          return [name, code];
        }
      }),
    }),
    rows: [{
      row: 2, title: 'the method is there without isolation, unless that is required',
      check({ isolated, own, installed, strict, wrong }) {
        expect([isolated, own, installed, strict]).toEqual([false, 'function', 'polyfill', 'undefined']);
        expect(wrong).toEqual(Array(4).fill(['TypeError', 'ERR_PROFILYFILL_OPTION']));
      },
      departs: { native: ({ own }) => expect(own).toBe('undefined') },
    }],
  },
  {
    name: 'isolation', mode: 'isolated', only: ({ id }) => id === 'firefox',
    page: async () => ({
      isolated: crossOriginIsolated,
      strict: await ask(await add('iframe', { src: 'strict.html' }), 'measure'),
    }),
    rows: [{
      row: 2, title: 'on isolated pages it is there if that is required',
      check({ isolated, strict }) {
        expect(isolated).toBe(true);
        expect(strict.value.bytes).toBe(sum(strict.value.breakdown));
      },
    }],
  },
  {
    name: 'native', only: ({ isNative }) => isNative,
    page: async () => {
      const before = performance[NAME];
      const Before = Worker;
      await add('script', { src: 'measure-memory.iife.js' });
      return {
        isSame: before === performance[NAME] && Before === Worker, installed: profilyfillMemory.installed,
      };
    },
    rows: [{
      row: 3, title: 'a native method is left alone, and so is everything else',
      check: (seen) => expect(seen).toEqual({ isSame: true, installed: 'native' }),
    }],
  },
];
