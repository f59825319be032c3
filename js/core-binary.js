// The wasm core as text. The build puts it in the place of this word (js/build/core-text.js).
//
// Not base64: that puts a byte into different characters each time it comes, by the two around it, and
// gzip finds hardly anything that repeats (a quarter more than of the bytes themselves). Here
// a byte is always written alike: the 89 most frequent as one character, the others as two, of 91
// characters that need no escape in JavaScript or HTML. Which 89 these are is told first, as 256
// bits in hexadecimal digits; the most frequent in ascending order have the first 89 characters, then
// come the others.

const text = '__PROFILYFILL_CORE__';

const DIGITS = 64;
const SINGLE = 89;
const CHARACTERS = 91;

// ASCII from the space on, without " < > \
const rank = (code) => code - 32 - (code > 34) - (code > 60) - (code > 62) - (code > 92);

/** @returns {Uint8Array} the wasm module */
export function decodeBinary() {
  const order = [];
  for (let isSingle = 1; isSingle >= 0; isSingle--) {
    for (let byte = 0; byte < 256; byte++) {
      if ((`0x${text[byte >> 2]}` >> (byte & 3) & 1) === isSingle) order[order.length] = byte;
    }
  }
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let i = DIGITS; i < text.length; i++) {
    let at = rank(text.charCodeAt(i));
    if (at >= SINGLE) at = SINGLE + (at - SINGLE) * CHARACTERS + rank(text.charCodeAt(++i));
    bytes[length++] = order[at];
  }
  return bytes.slice(0, length);
}
