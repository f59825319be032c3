// Which scripts may be seen in a trace.
//
// The specification leaves out classic scripts from other origins that were loaded without CORS
// (conformance rows 76 to 79): a page must not learn from their stacks what it may not read. A
// script cannot ask for another's "muted errors" bit, so it is inferred, and in doubt the script
// stays out:
//   - same origin, blob: of the same origin, data:            shown
//   - another origin, by an element with `crossorigin` or as a module (always CORS)     shown
//   - another origin otherwise; extensions; names that are no URL (row 71)              not shown

const stripped = (url) => url.replace(/[?#].*$/s, '');

/** Whether an element says that the script was loaded with CORS. JavaScriptCore prints no query. */
function isLoadedWithCors(url) {
  const { document } = globalThis;
  if (!document) return false;
  for (const script of document.scripts) {
    if (!script.src || (script.src !== url && stripped(script.src) !== url)) continue;
    if (script.type === 'module' || script.crossOrigin !== null) return true;
  }
  return false;
}

function parse(url) {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

/** @param {string} url a script's URL as the engine prints it */
export function isVisible(url) {
  const parsed = parse(url);
  if (!parsed) return false;
  const { location } = globalThis;
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
      return parsed.origin === location.origin || isLoadedWithCors(url);
    default:
      return parsed.origin !== 'null' && parsed.origin === location.origin;
  }
}
