// JavaScriptCore as in WebKit on 64-bit machines: values take 8 bytes, numbers are in them. WebKit has
// nothing that would tell whether these figures are right.

import { ceil, max, min, clz32 } from './walk-builtins.js';

const SLOT = 8;
const HEADER = 16; // cell header, butterfly

const powerOfTwo = (count) => (count < 2 ? 1 : 2 ** (32 - clz32(count - 1)));
const round = (bytes) => ceil(bytes / 16) * 16; // cells

const object = (count) => (count <= 6 ? round(HEADER + SLOT * count) :
  count <= 64 ? round(HEADER + SLOT * count) :
    HEADER + SLOT * 6 + 8 + SLOT * powerOfTwo(count - 6));

const table = (count, entry) => {
  const capacity = powerOfTwo(max(count, 8));
  return 16 + 8 * (capacity / 2 + 4) + capacity * entry;
};

export const JSC = {
  name: 'jsc',

  /** From so many entries on it takes a while for a set to grow. */
  setGrowth: 98_000,
  largestSet: 98_000,

  enoughOfGlobal: Infinity, // what is whose is in no order

  dictionaryFrom: 128,
  object: (count) => object(count === 0 ? 6 : count),
  countsKeys: true,
  instance: (count) => object(count),
  bareObject: (count) => object(count),
  dictionaryObject: (count) => object(count) + 24 * powerOfTwo(count),
  indexed: (count, highest) => 16 + SLOT * min(highest + 1, 8 * count),
  /** Properties that pages add to objects of the engine's own kinds. */
  extraSlots: (slots) => 16 + SLOT * slots,
  number: () => 0,
  // Long arrays of holes are tables.
  array: (length, filled) => HEADER + (length > 2000 && 8 * filled < length ? 48 * powerOfTwo(filled) :
    length === 0 ? 0 : round(8 + SLOT * length)),
  string: (length, isTwoByte) => (length < 2 ? 0 : 16 + round(24 + (isTwoByte ? 2 * length : length))),
  hasRopes: false, // to remember strings joins them
  symbol: 16,
  bigint: (bits) => 16 + 8 * ceil(bits / 64),

  map: (size) => 32 + table(size, 24),
  set: (size) => 32 + table(size, 16),
  weak: 64,
  weakEntries: (count) => 24 * powerOfTwo(count),
  weakRef: 32,
  /**
   * Functions get their own properties when somebody lists them, and keep them: so only the first ones are
   * asked. Classes and what holds a library's functions are most often among them.
   */
  functionsTold: 600,
  function: 32,
  constructor: 32,
  /** What it closes over: at least one variable. */
  context: 32,
  boundFunction: 64,
  generator: 80,
  date: 32,
  regExp: 32,
  error: 96,
  promise: 32,
  boxed: 32,
  proxy: 32,
  other: 32,
  platform: 32,

  buffer: (bytes) => 96 + round(bytes),
  reserves: false,
  inlineBytes: 8000,
  typedArray: (inline) => 32 + (inline < 0 ? 0 : round(inline)),
  dataView: 48,

  element: 144,
  elements: { __proto__: null },
  text: (length) => 112 + length,
  attribute: 16,
  node: 96,
  shadowRoot: 200,
  document: 0,
  wrapper: 0,
  manyNodes: Infinity, // nothing is left of a look
  canvas: (type, width, height) => 4 * width * height,
};
