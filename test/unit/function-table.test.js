/**
 * The function table against a naive reading of the original code: every token of it, found again in the
 * instrumented code through the source map, must belong to the function that it stood in.
 */
import { describe, expect, test } from '@jest/globals';
import { TraceMap, generatedPositionFor } from '@jridgewell/trace-mapping';
import { parse, tokenizer } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { instrument } from '../../js/instrument.js';
import { decodeTable, findRange, readTable } from './support/function-table.js';
import { bundle } from './support/packages.js';

const readData = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8');

const SLOW = 'for (const end = Date.now(); Date.now() < end;);';

const SOURCES = {
  'all kinds of functions': () => readData('native-functions.js').replaceAll('SPIN', SLOW),
  'all kinds of class members': () => readData('native-classes.js').replaceAll('spin', 'g()'),
  'a module': () => readData('native-module.js').replaceAll('SPIN', SLOW),
  'one line': () => 'function a(b){return c=>b(c)+d(c)}class E extends a(1){f=a(()=>2);static{a(3)}}a(E)',
  'directives and a hashbang': () => '#!/bin/x\n\n"use strict"\n"x";function a() { b(); } () => a()',
  'Windows lines': () => 'function a() {\r\n  return b(c => {\r\n d(c) })\r\n}\r\na()',
  'every line terminator': () => 'f(() => {\n g()\r h()\r\n i()\u2028 j(`\u2029`, () => k())\u2029 })',
  'a byte order mark': () => '\ufefff(() => g()); function h() { return f(1) }\nx => f(x)',
  'names that need escapes': () =>
    'x = { "a,b": () => f(), "c\\\\,": () => f(), "\\n": () => f(), "</script>\\ud800": () => f(), "": y };' +
    'z = { "a,b": () => f(), \u00e9() { f() }, "\\"": function () { f() } }',
  'functions over many lines': () =>
    'a = function\n\n(b\n,c\n)\n{ d()\n; (async (\ne) =>\n f(e)\n)\n}; class G\n{ x\n= d(); }',
  'comments like parentheses': () =>
    'function /* ( */ a /* => ( */ ( /* ) */ b = (1) /* => */) { c() } (/* => */) => /* ( */ (a() /* ) */)',
  'guarded polls': () => 'new Worker(f(() => g()).toString()); function h() { return h() }',
  'deep nesting': () => 'x => '.repeat(200) + 'f()',
  acorn: () => bundle('acorn'),
  'rxjs, minified': () => bundle('rxjs', { minify: true }),
  'immer, minified module': () => bundle('immer', { minify: true, format: 'esm' }),
  'lodash-es, minified': () => bundle('lodash-es', { minify: true }),
};

function parseAny(code) {
  const options = { ecmaVersion: 'latest', allowHashBang: true };
  try {
    return { sourceType: 'script', program: parse(code, { ...options, sourceType: 'script' }) };
  } catch {
    return { sourceType: 'module', program: parse(code, { ...options, sourceType: 'module' }) };
  }
}

/** Offset -> line and column, both 0-based, as engines count them. */
function makeLocate(code) {
  const starts = [0];
  for (const { index, 0: terminator } of code.matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    starts.push(index + terminator.length);
  }
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    const mark = line === 0 && code.startsWith('\ufeff') ? 1 : 0;
    return [line, offset - starts[line] - mark];
  };
}

/** Of what a function may consist that calls nothing: getters and `valueOf` are calls. */
const SILENT = /^(?:BlockStatement|ReturnStatement|(?:This|Logical)Expression|Literal|VariablePattern)$/;

/** Whether a function may be on a stack when a poll looks. */
function mayBeSeen(node, isConstructor, declared) {
  if (isConstructor || node.async || node.generator) return true;
  if (node.params.some(({ type }) => type !== 'Identifier')) return true;
  const statements = node.body.type === 'BlockStatement' ? node.body.body : [node.body];
  if (statements.length > 1) return true;
  let isSeen = false;
  full(node, (inner, state, type) => {
    if (inner === node || node.params.includes(inner) || SILENT.test(type) || inner === node.id) return;
    if (inner.type === 'Identifier') isSeen ||= !declared.has(inner.name);
    else if (inner.type === 'UnaryExpression') {
      isSeen ||= !/^(?:!|void|typeof)$/.test(inner.operator) && inner.argument.type !== 'Literal';
    } else if (inner.type === 'ArrayExpression') isSeen ||= inner.elements.length > 0;
    else if (inner.type === 'ObjectExpression') isSeen ||= inner.properties.length > 0;
    else isSeen ||= !SILENT.test(inner.type);
  });
  return isSeen;
}

/** Everything that is a function to an engine: its range of offsets, and where it is defined. */
function findFunctions(program, tokens) {
  const functions = [];
  const declared = new Set();
  full(program, (node, state, type) => {
    if (type === 'VariablePattern') declared.add(node.name);
    if (/^(?:Function|Class)/.test(node.type) && node.id) declared.add(node.id.name);
    if (/^Import.*Specifier$/.test(node.type)) declared.add(node.local.name);
  });
  const parenthesisAfter = (offset) => tokens.find(({ start, label }) => start >= offset && label === '(');
  const add = (start, end, definition = start) => functions.push({ start, end, definition });
  const isField = ({ type }) => type === 'PropertyDefinition' || type === 'StaticBlock';
  const onFunction = (node, _, ancestors) => {
    if (!mayBeSeen(node, ancestors.at(-2).kind === 'constructor', declared)) return;
    const isMethod = ancestors.at(-2).value === node && node.body && node.start !== ancestors.at(-2).start &&
      (ancestors.at(-2).type === 'MethodDefinition' || ancestors.at(-2).method ||
        /get|set/.test(ancestors.at(-2).kind));
    const at = isMethod ? node.start : parenthesisAfter(node.id ? node.id.end : node.start).start;
    add(at, node.end);
  };
  const onClass = ({ body: { body: members } }) => {
    const ofInstance = members.find((member) => isField(member) && !member.static &&
      member.type !== 'StaticBlock');
    const ofClass = members.find((member) => isField(member) &&
      (member.static || member.type === 'StaticBlock'));
    for (const member of members) {
      if (member.type === 'StaticBlock') add(member.start, member.end, ofClass.start);
      else if (isField(member) && member.value) {
        add(member.value.start, member.value.end, (member.static ? ofClass : ofInstance).start);
      }
    }
  };
  ancestor(program, {
    FunctionDeclaration: onFunction,
    FunctionExpression: onFunction,
    ArrowFunctionExpression: (node) => mayBeSeen(node, false, declared) && add(node.start, node.end),
    ClassDeclaration: onClass,
    ClassExpression: onClass,
  });
  return functions;
}

describe.each(Object.keys(SOURCES))('%s', (name) => {
  test('every token belongs to its function', async () => {
    const code = await SOURCES[name]();
    const { program, sourceType } = parseAny(code);
    const tokens = [];
    for (const { type, start, end } of tokenizer(code, {
      ecmaVersion: 'latest', allowHashBang: true, sourceType,
    })) tokens.push({ start, end, label: type.label });
    const result = instrument(code, { url: 'a.js' });
    const { last, ranges } = decodeTable(readTable(result.code));
    const map = new TraceMap(result.map);
    const locate = makeLocate(code);
    const locateNew = makeLocate(result.code);
    expect(last).toEqual(locateNew(result.code.length));

    const functions = findFunctions(program, tokens);
    // The range of a default constructor is the word "class".
    const newLines = result.code.split(/\r\n|[\n\r\u2028\u2029]/);
    const written = ranges.filter(({ start, end }) =>
      start[0] !== end[0] || newLines[start[0]].slice(start[1], end[1]) !== 'class');
    expect(written.length).toBe(functions.length);
    // Innermost last; the walk came to the inner ones first.
    functions.reverse().sort((a, b) => a.start - b.start || b.end - a.end);
    const byPlace = ({ definition: [line, column] }) => `${line}:${column}`;
    const wrong = [];
    let checked = 0;
    // A token in every so many will do for the large ones.
    const step = Math.ceil(tokens.length / 4000);
    for (let i = 0; i < tokens.length; i += step) {
      const { start } = tokens[i];
      const inside = functions.findLast((one) => one.start <= start && start < one.end);
      const expected = inside === undefined ? 'top level' :
        byPlace({ definition: locate(inside.definition) });
      const found = findNew(map, code, result.code, start, locateNew);
      const range = findRange(written, found);
      const actual = range === undefined ? 'top level' : byPlace(range);
      checked++;
      if (actual !== expected) wrong.push({ text: code.slice(start, start + 30), expected, actual });
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(tokens.length / (step + 1));
  });
});

describe.each(Object.keys(SOURCES))('insertions: %s', (name) => {
  test('taken out they leave the original, and functions are where they were', async () => {
    const code = await SOURCES[name]();
    const { code: plain } = instrument(code);
    const { code: told } = instrument(code, { executing: true });
    const table = decodeTable(readTable(told));
    expect(decodeTable(readTable(plain)).insertions).toEqual([]);
    expect(table.ranges.map((range) => range.definition))
      .toEqual(decodeTable(readTable(plain)).ranges.map((range) => range.definition));
    expect(table.ranges.map((range) => range.name))
      .toEqual(decodeTable(readTable(plain)).ranges.map((range) => range.name));
    // Lines with their terminators.
    const lines = told.split(/(?<=\n|\r(?!\n)|[\u2028\u2029])/);
    const mark = code.startsWith('\ufeff') ? 1 : 0;
    for (const { end: [line, column], length } of table.insertions.toReversed()) {
      const end = column + (line === 0 ? mark : 0);
      lines[line] = lines[line].slice(0, end - length) + lines[line].slice(end);
    }
    expect(lines.join('') === code).toBe(true);
  });
});

/** Where a token of the original is in the instrumented code, by the map. */
function findNew(map, code, newCode, start, locateNew) {
  // Source maps count lines by \n, \r\n and \r... as their maker does: by \n alone.
  const before = code.slice(0, start).split('\n');
  const position = generatedPositionFor(map, {
    source: 'a.js', line: before.length, column: before.at(-1).length, bias: 1,
  });
  const newLines = newCode.split('\n');
  const offset = newLines.slice(0, position.line - 1).reduce((sum, { length }) => sum + length + 1, 0) +
    position.column;
  if (newCode[offset] !== code[start]) {
    throw new Error(`the map leads ${code.slice(start, start + 9)} to ${newCode.slice(offset, offset + 9)}`);
  }
  return locateNew(offset);
}

test('it takes 3.7 bytes a function of a minified app of 2 MB, as the README says', async () => {
  const packages = [
    'react', 'react-dom/client', 'react-dom/server.browser', 'rxjs', 'lodash-es', 'd3-force', 'd3-hierarchy',
    'immutable', 'marked', 'immer', 'handlebars/dist/handlebars.js', 'highlight.js', 'js-yaml', 'pako',
    'decimal.js',
  ];
  const contents = packages
    .map((name, i) => `import * as a${i} from ${JSON.stringify(name)}; globalThis.a${i} = a${i};`).join('\n');
  const { outputFiles: [{ text }] } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true, minify: true, format: 'iife', write: false, logLevel: 'error',
  });
  expect(text.length).toBeGreaterThan(2e6);
  const { code, functions } = instrument(text);
  expect(functions).toBeGreaterThan(6000);
  const { p, n } = readTable(code);
  const without = code.replace(p, '').replace(`"${n}"`, '""');
  expect(without.length).toBeLessThanOrEqual(code.length - p.length - n.length);
  const [all, rest] = [code, without].map((one) => gzipSync(one, { level: 9 }).length);
  expect((all - rest) / functions).toBeLessThan(3.75);
  expect(decodeTable({ p, n }).ranges.length).toBeLessThanOrEqual(functions);
}, 120_000);

describe('the format', () => {
  const tableOf = (code, options) => readTable(instrument(code, options).code);

  test('one function, by hand', () => {
    // Not polled, so nothing but the prologue moves it; its range is from ( to }.
    const code = 'var a;\nfunction bc(d) { return d.e }';
    const table = tableOf(code);
    expect(table).toMatchObject({ v: 2, l: 1, o: 1, n: 'bc' });
    expect(table.u).toBeUndefined();
    const { last, ranges } = decodeTable(table);
    expect(last).toEqual([1, 29]);
    expect(ranges).toEqual([
      { name: 'bc', isAsync: false, isQuiet: true, start: [1, 11], end: [1, 29], definition: [1, 11] },
    ]);
    // Five digits of the prologue's length, and what c/trace/functions.h says.
    const { code: polled } = instrument(code);
    const prologue = polled.length - code.length;
    const digits = [prologue >> 6, prologue & 63].map((digit) => String.fromCharCode(63 + digit)).join('');
    expect(table.p).toBe(`???${digits.replace('\\', '=')}YbDEQbW????`);
  });

  test('in a file of its own it is what it is in the code, for a prologue so much shorter', () => {
    const code = 'var a;\nfunction bc(d) { for (;;) d.e(); }';
    const inline = instrument(code);
    const apart = instrument(code, { separateTable: true });
    expect(inline).not.toHaveProperty('table');
    const { version, id, positions, names } = JSON.parse(apart.table);
    const { p, n } = readTable(inline.code);
    expect([version, names]).toEqual([2, n]);
    expect(apart.code).toBe(inline.code.replace(`"${p}","${n}"`, `"${id}"`).replace('{v:2,', '{v:3,'));
    expect(decodeTable({ p: positions, n: names }).ranges).toEqual(decodeTable({ p, n }).ranges);
    const grown = ({ length }) => length - code.length;
    const digits = (text) => [...text.slice(3, 5)].map((c) => (c === '=' ? 92 : c.charCodeAt(0)) - 63);
    const lengthTold = (text) => digits(text)[0] * 64 + digits(text)[1];
    expect(lengthTold(p) - lengthTold(positions)).toBe(grown(inline.code) - grown(apart.code));
    // Another code, another id; the same, the same.
    expect(instrument(code, { separateTable: true }).table).toBe(apart.table);
    // Nor is it that of the same functions elsewhere: the positions depend on how long the prologue is.
    const others = [
      [`${code} `, {}], [code, { url: 'a.js' }], [code, { column: 10 }], [code, { moved: 5 }],
    ].map(([text, options]) => JSON.parse(instrument(text, { ...options, separateTable: true }).table).id);
    expect(new Set([id, ...others]).size).toBe(1 + others.length);
  });

  test('options are handed over', () => {
    const table = tableOf('a()', { url: 'https://x.test/"a".js', line: 3, column: 14 });
    expect(table).toMatchObject({ u: 'https://x.test/"a".js', l: 3, o: 14, n: '' });
    expect(decodeTable(table).ranges).toEqual([]);
  });

  test('async functions that are no generators are marked', () => {
    const { ranges } = decodeTable(tableOf(
      'async function a() {} async () => {}; async function* b() {} function* c() {} () => a(); ' +
      'x = { async d() {}, async *e() {} }',
    ));
    expect(ranges.map(({ isAsync }) => isAsync)).toEqual([true, true, false, false, false, true, false]);
  });

  test('the prologue counts its own length', () => {
    // Around the lengths at which a number takes another digit, on the line of the prologue.
    for (let length = 0; length < 80; length++) {
      const code = `var ${'x'.repeat(length + 1)};f(function(){g()});f(function h(){g()})`;
      const result = instrument(code);
      const { last, ranges } = decodeTable(readTable(result.code));
      const at = (range) => result.code.slice(range.start[1], range.end[1]);
      expect(last).toEqual([0, result.code.length]);
      const withoutPolls = (text) => text.replace(/[;,]?--.*?&&\$h\.[abde];?/g, '');
      expect(ranges.map(at).map(withoutPolls)).toEqual(['(){g()}', '(){g()}']);
      expect(ranges.map(({ definition }) => definition))
        .toEqual([[0, code.indexOf('(){')], [0, code.lastIndexOf('(){')]]);
    }
  });

  test('names are ASCII, unbroken and inside no markup', () => {
    const { code } = instrument('x = { "\\u2028</script><!--\\ud83d": () => f(), \u00fc: () => f() }');
    const prologue = code.slice(0, code.indexOf('x = {'));
    expect(prologue).toMatch(/^[ -~]*$/);
    expect(prologue).not.toMatch(/<[/!]/);
    expect(decodeTable(readTable(code)).ranges.map(({ name }) => name))
      .toEqual(['\u2028</script><!--\ud83d', '\u00fc']);
  });
});
