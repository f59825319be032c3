// Frames in shadow trees: they are in no `window.length`, and no query finds them.
//
// Open shadow roots are found by looking at all elements; closed ones are remembered when they are
// attached, or tell of themselves by the polyfill of a frame in them.

import { NativeProxy, apply, getter, now, set, unbound } from './builtins.js';
import { frameElements, watchShadow } from './realms-containers.js';
import { inBlocks } from './tasks.js';
import { WeakList } from './weak-list.js';

const { Document, Element, ShadowRoot, TreeWalker } = globalThis;

const createTreeWalker = unbound(Document?.prototype.createTreeWalker);
const nextNode = unbound(TreeWalker?.prototype.nextNode);
const shadowRootOf = getter(Element?.prototype, 'shadowRoot');
const modeOf = getter(ShadowRoot?.prototype, 'mode');

const SHOW_ELEMENT = 1;
const TURN = 200; // elements between two looks at the clock

const closed = new WeakList();

/** The closed shadow roots of this realm. */
export const closedRoots = () => closed.list();

/** Wraps attachShadow(). */
export function wrapAttachShadow() {
  const { prototype } = Element;
  set(prototype, 'attachShadow', new NativeProxy(prototype.attachShadow, {
    __proto__: null,
    apply(native, self, args) {
      const root = apply(native, self, args);
      try {
        watchShadow(root);
        if (modeOf(root) === 'closed') closed.add(root);
      } catch {
        // The page has what it asked for.
      }
      return root;
    },
  }));
}

/**
 * The elements that may contain frames, of a document and the shadow trees in it.
 * @param {Document} document
 * @param {ShadowRoot[]} roots closed shadow roots
 * @returns {Promise<Element[]>}
 */
export async function embeddingElements(document, roots) {
  const found = [];
  const collect = (root) => {
    const elements = frameElements(root);
    for (let i = 0; i < elements.length; i++) found[found.length] = elements[i];
  };
  collect(document);
  const trees = [document];
  for (let i = 0; i < roots.length; i++) trees[trees.length] = roots[i];
  let next = 0;
  let walker;
  await inBlocks((deadline) => {
    for (;;) {
      if (!walker) {
        if (next === trees.length) return true;
        if (next) collect(trees[next]);
        walker = createTreeWalker(document, trees[next++], SHOW_ELEMENT);
      }
      for (let i = 0; i < TURN && walker; i++) {
        const element = nextNode(walker);
        const root = element && shadowRootOf(element);
        if (root) trees[trees.length] = root;
        if (!element) walker = undefined;
      }
      if (now() > deadline) return false;
    }
  });
  return found;
}
