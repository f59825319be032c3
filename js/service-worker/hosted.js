/** The service worker that is built to wasm-out/profilyfill-service-worker.js: options are in its address. */
import { start } from '../service-worker.js';
import { parseQuery } from './options.js';

start(parseQuery(location.search));
