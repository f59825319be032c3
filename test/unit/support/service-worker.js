/** The global scope of a service worker, as far as js/service-worker.js needs it. */
import { start } from '../../../js/service-worker.js';

const ORIGIN = 'https://site.example';

/** A CacheStorage with what is used of it. */
class Caches {
  #all = new Map();

  get(name) {
    return this.#all.get(name);
  }

  async open(name) {
    if (!this.#all.has(name)) this.#all.set(name, makeCache());
    return this.#all.get(name);
  }

  async delete(name) {
    return this.#all.delete(name);
  }
}

function makeCache() {
  const entries = new Map();
  return {
    match: async (key) => entries.get(key)?.clone(),
    put: async (key, response) => { entries.set(key, response); },
    delete: async (key) => entries.delete(key),
    keys: async () => [...entries.keys()],
    matchAll: async () => [...entries.values()],
  };
}

class Scope {
  clients = [];

  caches = new Caches();

  #listeners;

  #waiting = [];

  #options;

  #server;

  constructor(options) {
    this.#options = options;
    this.restart();
  }

  /** Runs the worker's script in this scope, as the browser does whenever it likes; returns this. */
  restart() {
    this.#listeners = new Map();
    const names = {
      addEventListener: (type, listener) => this.#listeners.set(type, listener),
      registration: { scope: `${ORIGIN}/` },
      location: new URL(ORIGIN),
      caches: this.caches,
      clients: { matchAll: async () => this.clients },
      setTimeout: (callback) => setImmediate(callback),
    };
    Object.assign(globalThis, names);
    this.#server = start(this.#options());
    return this;
  }

  counters() {
    return this.#server.counters();
  }

  /** The response to a request of a page; undefined: the browser deals with it. */
  request(path, { headers, clientId = '', resultingClientId = '', ...details } = {}) {
    const { href } = new URL(path, ORIGIN);
    const request = {
      url: href, method: 'GET', mode: 'no-cors', destination: 'script', integrity: '',
      headers: new Headers(headers), ...details,
    };
    let response;
    this.#listeners.get('fetch')({
      request, clientId, resultingClientId,
      respondWith: (promise) => { response = promise; },
      waitUntil: (promise) => this.#waiting.push(promise),
    });
    return response;
  }

  activate() {
    this.#listeners.get('activate')({ waitUntil: (promise) => this.#waiting.push(promise) });
    return this.idle();
  }

  /** Resolves when nothing is left to do. */
  async idle() {
    while (this.#waiting.length > 0) await this.#waiting.pop();
  }

  /** How many scripts are in the cache. */
  async stored() {
    return (await this.caches.get(`profilyfill ${ORIGIN}/`).keys()).length;
  }
}

/** @param {() => object} options  of start() */
export const openWorker = (options) => new Scope(options);
