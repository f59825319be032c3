// What frames are attributed to: the attributes of their elements as they were when the frame's document
// was created (rows 35 to 43).
//
// A frame's load event tells of a new document, and so does, where that may be looked at, another
// `contentDocument`. Attributes that change before the event has come are put right by the record of
// the change, which holds the old value.

import {
  NativeMutationObserver, NativeWeakMap, NativeWeakRef, addListener, deref, getter, unbound, weakGet,
  weakSet,
} from './builtins.js';
import { hubOf } from './hub.js';

const {
  Document, DocumentFragment, Element, Event, HTMLFrameElement, HTMLIFrameElement, HTMLObjectElement,
  MutationRecord,
} = globalThis;

const getAttribute = unbound(Element?.prototype.getAttribute);
const localName = getter(Element?.prototype, 'localName');
const queryDocument = unbound(Document?.prototype.querySelectorAll);
const queryFragment = unbound(DocumentFragment?.prototype.querySelectorAll);
const targetOf = getter(Event?.prototype, 'target');
const observe = unbound(NativeMutationObserver?.prototype.observe);
const recordTarget = getter(MutationRecord?.prototype, 'target');
const recordName = getter(MutationRecord?.prototype, 'attributeName');
const recordOld = getter(MutationRecord?.prototype, 'oldValue');

const windowGetters = {
  __proto__: null,
  iframe: getter(HTMLIFrameElement?.prototype, 'contentWindow'),
  frame: getter(HTMLFrameElement?.prototype, 'contentWindow'),
  object: getter(HTMLObjectElement?.prototype, 'contentWindow'),
  embed: () => null, // which has none
};

const snapshots = new NativeWeakMap(); // element -> { document: WeakRef, id, src }
const watched = new NativeWeakMap(); // documents -> true

/** 'iframe', 'frame', 'object' or 'embed'; undefined: no element that contains a frame. */
function kindOf(element) {
  try {
    const name = localName(element);
    return windowGetters[name] && name;
  } catch {
    return undefined; // a document or a window
  }
}

/** The window of a frame's element; null: it has none, or does not tell. */
export function windowOf(element) {
  try {
    return windowGetters[localName(element)](element);
  } catch {
    return null; // of another namespace
  }
}

/** The document of a window; undefined: it is of another origin, null: it has gone. */
export function documentOf(window) {
  try {
    return window?.document;
  } catch {
    return undefined;
  }
}

function take(element, changed, oldValue) {
  const source = localName(element) === 'object' ? 'data' : 'src';
  const read = (name) => (name === changed ? oldValue : getAttribute(element, name)) ?? '';
  const document = documentOf(windowOf(element));
  const snapshot = {
    document: document ? new NativeWeakRef(document) : undefined, id: read('id'), src: read(source),
  };
  weakSet(snapshots, element, snapshot);
  return snapshot;
}

/** Whether a frame has another document than when its snapshot was taken. */
function isOutdated(element) {
  const snapshot = weakGet(snapshots, element);
  const { document } = snapshot ?? {};
  return !snapshot || (document ? deref(document) : undefined) !== documentOf(windowOf(element));
}

/** The container that a frame is attributed to. */
export const containerOf = (element) => (isOutdated(element) ? take(element) : weakGet(snapshots, element));

/** All elements below a document or a shadow root that may contain frames, in tree order. */
export function frameElements(root) {
  const selector = 'iframe,frame,object,embed';
  try {
    return queryDocument(root, selector);
  } catch {
    return queryFragment(root, selector);
  }
}

function watchInside(element) {
  const window = windowOf(element);
  if (!hubOf(window)) watch(documentOf(window));
}

function onLoad(event) {
  const element = targetOf(event);
  if (!kindOf(element)) return;
  // The documents of other origins are all undefined to us: every load is that of a new one.
  if (isOutdated(element) || !documentOf(windowOf(element))) take(element);
  watchInside(element);
}

function onChanges(records) {
  for (let i = 0; i < records.length; i++) {
    const element = recordTarget(records[i]);
    if (kindOf(element) && isOutdated(element)) take(element, recordName(records[i]), recordOld(records[i]));
  }
}

const observer = NativeMutationObserver && new NativeMutationObserver(onChanges);

/** Takes snapshots of the frames of a shadow tree when they are loaded: that event does not leave it. */
export const watchShadow = (root) => addListener(root, 'load', onLoad, true);

/** Takes snapshots of the frames of a document, from now on. */
export function watch(document) {
  if (!document || weakGet(watched, document)) return;
  weakSet(watched, document, true);
  addListener(document, 'load', onLoad, true);
  observe(observer, document, {
    __proto__: null, subtree: true, attributeFilter: ['id', 'src', 'data'], attributeOldValue: true,
  });
  const elements = frameElements(document);
  for (let i = 0; i < elements.length; i++) {
    containerOf(elements[i]);
    watchInside(elements[i]);
  }
}
