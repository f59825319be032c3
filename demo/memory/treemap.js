import { hierarchy, treemap } from './d3-hierarchy.mjs'; // put there by ../build.js
import { element } from '../viewer/dom.js';
import { formatShare } from '../viewer/format.js';
import { formatBytes } from './analysis.js';

const LABEL = 22; // px, of a realm

/**
 * A treemap of realms, and of the types in each.
 *
 * @param {HTMLElement} container
 * @param {ReturnType<import('../viewer/tooltip.js').createTooltip>} tooltip
 * @returns {(realms: ReturnType<import('./analysis.js').groupByRealm>) => void}
 */
export function createTreemap(container, tooltip) {
  let shown = [];

  function draw() {
    const { clientWidth: width, clientHeight: height } = container;
    if (!width) return;
    const total = shown.reduce((sum, { bytes }) => sum + bytes, 0);
    const root = hierarchy({ children: shown.map((realm) => ({ ...realm, children: realm.types })) })
      .sum(({ type, bytes }) => (type ? bytes : 0));
    treemap().size([width, height]).round(true).paddingInner(3)
      .paddingTop(({ depth }) => (depth === 1 ? LABEL : 0))(root);
    container.replaceChildren(...(root.children ?? []).flatMap((realm) => [
      drawRealm(realm), ...(realm.children ?? []).map((cell) => drawCell(cell, realm.data.name, total)),
    ]));
  }

  function place(box, { x0, y0, x1, y1 }) {
    Object.assign(box.style, {
      left: `${x0}px`, top: `${y0}px`, width: `${x1 - x0}px`, height: `${y1 - y0}px`,
    });
    return box;
  }

  function drawRealm(node) {
    return place(element('div', { class: 'realm' },
      element('span', {}, `${node.data.name} · ${formatBytes(node.value)}`)), node);
  }

  function drawCell(node, name, total) {
    const { type, bytes } = node.data;
    const label = `${name}, ${type}: ${formatBytes(bytes)}`;
    const cell = place(element('button', { class: `cell t-${type}`, 'aria-label': label }), node);
    const width = node.x1 - node.x0;
    const height = node.y1 - node.y0;
    if (width > 80 && height > 24) {
      cell.append(element('b', {}, type), element('span', {}, formatBytes(bytes)));
      cell.classList.add(height > 42 ? 'tall' : 'low');
    }
    tooltip.attach(cell, () => ({
      title: type, lines: [name, `${formatBytes(bytes)}, ${formatShare(bytes, total)} of the page`],
    }));
    return cell;
  }

  new ResizeObserver(draw).observe(container);
  return (realms) => {
    shown = realms;
    draw();
  };
}
