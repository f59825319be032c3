/**
 * Which calls may take long by themselves, as far as their text tells: they get a poll of their own
 * behind them, which counts down a cell of its own (js/polls.js). A guess that is wrong costs
 * clock reads or sharpness, never correctness.
 */

/** Cells of the countdowns (js/hub.js). */
export const ORDINARY = 0; // loops, entries and exits; calls of functions that are polled themselves
export const FOREIGN = 1; // code that is not in this file, built-ins that may take a while
export const LONG = 2; // built-ins whose shortest run costs as much as reading a clock

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
  return SLOW_METHODS.has(property.name) ? FOREIGN : ORDINARY;
}
