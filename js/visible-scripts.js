// Which scripts may be seen in a trace.
//
// The specification leaves out classic scripts that were loaded from elsewhere without CORS, also
// by way of a redirect (conformance rows 76 to 79): a page must not learn from their stacks what it
// may not read. It also leaves out the functions of other realms, such as an iframe's (row 75). A
// script can ask for neither, so both are inferred, and in doubt a script stays out:
//
//   realm    a script with a function table has announced itself in this realm; of another one
//            there has to be an element or a resource timing entry in this document
//   origin   same, and no resource timing entry as the browser makes it for a response that the page
//            may not look into; or else elements with `crossorigin`, or modules (always CORS), and
//            none without, since both may have run
//
// So classic scripts in the document, inserted or preloaded, with `integrity` or not, go by their
// elements; what modules import, import() and importScripts() have none, nor has an element that is
// gone: those have to be of this origin. Inline scripts have the document's URL; blob: and data: ones
// are whose page made them; evaluated code goes by its `sourceURL`, as a script of that URL would.
//
// Extensions' scripts and names that are no URL (row 71) are of no origin that a page could share.

import { settings } from './settings.js';

// Not that of the location: a document of `srcdoc` has its parent's origin. Read when this module is
// loaded, since a page can set it.
const { origin: ownOrigin } = globalThis;

const cut = (url, mark) => url.split(mark)[0];

// Engines print URLs without their fragment (or it is dropped), JavaScriptCore without their query, too.
function names(full, url) {
  const whole = cut(full, '#');
  return whole === cut(url, '#') || cut(whole, '?') === url;
}

/**
 * What resource timing says where a response is opaque: nothing. So it does of a fetch that failed. (Of
 * what a worker has imported WebKit tells no sizes.)
 */
const isOpaque = ({ initiatorType, responseStatus, responseStart, decodedBodySize }) =>
  initiatorType !== 'fetch' && !responseStatus && responseStart === 0 && decodedBodySize === 0;

function parse(url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/**
 * Looks at what the document has loaded so far.
 * @returns {(url: string, isInstrumented: boolean) => boolean} whether the frames of a script may be
 *   seen, by its URL as the engine prints it
 */
export function findVisible() {
  const { document, location, performance } = globalThis;
  const elements = document?.scripts ?? [];
  const entriesOf = (type) => performance.getEntriesByType?.(type) ?? [];
  const resources = entriesOf('resource');
  // Inline scripts keep the address that the document had; history.pushState() changes it.
  const loaded = entriesOf('navigation')[0]?.name ?? '';

  function isVisibleHere(url, { origin }, isInstrumented) {
    // A worker's own script is of its origin, whatever timing says of how js/workers.js has loaded it.
    if (!document && names(location.href, url)) return true;
    let isKnown = isInstrumented || !document || names(location.href, url) || names(loaded, url);
    let isFree = origin === ownOrigin;
    let isCors = false;
    for (const entry of resources) {
      if (!names(entry.name, url)) continue;
      isKnown = true;
      if (isOpaque(entry)) isFree = false;
    }
    let isPlain = false;
    for (const { src, type, crossOrigin } of elements) {
      if (!src || !names(src, url)) continue;
      isKnown = true;
      if (type === 'module' || crossOrigin !== null) isCors = true;
      else isPlain = true;
    }
    return isKnown && (isFree || (isCors && !isPlain));
  }

  return (url, isInstrumented) => {
    const parsed = parse(url);
    if (!parsed) return false;
    for (const own of settings.hidden) if (names(own, url)) return false;
    // Not a page (Node): there are no origins.
    if (!location) return true;
    switch (parsed.protocol) {
      case 'data:':
      case 'wasm:':
        return true;
      case 'file:':
        return location.protocol === 'file:';
      case 'about:':
        return url === location.href;
      case 'http:':
      case 'https:':
        return isVisibleHere(url, parsed, isInstrumented);
      default:
        return parsed.origin !== 'null' && parsed.origin === ownOrigin;
    }
  };
}
