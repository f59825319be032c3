// Rows 58 to 74: what a trace is made of.

import { allowsEval, busy, placesOf, stacksOf } from '../support/conformance.js';

const unique = (list) => new Set(list.map((item) => JSON.stringify(item))).size === list.length;
const LOOP = busy(30);

// name, and a line of code with `¦` where the function is defined (native drops the odd one).
const KINDS = [
  ['declaration', 'function declaration¦() { SPIN } declaration();'],
  ['asynchronous', 'async function asynchronous¦() { SPIN } asynchronous();'],
  ['generator', 'function* generator¦() { SPIN } generator().next();'],
  ['', '(function ¦() { SPIN })();'],
  ['named', '(function named ¦() { SPIN })();'],
  ['arrow', 'const arrow = ¦(a, b) => { SPIN }; arrow();'],
  ['bare', 'const bare = ¦a => { SPIN }; bare();'],
  ['asyncArrow', 'const asyncArrow = ¦async () => { SPIN }; asyncArrow();'],
  ['expression', 'const expression = function ¦() { SPIN }; expression();'],
  ['property', '({ property: function ¦() { SPIN } }).property();'],
  ['method', '({ method¦() { SPIN } }).method();'],
  ['get value', 'void ({ get value¦() { SPIN return 1; } }).value;'],
  ['set value', '({ set value¦(v) { SPIN } }).value = 1;'],
  ['', '({ ["run" + "time"]¦() { SPIN } }).runtime();'],
  ['first', 'function first¦() { SPIN } Object.defineProperty(first, "name", { value: "other" }); first();'],
  ['#hidden', 'new (class { #hidden¦() { SPIN } call() { this.#hidden(); } })().call();'],
  ['Made', 'class Made { constructor¦() { SPIN } } new Made();'],
  ['still', 'class Static { static still¦() { SPIN } } Static.still();'],
  ['Field', 'class Field { ¦x = spinHere(); } new Field();'],
  ['Block', 'class Block { ¦static { SPIN } }'],
  ['Derived', '¦class Derived extends Base {} new Derived();'],
];
const KINDS_CODE = [
  ...KINDS.map(([, line]) => line.replace('¦', '').replaceAll('SPIN', LOOP)),
  `function spinHere() { ${LOOP} }`, `function Base() { ${LOOP} }`,
].join('\n');

/** Names and places of the kinds that `choose` takes. */
const kindsWhere = (choose) => KINDS.map(([name, line], i) => ({ name, line, i }))
  .filter(choose).map(({ name, line, i }) => `${name} ${i + 1}:${line.indexOf('¦') + 1} kinds.js`);

const isWritten = ({ name, line }) => name !== '' && !/defineProperty|=>|= function|#|class/.test(line);
const isNameless = ({ name }) => name === '';
const isInferred = ({ line }) => /^const \w+ = /.test(line);
const isStatic = ({ line }) => /defineProperty|#|class|run/.test(line);

function expectKinds(seen, choose, { isNative, engine }) {
  const places = placesOf(seen.trace);
  // JavaScriptCore has no frames of default constructors and what they initialise.
  const wanted = kindsWhere(choose)
    .filter((place) => !(engine === 'webkit' && /^(Derived|Field) /.test(place)));
  const missing = wanted.filter((place) => !places.includes(place));
  // Native loses a function of so few samples now and then.
  if (isNative) expect(missing.length).toBeLessThanOrEqual(5);
  else expect(missing).toEqual([]);
  const all = kindsWhere(() => true);
  // 16:6 is a class without a name, whose constructor nobody has written.
  expect(places.filter((place) => place.endsWith(' kinds.js') && !all.includes(place) &&
    !/^( 1:1| 16:6|spinHere|Base|call|Field 19:1|Block 20:1) /.test(place))).toEqual([]);
}

export default [
  {
    row: 58,
    title: 'resources, frames and stacks are unique',
    async page() {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 1000 });
      function a() { spin(15); }
      function b() { a(); spin(15); }
      for (let i = 0; i < 4; i++) { a(); b(); await idle(5); }
      return profiler.stop();
    },
    check(seen) {
      expect([seen.resources, seen.frames, seen.stacks].map(unique)).toEqual([true, true, true]);
      expect(stacksOf(seen)).toEqual(expect.arrayContaining(['page > a > spin', 'page > b > spin']));
    },
  },
  {
    row: 59,
    title: 'a stack is its leaf and its parent, which comes before it',
    uses: 58,
    check(seen) {
      expect(seen.stacks.some(({ parentId }) => parentId === undefined)).toBe(true);
      seen.stacks.forEach(({ parentId }, id) => {
        if (parentId !== undefined) expect(parentId).toBeLessThan(id);
      });
      const leaves = seen.samples.filter(({ stackId }) => stackId !== undefined)
        .map(({ stackId }) => seen.frames[seen.stacks[stackId].frameId].name);
      expect(leaves).toContain('spin');
    },
  },
  {
    row: 60,
    title: 'the order of frames says nothing: every one is on a stack',
    uses: 58,
    check(seen) {
      const used = new Set(seen.stacks.map(({ frameId }) => frameId));
      expect([...used].sort((a, b) => a - b)).toEqual(seen.frames.map((frame, id) => id));
    },
  },
  {
    row: 61,
    title: 'stackId is absent when nothing that may be shown is running',
    async page() {
      const profiler = new Profiler(OPTIONS);
      spin(30);
      await idle(60);
      return profiler.stop();
    },
    check(seen, { target }) {
      const without = seen.samples.filter((sample) => !('stackId' in sample));
      expect(without.length).toBeGreaterThanOrEqual(target.isNative ? 1 : 2);
      expect(seen.samples.length).toBeGreaterThan(without.length);
    },
  },
  {
    row: 62,
    title: 'every id is an index of its list',
    uses: 58,
    check({ resources, frames, stacks, samples }) {
      for (const { resourceId } of frames) {
        if (resourceId !== undefined) expect(typeof resources[resourceId]).toBe('string');
      }
      for (const { frameId, parentId } of stacks) {
        expect(frames[frameId]).toBeDefined();
        if (parentId !== undefined) expect(stacks[parentId]).toBeDefined();
      }
      for (const { stackId } of samples) if (stackId !== undefined) expect(stacks[stackId]).toBeDefined();
    },
  },
  {
    row: 63,
    title: 'deep stacks keep their innermost 255 frames',
    async page() {
      const profiler = new Profiler(OPTIONS);
      (function root() {
        (function deep(n) { return n ? deep(n - 1) + 1 : spin(60); })(400);
      })();
      return profiler.stop();
    },
    check(seen, { target }) {
      const depths = stacksOf(seen).map((stack) => stack.split(' > '))
        .filter((names) => names.at(-1) === 'spin' && names.includes('deep'));
      expect(depths.length).toBeGreaterThan(0);
      for (const names of depths) {
        expect(names).not.toContain('root');
        // SpiderMonkey prints 128 frames, of which the handler is one.
        const [least, most] = target.engine === 'firefox' ? [126, 128] : [253, 256];
        expect(names.length).toBeGreaterThanOrEqual(least);
        expect(names.length).toBeLessThanOrEqual(most);
      }
    },
  },
  {
    row: 64,
    title: 'functions have the names that they were written with',
    async page(env) {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });
      await addScript({ src: `${env.base}kinds.js` });
      return { trace: await profiler.stop() };
    },
    files: { 'kinds.js': KINDS_CODE },
    check(seen, { target }) {
      expect(kindsWhere(isWritten).length).toBeGreaterThanOrEqual(6);
      expectKinds(seen, isWritten, target);
    },
  },
  {
    row: 65,
    title: 'anonymous functions are called nothing, or as what they are assigned to',
    uses: 64,
    check(seen, { target }) {
      expectKinds(seen, (kind) => isNameless(kind) || isInferred(kind), target);
    },
  },
  {
    row: 66,
    title: 'names are static; constructors and initialisers have the name of their class',
    uses: 64,
    check(seen, { target }) {
      expectKinds(seen, isStatic, target);
    },
  },
  {
    row: 68,
    title: 'definitions of all kinds of functions are where native has them',
    uses: 64,
    check(seen, { target }) {
      expectKinds(seen, () => true, target);
    },
  },
  {
    row: 67,
    title: 'line and column are those of the definition, not of what is running',
    async page(env) {
      const profiler = new Profiler(OPTIONS);
      await addScript({ src: `${env.base}places.js` });
      const iframe = await addFrame(`${env.base}places.html`);
      const inline = await iframe.contentWindow.done;
      iframe.remove();
      return { external: await profiler.stop(), inline };
    },
    files: {
      'places.js':
        `${'\n'.repeat(6)}      function placedAtThisColumn() {\n  ${LOOP}\n}\n{\n  placedAtThisColumn();\n}`,
      'places.html': ({ code, polyfill, target }) => {
        const inline = code(`
  function one() {
    ${LOOP}
  }
  const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100 });
  one();
  window.done = profiler.stop();
`, { sourceType: 'script', line: 2, column: 9 });
        return `<!doctype html>${target.isNative ? '' : polyfill}\n<script>${inline}</script>`;
      },
    },
    check(seen) {
      expect(placesOf(seen.external)).toContain('placedAtThisColumn 7:34 places.js');
      expect(placesOf(seen.inline)).toContain('one 3:15 places.html');
    },
  },
  {
    row: 68,
    title: 'top-level code is at the start of its file, or behind its tag',
    async page(env) {
      const profiler = new Profiler(OPTIONS);
      await addScript({ src: `${env.base}top.js` });
      const external = await profiler.stop();
      const iframe = await addFrame(`${env.base}top.html`);
      const inline = await iframe.contentWindow.done;
      iframe.remove();
      return { external, inline };
    },
    files: {
      'top.js': `\n\n${LOOP}${LOOP}`,
      'top.html': ({ code, polyfill }) => `<!doctype html>${polyfill}\n<b></b><script>${code(`
        const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100 });
        ${LOOP}
        window.done = profiler.stop();`, { sourceType: 'script', line: 2, column: 16 })}</script>`,
    },
    check(seen) {
      expect(placesOf(seen.external)).toContain(' 1:1 top.js');
      expect(placesOf(seen.inline)).toContain(' 2:16 top.html');
    },
  },
  {
    row: 69,
    title: 'inline scripts are at the URL of the document: no fragment, no base',
    async page(env) {
      const iframe = await addFrame(`${env.base}based.html?q=1#frag`);
      const trace = await iframe.contentWindow.done;
      const { href } = iframe.contentWindow.location;
      iframe.remove();
      const profiler = new Profiler(OPTIONS);
      await addScript({ src: `${env.base}places.js?v=1` });
      const { resources } = await profiler.stop();
      return { href, inline: trace.resources, external: resources, base: env.base };
    },
    files: {
      'based.html': ({ code, polyfill }) => `<!doctype html>${polyfill}<base href="/elsewhere/">
<script>${code(`
        function based() { ${LOOP} }
        const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100 });
        based();
        window.done = profiler.stop();`, { sourceType: 'script', line: 2, column: 9 })}</script>`,
    },
    check(seen, { target }) {
      expect(seen.href).toMatch(/based\.html\?q=1#frag$/);
      // JavaScriptCore prints URLs without their query.
      const printed = (url) => (target.engine === 'webkit' ? url.replace(/\?.*/, '') : url);
      expect(seen.inline).toEqual([printed(seen.href.replace('#frag', ''))]);
      expect(seen.external).toContain(printed(`${seen.base}places.js?v=1`));
    },
  },
  {
    row: 70,
    title: 'blob:, data: and module scripts are at their own URLs',
    async page(env) {
      const code = await (await fetch(`${env.base}load.js`)).text();
      const blob = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
      const blobModule = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
      const data = `data:text/javascript,${encodeURIComponent(code)}`;
      const profiler = new Profiler(OPTIONS);
      await addScript({ src: blob });
      await addScript({ src: data });
      await addScript({ src: `${env.base}load.js?module`, type: 'module' });
      await import(`${env.base}load.mjs`);
      await import(blobModule);
      const trace = await profiler.stop();
      const iframe = await addFrame(`${env.base}inline-module.html`);
      const inline = await iframe.contentWindow.done;
      const { href } = iframe.contentWindow.location;
      iframe.remove();
      const of = ({ frames, resources }) =>
        frames.filter(({ name }) => name === 'loaded').map(({ resourceId }) => resources[resourceId]);
      return {
        found: of(trace), inline: of(inline), href,
        urls: [blob, data, `${env.base}load.js?module`, `${env.base}load.mjs`, blobModule],
      };
    },
    files: {
      'load.js': `(function loaded() { ${LOOP}${LOOP} })();`,
      'load.mjs': `export default 1; (function loaded() { ${LOOP}${LOOP} })();`,
      'inline-module.html': ({ code, polyfill }) => `<!doctype html>${polyfill}
<script>window.done = new Promise((resolve) => { window.finish = resolve; });</script>
<script type="module">${code(`
        const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 100 });
        (function loaded() { ${LOOP} })();
        window.finish(profiler.stop());`, { sourceType: 'module', line: 3, column: 23 })}</script>`,
    },
    check(seen, { target }) {
      const printed = (url) => (target.engine === 'webkit' ? url.replace(/\?.*/, '') : url);
      expect(seen.found.sort()).toEqual(seen.urls.map(printed).sort());
      expect(seen.inline).toEqual([seen.href]);
    },
  },
  {
    row: 71,
    title: 'code without a URL of its own stays out; its callees and callers stay in',
    only: allowsEval,
    async page(env) {
      const code = await (await fetch(`${env.base}nowhere.js`)).text();
      const profiler = new Profiler(OPTIONS);
      (function calls() { (0, eval)(code); })();
      (function builds() { new Function(code)(); })();
      await new Promise((resolve) => {
        window.resolveLater = resolve;
        setTimeout(`${code};resolveLater()`);
      });
      const script = document.createElement('script');
      script.textContent = code;
      document.head.append(script);
      const named = await (await fetch(`${env.base}somewhere.js`)).text();
      (0, eval)(`${named}\n//# sourceURL=${location.origin}/somewhere.js`);
      return profiler.stop();
    },
    files: {
      'nowhere.js': `function nowhere() { ${LOOP}${LOOP} spin(25); } nowhere();`,
      'somewhere.js': `function somewhere() { ${LOOP} } somewhere();`,
    },
    check(seen, { target }) {
      const named = seen.frames.filter(({ name }) => name === 'nowhere')
        .map(({ resourceId }) => seen.resources[resourceId]);
      // JavaScriptCore says that inline scripts inserted by scripts are in the document, at line 1.
      expect(named).toEqual(target.engine === 'webkit' ? [expect.stringMatching(/conformance\.html$/)] : []);
      const stacks = stacksOf(seen);
      const through = ['page > calls > spin', 'page > builds > spin']
        .filter((stack) => stacks.includes(stack));
      expect(through.length).toBeGreaterThanOrEqual(target.isNative ? 1 : 2);
      expect(placesOf(seen).filter((place) => place.startsWith('somewhere ')))
        .toEqual(target.engine === 'webkit' ? [] : ['somewhere 1:19 somewhere.js']);
    },
  },
  {
    row: 72,
    title: 'built-ins of the language are no frames: their time is that of their caller',
    async page() {
      const list = Array.from({ length: 3000 }, (x, i) => (i * 7919) % 3001);
      const text = JSON.stringify(list);
      const profiler = new Profiler(OPTIONS);
      const end = performance.now() + 120;
      (function charged() {
        while (performance.now() < end) {
          list.slice().sort((a, b) => a - b);
          JSON.stringify(JSON.parse(text));
          text.replace(/1/g, '2');
          list.forEach((x) => x + 1);
        }
      })();
      return profiler.stop();
    },
    check(seen, { target }) {
      const without = seen.frames.filter(({ resourceId }) => resourceId === undefined)
        .map(({ name }) => name);
      if (!target.isNative) expect(without).toEqual([]);
      for (const name of ['sort', 'parse', 'stringify', 'replace', 'forEach']) {
        expect(seen.frames.map((frame) => frame.name)).not.toContain(name);
        expect(without).not.toContain(name);
      }
      expect(stacksOf(seen)).toContain('page > charged');
    },
  },
  {
    row: 73,
    title: 'wasm functions',
    only: allowsEval,
    async page() {
      // (import "e" "f" (func)) (func (export "g") call 0 drop-free)
      const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 101, 1, 102,
        0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 103, 0, 1, 10, 6, 1, 4, 0, 16, 0, 11]);
      const { instance } = await WebAssembly.instantiate(bytes, { e: { f: () => { spin(40); } } });
      const profiler = new Profiler(OPTIONS);
      instance.exports.g();
      return profiler.stop();
    },
    check(seen, { target }) {
      expect(seen.frames.some(({ name }) => name === 'spin')).toBe(true);
      const wasm = seen.frames.filter(({ name }) => /wasm/.test(name));
      if (target.isNative) {
        const frame = wasm.find(({ name }) => name === 'wasm-function[1]');
        expect(frame).toMatchObject({ line: 1, column: expect.any(Number) });
        expect(seen.resources[frame.resourceId]).toMatch(/^wasm:\/\/wasm\/[0-9a-f]+$/);
      } else {
        // V8 prints where wasm is running, but not where its functions begin.
        expect(wasm).toEqual(target.engine === 'chromium'
          ? [{ name: 'wasm-function[1]', resourceId: expect.any(Number) }] : []);
        expect(seen.resources.filter((url) => /^wasm:/.test(url))).toHaveLength(wasm.length);
      }
    },
  },
  {
    row: 74,
    title: 'what is resumed has no asynchronous callers',
    async page() {
      const profiler = new Profiler(OPTIONS);
      async function inner() { await idle(5); spin(40); }
      async function outer() { await inner(); spin(40); }
      await outer();
      return profiler.stop();
    },
    check(seen) {
      expect(stacksOf(seen)).toEqual(expect.arrayContaining(['inner > spin', 'outer > spin']));
      expect(stacksOf(seen)).not.toContain('page > outer > inner > spin');
      expect(stacksOf(seen)).not.toContain('outer > inner > spin');
    },
  },
  {
    row: 74,
    title: 'whatever resumes or calls back, only what is on the stack now is shown',
    async page(env) {
      const profiler = new Profiler({ sampleInterval: 10, maxBufferSize: 10000 });
      function* generator() { spin(30); yield; spin(30); }
      (function pulls() {
        const it = generator();
        it.next();
        (function again() { it.next(); return 1; })();
        return 1;
      })();
      async function* asyncGenerator() { await idle(1); spin(30); yield 1; await 2; spin(30); }
      for await (const x of asyncGenerator()) void x;
      const arrow = async () => { await null; spin(30); };
      await (async function waits() { await arrow(); })();
      // Each in turn, from within a function that has returned by then.
      const later = (start) => new Promise(function starts(done) { start(done); setTimeout(done, 1000); });
      await later((done) => { Promise.resolve().then(function reaction() { spin(30); done(); }); });
      await later((done) => { Promise.reject(1).catch(function caught() { spin(30); done(); }); });
      await later((done) => { queueMicrotask(function microtask() { spin(30); done(); }); });
      await { then: function thenable(done) { spin(30); done(); } };
      await later((done) => { setTimeout(function timeout() { spin(30); done(); }); });
      await later((done) => { requestAnimationFrame(function frame() { spin(30); done(); }); });
      await later((done) => {
        addEventListener('message', function message() { spin(30); done(); }, { once: true });
        postMessage('hello', '*');
      });
      await later((done) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = function port() { spin(30); port1.close(); done(); };
        port2.postMessage(0);
      });
      await later((done) => {
        new MutationObserver(function observed(records, observer) {
          observer.disconnect();
          spin(30);
          done();
        }).observe(document.body, { attributes: true });
        document.body.title = 'changed';
      });
      await import(`${env.base}top-level.mjs`);
      return profiler.stop();
    },
    files: {
      'top-level.mjs': `function before() { spin(30); } function after() { spin(30); }
        before(); await new Promise((resolve) => { setTimeout(resolve); }); after();`,
    },
    check(seen, { target }) {
      const stacks = stacksOf(seen).filter((stack) => stack.endsWith(' > spin'));
      const expected = ['page > pulls > generator', 'page > pulls > again > generator', 'asyncGenerator', 'arrow',
        'reaction', 'caught', 'microtask', 'thenable', 'timeout', 'frame', 'message', 'port', 'observed',
        'before', 'after'].map((stack) => `${stack} > spin`);
      // Native loses a function of so few samples now and then.
      expect(expected.filter((stack) => !stacks.includes(stack)).length)
        .toBeLessThanOrEqual(target.isNative ? 5 : 0);
      expect(stacks.filter((stack) => !expected.includes(stack))).toEqual([]);
    },
  },
];
