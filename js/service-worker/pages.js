/**
 * What pages are to get as it is, by the ids of clients. Requests tell of `integrity` themselves, but not
 * those that Chromium makes ahead of the parser: for these it takes what the document says.
 */
const PAGES_MAX = 200;

export class Pages {
  /** Sets of URLs; null: of all scripts. */
  #left = new Map();

  #set(id, urls) {
    this.#left.delete(id);
    this.#left.set(id, urls);
    if (this.#left.size > PAGES_MAX) this.#left.delete(this.#left.keys().next().value);
  }

  /** A page is to get all of its scripts as they are. */
  leaveAll(id) {
    this.#set(id, null);
  }

  /** @param {string} url  whole */
  leave(id, url) {
    if (this.#left.get(id) === null) return;
    if (!this.#left.has(id)) this.#set(id, new Set());
    this.#left.get(id).add(url.replace(/#.*$/s, ''));
  }

  isLeft(id, url) {
    const urls = this.#left.get(id);
    return urls === null || (urls?.has(url.replace(/#.*$/s, '')) ?? false);
  }
}
