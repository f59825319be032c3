/**
 * Writes numbers in as little room as their likelihood allows: an adaptive binary range coder, which
 * c/trace/functions.c reads. Numbers of one context share what was learnt of it.
 */

/** gzip keeps each of 64 in six bits. None of them needs an escape, nor makes `]]>` or `</`. */
const DIGITS = '?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[=]^_`abcdefghijklmnopqrstuvwxyz{|}~';

const LOWEST = 2 ** 24; // of a range that is not short of digits

/** Five digits. */
export const fixed = (value) =>
  [24, 18, 12, 6, 0].map((shift) => DIGITS[(value >>> shift) & 63]).join('');

export class RangeEncoder {
  /** By slot: by how much a bit is likelier 0 than 1, in 1/65536; shared by contexts that fall together. */
  #odds = new Int16Array(2 ** 16);

  #low = 0;

  #range = 2 ** 30;

  #digits = [];

  #shift() {
    let digit = Math.floor(this.#low / LOWEST);
    if (digit > 63) {
      digit -= 64;
      let i = this.#digits.length - 1;
      for (; this.#digits[i] === 63; i--) this.#digits[i] = 0;
      this.#digits[i]++;
    }
    this.#digits.push(digit);
    this.#low = (this.#low % LOWEST) * 64;
    this.#range *= 64;
  }

  #bit(context, node, bit) {
    const slot = Math.imul(Math.imul(context, 0x9e3779b1) + node, 0x2545f491) >>> 16;
    const odds = this.#odds[slot];
    const bound = (this.#range >>> 16) * (odds + 32768);
    if (bit) {
      this.#low += bound;
      this.#range -= bound;
      this.#odds[slot] = odds - ((odds + 32768) >> 4);
    } else {
      this.#range = bound;
      this.#odds[slot] = odds + ((32768 - odds) >> 4);
    }
    while (this.#range < LOWEST) this.#shift();
  }

  /**
   * How many bits the number has, one by one, then the bits themselves.
   *
   * @param {number} context
   * @param {number} value  below 2 ** 31
   */
  write(context, value) {
    const number = value + 1;
    const length = 31 - Math.clz32(number);
    for (let i = 0; i < length; i++) this.#bit(context, i, 1);
    this.#bit(context, length, 0);
    let node = 1;
    for (let i = length - 1; i >= 0; i--) {
      const bit = (number >>> i) & 1;
      this.#bit(context, 32 + ((node << 5) | length), bit);
      node = node * 2 + bit;
    }
  }

  /** The text; nothing may be written any more. */
  finish() {
    for (let i = 0; i < 5; i++) this.#shift();
    return this.#digits.map((digit) => DIGITS[digit]).join('');
  }
}
