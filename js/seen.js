// Whether the page runs as it likes, or is hidden (its timers come once a second or once a minute), frozen
// or kept for going back to. Browsers tell so before the first timer of what follows.

import { isHidden, listen, unlisten } from './builtins.js';

const EVENTS = ['pagehide', 'freeze', 'pageshow', 'resume', 'visibilitychange'];

let unseen = false;
let beforeChange;

function change(event, next) {
  if (!event.isTrusted) return;
  beforeChange();
  unseen = next;
}

const leave = (event) => change(event, true);
const look = (event) => change(event, isHidden());

/** Whether the page is one that may not run. Workers are not told: never. */
export const isUnseen = () => unseen;

/**
 * Watches the page until unwatchSeen().
 * @param {() => void} onChange called before the answer of isUnseen() may change
 */
export function watchSeen(onChange) {
  beforeChange = onChange;
  unseen = isHidden();
  for (let i = 0; i < EVENTS.length; i++) listen(EVENTS[i], i < 2 ? leave : look);
}

export function unwatchSeen() {
  for (let i = 0; i < EVENTS.length; i++) unlisten(EVENTS[i], i < 2 ? leave : look);
}
