// Dedicated workers, from the side of who makes them: which there are, and what they say that they hold.
//
// A worker is asked through a port of its own, which it is handed over in a message that the polyfill in
// it swallows. A worker without the polyfill would take that for a message of the page, so none is sent
// before the polyfill of a worker with that URL and name has announced itself, on a BroadcastChannel: it
// cannot reach its page in any other way that the page would not notice, either.

import {
  NativeBroadcastChannel, NativeMessageChannel, NativeProxy, NativeURL, NativeWeakRef, absoluteNow,
  addListener, apply, closePort, construct, deref, getter, postToPort, set, startPort, unbound,
} from './builtins.js';
import { settings } from './settings.js';
import { wait } from './tasks.js';

/** The channel of announcements, `{ url, name }`, and the mark of the message with the port. */
export const CHANNEL = 'profilyfill.measure-memory';

const POLL = 20; // ms

const { document, decodeURIComponent: decode, location } = globalThis;
const { parse } = JSON;
const dataOf = getter(globalThis.MessageEvent?.prototype, 'data');
const postToWorker = unbound(globalThis.Worker?.prototype.postMessage);
const closeChannel = unbound(NativeBroadcastChannel?.prototype.close);

/**
 * A worker that was made here.
 * @typedef {object} Made
 * @property {WeakRef<Worker>} worker
 * @property {string} url
 * @property {string} name
 * @property {number} born when, by absoluteNow()
 * @property {MessagePort} [port] to its polyfill, which is there
 * @property {boolean} isEnded
 */

/** @type {Made[]} */
let made = [];
let channel;

/** The workers of this realm that may be alive. */
export function livingWorkers() {
  const living = [];
  for (let i = 0; i < made.length; i++) {
    if (!made[i].isEnded && deref(made[i].worker)) living[living.length] = made[i];
  }
  made = living;
  return living;
}

function handOver(entry) {
  const { port1, port2 } = new NativeMessageChannel();
  entry.port = port1;
  addListener(port1, 'message', () => { entry.isEnded = true; }); // all that it says by itself is goodbye
  startPort(port1);
  postToWorker(deref(entry.worker), CHANNEL, [port2]);
}

function hear(event) {
  const { url, name } = dataOf(event);
  const living = livingWorkers();
  let isComplete = true;
  for (let i = 0; i < living.length; i++) {
    const entry = living[i];
    if (!entry.port && entry.url === url && entry.name === name) handOver(entry);
    isComplete &&= entry.port !== undefined;
  }
  if (isComplete) silence();
}

/** Listens as long as there are workers that may yet announce themselves: it keeps pages from being kept. */
function listen() {
  if (channel || !NativeBroadcastChannel) return;
  channel = new NativeBroadcastChannel(CHANNEL);
  addListener(channel, 'message', hear);
}

function silence() {
  if (channel) closeChannel(channel);
  channel = undefined;
}

function hasSilent() {
  const living = livingWorkers();
  for (let i = 0; i < living.length; i++) if (!living[i].port) return true;
  return false;
}

/** The URL that a worker is told; js/workers.js starts workers from scripts that have it behind their `#`. */
function addressOf(address) {
  const url = new NativeURL(address, document ? document.baseURI : location.href);
  if (url.protocol === 'blob:' || url.protocol === 'data:') {
    try {
      const [real] = parse(decode(url.hash.slice(1)));
      if (typeof real === 'string') return real;
    } catch {
      // one of the page's own
    }
  }
  return url.href;
}

function note(worker, [address, options]) {
  const entry = {
    worker: new NativeWeakRef(worker), url: addressOf(address), name: `${options?.name ?? ''}`,
    born: absoluteNow(), port: undefined, isEnded: false,
  };
  // An event without message: the script could not be loaded.
  addListener(worker, 'error', (event) => {
    if (!('message' in event)) entry.isEnded = true;
  });
  livingWorkers();
  made[made.length] = entry;
  listen();
}

/** Wraps the global's Worker. */
export function wrapWorkers() {
  const { Worker: Native } = globalThis;
  if (!Native) return;
  const Wrapped = new NativeProxy(Native, {
    __proto__: null,
    construct(target, args, newTarget) {
      const worker = construct(target, args, newTarget);
      try {
        note(worker, args);
      } catch {
        // Whatever the page has broken: the worker is there.
      }
      return worker;
    },
  });
  set(globalThis, 'Worker', Wrapped);
  set(Native.prototype, 'constructor', Wrapped);
  set(Native.prototype, 'terminate', new NativeProxy(Native.prototype.terminate, {
    __proto__: null,
    apply(native, self, args) {
      for (let i = 0; i < made.length; i++) if (deref(made[i].worker) === self) made[i].isEnded = true;
      return apply(native, self, args);
    },
  }));
  if (!document) return;
  addListener(globalThis, 'pagehide', silence);
  addListener(globalThis, 'pageshow', () => { if (hasSilent()) listen(); });
}

/**
 * What a worker says that it and its own workers hold.
 * @param {Made} entry of this realm or another
 * @returns {Promise<Report | undefined>} undefined: it has ended
 * @typedef {{ url: string, totals: { type: string, bytes: number }[], workers: Report[] }} Report
 *   without totals: it has not answered in time
 */
export async function ask(entry) {
  const { workerTimeout } = settings;
  let lastSign = entry.born;
  while (!entry.port && !entry.isEnded && absoluteNow() < lastSign + workerTimeout) await wait(POLL);
  let report = { url: entry.url, totals: [], workers: [] };
  if (entry.port && !entry.isEnded) {
    const { port1, port2 } = new NativeMessageChannel();
    let answer;
    addListener(port1, 'message', (event) => {
      lastSign = absoluteNow();
      answer = dataOf(event); // undefined: it is at it
    });
    startPort(port1);
    lastSign = absoluteNow();
    postToPort(entry.port, workerTimeout, [port2]);
    while (!answer && !entry.isEnded && absoluteNow() < lastSign + workerTimeout) await wait(POLL);
    closePort(port1);
    report = answer ?? report;
  }
  return entry.isEnded ? undefined : report;
}

/**
 * Asks many at a time.
 * @param {Made[]} entries
 * @returns {Promise<Report[]>} in the same order, without those that have ended
 */
export async function askAll(entries) {
  const asked = [];
  for (let i = 0; i < entries.length; i++) asked[i] = ask(entries[i]);
  const reports = [];
  for (let i = 0; i < asked.length; i++) {
    const report = await asked[i];
    if (report) reports[reports.length] = report;
  }
  return reports;
}
