// <script src="measure-memory.iife.js" data-require-isolation data-worker-timeout="3000"></script>

import { install } from '../measure-memory.js';

export * from '../measure-memory.js';

function readOptions(data = {}) {
  const options = {};
  if ('requireIsolation' in data) options.requireIsolation = data.requireIsolation !== 'off';
  const timeout = Number(data.workerTimeout);
  if (timeout > 0 && timeout < Infinity) options.workerTimeout = timeout;
  return options;
}

/** 'native', 'polyfill' or 'none': whose method the global has. */
export const installed = install(readOptions(globalThis.document?.currentScript?.dataset));
