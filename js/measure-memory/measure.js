// One measurement: all realms, what they hold, and the result for everybody who has asked meanwhile.
//
// A call that comes while a walk is under way gets the next one, which is shared with all that come by
// then: its caller may have made what the walk has passed already.

import { NativePromise, getter } from './builtins.js';
import { addBytes, addWindow, addWorker, endMeasurement, load, readResult } from './core.js';
import { hubOf } from './hub.js';
import { findRealms } from './realms.js';
import { scope } from './scope.js';
import { wait } from './tasks.js';
import { totalsOf } from './totals.js';
import { askAll } from './workers.js';

let callers; // of the next measurement
let isMeasuring = false;

/** Puts a worker and its own ones into the measurement. */
function addReport({ url, totals, workers }, outside) {
  const realm = addWorker(outside, 'DedicatedWorkerGlobalScope', url);
  addTotals(realm, totals);
  for (let i = 0; i < workers.length; i++) addReport(workers[i], realm);
}

/** The bytes of one realm, listed also if there are none. */
function addTotals(realm, totals) {
  addBytes([realm], ['JavaScript'], 0);
  for (let i = 0; i < totals.length; i++) {
    const { type, bytes } = totals[i];
    if (bytes) addBytes([realm], [type], bytes);
  }
}

/** What is known of this thread's realms: those that may be looked into, and all. */
async function look() {
  if (scope !== 'Window') return [{ window: globalThis, isSameOrigin: true, url: globalThis.location.href }];
  return findRealms();
}

/** Makes the measurement; the core has it when this resolves. */
async function observe() {
  const realms = await look();
  const walked = [];
  const asked = [];
  for (let i = 0; i < realms.length; i++) {
    const { window, isSameOrigin } = realms[i];
    if (isSameOrigin) walked[walked.length] = { global: window, number: i };
    const hub = isSameOrigin ? hubOf(window) : undefined;
    asked[i] = askAll(hub ? hub.livingWorkers() : []);
  }
  const totals = await totalsOf(walked);
  const reports = [];
  for (let i = 0; i < asked.length; i++) reports[i] = await asked[i];

  const numbers = [];
  for (let i = 0; i < realms.length; i++) {
    const { parent, isSameOrigin } = realms[i];
    numbers[i] = scope === 'Window' ? addWindow(parent < 0 ? -1 : numbers[parent], isSameOrigin, realms[i])
      : addWorker(-1, scope, realms[i].url);
  }
  for (let i = 0; i < realms.length; i++) {
    if (!realms[i].isSameOrigin) addTotals(numbers[i], []);
    for (let j = 0; j < reports[i].length; j++) addReport(reports[i][j], numbers[i]);
  }
  for (let i = 0; i < walked.length; i++) {
    const own = [];
    for (let j = 0; j < totals.length; j++) if (totals[j].realm === i) own[own.length] = totals[j];
    addTotals(numbers[walked[i].number], own);
  }
}

async function run() {
  isMeasuring = true;
  await wait(0); // whoever asks in the same task is served by the same walk
  const served = callers;
  callers = undefined;
  try {
    await load();
    await observe();
    for (let i = 0; i < served.length; i++) served[i].resolve(readResult());
  } catch (error) {
    for (let i = 0; i < served.length; i++) served[i].reject(error);
  }
  try {
    endMeasurement();
  } catch {
    // there is no core
  }
  isMeasuring = false;
  if (callers) run();
}

/**
 * Measures; see the specification's `measureUserAgentSpecificMemory()`.
 * @returns {Promise<object>} rejected with `code` ERR_PROFILYFILL_CORE or ERR_PROFILYFILL_MEMORY
 */
export const measure = () => new NativePromise((resolve, reject) => {
  callers ??= [];
  callers[callers.length] = { resolve, reject };
  if (!isMeasuring) run();
});
