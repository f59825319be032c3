// import 'profilyfill/auto'

import { install } from './install.js';

// In Node there is nothing to profile a page with; importing must do no harm there.
if (typeof globalThis.document === 'object' || typeof globalThis.importScripts === 'function' ||
    typeof globalThis.WorkerGlobalScope === 'function') {
  install();
}
