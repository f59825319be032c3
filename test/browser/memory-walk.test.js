/**
 * What the walk of memory finds, in real browsers, and that the page does not notice. How true its figures
 * are is what test/bench/memory.mjs tells; the bounds here are wide, and the pages small.
 */
import { instrument } from '../../js/instrument.js';
import { BROWSERS, launch } from './support/browsers.js';
import { bundleMemoryPage } from './support/memory-bundle.js';
import { startServer } from './support/server.js';

const PAGE = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">' +
  '<script src="memory.js"></script>';

/** Bytes of one thing in a list of many, by engine: V8, SpiderMonkey, JavaScriptCore. */
const KINDS = {
  'objects of two properties': ['({ a: i, b: i })', 24, 48, 40],
  'objects of six properties': ['({ a: i, b: 1, c: 2, d: 3, e: 4, f: 5 })', 40, 80, 72],
  'class instances': ['new Point(i, i)', 24, 64, 40],
  'arrays of three': ['[i, i, i]', 40, 80, 56],
  'strings of ten': ["'k' + (1e8 + i)", 28, 32, 64],
  'strings of forty': ["'x'.repeat(32) + (1e7 + i)", 56, 80, 96],
  errors: ["new Error('message')", 244, 96, 104],
  dates: ['new Date(i)', 56, 96, 40],
  arrows: ['() => i', 52, 120, 72],
  'typed arrays': ['new Uint8Array(16)', 140, 80, 56],
  buffers: ['new ArrayBuffer(1000)', 1056, 1080, 1120],
  maps: ['new Map([[i, 1], [2, 3]])', 96, 288, 300],
};

/** What a page can do to be in the way. All of it counts in `ran`. */
const HOSTILE = `
  window.ran = { __proto__: null, all: '' };
  const trap = (name) => function () { ran.all += name + ', '; throw new Error(name); };
  const getter = (object, key) => Object.defineProperty(object, key, {
    get: trap('getter'), set: trap('setter'), enumerable: true, configurable: true });
  const handler = {};
  for (const name of Object.getOwnPropertyNames(Reflect)) handler[name] = trap('trap ' + name);
  const kept = [];
  for (let i = 0; i < 1000; i++) kept.push({ i, text: 'text ' + i });
  window.kept = { kept };
  window.evil = {
    getters: getter(getter({ plain: 1 }, 'a'), Symbol.iterator), element: getter([1, 2, 3], 1),
    proxy: new Proxy({ inside: new ArrayBuffer(1e6) }, handler), list: new Proxy([], handler),
    call: new Proxy(function () {}, handler), revocable: Proxy.revocable({}, handler),
    inherits: Object.create(new Proxy({}, handler)),
    holes: Object.setPrototypeOf([, 1], new Proxy([], handler)),
    nested: new Proxy(new Proxy({}, handler), handler),
    fake: Object.create(Map.prototype), fakeNode: Object.create(HTMLDivElement.prototype),
    text: { toString: trap('toString'), valueOf: trap('valueOf'), toJSON: trap('toJSON') },
    tag: { get [Symbol.toStringTag]() { throw trap('tag')(); } },
    all: document.all, bare: Object.create(null), sparse: [], frozen: Object.freeze([{}]),
    classes: class A { static get b() { return trap('static')(); } get c() { return trap('accessor')(); } },
    self: null, frame: document.querySelector('iframe').contentWindow,
  };
  evil.revoked = Proxy.revocable({}, handler);
  evil.revoked.revoke();
  evil.self = evil;
  evil.sparse[4e9] = 1;
  evil.sparse[7] = { here: true };
  try { evil.place = evil.frame.location; } catch {}
  evil.text[Symbol.toPrimitive] = trap('toPrimitive');
  let deep = null;
  for (let i = 0; i < 5e4; i++) deep = { deep };
  let chain = {};
  for (let i = 0; i < 1000; i++) chain = Object.create(chain);
  Object.assign(evil, { deep, chain });
  class Late extends Map { get size() { return trap('size')(); } }
  evil.late = new Late([[1, 2]]);
  evil.error = new Error('its stack is made when it is read');
`;

/** What is patched while it measures; undone by the function that it returns. */
const PATCH = `
  const undo = [];
  for (const [object, except] of [[Array.prototype, []], [Map.prototype, []], [Set.prototype, []],
    [WeakMap.prototype, []], [Reflect, []], [Object, []], [String.prototype, []], [Math, []],
    [Function.prototype, []], [Object.prototype, ['constructor', '__proto__']],
    [Node.prototype, []], [Element.prototype, []]]) {
    for (const key of Reflect.ownKeys(object)) {
      const found = Object.getOwnPropertyDescriptor(object, key);
      if (typeof found.value !== 'function' || !found.configurable || except.includes(key)) continue;
      if (key === 'constructor') continue;
      undo.push([object, key, found]);
    }
  }
  const { defineProperty } = Object;
  const define = (object, key, found) => defineProperty(object, key, found);
  const note = (name) => { if (ran.all.length < 300) ran.all += name; };
  const bad = { value: function () { note('patched, '); throw new Error('patched'); },
    configurable: true, writable: true };
  const restore = () => {
    for (let i = 0; i < undo.length; i++) define(undo[i][0], undo[i][1], undo[i][2]);
    for (const key of ['value', 'get', 'index', '0']) delete Object.prototype[key];
    delete Array.prototype[0];
    delete Error.prepareStackTrace;
  };
  for (let i = 0; i < undo.length; i++) define(undo[i][0], undo[i][1], bad);
  const accessor = { get() { note('inherited, '); }, set() { note('inherited set, '); }, configurable: true };
  define(Array.prototype, 0, accessor);
  define(Object.prototype, 'index', accessor);
  define(Error, 'prepareStackTrace', { configurable: true, value() { note('stack, '); } });
`;

let server;
beforeAll(async () => {
  const module = (memoryRoots, code, options) => instrument(code, { memoryRoots, ...options }).code;
  server = await startServer({
    files: {
      '/memory.js': await bundleMemoryPage(),
      '/page.html': `${PAGE}<body>`,
      '/hostile.html': ({ query }) => `${PAGE}<body><iframe src="${query.get('frame')}"></iframe>`,
      '/other.html': '<!doctype html>',
      '/frame.html': `${PAGE}<script>
        function make(count) { const list = []; for (let i = 0; i < count; i++) list.push({ a: i, b: i });
          return list; }</script>`,
      '/parent.html': `${PAGE}<body><iframe src="frame.html"></iframe>`,
      ...Object.fromEntries([true, false].flatMap((roots) => [
        [`/module-${roots}.js`, module(roots, `
          const data = Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i }));
          export const size = () => data.length + late;
          window.loaded = true;
          await window.gate;
          let late = 1;`, {})],
        [`/script-${roots}.js`, module(roots, `
          let topLevel = Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i }));
          class Registry { static all = Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i })); }`,
        { sourceType: 'script' })],
        [`/closure-${roots}.js`, module(roots, `
          function make() { const data = Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i }));
            return () => data.length; }
          window.size = make();
          window.arrow = ((data) => () => data)(Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i })));
          addEventListener('nothing', (function (data) { return () => data; })(
            Array.from({ length: 1e4 }, (_, i) => ({ a: i, b: i }))));`, { sourceType: 'script' })],
      ])),
    },
  });
});
afterAll(() => server.close());

test('Chromium says that a page is as large after it has been measured as before', async () => {
  const browser = await launch('chromium', { args: ['--enable-blink-features=ForceEagerMeasureMemory'] });
  try {
    const page = await browser.newPage();
    await page.goto(server.url('page.html', 'isolated'));
    const [before, after, again] = await page.evaluate(async () => {
      document.body.innerHTML = '<p class="a">some <b>bold</b> text</p>'.repeat(6000);
      const make = (count, one) => Array.from({ length: count }, one);
      window.kept = {
        doubles: make(2e4, () => make(20, (_, i) => i + 0.5)),
        objects: make(2e4, (_, i) => ({ i, at: { i } })),
        map: new Map(make(1e4, (_, i) => [`key ${i}`, new Date(i)])), functions: make(1e4, (_, i) => () => i),
      };
      const sizes = [];
      for (let i = 0; i < 3; i++) {
        if (i > 0) await globalThis.measureByWalk();
        await performance.measureUserAgentSpecificMemory();
        sizes.push((await performance.measureUserAgentSpecificMemory()).bytes);
      }
      return sizes;
    });
    // 500 kB if what was seen of nodes stayed, and 3 MB if doubles became objects. The rest is compiled code.
    expect(after - before).toBeLessThan(400_000);
    expect(again - after).toBeLessThan(150_000);
  } finally {
    await browser.close();
  }
});

describe.each(BROWSERS)('%s', (name) => {
  const engine = BROWSERS.indexOf(name);
  let browser;
  let page;

  const open = async (path = 'page.html') => {
    await page.goto(server.url(path, name === 'webkit' ? 'plain' : 'isolated'));
  };
  const measure = () => page.evaluate(() => globalThis.measureByWalk());
  const run = (code) => page.evaluate((text) => { (0, eval)(`{${text}}`); }, code);

  beforeAll(async () => {
    browser = await launch(name);
    page = await browser.newPage();
  });
  afterAll(() => browser.close());

  test('an empty page has next to nothing, each time', async () => {
    await open();
    const first = await measure();
    expect(first.bytes).toBeGreaterThan(0); // its few elements
    expect(first.bytes).toBeLessThan(8000);
    expect(await measure()).toMatchObject({ bytes: first.bytes, types: first.types });
  });

  test('what things cost', async () => {
    await open();
    const empty = await measure();
    const count = 2000;
    const found = {};
    for (const [kind, [make]] of Object.entries(KINDS)) {
      await run(`class Point { constructor(x, y) { this.x = x; this.y = y; } }
        window.kept = new Array(${count}); for (let i = 0; i < ${count}; i++) kept[i] = ${make};`);
      const first = await measure();
      found[kind] = (first.bytes - empty.bytes) / count;
      expect((await measure()).bytes).toBe(first.bytes);
    }
    for (const [kind, [, ...expected]] of Object.entries(KINDS)) {
      const ratio = found[kind] / expected[engine];
      expect({ kind, found: found[kind], isNear: ratio > 0.85 && ratio < 1.15 })
        .toEqual({ kind, found: found[kind], isNear: true });
    }
  });

  test('large things, by type', async () => {
    await open();
    const { types, bytes } = await page.evaluate(async () => {
      const canvas = document.createElement('canvas');
      canvas.width = canvas.height = 512;
      const drawn = document.createElement('canvas');
      drawn.width = drawn.height = 512;
      drawn.getContext('2d').fillRect(0, 0, 1, 1);
      const list = [];
      const map = new Map();
      const text = [];
      for (let i = 0; i < 1e5; i++) {
        list.push(i + 0.5);
        map.set(i, i);
        text.push('abcdefghi' + i % 10);
      }
      window.kept = {
        canvas, drawn, list, map, text: text.join(''),
        buffer: new ArrayBuffer(3 << 20), memory: new WebAssembly.Memory({ initial: 32 }),
        views: [], shared: globalThis.SharedArrayBuffer && new SharedArrayBuffer(1 << 20),
      };
      kept.heap = new Uint8Array(kept.memory.buffer);
      for (let i = 0; i < 10; i++) kept.views.push(new Uint8Array(kept.buffer, i));
      return globalThis.measureByWalk();
    });
    expect(types.WebAssembly).toBe(32 * 65536);
    expect(types.Canvas).toBe(512 * 512 * 4);
    expect(types.Shared).toBe(name === 'webkit' ? undefined : 1 << 20);
    // The buffer once, numbers in 8 bytes, the text in one byte a character, a table of a Map.
    const javaScript = types.JavaScript - (3 << 20) - 8e5 - 1e6;
    expect(javaScript).toBeGreaterThan(1.5e6);
    expect(javaScript).toBeLessThan(6e6);
    expect(Object.values(types).reduce((sum, one) => sum + one)).toBe(bytes);
  });

  test('nothing of a hostile page runs', async () => {
    await open(`hostile.html?frame=${encodeURIComponent(server.url('other.html')
      .replace(server.origin, server.otherOrigin))}`);
    await run(HOSTILE);
    const result = await page.evaluate(async (patch) => {
      const first = await globalThis.measureByWalk();
      // Everything at once, so that nobody else meets what is patched.
      const restore = (0, eval)(`(() => {${patch} return restore; })()`);
      let second;
      try {
        second = globalThis.walkAtOnce();
      } finally {
        restore();
      }
      return { first, second, third: await globalThis.measureByWalk(), ran: globalThis.ran.all };
    }, PATCH);
    expect(result.ran).toBe('');
    expect(result.first.bytes).toBeGreaterThan(1e6 + 5e4 * 16);
    expect(result.first.bytes).toBeLessThan(2e7);
    expect(result.second).toBe(result.first.bytes);
    expect(result.third.bytes).toBe(result.first.bytes);
  });

  test('in one block without time it does little, whatever there is', async () => {
    const count = 8000;
    const kinds = {
      array: `Array.from({ length: ${count} }, (_, i) => ({ i }))`,
      map: `new Map(Array.from({ length: ${count} }, (_, i) => [i, { i }]))`,
      set: `new Set(Array.from({ length: ${count} }, (_, i) => ({ i })))`,
      table: `Object.fromEntries(Array.from({ length: ${count} }, (_, i) => ['k' + i, { i }]))`,
      list: `Array.from({ length: ${count} }, (_, i) => i).reduce((next, i) => ({ next, i }), null)`,
      numbers: `Array.from({ length: ${count} }, (_, i) => i / 2)`,
      nodes: `document.body.append(...Array.from({ length: ${count} }, () => document.createElement('p')))`,
    };
    await open();
    for (const [kind, code] of Object.entries(kinds)) {
      await run(`window.kept = ${code}`);
      const { blocks } = await page.evaluate(() => globalThis.measureByWalk(undefined, { block: 0 }));
      const each = count / blocks;
      expect({ kind, each, isLittle: each < 1100 }).toEqual({ kind, each, isLittle: true });
    }
  });

  test('blocks are short, and a page that goes on while it is measured changes little', async () => {
    await open();
    const result = await page.evaluate(async () => {
      window.list = [];
      window.map = new Map();
      for (let i = 0; i < 4000; i++) {
        list.push({ a: i, b: { i } });
        map.set(i, { i });
      }
      const alone = await globalThis.measureByWalk();
      let turns = 0;
      const busy = await globalThis.measureByWalk(undefined, {
        block: 0,
        between() {
          turns++;
          // Moves, adds, removes.
          list.push(list.shift(), { a: turns, b: { i: turns } });
          map.delete(turns);
          map.set(-turns, { i: turns });
          window.front = { next: window.front };
          document.body.append(document.createElement('p'));
        },
      });
      return { alone, busy, turns };
    });
    expect(result.alone.blocks).toBeGreaterThan(1);
    expect(result.turns).toBeGreaterThan(100);
    expect(result.busy.bytes / result.alone.bytes).toBeGreaterThan(0.6);
    expect(result.busy.bytes / result.alone.bytes).toBeLessThan(1.6);
  });

  test('objects count for the realm that their constructor is of', async () => {
    await open('parent.html');
    const { realms } = await page.evaluate(() => {
      window.kept = frames[0].make(5000);
      frames[0].own = Array.from({ length: 1000 }, (_, i) => ({ a: i, b: i }));
      return globalThis.measureByWalk([window, frames[0]]);
    });
    const each = [20, 40, 32][engine];
    expect(realms[1]).toBeGreaterThan(5000 * each);
    expect(realms[0]).toBeGreaterThan(1000 * each);
    expect(realms[0]).toBeLessThan(5000 * each);
  });

  test('the ledger knows of what only closures hold, and constructors are as they were', async () => {
    await open();
    const seen = await page.evaluate(async () => {
      const before = (await globalThis.measureByWalk()).bytes;
      window.use = (() => {
        const hidden = [new Uint8Array(1 << 20), new ArrayBuffer(1 << 20),
          new WebAssembly.Memory({ initial: 16 }), new Float64Array(new Array(1 << 17).fill(0.5))];
        return () => hidden.length;
      })();
      const { bytes } = await globalThis.measureByWalk();
      class Mine extends Uint8Array {}
      const mine = new Mine(4);
      const thrown = (f) => {
        try {
          f();
        } catch (error) {
          return error instanceof TypeError;
        }
        return false;
      };
      const { enumerable } = Object.getOwnPropertyDescriptor(window, 'Uint8Array');
      return {
        grown: bytes - before,
        names: [Uint8Array.name, ArrayBuffer.name, Proxy.name, WebAssembly.Memory.name],
        lengths: [Uint8Array.length, ArrayBuffer.length, Proxy.length],
        isOwn: [new Uint8Array(1).constructor === Uint8Array,
          ArrayBuffer.prototype.constructor === ArrayBuffer,
          new Uint8Array(2) instanceof Uint8Array, mine instanceof Mine, mine.slice(1) instanceof Mine,
          Object.getPrototypeOf(mine) === Mine.prototype, mine.constructor === Mine,
          Uint8Array.from([1, 2]).length === 2, Uint8Array.of(1).constructor === Uint8Array,
          Object.getPrototypeOf(Uint8Array) === Object.getPrototypeOf(Int8Array),
          Uint8Array.BYTES_PER_ELEMENT === 1, ArrayBuffer.isView(mine), !('prototype' in Proxy),
          Reflect.construct(ArrayBuffer, [8], Mine) instanceof Mine,
          new ArrayBuffer(8).slice(2).byteLength === 6, new Uint8Array([3, 4]).subarray(1)[0] === 4,
          structuredClone(new Uint8Array([7]))[0] === 7,
          thrown(() => Uint8Array(1)), thrown(() => new Proxy(1, {})), thrown(() => Proxy({}, {})),
          thrown(() => HTMLCanvasElement.prototype.getContext.call({}, '2d')),
          !enumerable],
      };
    });
    expect(seen.grown).toBeGreaterThan(4 << 20);
    expect(seen.grown).toBeLessThan((4 << 20) + 20_000);
    expect(seen.names).toEqual(['Uint8Array', 'ArrayBuffer', 'Proxy', 'Memory']);
    expect(seen.lengths).toEqual([3, 1, 2]);
    expect(seen.isOwn.map((is, i) => (is ? undefined : i)).filter((i) => i !== undefined)).toEqual([]);
  });

  test('what weak maps hold of objects that there are', async () => {
    await open();
    const [empty, full] = await page.evaluate(async () => {
      window.keys = Array.from({ length: 500 }, (_, i) => ({ i }));
      window.weak = new WeakMap();
      const before = (await globalThis.measureByWalk()).bytes;
      for (const key of window.keys) window.weak.set(key, new ArrayBuffer(1000));
      // Nothing leads to these nodes, to those below nothing but the document.
      for (let i = 0; i < 9; i++) window.weak.set(document.createElement('p'), new ArrayBuffer(60_000));
      for (let i = 0; i < 500; i++) {
        window.weak.set(document.body.appendChild(document.createElement('i')), new ArrayBuffer(1000));
      }
      return [before, (await globalThis.measureByWalk()).bytes];
    });
    expect((full - empty) / (1000 * 1060 + 500 * 96)).toBeGreaterThan(0.9);
    expect((full - empty) / (1000 * 1060 + 500 * 96)).toBeLessThan(1.2);
  });

  test('accessors that pages give to nodes have functions, too', async () => {
    await open();
    const [plain, given] = await page.evaluate(async () => {
      const sizes = [];
      for (const isGiven of [false, true]) {
        document.body.replaceChildren(...Array.from({ length: 200 }, () => document.createElement('input')));
        for (const input of document.body.children) {
          const state = new ArrayBuffer(1000);
          const get = () => state;
          get.state = state;
          if (isGiven) Object.defineProperty(input, 'checked', { get, set() {}, configurable: true });
        }
        sizes.push((await globalThis.measureByWalk()).bytes);
      }
      return sizes;
    });
    expect(given - plain).toBeGreaterThan(200 * 1100);
    expect(given - plain).toBeLessThan(200 * 1700);
  });

  test('registered roots count while they are registered', async () => {
    await open();
    const [before, during, after] = await page.evaluate(async () => {
      const list = [];
      const bytes = async () => list.push((await globalThis.measureByWalk()).bytes);
      await bytes();
      let data = Array.from({ length: 1000 }, (_, i) => ({ i }));
      const fail = globalThis.registerRoot('bad', () => { throw new Error('mine'); });
      const end = globalThis.registerRoot('data', () => data);
      await bytes();
      end();
      fail();
      data = null;
      await bytes();
      return list;
    });
    expect(during - before).toBeGreaterThan(1000 * 16);
    expect(after).toBe(before);
  });

  test('instrumented code shows modules, scripts and closures', async () => {
    const each = [24, 48, 40][engine] * 1e4;
    for (const [file, type, count] of [['module', 'module', 1], ['script', '', 2], ['closure', '', 3]]) {
      for (const roots of [true, false]) {
        await open();
        const [before, after] = await page.evaluate(async (src, kind) => {
          const first = (await globalThis.measureByWalk()).bytes;
          window.gate = new Promise((resolve) => { window.goOn = resolve; });
          await new Promise((resolve, reject) => {
            const script = document.createElement('script');
            Object.assign(script, { src, type: kind, onerror: reject });
            // A module that waits for the gate has not loaded; a variable of it is not there yet.
            if (kind === 'module') {
              const timer = setInterval(() => {
                if (!window.loaded) return;
                clearInterval(timer);
                resolve();
              }, 20);
            } else script.onload = resolve;
            document.head.append(script);
          });
          const second = (await globalThis.measureByWalk()).bytes;
          window.goOn();
          return [first, second];
        }, `${file}-${roots}.js`, type);
        const share = (after - before) / (count * each);
        if (roots) {
          const isNear = share > 0.85 && share < 1.25;
          expect({ file, share, isNear }).toEqual({ file, share, isNear: true });
        } else expect(share).toBeLessThan(0.1);
      }
    }
  });
});
