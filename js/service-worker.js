/**
 * A service worker that puts polls into the scripts of a site on their way to its pages, for sites without a
 * build, or without access to it. See README.md; this is for a worker of one's own, and
 * js/service-worker/hosted.js is one that is ready to be registered.
 */
import { InstrumentError, instrument } from './instrument.js';
import { ScriptCache } from './service-worker/cache.js';
import {
  changedHeaders, isDocument, isHtml, isIncluded, isScript, isText, isWorker,
} from './service-worker/decide.js';
import { DocumentRewriter } from './service-worker/document.js';
import { decode, detectEncoding, findCharset, insert } from './service-worker/encoding.js';
import { checkOptions } from './service-worker/options.js';
import { Pages } from './service-worker/pages.js';
import { Visits } from './service-worker/visits.js';

export { InstrumentError };

const NAME = 'profilyfill';

async function digest(bytes) {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

class Server {
  counters = { scripts: 0, cached: 0, inlineScripts: 0, failed: 0, lastFailure: '' };

  #settings;

  #cache;

  #pages = new Pages();

  constructor(settings, cache) {
    this.#settings = settings;
    this.#cache = cache;
  }

  #fail(error, what) {
    this.counters.failed++;
    this.counters.lastFailure = `${what}: ${error?.message ?? error}`;
  }

  /** Whether a request may have another response than it would have. */
  wants({ request, clientId }) {
    if (!isText(request)) return false;
    // Which of a document's scripts must not change is to be known, whatever is included.
    if (isDocument(request)) return true;
    if (this.#settings.isolate !== undefined && isWorker(request)) return true;
    return isIncluded(request, this.#settings.includes) && !this.#pages.isLeft(clientId, request.url);
  }

  /** A page that is not sampled gets nothing of ours, whatever becomes of other pages. */
  leave({ request, resultingClientId }) {
    if (isDocument(request)) this.#pages.leaveAll(resultingClientId);
  }

  /** What to put into a script; nothing, if it cannot be read. */
  #findInsertions(code, options, what) {
    try {
      return instrument(code, { ...this.#settings.code, ...options }).insertions;
    } catch (error) {
      if (!(error instanceof InstrumentError)) throw error;
      this.#fail(error, what);
      return [];
    }
  }

  /** The response to a request of a sampled visit; the given one, if ours has a fault. */
  async answer(event, response) {
    try {
      return await this.#change(event, response) ?? response;
    } catch (error) {
      this.#fail(error, event.request.url);
      return response;
    }
  }

  async #change(event, response) {
    const { request } = event;
    const { includes, isolate } = this.#settings;
    let body;
    if (isDocument(request)) {
      if (!isHtml(response)) return undefined;
      body = this.#rewriteDocument(event, response);
    } else if (isIncluded(request, includes) && isScript(response)) {
      body = await this.#rewriteScript(event, response);
    }
    const isIsolated = isolate !== undefined && !response.redirected &&
      (isDocument(request) || isWorker(request));
    if (!body && !isIsolated) return undefined;
    const { status, statusText } = response;
    const headers = body ? changedHeaders(response) : new Headers(response.headers);
    if (isIsolated) {
      headers.set('Cross-Origin-Embedder-Policy', isolate);
      if (isDocument(request)) headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    }
    const init = { status, statusText, headers };
    if (body instanceof TransformStream) return new Response(response.body.pipeThrough(body), init);
    return new Response(body ?? response.body, init);
  }

  #rewriteDocument({ request, resultingClientId: id }, { headers }) {
    const { url } = request;
    const isOurs = isIncluded(request, this.#settings.includes);
    const rewriter = new DocumentRewriter(url, headers, {
      instrument: (code, options) => {
        const insertions = isOurs ? this.#findInsertions(code, options, url) : [];
        if (insertions.length > 0) this.counters.inlineScripts++;
        return insertions;
      },
      leave: (address) => this.#pages.leave(id, address),
      leaveAll: () => this.#pages.leaveAll(id),
    });
    const send = (bytes, controller) => {
      if (bytes.length > 0) controller.enqueue(bytes);
    };
    return new TransformStream({
      transform: async (bytes, controller) => send(await rewriter.write(bytes), controller),
      flush: (controller) => send(rewriter.end(), controller),
    });
  }

  /** The bytes of a script with polls; undefined: it stays as it is. */
  async #rewriteScript(event, response) {
    const { request } = event;
    const { headers } = response;
    const url = request.url.replace(/#.*$/s, '');
    // A request does not tell modules from classic scripts, but where it is sure to be none of the former.
    const sourceType = request.mode === 'no-cors' ? 'script' : undefined;
    const kind = sourceType ?? 'any';
    const tag = headers.get('etag');
    let version = /^"/.test(tag) ? tag : undefined; // a weak one may have several texts
    let made = version && await this.#cache.get(url, kind, version);
    let bytes;
    if (made === undefined) {
      bytes = new Uint8Array(await response.clone().arrayBuffer());
      if (version === undefined) {
        version = await digest(bytes);
        made = await this.#cache.get(url, kind, version);
      }
    }
    if (made === undefined) {
      made = this.#instrumentBytes(bytes, headers, sourceType, url);
      if (made) this.counters.scripts++;
      if (!/\bno-store\b/i.test(headers.get('cache-control') ?? '')) {
        event.waitUntil(this.#cache.put(url, kind, version, made));
      }
    } else if (made) this.counters.cached++;
    if (!made) return undefined;
    response.body.cancel().catch(() => {});
    return made;
  }

  #instrumentBytes(bytes, headers, sourceType, url) {
    const encoding = detectEncoding(bytes, findCharset(headers.get('content-type')));
    if (encoding === undefined) return null;
    let code;
    try {
      code = decode(bytes, encoding);
    } catch {
      return null; // another encoding than we think
    }
    const insertions = this.#findInsertions(code, { sourceType }, url);
    return insertions.length === 0 ? null : insert(bytes, encoding, insertions);
  }
}

/**
 * Begins to serve the pages of this service worker. To be called when its script runs.
 *
 * @param {import('./service-worker.js').ServiceWorkerOptions} [options]
 * @returns {{ counters: () => object }}
 * @throws {InstrumentError} `ERR_PROFILYFILL_OPTION`
 */
export function start(options = {}) {
  const settings = checkOptions(options);
  const cache = new ScriptCache(`${NAME} ${registration.scope}`);
  const visits = new Visits(settings.samplingRate, `${NAME}-visit ${registration.scope}`);
  const server = new Server(settings, cache);
  const counters = () => ({ ...server.counters });

  addEventListener('activate', (event) => event.waitUntil(cache.clear()));
  addEventListener('message', ({ data, ports }) => {
    if (data === 'profilyfill-counters') ports[0]?.postMessage(counters());
  });
  addEventListener('fetch', (event) => {
    const { request } = event;
    let decision;
    try {
      decision = visits.isSampled(request);
      if (!decision) server.leave(event);
      if (!decision || !server.wants(event)) return;
    } catch {
      return; // as if this were not here
    }
    event.respondWith((async () => {
      const response = await settings.fetch(event);
      if (await decision) return server.answer(event, response);
      server.leave(event);
      return response;
    })());
  });
  return { counters };
}
