/**
 * Function tables of texts: of large ones in a worker, so that the page's thread goes on meanwhile.
 *
 * The worker runs this very file (by its name it knows that it is one) as long as there is work, 20 s at
 * most. Where a page's policy refuses it, or it cannot be started for another reason, the page's thread
 * does with what it can do in half a second, and takes a rest between two texts.
 */
import { describe } from '../instrument/describe.js';

/* global __PROFILYFILL_FORMAT__ */

const NAME = 'profilyfill-positions';
const LARGE = 256_000; // characters, which take 0.1 s or so
const LARGE_HERE = 1_000_000; // without a worker
const TIME_MAX = 20_000; // ms that a worker may take
const SLICE = 50; // ms in one task of the page

// The script's address can be had only while it runs for the first time.
const own = globalThis.document?.currentScript?.src;

/** `null`: the text is no JavaScript, or instrumented. */
function read(code, place) {
  try {
    return describe(code, place);
  } catch {
    return null;
  }
}

if (!globalThis.document && globalThis.name === NAME) {
  onmessage = ({ data: { id, code, place } }) => postMessage({ id, table: read(code, place) });
}

let NativeWorker;

/** Tells the browser's own Worker, which the page may have wrapped by now. */
export const setWorker = (native) => { NativeWorker = native; };

function openWorker() {
  if (__PROFILYFILL_FORMAT__ === 'esm') {
    const { Worker: current } = globalThis;
    globalThis.Worker = NativeWorker;
    try {
      // As bundlers want to see it, to the letter.
      return new Worker(new URL('./profilyfill-positions.mjs', import.meta.url),
        { type: 'module', name: 'profilyfill-positions' });
    } finally {
      globalThis.Worker = current;
    }
  }
  if (new URL(own).origin === globalThis.origin) return new NativeWorker(own, { name: NAME });
  // From a CDN: workers have to be of this origin, what they import need not.
  const code = `importScripts(${JSON.stringify(own)})`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  const worker = new NativeWorker(url, { name: NAME });
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
  return worker;
}

const waiting = new Map(); // by number: what takes the answer
let count = 0;
let worker;
let timer = 0;
let isRefused = false;

/** Ends the worker; who still waits gets `answer`. */
function endWorker(answer) {
  clearTimeout(timer);
  worker?.terminate();
  worker = undefined;
  for (const resolve of waiting.values()) resolve(answer);
  waiting.clear();
}

function refuse() {
  isRefused = true;
  endWorker(undefined);
}

function startWorker() {
  worker = openWorker();
  timer = setTimeout(endWorker, TIME_MAX, null);
  worker.onmessage = ({ data: { id, table } }) => {
    waiting.get(id)(table);
    waiting.delete(id);
    if (waiting.size === 0) endWorker();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    refuse();
  };
}

/** As read(), by the worker; `undefined`: there is none. */
function ask(code, place) {
  return new Promise((resolve) => {
    waiting.set(++count, resolve);
    try {
      if (isRefused) throw new Error('refused before');
      if (!worker) startWorker();
      worker.postMessage({ id: count, code, place });
    } catch {
      refuse();
    }
  });
}

let spent = 0; // ms in the task that runs

/**
 * @param {string} code  JavaScript
 * @param {{ sourceType?: string, line?: number, column?: number }} place  see describe()
 * @param {AbortSignal} signal  nothing is begun after it; what a worker has begun it ends
 * @returns {Promise<ReturnType<typeof describe> | undefined>}  `null`: there is none to be had;
 *   `undefined`: not begun
 */
export async function makeTable(code, place, signal) {
  if (code.length > LARGE && !signal.aborted) {
    const answer = await ask(code, place);
    if (answer !== undefined) return answer;
    if (code.length > LARGE_HERE) return null;
  }
  if (spent > SLICE) {
    await new Promise((resolve) => { setTimeout(resolve); });
    spent = 0;
  }
  if (signal.aborted) return undefined;
  const start = performance.now();
  const table = read(code, place);
  spent += performance.now() - start;
  return table;
}
