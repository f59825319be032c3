// Events of ours, and what their dispatching leaves on the stack.

import { NativeError, apply, nativeDispatchEvent } from './builtins.js';
import { countFrames, lowerLimit, raiseLimit, readStack } from './stack.js';

let roots = 0;

/** How many frames at the root of every stack are ours now: those of an event being dispatched. */
export const countRoots = () => roots;

/**
 * Dispatches an event, so that the page's listeners run with our frames below theirs left out of
 * the stacks: all that is on the stack here.
 * @returns {boolean} false: a listener has called preventDefault()
 */
export function dispatch(target, event) {
  const before = roots;
  const limit = raiseLimit();
  const error = new NativeError();
  lowerLimit(limit);
  roots = countFrames(readStack(error));
  try {
    return apply(nativeDispatchEvent, target, [event]);
  } finally {
    roots = before;
  }
}
