import { element } from './dom.js';
import { formatName, formatPosition, formatShare, formatTime } from './format.js';

// Boxes narrower than this part of the graph cannot be seen or hit.
const NARROWEST = 0.0008;

/**
 * A flame graph of real buttons: it can be read aloud, walked through with the arrow keys, and printed.
 *
 * A click on a box makes it as wide as the graph (its callers then fill the width above it); a click on the
 * widest box of the top row, or `reset`, shows everything again.
 *
 * @param {HTMLElement} container
 * @param {object} options
 * @param {ReturnType<import('./tooltip.js').createTooltip>} options.tooltip
 * @param {(zoomed: boolean) => void} options.onZoom
 * @returns {{show: (boxes: object[], view: object) => void, reset: () => void}} `view`: `colour`,
 *   `stackedTime`, `base`
 */
export function createFlame(container, { tooltip, onZoom }) {
  let boxes = [];
  let view;
  let zoom = { x0: 0, x1: 1, depth: 0 };
  let current; // the box that the Tab key reaches

  function show(nextBoxes, nextView) {
    boxes = nextBoxes;
    view = nextView;
    zoom = { x0: 0, x1: 1, depth: 0 };
    current = undefined;
    draw();
  }

  function zoomTo(box) {
    tooltip.hide();
    zoom = box;
    current = box;
    const focused = container.contains(document.activeElement);
    draw();
    if (focused) container.querySelector('[tabindex="0"]')?.focus();
    onZoom(box.depth > 0);
  }

  function draw() {
    const width = zoom.x1 - zoom.x0;
    const seen = boxes.filter(({ x0, x1 }) => (
      x1 > zoom.x0 && x0 < zoom.x1 && (Math.min(x1, zoom.x1) - Math.max(x0, zoom.x0)) / width > NARROWEST));
    if (!seen.includes(current)) current = seen[0];
    container.style.setProperty('--rows', 1 + Math.max(0, ...seen.map(({ depth }) => depth)));
    container.replaceChildren(...seen.map((box) => {
      const left = Math.max(0, (box.x0 - zoom.x0) / width);
      const right = Math.min(1, (box.x1 - zoom.x0) / width);
      return drawBox(box, left, right);
    }));
  }

  function drawBox(box, left, right) {
    const above = box.depth < zoom.depth;
    const label = labelOf(box, view);
    const kind = box.kind === 'func' ? view.colour(box.func) : `c-${box.kind}`;
    const button = element('button', {
      class: `box ${kind}${above ? ' box-above' : ''}`,
      type: 'button',
      tabIndex: box === current ? 0 : -1,
      'aria-label': `${label.title}, ${label.lines.join(', ')}`,
    }, element('span', {}, label.title));
    button.style.left = `${left * 100}%`;
    button.style.width = `${(right - left) * 100}%`;
    button.style.top = `calc(${box.depth} * var(--row))`;
    button.box = box;
    button.addEventListener('click', () => zoomTo(box === zoom && boxes[0] ? boxes[0] : box));
    tooltip.attach(button, () => label);
    return button;
  }

  // Arrow keys: left and right within a row, up to the caller, down to the widest callee.
  container.addEventListener('keydown', (event) => {
    const from = event.target.box;
    if (from === undefined) return;
    if (event.key === 'Escape') return reset();
    const all = [...container.children];
    const row = (depth) => all.filter(({ box }) => box.depth === depth).sort((a, b) => a.box.x0 - b.box.x0);
    const here = row(from.depth).indexOf(event.target);
    const moves = {
      ArrowRight: () => row(from.depth)[here + 1],
      ArrowLeft: () => row(from.depth)[here - 1],
      ArrowUp: () => row(from.depth - 1).find(({ box }) => box.x0 <= from.x0 && box.x1 >= from.x1),
      ArrowDown: () => row(from.depth + 1).filter(({ box }) => box.x0 >= from.x0 && box.x1 <= from.x1)
        .sort((a, b) => (b.box.x1 - b.box.x0) - (a.box.x1 - a.box.x0))[0],
    };
    const next = moves[event.key]?.();
    if (moves[event.key]) event.preventDefault();
    if (next === undefined) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    current = next.box;
    next.focus();
  });

  function reset() {
    if (boxes.length > 0) zoomTo(boxes[0]);
  }

  return { show, reset };
}

function labelOf({ kind, func, self, total, samples }, { stackedTime, base }) {
  const amount = (time) => `${formatTime(time)} (${formatShare(time, stackedTime)})`;
  const counted = `${samples} ${samples === 1 ? 'sample' : 'samples'}`;
  if (kind === 'all') return { title: 'all samples', lines: [formatTime(total), counted] };
  if (kind === 'idle') return { title: 'no stack', lines: [formatTime(total), counted] };
  return {
    title: formatName(func),
    lines: [formatPosition(func, base), `total ${amount(total)}`, `self ${amount(self)}`, counted],
  };
}
