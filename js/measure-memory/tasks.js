// Tasks of our own. Timers would be slowed down, and those of frameworks be noticed.

import {
  NativeMessageChannel, NativePromise, addListener, closePort, now, postToPort, setTimer, startPort,
} from './builtins.js';

const BLOCK = 4; // ms of work until the page is let have its turn

/** Resolves after so many ms. */
export const wait = (delay) => new NativePromise((resolve) => { setTimer(resolve, delay); });

/** Calls step(deadline) in blocks of a few ms until it returns true, with tasks of the page between them. */
export function inBlocks(step) {
  return new NativePromise((resolve, reject) => {
    const { port1, port2 } = new NativeMessageChannel();
    addListener(port1, 'message', () => {
      let isDone = true;
      try {
        isDone = step(now() + BLOCK);
        if (isDone) resolve();
        else postToPort(port2, 0);
      } catch (error) {
        reject(error);
      }
      if (isDone) closePort(port1);
    });
    startPort(port1);
    postToPort(port2, 0);
  });
}
