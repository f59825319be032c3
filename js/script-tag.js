// <script src="profilyfill.iife.js" data-force data-document-policy="off"></script>

import { install } from './install.js';

export * from './index.js';

function readOptions(data = {}) {
  const options = {};
  if ('force' in data) options.force = data.force !== 'off';
  if ('documentPolicy' in data) options.documentPolicy = data.documentPolicy !== 'off';
  if ('workers' in data) options.workers = data.workers !== 'off';
  if ('positions' in data) options.positions = data.positions !== 'off';
  const floor = Number(data.intervalFloor);
  if (floor > 0 && floor < Infinity) options.intervalFloor = floor;
  return options;
}

/** 'native' or 'polyfill': whose Profiler the page has. */
export const installed = install(readOptions(globalThis.document?.currentScript?.dataset));
