/** How the viewer writes names, positions, times and shares. */

/**
 * @param {number} ms
 * @returns {string} such as "8.3 ms", "812 ms" or "1.24 s"
 */
export function formatTime(ms) {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms >= 100 ? Math.round(ms) : Number(ms.toFixed(1))} ms`;
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string} such as "97.4 %"; "0 %" of nothing
 */
export function formatShare(part, whole) {
  if (whole === 0 || part === 0) return '0 %';
  if (part === whole) return '100 %';
  const percent = (100 * part) / whole;
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`;
}

/**
 * @param {{name: string}} func
 * @returns {string} the name, or "(anonymous)"
 */
export function formatName({ name }) {
  return name === '' ? '(anonymous)' : name;
}

/**
 * @param {{resource?: string, line?: number, column?: number}} func
 * @param {string} [base] the page's address: resources beside it are shown relative to it
 * @returns {string} such as "generate.js:6:17"; "(no script)" without a resource
 */
export function formatPosition({ resource, line, column }, base) {
  if (resource === undefined) return '(no script)';
  const numbers = [line, column].filter((number) => number !== undefined);
  return [formatResource(resource, base), ...numbers].join(':');
}

function formatResource(resource, base) {
  if (base !== undefined) {
    const folder = base.replace(/[?#].*$/s, '').replace(/[^/]*$/, '');
    if (resource.startsWith(folder) && resource.length > folder.length) return resource.slice(folder.length);
  }
  return resource;
}
