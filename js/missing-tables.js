// Scripts that are not instrumented tell no definition positions. When the trace is built, those that
// may be seen are read and get function tables after all.
//
// What it takes, a parser, is a file of its own (profilyfill-positions.js beside this build), loaded
// when a trace needs it.

import { NativeWorker, clearTimer, nativeFetch, setTimer } from './builtins.js';
import { isModule, loadScript } from './beside.js';
import { addScript } from './core.js';
import { settings } from './settings.js';

const TIME_MAX = 2500; // ms: somewhat more than that file allows itself

let loading;

const load = () => (isModule ? import('./profilyfill-positions.mjs')
  : loadScript('profilyfill-positions.js', 'profilyfillPositions'));

/** Whether there may be no other task: a trace that is asked for now has to be sent now. */
const isLeaving = ({ document, event }) => document?.hidden || /hide|unload/.test(event?.type);

/**
 * Adds what tables can be had within some time.
 * @param {string[]} urls of scripts without one, as the engine prints them
 * @returns {Promise<void> | undefined} never rejected; undefined: nothing to wait for
 */
export function addMissingTables(urls) {
  if (!urls.length || !settings.positions || isLeaving(globalThis)) return undefined;
  return new Promise(async (resolve) => {
    const timer = setTimer(resolve, TIME_MAX);
    try {
      await (await (loading ??= load())).place(urls, addScript, nativeFetch, NativeWorker);
    } catch {
      // Not there, or not allowed: the trace does without.
    }
    clearTimer(timer);
    resolve();
  });
}
