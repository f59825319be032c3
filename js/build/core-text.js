// The wasm core as the text that js/core-binary.js reads.

const SINGLE = 89;

const characters = Array.from({ length: 95 }, (x, i) => String.fromCharCode(32 + i))
  .filter((character) => !'"<>\\'.includes(character));

/**
 * @param {Uint8Array} bytes
 * @returns {string} ASCII without double quotes, backslashes and angle brackets
 */
export function encodeCore(bytes) {
  const counts = new Array(256).fill(0);
  for (const byte of bytes) counts[byte]++;
  const isSingle = new Array(256).fill(false);
  const byFrequency = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
  for (const byte of byFrequency.slice(0, SINGLE)) isSingle[byte] = true;

  const codes = [];
  let single = 0;
  let double = 0;
  let text = '';
  for (let byte = 0; byte < 256; byte++) {
    if (isSingle[byte]) codes[byte] = characters[single++];
    else {
      codes[byte] = characters[SINGLE + Math.floor(double / characters.length)] +
        characters[double++ % characters.length];
    }
    if (byte % 4 === 3) {
      const digit = [0, 1, 2, 3].reduce((sum, bit) => sum + (isSingle[byte - 3 + bit] << bit), 0);
      text += digit.toString(16);
    }
  }
  for (const byte of bytes) text += codes[byte];
  return text;
}

// A script that is nothing but the call of a function.
const CALL = /^((?:var \w+=)?)\(\(\)=>\{(.*)\}\)\(\);?\s*$/s;

/**
 * Moves the text to the end of a script, where gzip meets it with the code behind it: a fiftieth less than
 * with the text in the midst of the code.
 *
 * @param {string} script  minified
 * @param {string} text  as encodeCore() makes it
 * @returns {string}
 */
export function moveToEnd(script, text) {
  const [, assignment, body] = CALL.exec(script) ?? [];
  const [before, after] = body?.split(`"${text}"`) ?? [];
  if (after === undefined) throw new Error('no core in this script');
  let name = '_';
  while (script.includes(name)) name += '_';
  return `${assignment}(${name}=>{${before}${name}${after}})("${text}");\n`;
}
