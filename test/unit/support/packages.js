/**
 * Programs around real packages: each returns the same value on every run, takes some tens of
 * milliseconds, and exercises a good part of its package. They are bundled together with the package.
 */
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A generator of numbers in [0, 1), and a text of many kinds of syntax, for all programs. */
const PREAMBLE = `
function makeRandom(seed) {
  return () => {
    seed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9 | 0;
    return ((seed ^ (seed >>> 13)) >>> 0) / 4294967296;
  };
}
function makeCode(count) {
  let code = '';
  for (let i = 0; i < count; i++) {
    code += 'class A' + i + ' extends Object { static #x = ' + i + '; get y() { return A' + i + '.#x } }\\n' +
      'async function* f' + i + '(a, { b = 1, ...c } = {}, [d] = []) { for await (const e of a) ' +
      'if (e?.g ?? b) yield* e; else { await d; continue } return c }\\n' +
      'const h' + i + ' = (x) => x ? \`\${x + 1}\` : /[a-z]+/gi.test(x) || !(x in f' + i + ');\\n' +
      'label: for (let i = 0, n = 10; i < n; i++) { switch (i) { case 3: break label; default: h' + i +
      '(i) } try { throw i } catch (e) { void e } finally { i += 0 } }\\n';
  }
  return code;
}
`;

/** @type {Record<string, string>} name of the package -> body of a module that exports `run` */
export const programs = {
  acorn: `
    import { parse } from 'acorn';
    export function run() {
      const program = parse(makeCode(150), { ecmaVersion: 'latest' });
      const text = JSON.stringify(program);
      return [text.length, text.slice(-2000), program.body.length];
    }`,
  terser: `
    import { minify_sync } from 'terser';
    export function run() {
      return minify_sync(makeCode(12), { compress: true, mangle: { toplevel: true } }).code;
    }`,
  marked: `
    import { marked } from 'marked';
    export function run() {
      let text = '';
      for (let i = 0; i < 120; i++) {
        text += '# Title ' + i + '\\n\\nSome *text* with **bold** \`code\` and [links](http://a.b/' + i +
          ').\\n\\n- one\\n- two\\n  1. three\\n\\n> quote\\n\\n' +
          '| a | b |\\n|---|---|\\n| ' + i + ' | 2 |\\n\\n' +
          '\\\`\\\`\\\`js\\nlet x = ' + i + ';\\n\\\`\\\`\\\`\\n\\n';
      }
      return marked.parse(text);
    }`,
  pako: `
    import { deflate, inflate } from 'pako';
    export function run() {
      const random = makeRandom(1);
      const data = new Uint8Array(150000);
      for (let i = 0; i < data.length; i++) data[i] = random() * random() * 64;
      const packed = deflate(data, { level: 6 });
      const back = inflate(packed);
      return [packed.length, packed.slice(0, 50), back.every((x, i) => x === data[i])];
    }`,
  'react-dom': `
    import { createElement as h, Fragment, useState, useMemo, createContext, useContext } from 'react';
    import { renderToString } from 'react-dom/server.browser';
    const Theme = createContext('light');
    function Row({ n }) {
      const [state] = useState(() => n * 2);
      const theme = useContext(Theme);
      const text = useMemo(() => 'row ' + state, [state]);
      return h('tr', { className: theme, 'data-n': n, style: { width: n, color: 'red' } },
        h('td', null, text), h('td', null, h(Fragment, null, n, ' & ', String(n % 3 === 0))));
    }
    export function run() {
      return renderToString(h(Theme.Provider, { value: 'dark' }, h('table', null,
        Array.from({ length: 600 }, (_, n) => h(Row, { n, key: n })))));
    }`,
  'd3-force': `
    import { forceSimulation, forceLink, forceManyBody, forceCenter, forceCollide } from 'd3-force';
    export function run() {
      const nodes = Array.from({ length: 150 }, (_, id) => ({ id }));
      const links = nodes.slice(1).map((_, i) => ({ source: i + 1, target: i >> 1 }));
      const simulation = forceSimulation(nodes).stop().force('link', forceLink(links))
        .force('charge', forceManyBody()).force('center', forceCenter()).force('x', forceCollide(3));
      simulation.tick(40);
      return nodes.map(({ x, y }) => [x, y]);
    }`,
  'lodash-es': `
    import { groupBy, sortBy, cloneDeep, merge, uniqBy, debounce, template, flow, chunk, isEqual,
      camelCase, curry, mapValues, range, memoize } from 'lodash-es';
    export function run() {
      const random = makeRandom(3);
      const items = range(3000).map((id) => ({ id, tag: 'tag ' + (random() * 50 | 0), in: { v: [id] } }));
      const groups = groupBy(items, 'tag');
      const copy = cloneDeep(groups);
      const add = curry((a, b, c) => a + b + c);
      return [mapValues(groups, (g) => sortBy(g, [(x) => -x.id]).slice(0, 3)),
        isEqual(copy, groups), merge({}, copy['tag 1'][0], { in: { w: 1 } }), uniqBy(items, 'tag').length,
        chunk(range(100), 7), items.slice(0, 50).map((x) => camelCase(x.tag)), add(1)(2)(3),
        typeof debounce(run), flow([Math.abs, memoize((x) => x * 2)])(-4), add.length, debounce.name];
    }`,
  immer: `
    import { produce, enablePatches, produceWithPatches, enableMapSet, current } from 'immer';
    enablePatches(); enableMapSet();
    export function run() {
      let state = { list: Array.from({ length: 200 }, (_, i) => ({ i, deep: { a: [i] } })), map: new Map() };
      for (let turn = 0; turn < 300; turn++) {
        state = produce(state, (draft) => {
          draft.list[turn % 200].deep.a.push(turn);
          if (turn % 7 === 0) draft.list.reverse();
          draft.map.set(turn % 10, current(draft.list[0]));
        });
      }
      const [next, patches, inverse] = produceWithPatches(state, (draft) => { draft.list.length = 2; });
      return [next.list, patches, inverse.length, [...next.map.keys()]];
    }`,
  immutable: `
    import { Map, List, Set, fromJS, Range, Record } from 'immutable';
    const Point = Record({ x: 0, y: 0 });
    export function run() {
      let map = Map();
      for (let i = 0; i < 6000; i++) map = map.set('k' + (i * 7919 % 5003), i);
      let list = List();
      for (let i = 0; i < 6000; i++) list = list.push(i % 97);
      return [map.size, map.get('k12'), list.groupBy((x) => x % 5).map((x) => x.count()).toJS(),
        Set(list).sort().toArray(), fromJS({ a: [1, { b: 2 }] }).setIn(['a', 1, 'b'], 3).toJS(),
        Range(0, 50, 3).filter((x) => x % 2).toArray(), Point({ x: 4 }).toString(),
        map.sortBy((v) => -v).take(20).toJS()];
    }`,
  handlebars: `
    import Handlebars from 'handlebars/dist/cjs/handlebars.js';
    export function run() {
      let text = '';
      for (let i = 0; i < 40; i++) {
        text += '<p>{{name' + i + '}} {{#each items}}{{@index}}' +
          '{{#if odd}}<b>{{v}}</b>{{else}}{{{v}}}{{/if}}' +
          '{{/each}}{{#with deep.er}}{{x}}{{/with}}{{shout ../name "b"}}</p>';
      }
      const handlebars = Handlebars.create();
      handlebars.registerHelper('shout', (a, b) => a + '!' + b);
      return handlebars.compile(text)({ name1: '<x>', items: [{ odd: true, v: '<' }, { v: '>' }],
        deep: { er: { x: 3 } } }) + handlebars.precompile(text).length;
    }`,
  rxjs: `
    import { range, map, filter, mergeMap, of, scan, toArray, zip, Subject, share, catchError, throwError,
      bufferCount, interval } from 'rxjs';
    export function run() {
      const out = [];
      range(0, 4000).pipe(filter((x) => x % 2), map((x) => x * 3), mergeMap((x) => of(x, -x)),
        scan((a, b) => a + b, 0), bufferCount(100), toArray()).subscribe((x) => out.push(x.length, x[3]));
      const subject = new Subject();
      const shared = subject.pipe(share());
      zip(shared, shared.pipe(map((x) => x + 1))).subscribe((x) => out.push(x));
      for (let i = 0; i < 50; i++) subject.next(i);
      throwError(() => new Error('no')).pipe(catchError((e) => of(e.message))).subscribe((x) => out.push(x));
      return [out, typeof interval(3).subscribe];
    }`,
  'js-yaml': `
    import { load, dump } from 'js-yaml';
    export function run() {
      const data = Array.from({ length: 150 }, (_, i) => ({ id: i, text: 'a: "b" # ' + i, nested:
        { list: [1.5, null, true, 'multi\\nline\\n'], date: new Date(i * 1e9) } }));
      const text = dump(data);
      return [text, load(text)];
    }`,
  fflate: `
    import { zipSync, unzipSync, gzipSync, gunzipSync, strToU8, strFromU8 } from 'fflate';
    export function run() {
      const text = makeCode(60);
      const zip = zipSync({ 'a.js': strToU8(text), dir: { 'b.txt': strToU8('b'.repeat(9999)) } },
        { mtime: new Date(2020, 1, 1) });
      const files = unzipSync(zip);
      return [zip.length, Object.keys(files), strFromU8(files['a.js']) === text,
        gunzipSync(gzipSync(strToU8(text), { mtime: 0 })).length];
    }`,
  'highlight.js': `
    import hljs from 'highlight.js/lib/core';
    import javascript from 'highlight.js/lib/languages/javascript';
    import xml from 'highlight.js/lib/languages/xml';
    hljs.registerLanguage('javascript', javascript);
    hljs.registerLanguage('xml', xml);
    export function run() {
      return hljs.highlight(makeCode(25), { language: 'javascript' }).value +
        hljs.highlightAuto('<a href="x">y</a><script>let z = 1</script>').value;
    }`,
  'decimal.js': `
    import { Decimal } from 'decimal.js';
    export function run() {
      Decimal.set({ precision: 60 });
      let sum = new Decimal(0);
      for (let i = 1; i < 250; i++) sum = sum.plus(new Decimal(1).div(i)).times('1.0000001').sqrt();
      return [sum.toString(), Decimal.exp(3).toFixed(30), new Decimal('1e-7').pow(3.5).toString(),
        Decimal.sin(1).toString(), new Decimal('0xff.8').toString(), Decimal.ln(12).toString()];
    }`,
  postcss: `
    import postcss from 'postcss';
    export function run() {
      let css = '';
      for (let i = 0; i < 150; i++) {
        css += '@media (min-width: ' + i + 'px) { .a' + i + ' > b::before { color: red; ' +
          'content: "x;}" } }\\n' +
          '/* c */ .x' + i + ', a:hover { --v: { a: b }; margin: 0 1px !important }\\n';
      }
      const plugin = { postcssPlugin: 'p', Declaration(d) { if (d.prop === 'color') d.value = 'blue'; } };
      const root = postcss.parse(css);
      root.walkRules((rule) => { rule.selector = rule.selector.toUpperCase(); });
      return [postcss([plugin]).process(root, { from: undefined }).sync().css.length, root.toString()];
    }`,
};

/**
 * One program with its package, as a classic script that sets the global `program` or as a module.
 *
 * @param {string} name
 * @param {{ minify?: boolean, format?: 'iife' | 'esm', body?: string }} [options]  `body`: of a program that
 *   is not one of the above
 * @returns {Promise<string>}
 */
export async function bundle(name, { minify = false, format = 'iife', body = programs[name] } = {}) {
  const { outputFiles } = await build({
    stdin: { contents: PREAMBLE + body, resolveDir: root, sourcefile: `${name}.js` },
    bundle: true,
    write: false,
    minify,
    format,
    globalName: format === 'iife' ? 'program' : undefined,
    target: 'esnext',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  return outputFiles[0].text;
}
