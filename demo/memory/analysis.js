/** What the memory page makes of measurements: realms and types, and what grew between two of them. */

/**
 * @param {number} bytes
 * @returns {string} such as "812 B", "24.0 kB" or "-1.24 MB"
 */
export function formatBytes(bytes) {
  const size = Math.abs(bytes);
  if (size < 1_000) return `${bytes} B`;
  const [unit, divisor] = size < 1e6 ? ['kB', 1e3] : ['MB', 1e6];
  const value = bytes / divisor;
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : 1)} ${unit}`;
}

/**
 * The name of a realm that an entry is attributed to.
 *
 * @param {object[]} attribution
 * @param {string} base the page's address: URLs below it are shown relative to it
 */
export function nameRealm(attribution, base) {
  if (attribution.length === 0) return 'shared by all';
  return attribution.map(({ scope, url, container }) => {
    const folder = base.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
    const place = url.startsWith(folder) ? url.slice(folder.length) || 'this page' : url;
    const element = container && (container.id ? `#${container.id}` : container.src || 'a frame');
    if (scope === 'cross-origin-aggregated') return `another origin in ${element}`;
    if (scope === 'Window') return element ? `${place} in ${element}` : place;
    return `worker ${place.replace(/^blob:.*/, 'blob:…')}`;
  }).join(', ');
}

/** The one type of an entry, or a name for none or several. */
export const nameType = ({ types }) => types.length === 1 ? types[0] : types.join('+') || 'other';

/**
 * A result as a tree: realms, largest first, with their types. Entries of nothing are left out.
 *
 * @param {{ breakdown: object[] }} result
 * @param {string} base
 * @returns {{ name: string, key: string, bytes: number, types: { type: string, bytes: number }[] }[]}
 */
export function groupByRealm({ breakdown }, base) {
  const realms = new Map();
  for (const entry of breakdown) {
    if (entry.attribution.length === 0 && entry.bytes === 0) continue;
    const key = JSON.stringify(entry.attribution);
    const realm = realms.get(key) ?? { name: nameRealm(entry.attribution, base), key, bytes: 0, types: [] };
    realms.set(key, realm);
    realm.bytes += entry.bytes;
    if (entry.bytes) realm.types.push({ type: nameType(entry), bytes: entry.bytes });
  }
  const largest = (a, b) => b.bytes - a.bytes || (a.key < b.key ? -1 : 1);
  for (const realm of realms.values()) realm.types.sort((a, b) => b.bytes - a.bytes);
  return [...realms.values()].sort(largest);
}

/**
 * What changed from one result to another, by realm and type, what grew most first.
 *
 * @returns {{ name: string, type: string, before: number, after: number, growth: number }[]}
 */
export function compare(before, after, base) {
  const rows = new Map();
  const note = ({ breakdown }, side) => {
    for (const entry of breakdown) {
      const type = nameType(entry);
      const key = JSON.stringify([entry.attribution, type]);
      const row = rows.get(key) ?? { name: nameRealm(entry.attribution, base), type, before: 0, after: 0 };
      row[side] += entry.bytes;
      rows.set(key, row);
    }
  };
  note(before, 'before');
  note(after, 'after');
  return [...rows.values()].map((row) => ({ ...row, growth: row.after - row.before }))
    .filter(({ before: old, after: now }) => old || now)
    .sort((a, b) => b.growth - a.growth || b.after - a.after);
}
