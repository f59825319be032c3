// SpiderMonkey as in Firefox on 64-bit machines: values take 8 bytes, numbers are in them.
//
// Atoms (names of properties, strings that are keys of Map and Set) and the tables of shapes belong to the
// process, not to the page; Firefox's memory reporter does not charge pages with them, nor do we.

import { ceil, clz32, max } from './walk-builtins.js';

const SLOT = 8;
const HEADER = 24; // shape, slots, elements
const MIB = 1 << 20;

const powerOfTwo = (count) => (count < 2 ? 1 : 2 ** (32 - clz32(count - 1)));
const round = (bytes, unit) => ceil(bytes / unit) * unit;

/** What the allocator hands out. */
const allocated = (bytes) => {
  if (bytes <= 512) return round(bytes, 16);
  if (bytes <= 4096) return round(bytes, 256);
  return round(bytes, bytes > MIB ? MIB : 4096);
};

/** Slots beside the object, of which there are 6 at least; two more words say how many. */
const dynamic = (count) => (count <= 0 ? 0 : max(64, SLOT * powerOfTwo(count + 2)));

/** Objects have room for so many slots themselves. */
const fixed = (count) => (count <= 2 ? 2 : count <= 4 ? 4 : count <= 6 ? 6 : count <= 8 ? 8 :
  count <= 12 ? 12 : 16);

/** Objects to which properties are added begin with room for four. */
const grown = (count) => HEADER + 4 * SLOT + dynamic(count - 4);

/** Map and Set: buckets, powers of two, each for 8 / 3 entries. */
const table = (count, entry) => {
  if (count === 0) return 0;
  let buckets = 2;
  while ((buckets * 8 / 3 | 0) < count) buckets *= 2;
  return allocated(16 + SLOT * buckets + (buckets * 8 / 3 | 0) * entry);
};

export const SPIDERMONKEY = {
  name: 'spidermonkey',

  /** From so many entries on it takes a while for a set to grow. */
  setGrowth: 21_845,
  largestSet: 1e6,

  enoughOfGlobal: Infinity, // what is whose is in no order

  /** Objects with so many keys, not all alike, have had them added. */
  dictionaryFrom: 26,
  object: (count) => (count === 0 ? grown(0) : HEADER + SLOT * fixed(count) + dynamic(count - 16)),
  instance: grown,
  bareObject: grown,
  dictionaryObject: grown,
  countsKeys: false,
  /** Integer keys of a plain object: elements where they are dense, else slots. */
  indexed: (count, highest) => {
    const bytes = 16 + SLOT * (highest + 1);
    if (highest > 8 * count) return dynamic(count);
    return bytes > MIB ? round(bytes, MIB) : powerOfTwo(bytes);
  },
  extraSlots: dynamic,
  number: () => 0,
  /** Up to 14 elements of a literal are in the object; an empty one has room for some. */
  array: (length, filled) => {
    if (length === 0) return HEADER + 8 * SLOT;
    if (length <= 14) return HEADER + SLOT * fixed(length + 2);
    if (length > 2000 && 8 * filled < length) return HEADER + 4 * SLOT + dynamic(filled);
    return HEADER + 2 * SLOT + allocated(16 + SLOT * length);
  },
  /** Short strings are in the cell. */
  string: (length, isTwoByte) => {
    const bytes = isTwoByte ? 2 * length : length;
    return bytes < 16 ? 24 : bytes < 24 ? 32 : 24 + allocated(bytes);
  },
  hasRopes: false, // to remember strings joins them
  symbol: 24,
  bigint: (bits) => (bits <= 64 ? 24 : 24 + allocated(ceil(bits / 64) * 8)),

  map: (size) => 120 + table(size, 24),
  set: (size) => 120 + table(size, 16),
  weak: 100,
  weakEntries: (count) => 55 * count,
  weakRef: 56,
  /**
   * Functions get their own properties when somebody lists them, and keep them: so only the first ones are
   * asked. Classes and what holds a library's functions are most often among them.
   */
  functionsTold: 600,
  function: 64,
  /** One that can be called with `new`. */
  constructor: 64,
  /** What it closes over: at least one variable. */
  context: 48,
  boundFunction: 88,
  generator: 200,
  date: 88,
  regExp: 56,
  error: 88,
  promise: 128,
  boxed: 40,
  proxy: 48,
  other: 56,
  platform: 40,

  // Small ones are in the object.
  buffer: (bytes) => 56 + (bytes <= 96 ? round(bytes, 8) : allocated(bytes)),
  /** The room for a resizable buffer is all there. */
  reserves: true,
  /** Up to so many bytes are taken for the typed array's own: to ask for its buffer would make one. */
  inlineBytes: 16384,
  typedArray: (inline) => (inline < 0 ? 64 : inline <= 64 ? 56 + round(inline, 8) : 64 + allocated(inline)),
  dataView: 64,

  element: 144,
  elements: { __proto__: null },
  text: (length) => 144 + (length > 12 ? allocated(length) : 0),
  attribute: 44,
  node: 112,
  shadowRoot: 760,
  document: 0,
  wrapper: 40,
  manyNodes: Infinity, // nothing is left of a look
  canvas: (type, width, height) => 4 * width * height,
};
