// The built-ins that the walk calls, as they were at load. Methods are called through bound `call`s, which
// engines compile to plain calls: there are several for each object.

const global = globalThis;

export const {
  Map: NativeMap, Proxy: NativeProxy, Set: NativeSet, WeakMap: NativeWeakMap, WeakRef: NativeWeakRef,
  WeakSet: NativeWeakSet, Object: NativeObject,
} = global;
export const { apply, construct, defineProperty, getPrototypeOf, setPrototypeOf } = Reflect;

/**
 * Reads a property or an element. Where V8 compiles `array[i]` for several kinds of arrays it turns those of
 * doubles into the most general kind, which takes twice the room.
 */
export const { get: getValue, ownKeys: keysOf } = Reflect;
export const { clz32, ceil, floor, imul, max, min, round } = Math;

const { performance } = global;
const performanceNow = performance.now;
export const now = () => apply(performanceNow, performance, []);

export const { getOwnPropertyDescriptor: describe } = NativeObject;

/** A method as a function that takes its receiver first. */
const { bind, call } = Function.prototype;
export const uncurry = (method) => (method === undefined ? undefined : apply(bind, call, [method]));

const getterOf = (owner, key) => owner && uncurry(describe(owner, key)?.get);
const get = (name, key) => getterOf(global[name]?.prototype, key);

export const namesOf = NativeObject.getOwnPropertyNames;
export const symbolsOf = NativeObject.getOwnPropertySymbols;
export const enumerableNamesOf = NativeObject.keys;
const { Array: NativeArray } = global;
export const { isArray, prototype: arrayPrototype } = NativeArray;
export const hasOwn = uncurry(NativeObject.prototype.hasOwnProperty);

export const findGetter = uncurry(NativeObject.prototype.__lookupGetter__);
export const functionText = uncurry(Function.prototype.toString);
export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const indexOf = uncurry(String.prototype.indexOf);
export const slice = uncurry(String.prototype.slice);
export const includes = uncurry(String.prototype.includes);
export const endsWith = uncurry(String.prototype.endsWith);
export const startsWith = uncurry(String.prototype.startsWith);
export const bigintText = global.BigInt && uncurry(global.BigInt.prototype.toString);

export const getMap = uncurry(NativeMap.prototype.get);
export const putMap = uncurry(NativeMap.prototype.set);
export const mapSize = getterOf(NativeMap.prototype, 'size');
export const setSize = getterOf(NativeSet.prototype, 'size');
export const mapEach = uncurry(NativeMap.prototype.forEach);
export const setEach = uncurry(NativeSet.prototype.forEach);
export const mapEntries = uncurry(NativeMap.prototype.entries);
export const setValues = uncurry(NativeSet.prototype.values);
export const nextEntry = uncurry(getPrototypeOf(new NativeMap().entries()).next);
export const nextValue = uncurry(getPrototypeOf(new NativeSet().values()).next);
export const weakMapGet = uncurry(NativeWeakMap.prototype.get);
export const weakMapHas = uncurry(NativeWeakMap.prototype.has);
export const weakMapPut = uncurry(NativeWeakMap.prototype.set);
export const weakSetAdd = uncurry(NativeWeakSet.prototype.add);
export const weakSetHas = uncurry(NativeWeakSet.prototype.has);

const typedArray = getPrototypeOf(Uint8Array.prototype);
/** The name of a typed array's kind; undefined: it is none. */
export const typedArrayName = getterOf(typedArray, Symbol.toStringTag);
export const typedArrayBuffer = getterOf(typedArray, 'buffer');
export const typedArrayBytes = getterOf(typedArray, 'byteLength');
export const typedArrayOffset = getterOf(typedArray, 'byteOffset');
export const dataViewBuffer = get('DataView', 'buffer');
export const bufferBytes = get('ArrayBuffer', 'byteLength');
export const bufferRoom = get('ArrayBuffer', 'maxByteLength') ?? bufferBytes;
export const sharedBytes = get('SharedArrayBuffer', 'byteLength');
export const memoryBuffer = getterOf(global.WebAssembly?.Memory?.prototype, 'buffer');

export const documentOf = uncurry(describe(global, 'document')?.get);
/** Throws unless called on a window, of whatever origin. */
export const isClosed = uncurry(describe(global, 'closed')?.get);

export const nodeType = get('Node', 'nodeType');
export const parentNode = get('Node', 'parentNode');
export const firstChild = get('Node', 'firstChild');
export const nextSibling = get('Node', 'nextSibling');
export const rootOf = uncurry(global.Node?.prototype.getRootNode);
export const listLength = get('NodeList', 'length');
export const textLength = get('CharacterData', 'length');
export const shadowRootOf = get('Element', 'shadowRoot');
export const hostOf = get('ShadowRoot', 'host');
export const attributeNames = uncurry(global.Element?.prototype.getAttributeNames);
const listIn = (name) => uncurry(global[name]?.prototype.querySelectorAll);
const listInElement = listIn('Element');
const listInDocument = listIn('Document');
const listInFragment = listIn('DocumentFragment');

/** All elements below the root of a tree, as they are now. */
export const elementsOf = (root) => {
  const type = nodeType(root);
  return (type === 1 ? listInElement : type === 9 ? listInDocument : listInFragment)(root, '*');
};
export const templateContent = get('HTMLTemplateElement', 'content');
export const canvasWidth = get('HTMLCanvasElement', 'width');
export const canvasHeight = get('HTMLCanvasElement', 'height');
export const offscreenWidth = get('OffscreenCanvas', 'width');
export const offscreenHeight = get('OffscreenCanvas', 'height');
export const imageDataBuffer = get('ImageData', 'data');
export const deref = uncurry(global.WeakRef?.prototype.deref);

/** The canvas of a context, by the name of the context's interface. */
export const canvasOf = { __proto__: null };
const CONTEXTS = [
  'CanvasRenderingContext2D', 'OffscreenCanvasRenderingContext2D', 'WebGLRenderingContext',
  'WebGL2RenderingContext', 'ImageBitmapRenderingContext', 'GPUCanvasContext',
];
for (let i = 0; i < CONTEXTS.length; i++) canvasOf[CONTEXTS[i]] = get(CONTEXTS[i], 'canvas');

/** An array without a prototype: what a page defines on Array.prototype cannot get in its way. */
export const makeList = () => {
  const list = [];
  setPrototypeOf(list, null);
  return list;
};

const PIECE = 8000; // elements of 4 bytes

/** Makes something that is of no use, and gone with the next collection of what is young. */
export const makeGarbage = () => new NativeArray(PIECE);

const { has, add } = NativeSet.prototype;
const setPrototype = { __proto__: null, has, add };

/** A Set with two methods that are its own, and so are called at full speed. */
export const makeSet = () => {
  const set = new NativeSet();
  setPrototypeOf(set, setPrototype);
  return set;
};

const objectPrototype = NativeObject.prototype;

/** Whether descriptors have nothing but their own fields, that is, none that a page gave to all objects. */
export const areDescriptorsClean = () =>
  describe(objectPrototype, 'value') === undefined && describe(objectPrototype, 'get') === undefined &&
  describe(objectPrototype, 'set') === undefined;
