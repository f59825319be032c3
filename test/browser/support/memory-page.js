/** What pages of tests and benchmarks of the walk have: the walk, its ledger and registered roots. */
import { installLedger } from '../../../js/measure-memory/ledger.js';
import { registerRoot } from '../../../js/measure-memory/roots.js';
import { createWalk } from '../../../js/measure-memory/walk.js';

installLedger(globalThis);

const BLOCK = 3; // ms, as js/measure-memory/tasks.js

const { MessageChannel, performance, Promise } = globalThis;
const { max } = Math;
const now = performance.now.bind(performance);

/**
 * One measurement, as the polyfill takes it: in blocks, each a task of its own.
 *
 * @param {(typeof globalThis)[]} [globals]  of the realms
 * @param {{ block?: number, between?: () => void }} [options]  `block`: ms; `between`: runs between blocks
 * @returns {Promise<{ bytes: number, types: Record<string, number>, realms: number[], longest: number,
 *   ms: number, blocks: number }>}
 */
function measureByWalk(globals = [globalThis], { block = BLOCK, between } = {}) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const walk = createWalk({ realms: globals.map((global) => ({ global })) });
    const result = { bytes: 0, types: {}, realms: globals.map(() => 0), longest: 0, ms: 0, blocks: 0 };
    port1.onmessage = () => {
      const from = now();
      const isDone = walk.step(from + block);
      const took = now() - from;
      result.longest = max(result.longest, took);
      result.ms += took;
      result.blocks++;
      if (!isDone) {
        between?.();
        port2.postMessage(0);
        return;
      }
      port1.close();
      port1.onmessage = null; // and nothing keeps the walk
      for (const { realm, type, bytes } of walk.totals()) {
        result.types[type] = (result.types[type] ?? 0) + bytes;
        result.realms[realm] += bytes;
        result.bytes += bytes;
      }
      resolve(result);
    };
    port2.postMessage(0);
  });
}

/** One measurement in one block; bytes. */
function walkAtOnce() {
  const walk = createWalk({ realms: [{ global: globalThis }] });
  while (!walk.step(Infinity));
  const totals = walk.totals();
  let bytes = 0;
  for (let i = 0; i < totals.length; i++) bytes += totals[i].bytes;
  return bytes;
}

Object.defineProperty(globalThis, 'walkAtOnce', { value: walkAtOnce });
Object.defineProperty(globalThis, 'measureByWalk', { value: measureByWalk });
Object.defineProperty(globalThis, 'registerRoot', { value: registerRoot });
