export const QUIET_END = false;

/**
 * What is put into a script, in the order of its text: insertions, and where functions start and
 * end. Nothing is ever removed or moved, so the walker can record as it goes, and no sorting is
 * needed. A slot is an insertion whose text is decided later, or never.
 */
export class Edits {
  /** Offsets in the original code, ascending. */
  offsets = [];

  /**
   * A string: an insertion. An object: a function starts. `null`: the innermost one ends; `QUIET_END`:
   * the same, and it has no polls.
   */
  items = [];

  insert(offset, text) {
    this.offsets.push(offset);
    this.items.push(text);
  }

  slot(offset) {
    this.offsets.push(offset);
    return this.items.push('') - 1;
  }

  fill(slot, text) {
    this.items[slot] = text;
  }

  /**
   * @param {number} offset  where the range starts
   * @param {number} definition  where native says that the function is defined
   * @param {string} name
   * @param {boolean} [isAsync]  whether it is an async function and no generator
   * @param {boolean} [isInert]  whether it is on no stack; nothing may come before its end
   */
  start(offset, definition, name, isAsync = false, isInert = false) {
    this.offsets.push(offset);
    this.items.push({ definition, name, isAsync, isInert });
  }

  end(offset, isQuiet = false) {
    this.offsets.push(offset);
    this.items.push(isQuiet ? QUIET_END : null);
  }
}
