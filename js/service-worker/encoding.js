/**
 * Text in whatever encoding it comes: what is put in is ASCII, so it goes between the bytes, and all else
 * stays as it was. If the browser takes the bytes for another encoding than we do, columns behind characters
 * outside of ASCII are off, and nothing else.
 */

// Not supersets of ASCII, byte for byte.
const FOREIGN = /^(?:utf-16|iso-2022|replacement)/;

const encoder = new TextEncoder();

/**
 * The name of an encoding by a label.
 *
 * @param {string} label
 * @returns {string | undefined}  undefined: there is none, or its bytes are not ASCII where its text is
 */
function findEncoding(label) {
  try {
    const { encoding } = new TextDecoder(label);
    return FOREIGN.test(encoding) ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** The label in a Content-Type. */
export const findCharset = (type) => /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(type ?? '')?.[1];

/** Whether bytes begin with the mark of UTF-8. */
export const hasMark = ([first, second, third]) => first === 0xef && second === 0xbb && third === 0xbf;

/**
 * The encoding of what begins with some bytes. Without mark and label it is taken for UTF-8, which
 * decode() refuses where it is not.
 *
 * @param {Uint8Array} bytes
 * @param {string} [label]
 * @returns {string | undefined}  undefined: none that can be dealt with
 */
export function detectEncoding(bytes, label) {
  if (hasMark(bytes)) return 'utf-8';
  const [first, second] = bytes;
  if ((first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe)) return undefined;
  return label === undefined ? 'utf-8' : findEncoding(label);
}

/** The encoding that a `<meta>` tells of: documents that can be read so far are not UTF-16. */
export const encodingOfMeta = (label) => (/^utf-?16/i.test(label.trim()) ? 'utf-8' : findEncoding(label));

/**
 * @param {Uint8Array} bytes
 * @param {string} encoding
 * @returns {string} with a byte order mark, if there is one
 * @throws {TypeError} what is not text of that encoding
 */
export const decode = (bytes, encoding) =>
  new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);

/** Where in the bytes the UTF-16 units of their text are, to be asked for in ascending order. */
function makeFinder(bytes, encoding) {
  let at = 0;
  let unit = 0;
  if (encoding === 'utf-8') {
    return (offset) => {
      while (unit < offset) {
        const byte = bytes[at++];
        unit += byte < 0xf0 ? 1 : 2;
        if (byte >= 0xc0) while ((bytes[at] & 0xc0) === 0x80) at++;
      }
      return at;
    };
  }
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (offset) => {
    while (unit < offset) unit += decoder.decode(bytes.subarray(at, ++at), { stream: true }).length;
    return at;
  };
}

/** @param {Uint8Array[]} parts */
export function concat(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * The bytes of a text with insertions.
 *
 * @param {Uint8Array} bytes
 * @param {string} encoding
 * @param {readonly { offset: number, text: string }[]} insertions  ASCII, at ascending offsets in the text
 * @returns {Uint8Array}
 */
export function insert(bytes, encoding, insertions) {
  const find = makeFinder(bytes, encoding);
  const parts = [];
  let from = 0;
  for (const { offset, text } of insertions) {
    const to = find(offset);
    parts.push(bytes.subarray(from, to), encoder.encode(text));
    from = to;
  }
  parts.push(bytes.subarray(from));
  return concat(parts);
}
