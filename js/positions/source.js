/**
 * The text of a script as the page has it: once more from the cache, or from where it came from.
 */

const BYTES_MAX = 5_000_000; // of one text

export const withoutFragment = (url) => url.replace(/#.*$/s, '');
const stripped = (url) => url.replace(/[?#].*$/s, '');

/** What the page has loaded by now; a fetch of ours is none of it. */
const findEntries = () => (performance.getEntriesByType?.('resource') ?? [])
  .filter(({ initiatorType }) => initiatorType !== 'fetch' && initiatorType !== 'xmlhttprequest');

/**
 * The whole URL of a script. JavaScriptCore prints URLs without their query.
 *
 * @param {string} url  as the engine prints it
 * @returns {string | undefined}  `undefined`: there are several that it may be
 */
export function findWholeUrl(url) {
  if (stripped(url) !== url) return url;
  const names = [
    ...Array.from(globalThis.document?.scripts ?? [], ({ src }) => src),
    ...findEntries().map(({ name }) => name),
  ];
  const found = new Set(names.map(withoutFragment).filter((name) => stripped(name) === url));
  if (found.size > 1) return undefined;
  return found.size === 1 ? [...found][0] : url;
}

/**
 * The address that the document was loaded from, if a printed URL stands for the document: by that
 * address, or by what the page has made of it since (`history.pushState()`).
 */
export function findDocument(url) {
  if (!globalThis.document) return undefined;
  const shown = withoutFragment(location.href);
  const loaded = withoutFragment(performance.getEntriesByType?.('navigation')[0]?.name ?? shown);
  return [loaded, shown].some((address) => url === address || url === stripped(address)) ? loaded : undefined;
}

/**
 * How many bytes the page has got for a URL, as far as timing tells: across origins only where the
 * server allows it, and the list of entries has an end.
 *
 * @returns {number[]}  empty: nobody knows
 */
function findSizes(url) {
  const entries = findDocument(url) ? performance.getEntriesByType('navigation') : findEntries();
  return entries.filter(({ name }) => withoutFragment(name) === url)
    .map(({ decodedBodySize }) => decodedBodySize).filter((size) => size > 0);
}

/** The options of a request that gets what the script's own request got, or fails. */
export function optionsFor(url) {
  if (findDocument(url)) {
    // Pages are not asked for again: who knows what a server does when one is.
    return { cache: 'only-if-cached', mode: 'same-origin', credentials: 'same-origin' };
  }
  const elements = Array.from(globalThis.document?.scripts ?? [])
    .filter(({ src }) => src && withoutFragment(src) === url);
  const withCredentials = elements.some(({ crossOrigin }) => crossOrigin === 'use-credentials');
  return {
    cache: 'force-cache',
    // A redirect to elsewhere fails: what comes from there without CORS may not be read.
    mode: /^http/.test(url) && new URL(url).origin === location.origin ? 'same-origin' : 'cors',
    credentials: withCredentials ? 'include' : 'same-origin',
  };
}

/** A response's bytes; throws when there are more than `room`. */
export async function readBytes(response, room) {
  const length = Number(response.headers.get('content-length'));
  if (length > room) throw new RangeError('too long');
  const reader = response.body.getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > room) {
      reader.cancel().catch(() => {});
      throw new RangeError('too long');
    }
    parts.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The encoding of a classic script or document; modules are UTF-8, which the others are, too, by now. */
function encodingOf(response, url) {
  const told = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(response.headers.get('content-type') ?? '')?.[1];
  if (told) return told;
  const { document } = globalThis;
  if (!document) return 'utf-8';
  const element = Array.from(document.scripts).find(({ src }) => src && withoutFragment(src) === url);
  if (element?.type === 'module') return 'utf-8';
  return element?.charset || (element || findDocument(url) ? document.characterSet : 'utf-8');
}

/**
 * @param {string} url  whole, without fragment
 * @param {typeof fetch} request
 * @param {{ left: number }} budget  bytes that may still be read; what is read is taken off
 * @param {AbortSignal} signal
 * @returns {Promise<{ text: string, isVerified: boolean }>}  `isVerified`: it is as long as what the page
 *   has got
 * @throws whatever keeps the text from being had, and a RangeError when it is too long or not what the
 *   page has got
 */
export async function readSource(url, request, budget, signal) {
  // Before the request, which makes an entry of its own in some browsers.
  const sizes = findSizes(url);
  const response = await request(url, { ...optionsFor(url), signal });
  if (!response.ok) throw new RangeError(`status ${response.status}`);
  const bytes = await readBytes(response, Math.min(BYTES_MAX, budget.left));
  budget.left -= bytes.length;
  if (sizes.length > 0 && !sizes.includes(bytes.length)) throw new RangeError('another text');
  return {
    text: new TextDecoder(encodingOf(response, url)).decode(bytes),
    // These cannot change.
    isVerified: sizes.length > 0 || /^(?:blob|data):/.test(url),
  };
}
