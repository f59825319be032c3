// Dedicated workers, from the inside: they say who they are, take the port that they are handed over, and
// answer what they and their own workers hold.

import {
  NativeBroadcastChannel, NativeProxy, addListener, apply, getter, postToPort, set, setTimer, startPort,
  stopPropagation, unbound,
} from './builtins.js';
import { settings } from './settings.js';
import { totalsOf } from './totals.js';
import { CHANNEL, askAll, livingWorkers } from './workers.js';

const { location, MessageEvent, name } = globalThis;
const dataOf = getter(MessageEvent?.prototype, 'data');
const portsOf = getter(MessageEvent?.prototype, 'ports');
const broadcast = unbound(NativeBroadcastChannel?.prototype.postMessage);
const closeChannel = unbound(NativeBroadcastChannel?.prototype.close);

const SIGNS = 4; // in the time that the other side waits for one

/** Answers one question; the other side waits for so many ms. */
async function answer(port, timeout) {
  let isDone = false;
  (function sign() {
    if (isDone) return;
    postToPort(port, undefined); // at it
    setTimer(sign, timeout / SIGNS);
  })();
  settings.workerTimeout = timeout;
  try {
    const asked = askAll(livingWorkers());
    const totals = await totalsOf([{ global: globalThis }]);
    postToPort(port, { url: location.href, totals, workers: await asked });
  } finally {
    isDone = true;
  }
}

function meet(port) {
  addListener(port, 'message', (event) => {
    answer(portsOf(event)[0], dataOf(event)).catch(() => {}); // nobody is waiting any more
  });
  startPort(port);
  const { close } = globalThis;
  set(globalThis, 'close', new NativeProxy(close, {
    __proto__: null,
    apply(native, self, args) {
      postToPort(port, undefined);
      return apply(native, self, args);
    },
  }));
}

/** Lets the page that has made this worker know that it can be asked. */
export function announceWorker() {
  if (!NativeBroadcastChannel) return;
  const hear = (event) => {
    if (dataOf(event) !== CHANNEL) return;
    const ports = portsOf(event);
    if (!ports.length) return;
    stopPropagation(event);
    meet(ports[0]);
  };
  // Before listeners that have been there longer.
  addListener(globalThis, 'message', hear, true);
  const channel = new NativeBroadcastChannel(CHANNEL);
  broadcast(channel, { url: location.href, name });
  closeChannel(channel);
}
