// Which realms there are: the windows of the page and of the windows that it has opened or that have opened
// it, and what their frames are attributed to.
//
// A window of another origin shows no more than its frames, one by one. What they lead to is of our own
// origin or folded into the outermost frame (c/memory/measurement.h).

import { NativeProxy, apply, getter, set } from './builtins.js';
import { hubOf } from './hub.js';
import { containerOf, documentOf, windowOf } from './realms-containers.js';
import { embeddingElements } from './realms-shadow.js';
import { WeakList } from './weak-list.js';

const frameElementOf = getter(globalThis, 'frameElement');
const openerOf = getter(globalThis, 'opener');
const isClosed = getter(globalThis, 'closed');

const NO_CONTAINER = { id: '', src: '' };

/** Calls f, and takes what cannot be reached for undefined. */
function attempt(f, argument) {
  try {
    return f(argument) ?? undefined;
  } catch {
    return undefined;
  }
}

// Not weakly: in Firefox a weak reference to a window does not outlast its navigation.
let opened = [];
const adopted = new WeakList();

/** The windows that this realm has opened, those that are closed left out, and from now on forgotten. */
export function openedWindows() {
  const living = [];
  for (let i = 0; i < opened.length; i++) {
    if (!attempt(isClosed, opened[i])) living[living.length] = opened[i];
  }
  opened = living;
  return living;
}

/** The elements of this realm whose frames have told of themselves. */
export const adoptedFrames = () => adopted.list();

/** A window that this one has opened. */
export function adoptWindow(window) {
  if (window && !has(openedWindows(), window)) opened[opened.length] = window;
}

/** A frame of this realm has a new document; its polyfill is the first to know. */
export function adoptFrame(element) {
  adopted.add(element);
  containerOf(element);
}

/** Wraps open(). */
export function wrapOpen() {
  set(globalThis, 'open', new NativeProxy(globalThis.open, {
    __proto__: null,
    apply(native, self, args) {
      const window = apply(native, self, args);
      attempt(adoptWindow, window);
      return window;
    },
  }));
}

/** Tells the windows around this one, and the one that has opened it, that it is there. */
export function announce() {
  attempt(() => hubOf(globalThis.parent).adoptFrame(frameElementOf(globalThis)));
  attempt(() => hubOf(openerOf(globalThis)).adoptWindow(globalThis));
}

function has(list, item) {
  for (let i = 0; i < list.length; i++) if (list[i] === item) return true;
  return false;
}

/** The frames of a window, in tree order, with what they are attributed to. */
async function framesOf(window, document) {
  const hub = hubOf(window);
  const elements = await embeddingElements(document, hub ? hub.closedRoots() : []);
  const adoptees = hub ? hub.adoptedFrames() : [];
  for (let i = 0; i < adoptees.length; i++) {
    if (!has(elements, adoptees[i])) elements[elements.length] = adoptees[i];
  }
  const snapshotOf = hub ? hub.containerOf : containerOf;
  const frames = [];
  const children = []; // by the index of their elements
  for (let i = 0; i < elements.length; i++) children[i] = windowOf(elements[i]);
  // <embed> does not tell its window, nor does <object> in Firefox if that is of another origin. The window
  // tells its element if it is of ours; for the others the elements that are left are as good as any.
  const strangers = [];
  for (let i = 0; attempt((at) => window[at], i); i++) {
    const child = window[i];
    if (has(children, child)) continue;
    const element = attempt(frameElementOf, child);
    let at = 0;
    while (at < elements.length && elements[at] !== element) at++;
    if (at < elements.length) children[at] = child;
    else strangers[strangers.length] = child;
  }
  for (let i = 0, next = 0; i < elements.length; i++) {
    const child = children[i] ?? strangers[next++];
    if (child) frames[frames.length] = { window: child, container: snapshotOf(elements[i]) };
  }
  return frames;
}

/**
 * Finds all realms of windows.
 * @returns {Promise<{ window: Window, parent: number, isSameOrigin: boolean, url: string, id: string,
 *   src: string }[]>} parents before their frames; parent: an index, or -1
 */
export async function findRealms() {
  const realms = [];

  async function visit(window, parent, { id, src }) {
    const document = documentOf(window);
    if (document === null || attempt(isClosed, window)) return;
    const isSameOrigin = document !== undefined;
    const url = isSameOrigin ? window.location.href : '';
    const number = realms.length;
    realms[number] = { window, parent, isSameOrigin, url, id, src };
    if (isSameOrigin) {
      const frames = await framesOf(window, document);
      for (let i = 0; i < frames.length; i++) await visit(frames[i].window, number, frames[i].container);
      return;
    }
    for (let i = 0; ; i++) {
      const child = attempt((at) => window[at], i);
      if (!child) return;
      await visit(child, number, NO_CONTAINER);
    }
  }

  const tops = [globalThis.top];
  for (let next = 0, known = 0; next < tops.length; next++) {
    await visit(tops[next], -1, NO_CONTAINER);
    for (; known < realms.length; known++) {
      const { window, isSameOrigin } = realms[known];
      if (!isSameOrigin) continue;
      const children = hubOf(window)?.openedWindows() ?? [];
      for (let i = -1; i < children.length; i++) {
        const top = attempt((other) => other.top, i < 0 ? attempt(openerOf, window) : children[i]);
        if (top && documentOf(top) && !has(tops, top)) tops[tops.length] = top;
      }
    }
  }
  return realms;
}
