/**
 * What pages hold: functions that are sent to the page as text, and keep what they make in `window.kept`
 * unless they say otherwise. `unit`: a kind of thing by itself, or a mixture.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const times = (count, body) => `const list = new Array(${count}); for (let i = 0; i < ${count}; i++) {
  list[i] = ${body}; } window.kept = list;`;

const single = {
  'objects {a,b}': times(1e6, '{ a: i, b: i }'),
  'objects {}': times(3e5, '{}'),
  'objects, 4 properties': `window.kept = []; for (let i = 0; i < 3e5; i++) kept.push({ a: i, b: 1, c: 2,
    d: 3 });`,
  'objects, 9 properties': times(1e5, '{ a: i, b: 1, c: 2, d: 3, e: 4, f: 5, g: 6, h: 7, i: 8 }'),
  'objects, 20 properties': times(5e4, `{ ${Array.from({ length: 20 }, (_, i) => `p${i}: i`)} }`),
  'objects, added properties': times(1e5, '{}; for (let k = 0; k < 7; k++) list[i]["k" + k] = k'),
  'objects without prototype': times(1e5, '{ __proto__: null, a: i, b: i }'),
  'objects of doubles': times(3e5, '{ x: i + 0.5, y: i * 0.1 }'),
  'nested objects': times(2e5, '{ id: i, at: { x: i, y: i } }'),
  'class instances': `class Point { constructor(x, y) { this.x = x; this.y = y; this.z = 0; } }
    ${times(3e5, 'new Point(i, i)')}`,
  'class instances, fields': `class Item { id = 0; name = null; next = null; on = true; }
    class Special extends Item { more = 1; } ${times(2e5, 'new Special()')}`,
  'private fields': `class Secret { #a = 1; #b = 2; constructor(x) { this.x = x;
    } get() { return this.#a + this.#b; } }
    ${times(3e5, 'new Secret(i)')}`,
  'array of small integers': 'window.kept = new Array(1e6); for (let i = 0; i < 1e6; i++) kept[i] = i;',
  'array of doubles': 'window.kept = new Array(1e6); for (let i = 0; i < 1e6; i++) kept[i] = i + 0.5;',
  'array of integers, pushed': 'window.kept = []; for (let i = 0; i < 1e6; i++) kept.push(i);',
  'arrays [a,b,c]': times(3e5, '[i, i, i]'),
  'arrays [i]': times(3e5, '[i]'),
  'arrays of 20 doubles': times(3e4, 'Array.from({ length: 20 }, (_, k) => k + 0.5)'),
  'arrays []': times(3e5, '[]'),
  'array with holes': 'window.kept = new Array(5e5); for (let i = 0; i < 5e5; i += 2) kept[i] = i;',
  'sparse array': 'window.kept = []; for (let i = 0; i < 1e5; i++) kept[i * 4000] = i;',
  tree: `const grow = (depth) => (depth === 0 ? null : { left: grow(depth - 1), right: grow(depth - 1) });
    window.kept = grow(18);`,
  'linked list': 'window.kept = null; for (let i = 0; i < 3e5; i++) kept = { i, next: kept };',
  'strings of 10': times(5e5, '("k" + (1e8 + i))'),
  'strings of 40': times(2e5, 'JSON.parse(`"${"x".repeat(32)}${1e7 + i}"`)'),
  'strings of 200, two-byte': times(3e4, 'JSON.parse(`"${"\\u4e2d".repeat(192)}${1e7 + i}"`)'),
  'large strings': `window.kept = []; for (let i = 0; i < 10; i++) {
    kept.push(JSON.parse(JSON.stringify(String(i).repeat(1e6)))); }`,
  'large two-byte strings': `window.kept = []; for (let i = 0; i < 10; i++) {
    kept.push(JSON.parse(JSON.stringify(String.fromCharCode(0x4e00 + i).repeat(1e6)))); }`,
  'strings, joined': times(2e5, '"prefix of some length " + i + " and more"'),
  'rope of repeat': `window.kept = []; for (let i = 0; i < 10; i++) kept.push(String(i).repeat(1e6));`,
  'Map of integers': 'window.kept = new Map(); for (let i = 0; i < 2e5; i++) kept.set(i, i);',
  'Map of strings': 'window.kept = new Map(); for (let i = 0; i < 1e5; i++) kept.set("key" + i, i);',
  'Map of objects': 'window.kept = new Map(); for (let i = 0; i < 1e5; i++) kept.set({ i }, { i });',
  'small Maps': times(5e4, 'new Map([[1, i], [2, i], [3, i]])'),
  'empty Maps': times(5e4, 'new Map()'),
  'Set of integers': 'window.kept = new Set(); for (let i = 0; i < 2e5; i++) kept.add(i);',
  'small Sets': times(5e4, 'new Set([i, i + 1])'),
  'WeakMap': `window.keys = ${'[]'}; window.kept = new WeakMap(); for (let i = 0; i < 1e5; i++) {
    keys.push({ i }); kept.set(keys[i], i); }`,
  'dictionary, 100,000 keys': 'window.kept = {}; for (let i = 0; i < 1e5; i++) kept["key" + i] = i;',
  'dictionaries, 60 keys': times(2e3, '{}; for (let k = 0; k < 60; k++) list[i]["k" + i + "_" + k] = k'),
  'integer keys': 'window.kept = {}; for (let i = 0; i < 2e5; i++) kept[i] = i;',
  'scattered integer keys': 'window.kept = {}; for (let i = 0; i < 1e5; i++) kept[i * 5003] = i;',
  'ArrayBuffer 10 MiB': 'window.kept = new ArrayBuffer(10 << 20);',
  'ArrayBuffers of 1000': times(2e4, 'new ArrayBuffer(1000)'),
  'Uint8Arrays of 16': times(3e4, 'new Uint8Array(16)'),
  'Uint8Arrays of 300': times(3e4, 'new Uint8Array(300)'),
  'Float64Arrays of 1000': times(2e3, 'new Float64Array(1000)'),
  'views of one buffer': `const b = new ArrayBuffer(1 << 22); window.kept = []; for (let i = 0; i < 1e4;
    i++) kept.push(new Uint8Array(b, i, 50));`,
  'resizable buffer': 'window.kept = new ArrayBuffer(4 << 20, { maxByteLength: 64 << 20 });',
  'SharedArrayBuffer 10 MiB': 'window.kept = globalThis.SharedArrayBuffer && new SharedArrayBuffer(10 << 20);',
  DataViews: times(5e4, 'new DataView(new ArrayBuffer(8))'),
  arrows: times(2e5, '() => i'),
  functions: 'const make = (x) => function named(y) { return x + y; };' + times(2e5, 'make(i)'),
  'methods with state': 'const make = (x) => ({ get() { return x; }, set(y) { x = y; } });' + times(1e5,
    'make(i)'),
  'bound functions': 'const f = function () { return this; };' + times(1e5, 'f.bind(list, i)'),
  Dates: times(1e5, 'new Date(i)'),
  RegExps: times(3e4, 'new RegExp("a" + (i % 10))'),
  Errors: times(2e4, 'new Error("m")'),
  Promises: times(2e5, 'Promise.resolve(i)'),
  BigInts: times(2e5, '(1n << 100n) + BigInt(i)'),
  'small BigInts': times(2e5, 'BigInt(i) * 12345678901n'),
  Symbols: times(1e5, 'Symbol()'),
  'boxed numbers': times(1e5, 'new Number(i)'),
  WeakRefs: 'const o = {};' + times(1e5, 'new WeakRef(o)'),
  generators: 'function* g(x) { yield x; }' + times(5e4, 'g(i)'),
  'URLs': times(1e4, 'new URL("https://example.org/some/path?x=" + i)'),
  'div + text': `for (let i = 0; i < 1e4; i++) { const d = document.createElement('div');
    d.append('text ' + i); document.body.append(d); }`,
  'div + text, kept': `window.kept = []; for (let i = 0; i < 1e4;
    i++) { const d = document.createElement('div');
    d.append('text ' + i); kept.push(d); }`,
  'bare div': `for (let i = 0; i < 1e4; i++) document.body.append(document.createElement('div'));`,
  'div with attributes': `for (let i = 0; i < 1e4; i++) { const d = document.createElement('div');
    d.className = 'c' + i % 5; d.id = 'd' + i; d.dataset.x = i; d.append('text ' + i);
      document.body.append(d); }`,
  innerHTML: `document.body.innerHTML = Array.from({ length: 5e3 }, (_, i) =>
    '<p class="a">some <b>bold</b> text ' + i + '</p>').join('');`,
  'long texts': `for (let i = 0; i < 2e3; i++) { const d = document.createElement('p');
    d.append(('word' + i + ' ').repeat(100)); document.body.append(d); }`,
  'nodes with expandos': `for (let i = 0; i < 1e4; i++) { const d = document.createElement('span');
    d.state = { i, on: true }; document.body.append(d); }`,
  'shadow roots': `for (let i = 0; i < 3e3; i++) { const d = document.createElement('div');
    d.attachShadow({ mode: i % 2 ? 'open' : 'closed' }).append('x' + i); document.body.append(d); }`,
  'canvas 2D': `window.kept = document.createElement('canvas'); kept.width = kept.height = 1024;
    kept.getContext('2d').fillRect(0, 0, 9, 9);`,
  'canvas without context': `window.kept = document.createElement('canvas');
    kept.width = kept.height = 1024;`,
  'canvas WebGL': `window.kept = document.createElement('canvas'); kept.width = kept.height = 512;
    kept.getContext('webgl');`,
  ImageData: 'window.kept = new ImageData(1024, 1024);',
  'WebAssembly.Memory 8 MiB': 'window.kept = new WebAssembly.Memory({ initial: 128 });',
};

const mixed = {
  'JSON records': `window.kept = JSON.parse(JSON.stringify(Array.from({ length: 5e4 }, (_, i) => ({
    id: i, name: 'name of ' + i, active: i % 2 === 0, score: i / 3, tags: ['a' + i % 7, 'b' + i % 11],
    address: { street: 'Street ' + i, city: 'City ' + i % 100, zip: 10000 + i } }))));`,
  'mixed store': `const store = { entities: new Map(), index: {}, order: [], listeners: new Set(),
    cache: {} };
    for (let i = 0; i < 3e4; i++) {
      const entity = { id: 'e' + i, created: new Date(i * 1e6), tags: ['t' + i % 10, 't' + i % 7],
        meta: null };
      store.entities.set(entity.id, entity); store.index[entity.id] = i; store.order.push(entity.id);
      if (i % 3 === 0) entity.meta = { note: 'note number ' + i, weight: i * 1.5 };
      if (i % 10 === 0) store.listeners.add(() => entity);
      if (i % 20 === 0) store.cache[i] = new Uint8Array(200);
    } window.kept = store;`,
  'table app': `const columns = ['id', 'name', 'email', 'amount', 'date', 'status'];
    const rows = []; for (let i = 0; i < 2e4; i++) rows.push({ id: i, name: 'Customer ' + i,
      email: 'user' + i + '@example.org', amount: i * 1.37, date: new Date(1.6e12 + i * 6e4),
      status: ['new', 'open', 'done'][i % 3] });
    const table = document.createElement('table');
    const body = table.appendChild(document.createElement('tbody'));
    for (let i = 0; i < 2000; i++) { const tr = body.insertRow(); tr.row = rows[i];
      for (const column of columns) { const td = tr.insertCell(); td.textContent = rows[i][column]; } }
    document.body.append(table);
    const byId = new Map(rows.map((row) => [row.id, row]));
    window.kept = { columns, rows, byId, sorted: rows.slice().sort((a, b) => b.amount - a.amount), table };`,
  editor: `const lines = []; const tokens = []; const history = [];
    for (let i = 0; i < 1e4; i++) {
      const text = JSON.parse('"' + '  const value' + i + ' = compute(' + i * 7 + ', options.name);' + '"');
      lines.push(text);
      tokens.push(text.split(' ').map((t, k) => ({ type: ['key', 'name', 'op'][k % 3], from: k * 4,
        to: k * 4 + t.length })));
      if (i % 5 === 0) history.push({ at: i, kind: 'insert', text: text.slice(2, 12), undo: null,
        time: i * 1000 });
    }
    const view = document.createElement('div');
    for (let i = 0; i < 200; i++) { const line = document.createElement('div');
      for (const token of tokens[i]) { const span = document.createElement('span');
        span.className = token.type; span.textContent = lines[i].slice(token.from, token.to);
          line.append(span); }
      view.append(line); }
    document.body.append(view);
    window.kept = { lines, tokens, history, view, marks: new Set(history), starts: Uint32Array.from(lines,
      (l) => l.length) };`,
  'map tiles': `const cache = new Map();
    for (let z = 0; z < 3; z++) for (let x = 0; x < 12; x++) for (let y = 0; y < 12; y++) {
      const features = []; for (let i = 0; i < 25; i++) features.push({ type: 'Polygon',
        id: z * 1e6 + x * 1e4 + y * 100 + i,
        coordinates: [Array.from({ length: 12 }, (_, k) => [x + k / 7, y + k / 9])],
        properties: { name: 'Place ' + x + '-' + y + '-' + i, height: i } });
      cache.set(z + '/' + x + '/' + y, { z, x, y, loaded: true, data: new Uint8Array(6000),
        vertices: new Float32Array(900),
        indices: new Uint16Array(1500), features });
    } window.kept = { cache, center: [8.5, 47.3], zoom: 11.5 };`,
  'game with pools': `class Vec { constructor(x, y) { this.x = x; this.y = y; } }
    class Entity { constructor(id) { this.id = id; this.alive = false; this.position = new Vec(id, id);
      this.velocity = new Vec(0.5, id / 3); this.health = 100; this.target = null; this.effects = []; } }
    const pool = []; for (let i = 0; i < 2e4; i++) pool.push(new Entity(i));
    for (let i = 1; i < pool.length; i++) { pool[i].target = pool[i >> 1];
      if (i % 4 === 0) pool[i].effects = [1, 2]; }
    const particles = { x: new Float32Array(1e5), y: new Float32Array(1e5), life: new Uint8Array(1e5) };
    const grid = Array.from({ length: 100 }, () => new Array(100).fill(0));
    window.kept = { pool, particles, grid, free: pool.slice(5000), names: new Map([['a', 1]]) };`,
};

/** State that no global leads to: scripts and modules that are instrumented with the option `memoryRoots`. */
const LIST = 'Array.from({ length: 1e5 }, (_, i) => ({ i }))';
const hidden = {
  'variables of a module': ['module', `const data = ${LIST}; export const size = () => data.length;`],
  'top-level let': ['script', `let data = ${LIST}; function size() { return data.length; }`],
  'variables of a closure': ['script', `function make() { const data = ${LIST}; return () => data.length; }
    window.size = make();`],
  'a listener': ['script', `(function () { const data = ${LIST};
    window.addEventListener('x', () => data.length); })();`],
  'buffer of a closure': ['script', `(function () { const data = new Uint8Array(10 << 20);
    window.size = () => data.length; })();`],
};

/** The app with React in it. */
async function bundleReact(taskCount) {
  const { outputFiles: [{ text }] } = await build({
    entryPoints: [fileURLToPath(new URL('./memory-react.js', import.meta.url))],
    bundle: true, minify: true, write: false, format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"', 'globalThis.taskCount': String(taskCount) },
  });
  return text;
}

/** @returns {Promise<{ name: string, kind: 'single' | 'mixed' | 'hidden', code: string,
  sourceType?: string }[]>} */
export const makeScenarios = async () => [
  ...Object.entries(single).map(([name, code]) => ({ name, code, kind: 'single' })),
  ...Object.entries(mixed).map(([name, code]) => ({ name, code, kind: 'mixed' })),
  // The difference of the two is what it holds beside its code.
  { name: 'React app, no task', kind: 'mixed', code: await bundleReact(0), sourceType: 'script' },
  { name: 'React app, 1500 tasks', kind: 'mixed', code: await bundleReact(1500), sourceType: 'script' },
  ...Object.entries(hidden).map(([name, [sourceType, code]]) => ({ name, code, kind: 'hidden', sourceType })),
];
