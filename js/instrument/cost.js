/**
 * What code costs, as far as its text tells. Times are in ns of compiled code, and rough: they decide where
 * polls are worth their own time. A wrong one costs speed or sharpness, never correctness.
 */

/**
 * A segment that takes less, in ns, needs no poll at its end: it becomes part of the one that follows. What
 * optimising engines inline takes less than its text tells, and segments of a few ns, each too short to
 * matter, add up to a third of the time of code that calls much: on d3-force, React, a ray tracer, lodash,
 * RxJS and Immutable (Chromium, isolated), the ratio to a perfect sampler is 0.83 where 8 ns are enough, and
 * 0.91 where 2 are, at the same cost, within what can be measured (1.29).
 */
export const ENOUGH = { high: 1, normal: 2, low: 30 };

const UNKNOWN_CALL = 15;
const SLOW_CALL = 200;

const OTHER = 0.5;
const NODES = {
  __proto__: null,
  ArrayExpression: 10,
  ArrayPattern: 20,
  ArrowFunctionExpression: 8,
  AssignmentExpression: 0.5,
  AwaitExpression: 50,
  BinaryExpression: 0.6,
  BlockStatement: 0,
  CallExpression: 3,
  ClassDeclaration: 300,
  ClassExpression: 300,
  ExpressionStatement: 0,
  ForInStatement: 50,
  ForOfStatement: 15,
  FunctionDeclaration: 8,
  FunctionExpression: 8,
  Identifier: 0.2,
  ImportExpression: 1000,
  Literal: 0.2,
  MemberExpression: 0.8,
  NewExpression: 12,
  ObjectExpression: 12,
  ObjectPattern: 2,
  RestElement: 20,
  SpreadElement: 40,
  SwitchStatement: 2,
  TaggedTemplateExpression: 30,
  TemplateLiteral: 15,
  ThisExpression: 0.1,
  ThrowStatement: 200,
  VariableDeclaration: 0,
  VariableDeclarator: 0.2,
  YieldExpression: 20,
};

// Which calls may take long by themselves: they get a poll of their own behind them, which counts down a
// cell of its own (js/polls.js).

/** Cells of the countdowns (js/hub.js). */
export const ORDINARY = 0; // loops, entries and exits; calls of functions that are polled themselves
export const FOREIGN = 1; // code that is not in this file, built-ins and the DOM where they may take a while
export const LONG = 2; // built-ins whose shortest run costs as much as reading a clock, or that often take ms

// Reading one of these properties of an element may lay out the page, or write out a tree; setting one
// may read a text and build a tree.
const SLOW_PROPERTIES = new Set((
  'clientHeight clientLeft clientTop clientWidth innerHTML innerText offsetHeight offsetLeft offsetParent ' +
  'offsetTop offsetWidth outerHTML scrollHeight scrollLeft scrollTop scrollWidth'
).split(' '));
const SLOW_SETTERS = new Set(['innerText', 'textContent']);
const LONG_SETTERS = new Set(['innerHTML', 'outerHTML', 'srcdoc']);

/** Whether a property may take long to read. */
export const isSlowRead = ({ type, computed, property }) =>
  type === 'MemberExpression' && !computed && SLOW_PROPERTIES.has(property.name);

/** The kind of segment of an expression that sets a property. */
export function classifyWrite({ type, left }) {
  if (type !== 'AssignmentExpression' || left.type !== 'MemberExpression' || left.computed) return ORDINARY;
  if (LONG_SETTERS.has(left.property.name)) return LONG;
  return SLOW_SETTERS.has(left.property.name) ? FOREIGN : ORDINARY;
}

/** Of a node without those within it. Asked for every node twice, so it reads of each what its type has. */
export function timeOfNode(node) {
  const { type } = node;
  switch (type) {
    case 'MemberExpression':
      return isSlowRead(node) ? SLOW_CALL : NODES.MemberExpression;
    case 'AssignmentExpression':
      return classifyWrite(node) === ORDINARY ? NODES.AssignmentExpression : SLOW_CALL;
    case 'UnaryExpression':
      return node.operator === 'delete' ? 30 : OTHER;
    case 'BinaryExpression':
      return node.operator === 'in' ? 8 : NODES.BinaryExpression;
    default:
      return NODES[type] ?? OTHER;
  }
}

// Constructors and functions of the language and of timers: nanoseconds, whatever the arguments.
const QUICK = new Set((
  'AbortController AggregateError Array ArrayBuffer BigInt Boolean DataView Date Error Event ' +
  'CustomEvent EvalError FinalizationRegistry Float32Array Float64Array Int16Array Int32Array ' +
  'Int8Array Map Number Object Promise Proxy RangeError ReferenceError RegExp Set String Symbol ' +
  'SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap ' +
  'WeakRef WeakSet cancelAnimationFrame clearInterval clearTimeout decodeURIComponent ' +
  'encodeURIComponent escape isFinite isNaN parseFloat parseInt queueMicrotask ' +
  'requestAnimationFrame setInterval setTimeout unescape'
).split(' '));

// Not calls of functions, or not to be touched: `eval` sees the variables around it.
const APART = new Set(['eval', 'require', 'define', 'importScripts']);

const QUICK_OBJECTS = new Set(['Math', 'Number', 'Reflect', 'Symbol', 'performance', 'Date']);

// Methods of built-ins and of the DOM that can take milliseconds, by name: whose they are the text
// does not say.
const SLOW_METHODS = new Set((
  'append appendChild cloneNode compile exec fillText focus formatToParts importNode insertBefore ' +
  'localeCompare match matchAll measureText normalize postMessage prepend querySelector removeChild ' +
  'replace replaceAll replaceChild replaceChildren search setAttribute split test toLocaleString'
).split(' '));

// Those that most often do.
const LONG_METHODS = new Set((
  'decode drawImage encode getBoundingClientRect getComputedStyle getImageData insertAdjacentHTML ' +
  'putImageData querySelectorAll scrollIntoView scrollTo sort toDataURL toSorted'
).split(' '));


// Methods of built-ins whose time is a matter of nanoseconds, and of some tens of them.
const LITTLE = new Set((
  'at charAt charCodeAt codePointAt fromCharCode hasOwnProperty isArray next pop push'
).split(' '));
const SOME = new Set((
  'add apply assign bind concat copyWithin create defineProperty delete endsWith entries every fill ' +
  'filter find findIndex flat flatMap forEach freeze from fromEntries get getOwnPropertyDescriptor ' +
  'getOwnPropertyNames getOwnPropertySymbols getPrototypeOf has includes indexOf join keys lastIndexOf ' +
  'map of ownKeys padEnd padStart parseFloat parseInt reduce reduceRight repeat reverse set ' +
  'setPrototypeOf shift slice some splice startsWith subarray substr substring toFixed toLowerCase ' +
  'toString toUpperCase trim unshift values'
).split(' '));

/** Methods that the language brings along, whatever else has their names. */
export const BUILT_IN = new Set([...LITTLE, ...SOME, ...SLOW_METHODS, ...LONG_METHODS]);

/** Of a call, but for the code around it, where nothing is known of what is called but its name. */
export function timeByName(node, declared) {
  const { callee } = node;
  // Whatever a class extends, it may be an error, which captures a stack.
  if (callee.type === 'Super' || classify(node, declared) !== ORDINARY) return SLOW_CALL;
  if (callee.type === 'Identifier') {
    if (declared.has(callee.name)) return UNKNOWN_CALL;
    return callee.name.endsWith('Error') ? SLOW_CALL : 30;
  }
  if (callee.type !== 'MemberExpression' || callee.computed) return UNKNOWN_CALL;
  const { object, property } = callee;
  if (object.type === 'Identifier' && object.name === 'Math' && !declared.has('Math')) return 1;
  if (LITTLE.has(property.name)) return 5;
  return SOME.has(property.name) ? 30 : UNKNOWN_CALL;
}

const LONG_FUNCTIONS = new Set(['structuredClone', 'atob', 'btoa', 'alert', 'confirm', 'prompt']);

/**
 * @param {import('acorn').CallExpression | import('acorn').NewExpression} node
 * @param {Set<string>} declared  every name that is declared anywhere in the file
 * @returns {0 | 1 | 2} a cell
 */
export function classify({ callee }, declared) {
  if (callee.type === 'Identifier') {
    const { name } = callee;
    if (declared.has(name) || APART.has(name) || QUICK.has(name)) return ORDINARY;
    return LONG_FUNCTIONS.has(name) ? LONG : FOREIGN;
  }
  if (callee.type !== 'MemberExpression' || callee.computed) return ORDINARY;
  const { object, property } = callee;
  if (object.type === 'Identifier' && !declared.has(object.name)) {
    if (object.name === 'JSON') return LONG;
    if (QUICK_OBJECTS.has(object.name)) return ORDINARY;
  }
  if (LONG_METHODS.has(property.name)) return LONG;
  return SLOW_METHODS.has(property.name) ? FOREIGN : ORDINARY;
}
