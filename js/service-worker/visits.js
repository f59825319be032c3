/**
 * Whether a visit is sampled. It begins with a page when no other of the origin is open, and is kept in the
 * CacheStorage, since the browser ends a service worker whenever it has nothing to do.
 */
export class Visits {
  #rate;

  #name;

  /** The decision, or a promise of it; undefined: nobody has asked yet. */
  #current;

  /**
   * @param {number} rate  0 to 1
   * @param {string} name  of the cache
   */
  constructor(rate, name) {
    this.#rate = rate;
    this.#name = name;
    if (rate === 0 || rate === 1) this.#current = rate === 1;
  }

  /**
   * @param {Request} request  each one, so that a visit is seen to begin
   * @returns {boolean | Promise<boolean>}  never rejected
   */
  isSampled({ destination }) {
    const isFixed = this.#rate === 0 || this.#rate === 1;
    if (!isFixed && (destination === 'document' || this.#current === undefined)) {
      const decision = this.#decide(destination === 'document').then((isSampled) => {
        if (this.#current === decision) this.#current = isSampled;
        return isSampled;
      });
      this.#current = decision;
    }
    return this.#current;
  }

  async #decide(isDocument) {
    try {
      const cache = await caches.open(this.#name);
      const key = `${location.origin}/`;
      const isBegin = isDocument && (await clients.matchAll({ includeUncontrolled: true })).length === 0;
      const known = isBegin ? undefined : await cache.match(key);
      if (known) return await known.text() === '1';
      const isSampled = Math.random() < this.#rate;
      await cache.put(key, new Response(isSampled ? '1' : '0'));
      return isSampled;
    } catch {
      return Math.random() < this.#rate;
    }
  }
}
