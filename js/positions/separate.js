/**
 * Function tables in files of their own, of scripts that were instrumented with `separateTable`.
 *
 * Such scripts leave entries of version SEPARATE_TABLE in the hub: `e`, `l`, `o` and `u` as other tables have them
 * (js/tables.js), and in `p` what their table is known by.
 */
import { HUB, SEPARATE_TABLE, TABLE } from '../hub.js';
import { separateTableOf } from '../separate-table.js';
import { readStack } from '../stack.js';
import { findWholeUrl, optionsFor, readBytes, withoutFragment } from './source.js';

/** Entries of scripts that run from a URL, as the engine prints it. */
const findEntries = (url) => (globalThis[HUB]?.t ?? [])
  .filter((entry) => entry?.v === SEPARATE_TABLE)
  .map((entry) => ({ ...entry, stack: readStack(entry.e) ?? '' }))
  .filter(({ stack }) => stack.includes(`${url}:`));

/**
 * Registers the tables of a script.
 *
 * @param {string} url  as the engine prints it
 * @param {(script: object) => void} addScript  as that of js/core.js
 * @param {typeof fetch} request
 * @param {{ left: number }} budget  bytes that may still be read; what is read is taken off
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false: the script holds its table itself, or has none
 * @throws whatever keeps the file from being had; a RangeError when it is of another build than the script
 */
export async function addSeparateTables(url, addScript, request, budget, signal) {
  const entries = findEntries(url);
  if (entries.length === 0) return false;
  const script = withoutFragment(findWholeUrl(url));
  // What a cache has kept may be of an earlier build.
  for (const cache of ['force-cache', 'no-cache']) {
    const response = await request(separateTableOf(script), { ...optionsFor(script), cache, signal });
    if (!response.ok) throw new RangeError(`status ${response.status}`);
    const bytes = await readBytes(response, budget.left);
    budget.left -= bytes.length;
    const { version, id, positions, names } = JSON.parse(new TextDecoder().decode(bytes));
    const own = entries.filter(({ p }) => version === TABLE && p === id);
    for (const { stack, u = '', l, o } of own) {
      addScript({ stack, url: u, positions, names, line: l, column: o });
    }
    if (own.length > 0) return true;
  }
  throw new RangeError('the table is of another build');
}
