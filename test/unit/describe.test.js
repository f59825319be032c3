/** Function tables of scripts as they are, and the inline scripts of documents. */
import { describe as group, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { instrument } from '../../js/instrument.js';
import { describe } from '../../js/instrument/describe.js';
import { findInlineScripts } from '../../js/positions/inline-scripts.js';
import { decodeTable, readTable } from './support/function-table.js';

const read = (name) => readFileSync(new URL(`../data/${name}`, import.meta.url), 'utf8')
  .replaceAll('SPIN', ';');

group('describe()', () => {
  const functions = ({ ranges }) => ranges.map(({ name, definition, isAsync }) => ({ name, definition, isAsync }));

  test.each(['native-functions.js', 'native-classes.js', 'native-module.js'])(
    '%s has the functions that its instrumented code tells', (name) => {
      const code = read(name);
      const { positions, names } = describe(code);
      const plain = decodeTable({ p: positions, n: names });
      const table = decodeTable(readTable(instrument(code).code));
      expect(plain.ranges.length).toBeGreaterThan(3);
      expect(functions(plain)).toEqual(functions(table));
      const lines = code.split('\n');
      expect(plain.last).toEqual([lines.length - 1, lines.at(-1).length]);
    });

  test('ranges are those of the code as it is', () => {
    const { positions, names } = describe('function f(a) { return +a; }\n  const g = async (x) => f(x);');
    expect(decodeTable({ p: positions, n: names }).ranges).toEqual([
      { name: 'f', isAsync: false, isQuiet: false, start: [0, 10], end: [0, 28], definition: [0, 10] },
      { name: 'g', isAsync: true, isQuiet: false, start: [1, 12], end: [1, 29], definition: [1, 12] },
    ]);
  });

  test('tells where the code starts, and nothing of what is instrumented already', () => {
    expect(describe('f()', { line: 3, column: 9 })).toMatchObject({ line: 3, column: 9, names: '' });
    expect(describe('')).toMatchObject({ line: 1, column: 1 });
    for (const sourceType of ['module', 'script']) {
      const { code } = instrument(`'use strict'; function f() { for (;;) g(); } f();`, { sourceType });
      expect(describe(code)).toBe(null);
    }
  });

  test('decides what kind of script it is, unless it is told', () => {
    for (const code of ['import.meta; function f() { a() }', 'with (a) { function f() {} }', '<!-- x\nfunction f() { a() }']) {
      expect(describe(code).names).toBe('f');
    }
    expect(() => describe('import.meta', { sourceType: 'script' })).toThrow(SyntaxError);
    expect(() => describe('with (a) b;', { sourceType: 'module' })).toThrow(SyntaxError);
    expect(() => describe('function (')).toThrow(SyntaxError);
  });
});

group('findInlineScripts()', () => {
  const find = (html) => findInlineScripts(html).map(({ code, sourceType, line, column }) =>
    `${sourceType} ${line}:${column} ${code}`);

  test('tells where each starts, in lines as HTML counts them', () => {
    expect(find('<!doctype html>\r\n<p>ä€𝒳<script>a</script><script\n type=module >b\r\nc</script>\r<SCRIPT>d</ScRiPt >'))
      .toEqual(['script 2:16 a', 'module 3:15 b\nc', 'script 5:9 d']);
    // U+2028 ends no line of HTML.
    expect(find('\u2028\n\u2029<script>a</script>')).toEqual(['script 2:10 a']);
  });

  test.each([
    ['comments', '<!-- <script>x</script> --><!----><script>a</script><!--><script>b</script><!-- --!><script>c</script>'],
    ['bogus comments', '<?x <script>x</script><!x <script>x</script></ <script>x</script><script>a</script><!><script>b</script><script>c</script>'],
    ['attributes', `<p a="<script>x</script>" b='<script>x</script>' c=">"><script>a</script><i =x="<script>"></i>` +
      '<script>b</script><a b=c"d><script>c</script>'],
    ['text', '<title><script>x</script></title><textarea><script>x</script></textarea><style><script>x</script></style>' +
      '<noscript><script>x</script></noscript><iframe><script>x</script></iframe><script>a</script>' +
      '<xmp><script>x</script></XMP ><script>b</script><script>c</script>'],
    ['templates, SVG and MathML', '<template><script>x</script><template></template><script>x</script></template><script>a</script>' +
      '<svg><script>x</script><![CDATA[<script>x</script>]]></svg><svg/><script>b</script><math><script>x</script></math><script>c</script>'],
    ['other types', '<script src=x>x</script><script src>x</script><script type=importmap>x</script><script nomodule>x</script>' +
      '<script type="text/html">x</script><script language=vbscript>x</script><script>a</script>' +
      '<script type=" Text/JavaScript ">b</script><script language=JavaScript1.5 type>c</script>'],
    ['what is no script', '<scripts>x</scripts><script-x>x</script-x>< script>x</script><script>a</script>' +
      '<script/>b</script><script/x>c</script><script>x'],
  ])('knows %s', (what, html) => {
    expect(findInlineScripts(html).map(({ code }) => code)).toEqual(['a', 'b', 'c']);
  });

  test('a script ends where HTML says', () => {
    const codes = ['"</scripts>"', '"<script>"', '<!-- "<script>x</script>" -->', '<!--\n"<script>" -->', '"<!-->"', '"<!-- x"',
      '"<\\/script>"', '<!-- <script>a</script> <script>b</script>'];
    for (const code of codes) {
      expect(findInlineScripts(`<script>${code}</script><script>end</script>`).map((script) => script.code))
        .toEqual([code, 'end']);
    }
    expect(findInlineScripts('<script><!-- <script>a</script><p>')).toEqual([]);
    expect(findInlineScripts('<script>a</script><p a="')).toHaveLength(1);
    expect(findInlineScripts('<script>a</script><plaintext><script>b</script>')).toHaveLength(1);
  });
});
