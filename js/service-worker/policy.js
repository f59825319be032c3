/** Inline scripts that a Content Security Policy allows by what they say, so that nothing may change. */

const HASH = /'sha(256|384|512)-([\w+/-]+=*)'/gi;

const toBase64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));

export class Policy {
  /** By length in bits. */
  #hashes = new Map();

  /** @param {string | null} text  a policy, or several; null: none */
  add(text) {
    for (const [, bits, hash] of (text ?? '').matchAll(HASH)) {
      if (!this.#hashes.has(bits)) this.#hashes.set(bits, new Set());
      this.#hashes.get(bits).add(hash.replaceAll('-', '+').replaceAll('_', '/'));
    }
  }

  /**
   * Whether a hash of a policy is that of a script.
   *
   * @param {string} code  as it is in the document
   * @returns {Promise<boolean>}
   */
  async covers(code) {
    if (this.#hashes.size === 0) return false;
    const bytes = new TextEncoder().encode(code.replace(/\r\n?/g, '\n')); // as parsers of HTML do
    for (const [bits, hashes] of this.#hashes) {
      if (hashes.has(toBase64(await crypto.subtle.digest(`SHA-${bits}`, bytes)))) return true;
    }
    return false;
  }
}
