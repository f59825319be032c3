// performance.measureUserAgentSpecificMemory(): who may call it, and how it refuses (rows 4 to 12).

import {
  NativeDOMException, NativePromise, NativeTypeError, apply, getter, rejectPromise,
} from './builtins.js';
import { measure } from './measure.js';
import { scope } from './scope.js';

const FAILED = "Failed to execute 'measureUserAgentSpecificMemory' on 'Performance': ";

const timeOriginOf = getter(globalThis.Performance?.prototype, 'timeOrigin');

/** The specification's "memory measurement allowed predicate"; undefined: it may, else why not. */
function findObstacle() {
  if (scope !== 'Window') return undefined;
  const { top } = globalThis;
  if (!top || !globalThis.document.defaultView) return 'is not supported in detached iframes.';
  try {
    if (top.document) return undefined;
  } catch {
    // another origin
  }
  return 'is not supported in cross-origin iframes.';
}

const refuse = (error) => rejectPromise(NativePromise, error);

export const { measureUserAgentSpecificMemory } = {
  measureUserAgentSpecificMemory() {
    try {
      timeOriginOf(this);
    } catch {
      return refuse(new NativeTypeError(`${FAILED}Illegal invocation`));
    }
    const obstacle = findObstacle();
    return obstacle ? refuse(new NativeDOMException(
      `${FAILED}performance.measureUserAgentSpecificMemory ${obstacle}`, 'SecurityError',
    )) : measure();
  },
};
