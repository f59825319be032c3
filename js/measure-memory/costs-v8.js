// V8 as in Chromium on 64-bit machines: pointers are compressed to 4 bytes, and objects aligned to 4.

import { ceil, clz32, max } from './walk-builtins.js';

const SLOT = 4;
const HEADER = 12; // map, properties, elements
const ARRAY_HEADER = 8; // of what holds elements or properties: map, length
const NUMBER = 12; // a number that is no small integer: map, 8 bytes

const round = (bytes) => (bytes + 3) & ~3;
const powerOfTwo = (count) => (count < 2 ? 1 : 2 ** (32 - clz32(count - 1)));

/** Hash tables of Map and Set: capacity doubles from 4, a chain's head for every two entries. */
const table = (count, words) => {
  const capacity = count <= 4 ? 4 : powerOfTwo(count);
  return ARRAY_HEADER + SLOT * (3 + capacity / 2 + capacity * words);
};

/** Objects used as maps: three words an entry, room for half as many again, powers of two. */
const dictionary = (count) =>
  ARRAY_HEADER + SLOT * (6 + 3 * max(4, powerOfTwo(count + (count >> 1))));

/** Elements that are added one by one: the room that there is for so many. */
const grown = (count) => {
  let room = 0;
  while (room < count) room += 1 + ((room + 1) >> 1) + 16;
  return room;
};

export const V8 = {
  name: 'v8',

  /** From so many entries on it takes a while for a set to grow. */
  setGrowth: 16_384,
  largestSet: 1e6,

  /**
   * Pages' globals come after the engine's, which to look at makes: when so many have been met one after the
   * other, the rest is the engine's, too.
   */
  enoughOfGlobal: 32,

  /** Objects with so many keys that are not all alike are hash tables. */
  dictionaryFrom: 26,
  // An empty literal has room for four.
  object: (count) => HEADER + SLOT * (count === 0 ? 4 : count),
  countsKeys: true,
  instance: (count) => HEADER + SLOT * count,
  /** One without a prototype, which is a hash table from the start. */
  bareObject: (count) => HEADER + dictionary(count),
  dictionaryObject: (count) => HEADER + SLOT * 4 + dictionary(count),

  indexed: (count, highest) => (highest < 9 * powerOfTwo(count + (count >> 1)) + 500
    ? ARRAY_HEADER + SLOT * grown(highest + 1) : dictionary(count)),
  /** Properties that pages add to objects of the engine's own kinds. */
  extraSlots: (slots) => 8 + SLOT * slots,
  /** A number in a property; small integers are in the slot itself. */
  number: (value) => (value | 0) === value && value < 0x40000000 && value >= -0x40000000 &&
    (value !== 0 || 1 / value > 0) ? 0 : NUMBER,
  /** `filled`: how many elements are no holes; `doubles`: are numbers that do not fit a slot. */
  array: (length, filled, doubles, isNumeric) => {
    if (length === 0) return HEADER + SLOT;
    if (length > 2000 && 9 * powerOfTwo(filled + (filled >> 1)) < length) {
      return HEADER + SLOT + dictionary(filled) + doubles * NUMBER;
    }
    return HEADER + SLOT + ARRAY_HEADER +
      (isNumeric && doubles > 0 ? 8 * length : SLOT * length + doubles * NUMBER);
  },
  string: (length, isTwoByte) => (length < 2 ? 0 : round(12 + (isTwoByte ? 2 * length : length))),
  hasRopes: true,
  leastRope: 13,
  /** Whose parts repeat; others take more. */
  rope: (length) => 20 * (34 - clz32(length)),
  symbol: 16,
  bigint: (bits) => 8 + 8 * ceil(bits / 64),

  map: (size) => 16 + table(size, 3),
  set: (size) => 16 + table(size, 2),
  weak: 16 + 8 + SLOT * (3 + 8),
  weakEntries: (count) => (count === 0 ? 0 : 8 * powerOfTwo(count + (count >> 1))),
  weakRef: 16,
  functionsTold: Infinity,
  function: 28,
  /** One that can be called with `new`. */
  constructor: 32,
  /** What it closes over: at least one variable. */
  context: 20,
  boundFunction: 36,
  generator: 68,
  date: 52,
  regExp: 24,
  // With a stack of some frames.
  error: 240,
  promise: 20,
  boxed: 16,
  proxy: 16,
  other: 20,
  platform: 24,

  buffer: (bytes) => 52 + bytes,
  reserves: false,
  /** Up to so many bytes are within the typed array itself, unless somebody asks for its buffer. */
  inlineBytes: 64,
  typedArray: (inline) => (inline < 0 ? 60 : 60 + 52 + 8 + round(inline)),
  dataView: 48,

  // Texts themselves are in no count of the engine's.
  // 88, and 17 for what JavaScript has seen of it if a script has made it, which cannot be told.
  element: 94,
  /** Of those with parts or fields of their own, by interface. */
  elements: {
    __proto__: null,
    HTMLAnchorElement: 140, HTMLButtonElement: 155, HTMLImageElement: 200, HTMLInputElement: 300,
    HTMLLIElement: 180, HTMLOptionElement: 500, HTMLSelectElement: 1500, HTMLTextAreaElement: 600,
    SVGSVGElement: 210, SVGPathElement: 110,
  },
  text: () => 80,
  attribute: 0,
  node: 80,
  shadowRoot: 240,
  document: 0,
  /** What JavaScript sees of a node, which goes when nobody holds it. */
  wrapper: 12,
  /** To have looked at more is worth a collection of what is young, which drops such objects again. */
  manyNodes: 2000,
  canvas: (type, width, height) => (type === '2d' ? 4 : 36) * width * height,
};
