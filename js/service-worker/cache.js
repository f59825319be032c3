/**
 * Keeps scripts with polls in the origin's CacheStorage: one for each URL and kind, of the text that was seen
 * last. A service worker of another text, and so each new version of this file, starts with nothing.
 */
const ENTRIES_MAX = 500;
const BYTES_MAX = 50_000_000;

const VERSION = 'x-profilyfill-version';
const SIZE = 'x-profilyfill-size';

export class ScriptCache {
  #name;

  #trimming;

  /** @param {string} name  of the cache */
  constructor(name) {
    this.#name = name;
  }

  #keyOf(url, kind) {
    return `${location.origin}/?${new URLSearchParams({ kind, url })}`;
  }

  /**
   * @param {string} url
   * @param {string} kind  scripts of one URL that were treated differently
   * @param {string} version  what changes when the text does
   * @returns {Promise<Uint8Array | null | undefined>}  null: it is to be left as it is; undefined: unknown
   */
  async get(url, kind, version) {
    const found = await (await caches.open(this.#name)).match(this.#keyOf(url, kind));
    if (found?.headers.get(VERSION) !== version) return undefined;
    return found.headers.get(SIZE) === '0' ? null : new Uint8Array(await found.arrayBuffer());
  }

  /**
   * @param {string} url
   * @param {string} kind
   * @param {string} version
   * @param {Uint8Array | null} bytes
   * @returns {Promise<void>}  never rejected: there may be no room
   */
  async put(url, kind, version, bytes) {
    try {
      const cache = await caches.open(this.#name);
      const headers = { [VERSION]: version, [SIZE]: String(bytes?.length ?? 0) };
      const key = this.#keyOf(url, kind);
      await cache.delete(key); // so that it becomes the newest
      await cache.put(key, new Response(bytes, { headers }));
      // All that come meanwhile are looked at together.
      this.#trimming ??= new Promise((resolve) => { setTimeout(resolve, 1000); }).then(() => {
        this.#trimming = undefined;
        return this.#trim(cache);
      });
      await this.#trimming;
    } catch {
      // not kept
    }
  }

  /** Takes away the oldest. */
  async #trim(cache) {
    const keys = await cache.keys();
    const sizes = (await cache.matchAll()).map(({ headers }) => Number(headers.get(SIZE)));
    let bytes = sizes.reduce((sum, size) => sum + size, 0);
    for (let i = 0; i < keys.length && (keys.length - i > ENTRIES_MAX || bytes > BYTES_MAX); i++) {
      await cache.delete(keys[i]);
      bytes -= sizes[i];
    }
  }

  clear() {
    return caches.delete(this.#name);
  }
}
