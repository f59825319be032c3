/**
 * What kind of segment a call makes, as far as its text tells: js/countdown.js watches the kinds at
 * different paces. A guess that is wrong costs clock reads or sharpness, never correctness.
 */

/** Cells of the countdowns (js/hub.js). */
export const NO_CALLS = 0;
export const CALLS = 1; // functions, most of them polled themselves
export const FOREIGN = 2; // code that is not in this file, built-ins that may take a while
export const LONG = 3; // built-ins whose shortest run costs as much as reading a clock

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
  'append appendChild cloneNode compile decode drawImage encode exec fillText focus formatToParts ' +
  'getBoundingClientRect getComputedStyle getImageData importNode insertAdjacentHTML insertBefore ' +
  'localeCompare match matchAll measureText normalize postMessage prepend putImageData ' +
  'querySelector querySelectorAll removeChild replace replaceAll replaceChild replaceChildren ' +
  'scrollIntoView scrollTo search setAttribute sort split test toDataURL toLocaleString toSorted'
).split(' '));

const LONG_FUNCTIONS = new Set(['structuredClone', 'atob', 'btoa', 'alert', 'confirm', 'prompt']);

/**
 * @param {import('acorn').CallExpression | import('acorn').NewExpression} node
 * @param {Set<string>} declared  every name that is declared anywhere in the file
 * @returns {0 | 1 | 2 | 3} a cell
 */
export function classify({ callee }, declared) {
  if (callee.type === 'Identifier') {
    const { name } = callee;
    if (declared.has(name) || APART.has(name)) return CALLS;
    if (QUICK.has(name)) return NO_CALLS;
    return LONG_FUNCTIONS.has(name) ? LONG : FOREIGN;
  }
  if (callee.type !== 'MemberExpression' || callee.computed) return CALLS;
  const { object, property } = callee;
  if (object.type === 'Identifier' && !declared.has(object.name)) {
    if (object.name === 'JSON') return LONG;
    if (QUICK_OBJECTS.has(object.name)) return NO_CALLS;
  }
  return SLOW_METHODS.has(property.name) ? FOREIGN : CALLS;
}
