/** One colour for each function, the same in the flame graph, the strip and the table. */

const COUNT = 8;

/**
 * Gives the hottest functions the clearest colours (style.css, `--c0` to `--c7`).
 *
 * @param {import('./analysis.js').Analysis} analysis
 * @returns {(func: object | undefined) => string} the name of the class that carries the colour; 'c-idle'
 *   for none
 */
export function colourOf({ functions }) {
  const rank = new Map(functions.map((func, i) => [func, `c-${i % COUNT}`]));
  return (func) => rank.get(func) ?? 'c-idle';
}
