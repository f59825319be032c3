/**
 * The programs of the browser benchmarks: those around real packages that the unit tests have, and some of
 * another temper, most of which need no package and some of which need a page.
 *
 * Each exports `run`, which takes some tens of milliseconds, does the same on every run, and returns a value
 * that JSON can carry, or a promise of one.
 */
import { bundle, programs as packages } from '../../unit/support/packages.js';

/** An array of the bytes of a wasm module: `sum(n)` loops, `calls(n)` calls `e.f` n times. */
const WASM = [
  0, 97, 115, 109, 1, 0, 0, 0,
  1, 6, 1, 96, 1, 127, 1, 127, // types: (i32) -> i32
  2, 7, 1, 1, 101, 1, 102, 0, 0, // import e.f
  3, 3, 2, 0, 0, // two functions
  7, 15, 2, 3, 115, 117, 109, 0, 1, 5, 99, 97, 108, 108, 115, 0, 2, // exports
  10, 58, 2,
  // sum: do x = x * 31 + n while (--n)
  28, 1, 1, 127, 3, 64, 32, 1, 65, 31, 108, 32, 0, 106, 33, 1, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11,
  32, 1, 11,
  // calls: do x = x + f(n) while (--n)
  27, 1, 1, 127, 3, 64, 32, 1, 32, 0, 16, 0, 106, 33, 1, 32, 0, 65, 1, 107, 34, 0, 13, 0, 11,
  32, 1, 11,
];

const own = {
  numbers: `
    const bodies = Array.from({ length: 5 }, (_, i) => ({ x: i, y: i * 2 % 3, z: 1 / (i + 1), vx: 0, vy: 0,
      vz: 0, mass: 1 + i / 7 }));
    function energy(list) {
      let sum = 0;
      for (let i = 0; i < list.length; i++) {
        const a = list[i];
        sum += a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz) / 2;
      }
      return sum;
    }
    function advance(list, dt) {
      for (let i = 0; i < list.length; i++) {
        const a = list[i];
        for (let j = i + 1; j < list.length; j++) {
          const b = list[j];
          const dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
          const d2 = dx * dx + dy * dy + dz * dz + 0.01;
          const f = dt / (d2 * Math.sqrt(d2));
          a.vx -= dx * b.mass * f; a.vy -= dy * b.mass * f; a.vz -= dz * b.mass * f;
          b.vx += dx * a.mass * f; b.vy += dy * a.mass * f; b.vz += dz * a.mass * f;
        }
      }
      for (let i = 0; i < list.length; i++) {
        const a = list[i];
        a.x += dt * a.vx; a.y += dt * a.vy; a.z += dt * a.vz;
      }
    }
    function escapes(cx, cy) {
      let x = 0, y = 0, n = 0;
      while (n < 200 && x * x + y * y < 4) { const t = x * x - y * y + cx; y = 2 * x * y + cy; x = t; n++; }
      return n;
    }
    function mandelbrot(size) {
      let sum = 0;
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) sum += escapes(x / size * 3 - 2, y / size * 2 - 1);
      }
      return sum;
    }
    function multiply(a, b, out, n) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          let sum = 0;
          for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
          out[i * n + j] = sum;
        }
      }
    }
    function sieve(n) {
      const flags = new Uint8Array(n);
      let count = 0;
      for (let i = 2; i < n; i++) {
        if (flags[i]) continue;
        count++;
        for (let k = i * 2; k < n; k += i) flags[k] = 1;
      }
      return count;
    }
    const isPrime = (n) => {
      for (let i = 2; i * i <= n; i++) if (n % i === 0) return false;
      return n > 1;
    };
    export function run() {
      const list = bodies.map((body) => ({ ...body }));
      for (let i = 0; i < 15000; i++) advance(list, 0.001);
      const a = new Float64Array(90 * 90).fill(1.5), out = new Float64Array(90 * 90);
      multiply(a, a, out, 90);
      let primes = 0;
      for (let i = 0; i < 30000; i++) if (isPrime(i)) primes++;
      return [energy(list), mandelbrot(90), out[5], sieve(400000), primes];
    }`,
  raytracer: `
    class Vector {
      constructor(x, y, z) { this.x = x; this.y = y; this.z = z; }
      plus(o) { return new Vector(this.x + o.x, this.y + o.y, this.z + o.z); }
      minus(o) { return new Vector(this.x - o.x, this.y - o.y, this.z - o.z); }
      times(k) { return new Vector(this.x * k, this.y * k, this.z * k); }
      dot(o) { return this.x * o.x + this.y * o.y + this.z * o.z; }
      get length() { return Math.sqrt(this.dot(this)); }
      unit() { return this.times(1 / this.length); }
    }
    class Sphere {
      constructor(center, radius, color) { Object.assign(this, { center, radius, color }); }
      intersect(from, direction) {
        const to = this.center.minus(from);
        const along = to.dot(direction);
        if (along < 0) return Infinity;
        const left = this.radius ** 2 - (to.dot(to) - along * along);
        return left < 0 ? Infinity : along - Math.sqrt(left);
      }
      normal(at) { return at.minus(this.center).unit(); }
    }
    class Plane {
      constructor(y, color) { this.y = y; this.color = color; }
      intersect(from, direction) {
        const t = (this.y - from.y) / direction.y;
        return t > 1e-4 ? t : Infinity;
      }
      normal() { return new Vector(0, 1, 0); }
    }
    const things = [new Plane(-1, 0.5)];
    for (let i = 0; i < 6; i++) things.push(new Sphere(new Vector(i - 3, i % 3 - 0.5, 5 + i % 2), 0.7, 0.9));
    const light = new Vector(-3, 6, 0);
    function nearest(from, direction) {
      let best = Infinity, found = null;
      for (const thing of things) {
        const t = thing.intersect(from, direction);
        if (t < best && t > 1e-4) { best = t; found = thing; }
      }
      return found && { thing: found, at: from.plus(direction.times(best)) };
    }
    function shade({ thing, at }, direction, depth) {
      const normal = thing.normal(at);
      const toLight = light.minus(at).unit();
      const lit = nearest(at, toLight) ? 0 : Math.max(0, normal.dot(toLight));
      const mirrored = direction.minus(normal.times(2 * normal.dot(direction)));
      return thing.color * (0.2 + lit * 0.6) + (depth ? 0.3 * trace(at, mirrored, depth - 1) : 0);
    }
    function trace(from, direction, depth) {
      const hit = nearest(from, direction);
      return hit ? shade(hit, direction, depth) : 0.1;
    }
    export function run() {
      const eye = new Vector(0, 0, -2);
      let sum = 0;
      for (let y = 0; y < 70; y++) {
        for (let x = 0; x < 100; x++) {
          sum += trace(eye, new Vector(x / 50 - 1, 0.7 - y / 50, 1.5).unit(), 2);
        }
      }
      return sum;
    }`,
  regexp: `
    const TOKEN = /\\s+|\\/\\/[^\\n]*|([A-Za-z_$][\\w$]*)|(\\d+(?:\\.\\d+)?)|("[^"]*"|'[^']*')|(.)/gys;
    const KEYWORD = /^(?:class|extends|static|get|return|async|function|for|await|of|if|else|yield|const)$/;
    const text = makeCode(60);
    function tokenize(code) {
      const tokens = [];
      TOKEN.lastIndex = 0;
      for (let found; (found = TOKEN.exec(code));) {
        if (found[1]) tokens.push(KEYWORD.test(found[1]) ? 'k' : 'n');
        else if (found[2]) tokens.push('d');
        else if (found[3]) tokens.push('s');
        else if (found[4]) tokens.push(found[4]);
      }
      return tokens;
    }
    const camel = (code) => code.replace(/([a-z])([A-Z])/g, (_, a, b) => a + '_' + b.toLowerCase());
    const squeeze = (code) => code.replace(/\\s+/g, ' ').replace(/ ?([{}();,=<>?:]) ?/g, '$1');
    const words = (code) => code.split(/[^\\w$]+/).filter((word) => /^[a-z]/i.test(word));
    function backtrack(code) {
      let count = 0;
      for (const line of code.split('\\n')) if (/^(.*?\\(.*?\\)).*\\{(.*)\\}.*?;?\$/.test(line)) count++;
      return count;
    }
    export function run() {
      const tokens = tokenize(text);
      return [tokens.length, camel(text).length, squeeze(text).length, words(text).length, backtrack(text)];
    }`,
  sorting: `
    const random = makeRandom(5);
    const items = Array.from({ length: 9000 }, (_, id) => ({ id, key: random() * 1e6 | 0,
      name: 'n' + (random() * 3000 | 0), tags: [random() * 9 | 0, random() * 9 | 0] }));
    const byKey = (a, b) => a.key - b.key;
    const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const byTags = (a, b) => {
      for (let i = 0; i < 2; i++) if (a.tags[i] !== b.tags[i]) return a.tags[i] - b.tags[i];
      return byName(a, b);
    };
    function partition(list, low, high) {
      const pivot = list[(low + high) >> 1].key;
      for (;;) {
        while (list[low].key < pivot) low++;
        while (list[high].key > pivot) high--;
        if (low >= high) return high;
        const t = list[low]; list[low++] = list[high]; list[high--] = t;
      }
    }
    function quick(list, low = 0, high = list.length - 1) {
      if (low >= high) return;
      const middle = partition(list, low, high);
      quick(list, low, middle); quick(list, middle + 1, high);
    }
    function siftDown(list, at, size) {
      for (let child; (child = at * 2 + 1) < size; at = child) {
        if (child + 1 < size && list[child] < list[child + 1]) child++;
        if (list[at] >= list[child]) return;
        const t = list[at]; list[at] = list[child]; list[child] = t;
      }
    }
    function heap(list) {
      for (let i = list.length >> 1; i-- > 0;) siftDown(list, i, list.length);
      for (let size = list.length; size-- > 1;) {
        const t = list[0]; list[0] = list[size]; list[size] = t;
        siftDown(list, 0, size);
      }
    }
    function mergeSort(list) {
      if (list.length < 2) return list;
      const middle = list.length >> 1;
      const a = mergeSort(list.slice(0, middle)), b = mergeSort(list.slice(middle)), out = [];
      let i = 0, j = 0;
      while (i < a.length && j < b.length) out.push(a[i].key <= b[j].key ? a[i++] : b[j++]);
      while (i < a.length) out.push(a[i++]);
      while (j < b.length) out.push(b[j++]);
      return out;
    }
    export function run() {
      const quicked = items.slice();
      quick(quicked);
      const numbers = Float64Array.from(items, (item) => item.key);
      heap(numbers);
      return [items.slice().sort(byKey)[7].id, items.slice().sort(byName)[7].id,
        items.slice().sort(byTags)[7].id, quicked[7].key, numbers[7], mergeSort(items)[7].key,
        Float64Array.from(numbers).sort()[9],
        items.map(({ name }) => name).sort()[9]];
    }`,
  json: `
    const random = makeRandom(6);
    const make = (depth) => (depth ? { id: random() * 1e6 | 0, ok: random() < 0.5, name: 'x\\n"' + random(),
      list: Array.from({ length: 5 }, () => make(depth - 1)) } : random());
    const data = make(5);
    function count(value) {
      if (typeof value !== 'object') return 1;
      let sum = 0;
      for (const key of Object.keys(value)) sum += count(value[key]);
      return sum;
    }
    const pack = (value) => JSON.stringify(value);
    const unpack = (text) => JSON.parse(text);
    const revive = (text) => JSON.parse(text, (key, value) => (key === 'ok' ? +value : value));
    const pretty = (value) => JSON.stringify(value, (key, v) => (key === 'id' ? undefined : v), 2);
    function checksum(text) {
      let sum = 0;
      for (let i = 0; i < text.length; i += 3) sum = Math.imul(sum, 31) + text.charCodeAt(i) | 0;
      return sum;
    }
    export function run() {
      const text = pack(data);
      return [text.length, count(unpack(text)), count(revive(text)), checksum(pretty(data)),
        count(structuredClone(data))];
    }`,
  wasm: `
    const bytes = new Uint8Array(${JSON.stringify(WASM)});
    let seen = 0;
    function callback(n) {
      seen = (seen + n * 7) | 0;
      for (let i = 0; i < 8; i++) seen = Math.imul(seen, 31) + i | 0;
      return n & 3;
    }
    const { exports: { sum, calls } } = new WebAssembly.Instance(new WebAssembly.Module(bytes),
      { e: { f: callback } });
    function many(count) {
      let total = 0;
      for (let i = 1; i < count; i++) total = (total + sum(1 + i % 8)) | 0;
      return total;
    }
    const long = (n) => sum(n);
    const back = (n) => calls(n);
    function around(count) {
      const counts = new Map();
      for (let i = 0; i < count; i++) {
        const k = sum(1 + i % 50) & 63;
        counts.set(k, (counts.get(k) ?? 0) + 1);
      }
      return counts.size;
    }
    export function run() {
      seen = 0;
      return [many(300000), long(4000000), back(300000), around(100000), seen];
    }`,
  exceptions: `
    class ParseError extends Error {
      constructor(message, at) { super(message); this.at = at; }
    }
    function fail(at) { throw new ParseError('unexpected', at); }
    function number(text, at) {
      let end = at;
      while (text[end] >= '0' && text[end] <= '9') end++;
      if (end === at) fail(at);
      return [+text.slice(at, end), end];
    }
    function group(text, at) {
      if (text[at] !== '(') fail(at);
      const [value, end] = sum(text, at + 1);
      if (text[end] !== ')') fail(end);
      return [value, end + 1];
    }
    function attempt(f, text, at) {
      try { return f(text, at); } catch (error) {
        if (!(error instanceof ParseError)) throw error;
        return null;
      }
    }
    const term = (text, at) => attempt(group, text, at) ?? number(text, at);
    function sum(text, at) {
      let [total, end] = term(text, at);
      while (text[end] === '+') {
        const [value, next] = term(text, end + 1);
        total += value; end = next;
      }
      return [total, end];
    }
    let cleaned = 0;
    function guarded(depth) {
      try {
        if (depth === 0) throw depth;
        return guarded(depth - 1);
      } finally { cleaned++; }
    }
    function unwind() {
      let caught = 0;
      for (let i = 0; i < 150; i++) try { guarded(i % 30); } catch { caught++; }
      return caught;
    }
    function validate(values) {
      const problems = [];
      for (const value of values) {
        try {
          if (value % 3) throw new TypeError('bad ' + value);
          JSON.parse(value % 2 ? '{' : '1');
        } catch (error) {
          problems.push(error.message.length);
        }
      }
      return problems.length;
    }
    const part = (_, i) => (i % 3 ? i : '(' + i + '+(2+' + i + '))');
    const expression = Array.from({ length: 300 }, part).join('+');
    export function run() {
      cleaned = 0;
      return [sum(expression, 0), unwind(), validate(Array.from({ length: 400 }, (_, i) => i)), cleaned];
    }`,
  generators: `
    function* walk(node) {
      yield node.value;
      for (const child of node.children) yield* walk(child);
    }
    function* map(list, f) { for (const item of list) yield f(item); }
    function* filter(list, f) { for (const item of list) if (f(item)) yield item; }
    function* take(list, n) { for (const item of list) { if (n-- <= 0) return; yield item; } }
    function* naturals() { for (let i = 1; ; i++) yield i; }
    function* permutations(list, n = list.length) {
      if (n <= 1) { yield list; return; }
      for (let i = 0; i < n; i++) {
        yield* permutations(list, n - 1);
        const j = n % 2 ? 0 : i, t = list[n - 1];
        list[n - 1] = list[j]; list[j] = t;
      }
    }
    function tree(depth) {
      return { value: depth, children: depth ? [tree(depth - 1), tree(depth - 1), tree(depth - 1)] : [] };
    }
    function collatz(n) {
      let steps = 0;
      while (n !== 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
      return steps;
    }
    const root = tree(7);
    function add(list) { let sum = 0; for (const value of list) sum += value; return sum; }
    export function run() {
      let orders = 0;
      for (const order of permutations([1, 2, 3, 4, 5, 6, 7])) orders += order[0] * order[6];
      return [add(walk(root)), add(map(take(filter(naturals(), (n) => n % 3 === 0), 9000), collatz)), orders];
    }`,
  async: `
    const later = () => Promise.resolve();
    const hash = (text, seed) => {
      for (let i = 0; i < text.length; i++) seed = Math.imul(seed ^ text.charCodeAt(i), 0x01000193);
      return seed >>> 0;
    };
    async function fetchItem(id) {
      await later();
      return { id, text: 'item ' + 'x'.repeat(id % 200) };
    }
    async function process(id) {
      const item = await fetchItem(id);
      const first = hash(item.text, id);
      await null;
      return hash(item.text, first);
    }
    async function* pages(count) {
      for (let page = 0; page < count; page++) {
        const items = await Promise.all(Array.from({ length: 20 }, (_, i) => process(page * 20 + i)));
        yield items;
      }
    }
    async function reduce(source) {
      let sum = 0;
      for await (const items of source) for (const item of items) sum = (sum + item) % 1e9;
      return sum;
    }
    async function recurse(depth) {
      if (depth === 0) return 1;
      return await recurse(depth - 1) + await recurse(depth - 1);
    }
    class Queue {
      #list = [];
      #wake = null;
      put(item) { this.#list.push(item); this.#wake?.(); this.#wake = null; }
      async take() {
        while (!this.#list.length) await new Promise((resolve) => { this.#wake = resolve; });
        return this.#list.shift();
      }
    }
    async function pipeline(count) {
      const queue = new Queue();
      const consumer = (async () => {
        let sum = 0;
        for (let i = 0; i < count; i++) sum = hash(String(await queue.take()), sum);
        return sum;
      })();
      for (let i = 0; i < count; i++) { queue.put(i * i); if (i % 4 === 0) await later(); }
      return consumer;
    }
    export async function run() {
      return [await reduce(pages(120)), await recurse(11), await pipeline(5000)];
    }`,
  dom: `
    const random = makeRandom(8);
    const rows = Array.from({ length: 400 }, (_, id) => ({ id, label: 'row <' + id + '>', value: random() }));
    function element(tag, properties, ...children) {
      const node = document.createElement(tag);
      for (const key in properties) {
        if (key === 'className') node.className = properties[key];
        else node.setAttribute(key, properties[key]);
      }
      for (const child of children) node.append(child);
      return node;
    }
    const cell = (text) => element('td', { title: text }, String(text));
    const row = ({ id, label, value }) => element('tr', { className: id % 2 ? 'odd' : 'even', 'data-id': id },
      cell(id), cell(label), cell(value.toFixed(3)));
    const table = (list) => element('table', {}, element('tbody', {}, ...list.map(row)));
    const escape = (text) => text.replace(/[<>&"]/g, (c) => '&#' + c.charCodeAt(0) + ';');
    function html(list) {
      let text = '<ul>';
      for (const { id, label } of list) {
        text += '<li id="i' + id + '"><b>' + escape(label) + '</b> ' + id + '</li>';
      }
      return text + '</ul>';
    }
    function measure(root) {
      let sum = 0;
      for (const child of root.querySelectorAll('tr:nth-child(40n)')) {
        child.style.height = 10 + sum % 7 + 'px';
        sum += child.offsetHeight > 0 ? 1 : 0;
      }
      return sum;
    }
    function update(root) {
      let changed = 0;
      for (const td of root.querySelectorAll('td:last-child')) {
        td.textContent = 'v' + changed++;
        td.classList.toggle('hot', changed % 3 === 0);
      }
      return changed;
    }
    function reorder(body) {
      for (let i = 0; i < 100; i++) body.insertBefore(body.lastChild, body.children[i]);
      return body.firstChild.dataset.id;
    }
    export function run() {
      const host = document.createElement('div');
      document.body.append(host);
      const built = table(rows);
      host.append(built);
      const result = [measure(built), update(built), reorder(built.firstChild)];
      host.insertAdjacentHTML('beforeend', html(rows));
      result.push(host.querySelectorAll('li b').length, host.textContent.length);
      host.remove();
      return result;
    }`,
};

/** What each is an example of. */
export const TEMPERS = {
  acorn: 'parser', terser: 'minifier', marked: 'Markdown', pako: 'compression',
  'react-dom': 'server rendering',
  'd3-force': 'physics', 'lodash-es': 'collections', immer: 'immutable updates', immutable: 'persistent maps',
  handlebars: 'templates', rxjs: 'observables', 'js-yaml': 'reader and writer', fflate: 'compression',
  'highlight.js': 'regular expressions', 'decimal.js': 'number crunching', postcss: 'parser of CSS',
  numbers: 'number crunching, tight loops', raytracer: 'small calls', regexp: 'regular expressions',
  sorting: 'sorting', json: 'JSON', wasm: 'wasm calls', exceptions: 'exceptions', generators: 'generators',
  async: 'async functions', dom: 'DOM building',
};

export const PROGRAMS = [...Object.keys(packages), ...Object.keys(own)];

/**
 * @param {string} name one of PROGRAMS
 * @param {{ minify?: boolean }} [options]
 * @returns {Promise<string>} a classic script that sets the global `program`
 */
export const bundleProgram = (name, options) => bundle(name, { ...options, body: own[name] });
