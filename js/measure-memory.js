// performance.measureUserAgentSpecificMemory() where browsers do not have it.
// https://wicg.github.io/performance-measure-memory/

import { defineProperty } from './measure-memory/builtins.js';
import { hubOf, putHub } from './measure-memory/hub.js';
import { installLedger } from './measure-memory/ledger.js';
import { measureUserAgentSpecificMemory } from './measure-memory/method.js';
import { containerOf, watch } from './measure-memory/realms-containers.js';
import { closedRoots, wrapAttachShadow } from './measure-memory/realms-shadow.js';
import {
  adoptFrame, adoptWindow, adoptedFrames, announce, openedWindows, wrapOpen,
} from './measure-memory/realms.js';
import { scope } from './measure-memory/scope.js';
import { settings } from './measure-memory/settings.js';
import { announceWorker } from './measure-memory/workers-scope.js';
import { livingWorkers, wrapWorkers } from './measure-memory/workers.js';
import { checkOptions } from './options.js';

export { coreKind } from './measure-memory/core.js';
export { registerRoot } from './measure-memory/roots.js';

const NAME = 'measureUserAgentSpecificMemory';

const OPTIONS = { __proto__: null, requireIsolation: 'boolean', workerTimeout: 'number' };

/**
 * Makes `performance.measureUserAgentSpecificMemory()` available on this global. In a dedicated worker, which
 * has no such method, lets the page measure it.
 * @param {object} [options]
 * @param {boolean} [options.requireIsolation] do nothing unless the global is cross-origin isolated, which
 *   the specification demands
 * @param {number} [options.workerTimeout] how many ms a measurement waits for a sign of life of a worker,
 *   before it counts 0 bytes for it (default 3000)
 * @returns {'native' | 'polyfill' | 'none'} whose method the global has now
 * @throws {TypeError} code ERR_PROFILYFILL_OPTION
 */
export function install(options = {}) {
  checkOptions(options, OPTIONS, 'workerTimeout');
  if (!scope || options.requireIsolation && !globalThis.crossOriginIsolated) return 'none';
  const { prototype } = globalThis.Performance;
  const isInstalled = hubOf(globalThis);
  if (!isInstalled && NAME in prototype) return 'native';
  settings.workerTimeout = options.workerTimeout ?? settings.workerTimeout;
  const isDedicated = scope === 'DedicatedWorkerGlobalScope';
  if (!isInstalled) {
    putHub({
      __proto__: null, adoptFrame, adoptWindow, adoptedFrames, closedRoots, containerOf, livingWorkers,
      openedWindows,
    });
    installLedger(globalThis);
    wrapWorkers();
    if (scope === 'Window') {
      wrapAttachShadow();
      wrapOpen();
      watch(document);
      announce();
    }
    if (isDedicated) announceWorker();
  }
  if (isDedicated) return 'none';
  if (!(NAME in prototype)) {
    defineProperty(prototype, NAME, {
      __proto__: null, value: measureUserAgentSpecificMemory,
      writable: true, enumerable: true, configurable: true,
    });
  }
  return 'polyfill';
}
