// The walk, in blocks of a few ms.

import { inBlocks } from './tasks.js';
import { createWalk } from './walk.js';

/**
 * What realms of this thread hold.
 * @param {{ global: object }[]} realms
 * @returns {Promise<{ realm: number, type: string, bytes: number }[]>} realm: an index
 */
export async function totalsOf(realms) {
  const walk = createWalk({ realms });
  await inBlocks((deadline) => walk.step(deadline));
  return walk.totals();
}
