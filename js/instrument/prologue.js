/**
 * The names that instrumented code uses, and what it does first: it makes the hub if nobody has
 * yet, hands over its function table, gives the cells their name, and keeps the hub at hand.
 *
 * What a poll costs is decided by how little of it engines compile (js/hub.js tells what it does):
 *
 *     $pf_[0]&&$h.b
 *
 * - `$pf_`, the cells, is read each time. As a property of the global object that never changes it is part of
 *   the compiled code, and the read is one comparison with memory. As a constant of the module it is that
 *   only in functions that exist once; in closures, scopes have to be walked, and the array's type, length
 *   and place be looked up (RxJS, Chromium: 1.5 times the time of the program as it was; now 1.2).
 * - `$h`, the hub, is read when somebody calls. What has never run is compiled to an exit there: no path
 *   comes back from it, and nothing that is known before the poll is forgotten after it. A global would not
 *   be known without having run, and the way would be one that comes back (a ray tracer: 2.0, not 1.5).
 * - `.b` and not `.p(1)`: engines inline functions up to a length, in bytecode, and so much into each (with
 *   five times as much allowed, the ray tracer with calls takes 1.1 instead of 1.6).
 */
import { CELLS, COUNTDOWN_MAX, FLAGS, READ_BY, SEPARATE_TABLE, TABLE } from '../hub.js';
import { FOREIGN, LONG, ORDINARY } from './cost.js';
import { hash, quote } from './text.js';

/** Marks instrumented code: how the function in every prologue begins. */
const MARK = '(($,p,n)=>{let k=$.Symbol.for("profilyfill")';

/**
 * Where the names live:
 *
 * - `module`: constants of the module (or CommonJS file);
 * - `cycle`: hoisted variables, set by whoever comes first, since other modules of an import cycle may
 *   call exported functions before the module's body runs;
 * - `block`: constants of a block around a classic script that declares nothing but `var`s;
 * - `global`: properties of the global object, for other classic scripts. Constants there would throw
 *   when a script is loaded twice, and variables would be seen in `window`.
 *
 * @typedef {'module' | 'cycle' | 'block' | 'global'} Home
 */

// Escapes of a character of our names, so that a name could be there without being seen.
const ESCAPE = /\\u(?:00(?:24|5f|6[689]|7[04])|\{0*(?:24|5f|6[689]|7[04])\})/i;

// Names that code is given or looks up at run time.
const DYNAMIC = /\b(?:eval|with)\s*\(/;

/**
 * An expression for the global object. Code that declares a `globalThis` of its own may not have set
 * it when the prologue runs.
 *
 * @param {Set<string>} declared  every name declared in the file
 * @param {'module' | 'script' | 'commonjs'} sourceType
 * @returns {string} empty if there is none
 */
export function findRoot(declared, sourceType) {
  if (!declared.has('globalThis')) return 'globalThis';
  if (sourceType === 'script') return 'this';
  const names = ['self', 'window', 'global'].filter((name) => !declared.has(name));
  return names.length === 0 ? '' :
    names.reduceRight((rest, name) => `typeof ${name}=="object"?${name}:${rest}`);
}

/**
 * Short names that the code does not use. Those of global properties, and those in code that may look
 * up any name at run time, are made unlikely by a hash of the code; a script loaded twice gets the
 * same ones.
 *
 * @param {string} code
 * @param {boolean} isGlobal
 * @returns {{ flags: string, hub: string, temporary: string, initialise: string }} all but `flags` may be names of
 *   something else in other scripts
 */
export function chooseNames(code, isGlobal) {
  const isEscaped = ESCAPE.test(code);
  const isHashed = isGlobal || isEscaped || DYNAMIC.test(code);
  let suffix = isHashed ? hash(code) : '';
  let flags = isEscaped ? FLAGS + suffix : FLAGS;
  const names = () => ({
    flags,
    hub: '$h' + suffix,
    temporary: '$t' + suffix,
    initialise: '$i' + suffix,
  });
  const isTaken = (name) => code.includes(name);
  // Minifiers use up names of two characters.
  for (let i = 0; Object.values(names()).some(isTaken); i++) {
    suffix = isHashed ? hash(code + suffix) : i.toString(36);
    if (isTaken(flags)) flags = FLAGS + hash(code + suffix);
  }
  return names();
}

// Function texts that are evaluated elsewhere, most often to make a worker without a file of its own.
const TRAVELS = /\b(?:createObjectURL|importScripts|Worker|srcdoc)\b|\b(?:text|application)\/javascript\b/;
// Texts that are written out in full hold no function.
const EVALUATES =
  /\b(?:eval\)?|Function)\s*(?:[,;]|\((?!\s*(?:(?:"[^"\\]*"|'[^'\\]*')[\s,]*)*\)))/;

/**
 * Whether the text of a function of this code may be taken and evaluated where the names of its
 * prologue are unknown. Nothing in the syntax tells for sure, so this errs on the side of yes.
 */
export function mayTravel(code) {
  return TRAVELS.test(code) || EVALUATES.test(code);
}

/**
 * @param {ReturnType<typeof chooseNames>} names
 * @param {boolean} isGuarded  whether the names may be unknown where the poll runs
 * @returns {import('./walk.js').Texts}
 */
export function makeTexts({ flags, hub, temporary, initialise }, isGuarded) {
  const guard = isGuarded ? `typeof ${hub}<"u"&&` : '';
  const raised = `${flags}[0]`;
  const call = (kind) => `&&${hub}.${READ_BY[kind]}`;
  const read = (kind) => guard + raised + call(kind);
  const count = (cell, kind) => `${guard}--${flags}[${cell + 1}]<${raised}${call(kind)}`;
  return {
    entry: read(0),
    countedEntry: count(ORDINARY, 0),
    asyncEntry: read(2),
    poll: read(1),
    loop: count(ORDINARY, 1),
    polls: [read(1), count(FOREIGN, 1), count(LONG, 1)],
    begin: count(LONG, 3),
    temporary,
    initialise: `${hub}||${initialise}()`,
  };
}

/**
 * @param {Home} home
 * @param {ReturnType<typeof chooseNames>} names
 * @param {{ url?: string, line: number, column: number, root: string, positions: string,
 *   names: string, id?: string, temporary: boolean }} script  `id`: what the table is known by, if it is a file
 *   of its own (see js/positions/separate.js); `temporary`: whether the top-level code needs one
 * @returns {string} without line terminators
 */
export function makePrologue(home, { flags, hub, temporary, initialise }, script) {
  const { id } = script;
  const table = id ? `"${id}"` : `"${script.positions}",${quote(script.names)}`;
  const url = script.url === undefined ? '' : `u:${quote(script.url)},`;
  // Those of polls that count. Nobody else calls before there is a profiler.
  const getters = [0, 1, 3].map((kind) => `get ${READ_BY[kind]}(){h.p()}`).join();
  const define = home === 'global' ? `d("${hub}",h);` : '';
  // Without a prototype: a page may have put a `get` on all objects.
  const make = `${MARK},h=$[k],d=(k,value)=>$.Reflect.defineProperty($,k,{__proto__:null,value});` +
    'h||d(k,h={' +
    `c:new $.Int32Array($.SharedArrayBuffer?new $.SharedArrayBuffer(${CELLS * 4}):${CELLS}),` +
    `t:[],p(){let c=h.c;c[1]=c[2]=c[3]=${COUNTDOWN_MAX}},${getters}});` +
    // The engine's own error: what the page has made of Error may throw, or add frames to the stack.
    `try{null.x}catch(e){h.t.push({v:${id ? SEPARATE_TABLE : TABLE},e,l:${script.line},o:${script.column},${url}p,n})}` +
    `d("${flags}",h.c);${define}return h})(${script.root},${table})`;
  const variable = script.temporary ? `let ${temporary};` : '';
  switch (home) {
    case 'module':
      return `const ${hub}=${make};${variable}`;
    case 'cycle':
      return `var ${hub};function ${initialise}(){${hub}||(${hub}=${make})}${initialise}();${variable}`;
    case 'block':
      return `{const ${hub}=${make};`;
    default:
      return `{let ${hub}=${make}}`;
  }
}

/** Whether instrumented code begins at this offset. */
export function isPrologue(code, offset) {
  const at = code.indexOf(MARK, offset);
  return at >= 0 && at - offset < 200 && /^[\w\s${},;=(|&)]*$/.test(code.slice(offset, at));
}
