// Option `workers`: dedicated workers get a Profiler without their code being changed.
//
// A worker is started from a short script of ours, which loads profilyfill-worker.js (made of
// js/worker.js) and then the worker's own script:
//
//   classic   (i=>{i("…/profilyfill-worker.js");i("…/own.js")})(importScripts)
//   module    import"…/profilyfill-worker.js";import"…/own.js"
//
// It is a blob: URL; for workers from data: URLs, whose origin is their own, a data: URL. Behind its `#`
// is what profilyfill-worker.js has to know. This way of starting leaves the worker's script its URL,
// its errors and the messages that were posted before it ran. What changes is the URL of the global;
// js/worker-scope.js puts that right.
//
// Whether the page's policy allows all that turns out by trying only. So the first worker of a kind is
// the try: what the page posts to it is kept until it has answered. If it fails, the worker is started
// again as the page has asked, behind the object that the page holds, and that kind of workers is not
// touched any more.

import { NativeEvent, apply, deleteProperty, setTimer } from './builtins.js';
import { addressOf } from './beside.js';
import { dispatch } from './dispatch.js';

/* global __PROFILYFILL_FORMAT__ */

// As they were when this module was loaded: a page may patch them.
const {
  Blob: NativeBlob, Proxy: NativeProxy, URL: NativeURL, document, encodeURIComponent: encode, location,
  origin, structuredClone: clone,
} = globalThis;
const { stringify } = JSON;
const { construct, set } = Reflect;
const { createObjectURL, revokeObjectURL } = NativeURL;
const { addEventListener } = EventTarget.prototype;

const REVOKE_DELAY = 10_000; // ms: by then a worker has read its script

// Workers that were started to find out: what their methods do until it is known. Not own properties of
// theirs: subclasses and pages have methods of their own around these.
const holds = new WeakMap();
const { get: getHold, set: setHold, delete: deleteHold } = WeakMap.prototype;
let nativePost;

let told; // the options that workers inherit
const works = { __proto__: null }; // by kind: whether our start does; undefined: not known yet
const used = { __proto__: null }; // blob: URLs that workers were started from

const resolve = (url) => new NativeURL(url, document ? document.baseURI : location?.href);

const revokeLater = (url) => setTimer(() => revokeObjectURL(url), REVOKE_DELAY);

/**
 * The absolute address of profilyfill-worker.js.
 * @param {true | string} address as install() is told
 * @returns {string | undefined} undefined: it is none, or not known to this build
 */
export function findAddress(address) {
  try {
    if (address !== true) return resolve(address).href;
  } catch {
    return undefined;
  }
  if (__PROFILYFILL_FORMAT__ === 'iife') return addressOf('profilyfill-worker.js');
  // As bundlers want to see it, to the letter. CommonJS knows no such thing.
  return __PROFILYFILL_FORMAT__ === 'esm'
    ? new URL('../profilyfill-worker.js', import.meta.url).href : undefined;
}

/**
 * Keeps what is posted to a worker until it is known whether that runs.
 * @returns {(isRunning: boolean) => void} takes that; false: `other()` makes the one to post to
 */
function hold(worker, other) {
  const kept = [];
  let target; // of what is posted
  let isEnded;
  apply(setHold, holds, [worker, {
    postMessage(native, args) {
      if (target) return apply(native, target, args);
      const data = args[0];
      const options = args[1];
      const transfer = (options?.[Symbol.iterator] ? options : options?.transfer) ?? [];
      // As it is now, and what is transferred is gone from here now.
      kept[kept.length] = clone([data, transfer], { transfer });
    },
    terminate(native) {
      isEnded = true;
      apply(native, target ?? worker, []);
    },
  }]);
  return (isRunning) => {
    target = isRunning || isEnded ? worker : other();
    if (isRunning) apply(deleteHold, holds, [worker]);
    for (let i = 0; i < kept.length; i++) apply(nativePost, target, kept[i]);
  };
}

function start(Native, args, newTarget) {
  const asAsked = () => construct(Native, args, newTarget);
  const [address, options] = args;
  const type = `${options?.type ?? 'classic'}`;
  let url;
  try {
    url = resolve(address);
  } catch {
    return asAsked();
  }
  const { href, protocol } = url;
  const isData = protocol === 'data:';
  const kind = type + isData;
  // The browser takes none of another origin, and what is on a disk may import nothing.
  if (!args.length || !clone || works[kind] === false ||
      !isData && (url.origin !== origin || protocol === 'file:')) return asAsked();

  const ours = stringify(told.workers);
  const theirs = stringify(href);
  const code = type === 'module' ? `import${ours};import${theirs}`
    : `(i=>{i(${ours});i(${theirs})})(importScripts)`;
  const script = isData ? `data:text/javascript,${encode(code)}`
    : createObjectURL(new NativeBlob([code], { type: 'text/javascript' }));
  const started = `${script}#${encode(stringify([href, told]))}`;
  if (!isData) revokeLater(script);
  let worker;
  try {
    worker = construct(Native, [started, options], newTarget);
  } catch {
    worker = asAsked(); // throws if it was the page's mistake
    works[kind] = false;
    return worker;
  }
  if (protocol === 'blob:') used[href] = true;

  let settle = works[kind] ? undefined : hold(worker, () => {
    const other = construct(Native, args);
    other.onmessage = other.onmessageerror = other.onerror = (event) => {
      if (!dispatch(worker, new event.constructor(event.type, event))) event.preventDefault();
    };
    return other;
  });
  const answer = (isRunning) => {
    works[kind] = isRunning;
    settle?.(isRunning);
    settle = undefined;
  };
  const hear = (name) => apply(addEventListener, worker, [name, (event) => {
    const { data, filename } = event;
    const isRunning = data === started;
    // An error in our script is that of loading theirs, of which a native event says nothing.
    const isLoading = name === 'error' && !settle && (filename === script || filename === started);
    if (!isRunning && !isLoading && !(name === 'error' && settle)) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    if (isLoading) return void dispatch(worker, new NativeEvent(name));
    answer(isRunning);
  }]);
  hear('message');
  hear('error');
  return worker;
}

/**
 * Wraps the global's Worker.
 * @param {object} options of install(), for the workers; `workers` is the address of
 *   profilyfill-worker.js
 */
export function wrapWorkers(options) {
  const { Worker: Native } = globalThis;
  const isWrapped = told;
  told = options;
  if (isWrapped || !Native) return;
  const Wrapped = new NativeProxy(Native, { __proto__: null, construct: start });
  set(globalThis, 'Worker', Wrapped);
  set(Native.prototype, 'constructor', Wrapped);
  nativePost = Native.prototype.postMessage;
  for (const name of ['postMessage', 'terminate']) {
    set(Native.prototype, name, new NativeProxy(Native.prototype[name], {
      __proto__: null,
      apply(native, self, args) {
        const held = apply(getHold, holds, [self]);
        return held ? held[name](native, args) : apply(native, self, args);
      },
    }));
  }
  // Often revoked as soon as the worker is made, which natively has read it by then.
  set(NativeURL, 'revokeObjectURL', new NativeProxy(revokeObjectURL, {
    __proto__: null,
    apply(revoke, self, args) {
      const [url] = args;
      if (!used[url]) return apply(revoke, self, args);
      deleteProperty(used, url);
      revokeLater(url);
    },
  }));
}
