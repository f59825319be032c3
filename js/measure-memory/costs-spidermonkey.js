// SpiderMonkey as in Firefox on 64-bit machines: values take 8 bytes, numbers are in them.

import { ceil, min, clz32 } from './walk-builtins.js';

const SLOT = 8;
const HEADER = 24; // shape, slots, elements

const powerOfTwo = (count) => (count < 2 ? 1 : 2 ** (32 - clz32(count - 1)));

/** What the allocator hands out. */
const allocated = (bytes) => {
  if (bytes <= 16) return 16;
  if (bytes <= 512) return (bytes + 15) & ~15;
  if (bytes <= 4096) return ceil(bytes / 256) * 256;
  return ceil(bytes / 4096) * 4096;
};

/** Slots within the object come in sizes. */
const fixed = (count) => (count <= 0 ? 0 : count <= 2 ? 2 : count <= 4 ? 4 : count <= 8 ? 8 :
  count <= 12 ? 12 : 16);

const object = (count) => HEADER + SLOT * fixed(count) +
  (count > 16 ? allocated(16 + SLOT * powerOfTwo(count - 16)) : 0);

/** Map and Set: buckets of 8 / 3 entries, powers of two. */
const table = (count, entry) => {
  let buckets = 2;
  while (buckets * 8 / 3 < count) buckets *= 2;
  return allocated(buckets * 8) + allocated((buckets * 8 / 3 | 0) * entry);
};

const elements = (length) => (length === 0 ? 0 : length <= 6 ? SLOT * fixed(length + 2) :
  allocated(16 + SLOT * length));

export const SPIDERMONKEY = {
  name: 'spidermonkey',

  dictionaryFrom: 128,
  // An empty literal has room for four.
  object: (count) => object(count === 0 ? 4 : count),
  instance: (count) => object(count === 0 ? 4 : count),
  dictionaryObject: (count) => object(count),
  indexed: (count, highest) => allocated(16 + SLOT * min(highest + 1, 8 * count)),
  /** Properties that pages add to objects of the engine's own kinds. */
  extraSlots: (slots) => allocated(16 + SLOT * slots),
  number: () => 0,
  numberCost: 0,
  array: (length) => HEADER + 16 + elements(length),
  sparseArray: (count) => HEADER + SLOT * 4 + allocated(SLOT * powerOfTwo(count)),
  string: (length, isTwoByte) => {
    if (length < 2) return 0;
    const bytes = isTwoByte ? 2 * length : length;
    return bytes < 16 ? 24 : bytes < 24 ? 32 : 24 + allocated(bytes + 9);
  },
  symbol: 24,
  bigint: (bits) => (bits <= 64 ? 24 : 24 + allocated(ceil(bits / 64) * 8)),

  map: (size) => 64 + table(size, 24),
  set: (size) => 64 + table(size, 16),
  weak: 100,
  weakRef: 40,
  function: 56,
  /** One that can be called with `new`. */
  constructor: 56,
  /** What it closes over: at least one variable. */
  context: 40,
  boundFunction: 72,
  generator: 120,
  date: 88,
  regExp: 72,
  error: 104,
  promise: 56,
  boxed: 40,
  proxy: 48,
  other: 56,
  platform: 40,

  buffer: (bytes) => 88 + (bytes <= 96 ? 0 : allocated(bytes)),
  inlineBytes: 16384,
  typedArray: (inline) => (inline < 0 ? 64 :
    inline <= 64 ? 56 + ((inline + 7) & ~7) : 64 + allocated(inline)),
  dataView: 72,

  element: 144,
  text: (length) => 144 + (length > 0 ? length : 0),
  attribute: 93,
  node: 112,
  shadowRoot: 300,
  document: 0,
  wrapper: 0,
  canvas: (type, width, height) => 4 * width * height,
};
