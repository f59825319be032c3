// Taking the stack of the running code, and reading its text.
//
// The error itself has to be made in the function that the page calls: then exactly one frame of
// ours is on top, whatever a bundler does to our helpers.

import {
  NativeError, apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, set,
} from './builtins.js';

// Native profilers keep 255 frames (conformance row 63). One more is our own, and one is the
// function that is dropped at an entry poll.
const FRAME_LIMIT = 257;
const SPIDERMONKEY_FRAME_LIMIT = 128; // whatever is asked for

// A text longer than this is no stack of at most 257 frames that anybody would want to see.
const TEXT_MAX = 1 << 20;

/**
 * Sets a property of the page's Error for a moment. Never throws: where the page has made it
 * read-only, the capture is shorter, and that is all.
 * @returns {PropertyDescriptor | null | undefined} what restore() takes; undefined: nothing done
 */
function replace(key, value) {
  try {
    const descriptor = getOwnPropertyDescriptor(NativeError, key);
    if (!descriptor || descriptor.writable) {
      // JavaScriptCore listens to assignments, but not to those that its compilers have made fast: after
      // some forty captures it would print no more than 100 frames. To Reflect.set() it always does.
      set(NativeError, key, value);
      return descriptor ?? null;
    }
    if (!descriptor.configurable) return undefined;
    const replacement = { value, writable: true, enumerable: true, configurable: true };
    return defineProperty(NativeError, key, replacement) ? descriptor : undefined;
  } catch {
    return undefined;
  }
}

function restore(key, descriptor) {
  if (descriptor === undefined) return;
  try {
    if (descriptor === null) deleteProperty(NativeError, key);
    else if (descriptor.writable) set(NativeError, key, descriptor.value);
    else defineProperty(NativeError, key, descriptor);
  } catch {
    // The page has frozen its Error in between: nothing is left to put back.
  }
}

/** Before `new NativeError()`: asks the engine for all the frames. Give the result to lowerLimit(). */
export const raiseLimit = () => replace('stackTraceLimit', FRAME_LIMIT);
export const lowerLimit = (before) => restore('stackTraceLimit', before);

// SpiderMonkey keeps the text behind an accessor that a page could replace.
const stackGetter = getOwnPropertyDescriptor(NativeError.prototype, 'stack')?.get;

/**
 * The text of a captured stack, formatted by the engine and not by the page's
 * `Error.prepareStackTrace`.
 * @returns {string | null} null: there is none that could be read
 */
export function readStack(error) {
  const before = getOwnPropertyDescriptor(NativeError, 'prepareStackTrace')
    ? replace('prepareStackTrace', undefined) : undefined;
  try {
    const text = stackGetter ? apply(stackGetter, error, []) : error.stack;
    return typeof text === 'string' && text.length <= TEXT_MAX ? text : null;
  } catch {
    return null;
  } finally {
    restore('prepareStackTrace', before);
  }
}

const V8 = 1, SPIDERMONKEY = 2, JAVASCRIPTCORE = 3; // as c/trace/stack_text.h numbers them

/** Which engine prints the stacks here, and how many frames it prints at most. */
export function detectEngine() {
  const before = raiseLimit();
  const error = new NativeError();
  lowerLimit(before);
  const text = readStack(error) ?? '';
  if (/^ {4}at /m.test(text)) return { engine: V8, frameLimit: FRAME_LIMIT };
  // SpiderMonkey ends every line with a newline, JavaScriptCore only separates them.
  return text.endsWith('\n')
    ? { engine: SPIDERMONKEY, frameLimit: SPIDERMONKEY_FRAME_LIMIT }
    : { engine: JAVASCRIPTCORE, frameLimit: FRAME_LIMIT };
}

/** The number of frames that a stack's text lists. */
export function countFrames(text) {
  let lines = 0;
  for (let at = 0; text && (at = text.indexOf('\n', at) + 1);) lines++;
  // SpiderMonkey ends lines, JavaScriptCore separates them, V8 has one more before the first.
  const separated = text && !text.endsWith('\n') && !text.startsWith('Error\n    at ');
  return separated ? lines + 1 : lines;
}
