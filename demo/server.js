/**
 * The server of the demo and of the browser tests: several directories and virtual files under one address,
 * and the response headers that make a page isolated, allow native profiling, and so on, chosen by the first
 * path segment.
 */
import { createServer } from 'node:http';
import { extname } from 'node:path';
import sirv from 'sirv';

const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  // 'cross-origin', not 'same-origin': pages of another port must be able to load these files into an
  // isolated page.
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * Response headers by the name of the first path segment. Names joined with `+` add up:
 * `/isolated+csp/page.html`.
 *
 * @type {Readonly<Record<string, Record<string, string>>>}
 */
export const MODES = Object.freeze({
  plain: {},
  isolated: ISOLATED,
  native: { 'Document-Policy': 'js-profiling' },
  csp: { 'Content-Security-Policy': "script-src 'self'" },
  'csp-wasm': { 'Content-Security-Policy': "script-src 'self' 'wasm-unsafe-eval'" },
});

// What sirv (by mrmime) and the virtual files below agree on.
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
};

/**
 * What a virtual file answers: a body, or an object with more, or `undefined` for "not here after all" (404).
 *
 * @typedef {string|Uint8Array|undefined|{
 *   body?: string|Uint8Array, status?: number, type?: string, headers?: Record<string, string>,
 *   delay?: number
 * }} Answer  `type` is a MIME type (default: by the name's extension), `delay` is in ms
 */

/**
 * @typedef {object} Server
 * @property {number} port
 * @property {string} origin such as "http://127.0.0.1:34567"
 * @property {string} otherOrigin the same server as "http://localhost:34567": another origin to a browser
 * @property {(path: string, mode?: string) => string} url address of a path below a mode, default "plain"
 * @property {(path: string, answer: Answer | ((request: object) => Answer | Promise<Answer>)) => void} file
 *   adds or replaces a virtual file
 * @property {{method: string, url: string, status: number}[]} log what was asked, oldest first (at most 1000)
 * @property {() => Promise<void>} close ends open connections too; idempotent
 */

/**
 * Starts the server on the loopback interface.
 *
 * A request for `/<mode>/<path>` gets that mode's headers. `<path>` is looked up in the virtual files, then
 * in the roots, first match wins. An unknown mode is a 404.
 *
 * @param {object} [options]
 * @param {string | string[]} [options.roots] directories
 * @param {Record<string, Answer | ((request: VirtualRequest) => Answer | Promise<Answer>)>} [options.files]
 *   virtual files by their path without the mode ("/page.html"); a path that ends in `/*` answers for all
 *   paths below it
 * @param {Record<string, Record<string, string>>} [options.modes] further modes, or other headers for known
 *   ones
 * @param {number} [options.port] default 0: the system chooses
 * @param {string} [options.host] default "127.0.0.1"
 * @param {string} [options.index] where `/` redirects to
 * @returns {Promise<Server>}
 * @throws the listen error (`code` EADDRINUSE, EACCES...) when the port cannot be had
 *
 * @typedef {{ method: string, path: string, mode: string, query: URLSearchParams,
 *   headers: import('node:http').IncomingHttpHeaders, body: () => Promise<string> }} VirtualRequest
 */
export async function startServer(options = {}) {
  const { port = 0, host = '127.0.0.1', index } = options;
  const modes = { ...MODES, ...options.modes };
  const files = new Map(Object.entries(options.files ?? {}));
  const log = [];
  const statics = [options.roots ?? []].flat().map((root) => sirv(root, {
    dev: true, // look at the disk for every request: tests and the demo's build write while the server runs
    setHeaders: (response, path) => setType(response, path),
  }));

  const server = createServer((request, response) => {
    response.once('finish', () => {
      log.push({ method: request.method, url: request.url, status: response.statusCode });
      if (log.length > 1_000) log.shift();
    });
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500, { 'Content-Type': TYPES['.txt'] });
      response.end(String(error?.stack ?? error));
    });
  });

  async function answer(request, response) {
    const url = new URL(request.url, 'http://server.invalid');
    const [, mode, path] = /^\/([^/]*)(\/.*)?$/.exec(url.pathname);
    response.setHeader('Cache-Control', 'no-store');
    if (mode === '' && index !== undefined) return redirect(response, index);
    const headers = headersOf(mode, modes);
    if (headers === undefined) return notFound(response, url.pathname);
    if (path === undefined) return redirect(response, `/${mode}/${url.search}`);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);

    const virtual = files.get(path) ?? wildcard(files, path);
    if (virtual !== undefined) {
      const ask = typeof virtual === 'function';
      const value = ask ? await virtual(virtualRequest(request, mode, path, url)) : virtual;
      return value === undefined ? notFound(response, url.pathname) : send(request, response, path, value);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return notFound(response, url.pathname);
    request.url = path + url.search;
    request._parsedUrl = undefined; // sirv would believe its own copy of the old address
    const original = url.pathname;
    (function next(i) {
      if (i === statics.length) notFound(response, original);
      else statics[i](request, response, () => next(i + 1));
    })(0);
  }

  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const actual = server.address().port;
  let closing;
  return {
    port: actual,
    origin: `http://${host}:${actual}`,
    otherOrigin: `http://localhost:${actual}`,
    url: (path, mode = 'plain') => `http://${host}:${actual}/${mode}/${path.replace(/^\//, '')}`,
    file: (path, answer) => { files.set(path, answer); },
    log,
    close: () => (closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    })),
  };
}

function headersOf(mode, modes) {
  const all = {};
  for (const name of mode.split('+')) {
    if (!Object.hasOwn(modes, name)) return undefined;
    for (const [header, value] of Object.entries(modes[name])) {
      // Both of two content security policies are meant to hold; other headers are the same or not combined.
      all[header] = header in all && all[header] !== value ? `${all[header]}, ${value}` : value;
    }
  }
  return all;
}

function wildcard(files, path) {
  for (let end = path.lastIndexOf('/'); end >= 0; end = path.lastIndexOf('/', end - 1)) {
    const found = files.get(`${path.slice(0, end)}/*`);
    if (found !== undefined) return found;
    if (end === 0) break;
  }
  return undefined;
}

function virtualRequest(request, mode, path, url) {
  return {
    method: request.method,
    path,
    mode,
    query: url.searchParams,
    headers: request.headers,
    body: async () => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

async function send(request, response, path, value) {
  const { body = '', status = 200, type, headers = {}, delay = 0 } =
    typeof value === 'string' || value instanceof Uint8Array ? { body: value } : value;
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  if (type === undefined) setType(response, path);
  else response.setHeader('Content-Type', type);
  for (const [name, text] of Object.entries(headers)) response.setHeader(name, text);
  response.statusCode = status;
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}

function setType(response, path) {
  const type = TYPES[extname(path).toLowerCase()];
  if (type !== undefined) response.setHeader('Content-Type', type);
}

function redirect(response, location) {
  response.writeHead(302, { Location: location });
  response.end();
}

function notFound(response, path) {
  response.writeHead(404, { 'Content-Type': TYPES['.txt'] });
  response.end(`not found: ${path}\n`);
}
