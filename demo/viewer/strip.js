import { element } from './dom.js';
import { formatName, formatTime } from './format.js';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 56;
const TICK_WIDTH = 76; // pixels, enough for "1.25 s" and some air

/**
 * Draws the samples over time: a bar for each, as high as its stack is deep, in the colour of the function
 * that was running; a dot on the base line for a sample without a stack.
 *
 * @param {HTMLElement} container
 * @param {HTMLElement} legend a list
 * @param {import('./analysis.js').Analysis} analysis
 * @param {(func: object | undefined) => string} colour
 */
export function drawStrip(container, legend, analysis, colour) {
  const { timeline, start, end, interval, samples, stacked, idle } = analysis;
  const length = end - start || 1;
  const deepest = Math.max(1, ...timeline.map(({ path }) => path.length));
  // One path a colour, however many samples: units are ms across, pixels down.
  const paths = new Map();
  for (const { time, path } of timeline) {
    const leaf = path.at(-1);
    const name = colour(leaf);
    if (!paths.has(name)) paths.set(name, { leaf, parts: [] });
    const top = leaf === undefined ? HEIGHT - 4 : HEIGHT * (1 - (0.35 + 0.65 * (path.length / deepest)));
    const x = time - start;
    const bar = Math.max(interval * 0.72, length / 2000);
    paths.get(name).parts.push(`M${x.toFixed(3)} ${HEIGHT}V${top.toFixed(1)}h${bar.toFixed(3)}V${HEIGHT}z`);
  }
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${length} ${HEIGHT}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('role', 'img');
  const counts = `${stacked} with a stack, ${idle} without`;
  svg.setAttribute('aria-label', `${samples} samples in ${formatTime(length)}: ${counts}`);
  for (const [name, { parts }] of paths) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('class', name);
    path.setAttribute('d', parts.join(''));
    svg.append(path);
  }

  const ticks = element('div', { class: 'ticks', 'aria-hidden': 'true' });
  const step = niceStep(length / Math.max(2, Math.min(8, container.clientWidth / TICK_WIDTH)));
  for (let at = 0; at <= length; at += step) {
    const tick = element('span', {}, at === 0 ? '0' : formatTime(at));
    tick.style.left = `${(at / length) * 100}%`;
    if (at / length > 0.94) tick.className = 'tick-last';
    ticks.append(tick);
  }
  container.replaceChildren(svg, ticks);

  const entries = [...paths].map(([name, { leaf }]) => (
    element('li', {}, element('i', { class: `swatch ${name}` }), leaf ? formatName(leaf) : 'no stack')));
  legend.replaceChildren(...entries);
}

// The smallest of 1, 2 or 5 times a power of ten that is no less.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}
