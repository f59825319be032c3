/** What is touched, and what is not, by what requests and responses say. */

// https://mimesniff.spec.whatwg.org/#javascript-mime-type, and what servers send that know none.
const JAVASCRIPT = new RegExp('^(?:$|(?:application|text)/(?:x-)?(?:java|ecma)script$|' +
  'text/(?:javascript1\\.[0-5]|jscript|livescript|plain)$|application/octet-stream$)', 'i');

const BYTES_MAX = 10_000_000; // takes 5 s or so

const SCRIPTS = ['script', 'worker', 'sharedworker'];
const DOCUMENTS = ['document', 'iframe', 'frame'];

export const isWorker = ({ destination }) => destination === 'worker' || destination === 'sharedworker';

export const isDocument = ({ destination }) => DOCUMENTS.includes(destination);

/** Whether a request is for a script or a document that may change, as far as it can tell. */
export function isText({ url, method, mode, destination, integrity, headers }) {
  if (method !== 'GET' || integrity || headers.has('range') || !/^https?:/.test(url)) return false;
  if (DOCUMENTS.includes(destination)) return mode === 'navigate';
  if (!SCRIPTS.includes(destination)) return false;
  // Opaque.
  return mode !== 'no-cors' || new URL(url).origin === location.origin;
}

/** The name of a file that `include` and `exclude` are matched with. */
function nameOf(address) {
  const { origin, pathname } = new URL(address);
  return origin === location.origin ? pathname.slice(1) || '/' : origin + pathname;
}

/** Whether a request is for a file to put polls into, as far as it can tell. */
export const isIncluded = (request, includes) => includes(nameOf(request.url));

const typeOf = ({ headers }) => (headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();

const isReadable = ({ type, body }) => body !== null && /^(?:basic|cors|default)$/.test(type);

export function isHtml(response) {
  return isReadable(response) && typeOf(response) === 'text/html' &&
    !/^\s*attachment/i.test(response.headers.get('content-disposition') ?? '');
}

/**
 * Whether a response is a script that may get polls. Those behind a redirect may not: what a service worker
 * makes has the address that was asked for, to which the script's imports would be relative.
 */
export function isScript(response) {
  return isReadable(response) && response.status === 200 && !response.redirected &&
    JAVASCRIPT.test(typeOf(response)) && !(response.headers.get('content-length') > BYTES_MAX);
}

/** The headers of a response whose text has changed. */
export function changedHeaders({ headers }) {
  const changed = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'content-digest', 'repr-digest', 'digest']) {
    changed.delete(name);
  }
  return changed;
}
