// Tasks of our own. Timers would be slowed down, and those of frameworks be noticed.

import {
  NativeMessageChannel, NativePromise, addListener, closePort, now, postToPort, setTimer, startPort,
} from './builtins.js';

const BLOCK = 3; // ms of work until the page is let have its turn: a collection of garbage comes on top

let deadline = 0; // of the task at hand

/** Resolves after so many ms. */
export const wait = (delay) => new NativePromise((resolve) => {
  setTimer(() => {
    deadline = now() + BLOCK;
    resolve();
  }, delay);
});

/**
 * Calls step(deadline) until it returns true, in blocks of a few ms with tasks of the page between them. It
 * begins at once if there is time left in the task at hand: to post a message to oneself takes WebKit as long
 * as many a walk.
 */
export function inBlocks(step) {
  return new NativePromise((resolve, reject) => {
    let channel;
    let work = step; // no longer than it takes: browsers keep the ports of a channel for a while
    const next = () => {
      if (!channel) {
        channel = new NativeMessageChannel();
        addListener(channel.port1, 'message', () => {
          deadline = now() + BLOCK;
          run();
        });
        startPort(channel.port1);
      }
      postToPort(channel.port2, 0);
    };
    const run = () => {
      try {
        if (!work(deadline)) return next();
        resolve();
      } catch (error) {
        reject(error);
      }
      work = undefined;
      if (channel) closePort(channel.port1);
      return undefined;
    };
    if (now() < deadline) run();
    else next();
  });
}
