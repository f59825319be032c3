// Whether the page is seen. One that is not has its timers once a second or once a minute; it may be
// frozen, and be kept for going back to. In all engines one event tells where this begins, and where it
// ends, before the first timer that comes late. Workers hear nothing of it.

import { apply, getOwnPropertyDescriptor } from './builtins.js';

const { Document, document } = globalThis;
const { addEventListener, removeEventListener } = EventTarget.prototype;
const hidden = Document && getOwnPropertyDescriptor(Document.prototype, 'hidden').get;

let unseen = false;
let beforeChange;

function look() {
  beforeChange();
  unseen = apply(hidden, document, []);
}

/** Calls a method of the window with the event and who hears it, before the page's own listeners. */
const call = (method) => {
  if (hidden) apply(method, globalThis, ['visibilitychange', look, true]);
};

/** Whether the page is hidden, frozen or left. */
export const isUnseen = () => unseen;

/**
 * Watches the page until unwatchSeen().
 * @param {() => void} onChange called before the answer of isUnseen() may change; also at once
 */
export function watchSeen(onChange) {
  beforeChange = onChange;
  if (hidden) look();
  call(addEventListener);
}

export const unwatchSeen = () => call(removeEventListener);
