import { element } from './dom.js';
import { formatName, formatPosition, formatShare, formatTime } from './format.js';

const byText = (text) => (a, b) => text(a).localeCompare(text(b), 'en', { numeric: true });

/**
 * The sortable table of functions.
 *
 * @param {HTMLTableElement} table
 * @returns {{show: (functions: object[], view: object) => void}} `view`: `colour`, `stackedTime`,
 *   `base`
 */
export function createTable(table) {
  let functions = [];
  let view;
  let sorted = { key: 'self', descending: true };
  const columns = [
    { key: 'self', title: 'Self', numeric: true, order: (a, b) => a.self - b.self },
    { key: 'total', title: 'Total', numeric: true, order: (a, b) => a.total - b.total },
    { key: 'name', title: 'Function', order: byText(formatName) },
    { key: 'position', title: 'Defined at', order: byText((func) => formatPosition(func, view.base)) },
  ];

  function show(nextFunctions, nextView) {
    functions = nextFunctions;
    view = nextView;
    draw();
  }

  function sortBy(key, numeric) {
    sorted = { key, descending: sorted.key === key ? !sorted.descending : numeric };
    draw();
    table.querySelector(`[data-key="${key}"]`).focus();
  }

  function draw() {
    const head = element('tr', {}, ...columns.map(({ key, title, numeric = false }) => {
      const active = sorted.key === key;
      const cell = element('th', { scope: 'col', class: numeric ? 'numeric' : '' },
        element('button', { type: 'button', 'data-key': key, onclick: () => sortBy(key, numeric) }, title));
      if (active) cell.setAttribute('aria-sort', sorted.descending ? 'descending' : 'ascending');
      return cell;
    }));
    const { order } = columns.find(({ key }) => key === sorted.key);
    const rows = [...functions].sort((a, b) => (sorted.descending ? order(b, a) : order(a, b)));
    table.replaceChildren(
      element('thead', {}, head),
      element('tbody', {}, ...(rows.length > 0 ? rows.map(drawRow) : [element('tr', {}, element('td', {
        colSpan: columns.length, class: 'nothing',
      }, 'No sample has a stack: nothing ran that the profiler may see.'))])),
    );
  }

  function drawRow(func) {
    const position = () => element('code', { class: 'position', title: func.resource ?? '' },
      formatPosition(func, view.base));
    // On a narrow page the position stands below the name (style.css); either way it is there once for a
    // reader.
    return element('tr', {},
      amount(func.self, func),
      amount(func.total, func),
      element('th', { scope: 'row' }, element('div', { class: 'name' },
        element('i', { class: `swatch ${view.colour(func)}` }),
        element('code', {}, formatName(func)),
        position())),
      element('td', {}, position()));
  }

  function amount(time, func) {
    const bar = element('span', { class: `bar ${view.colour(func)}`, 'aria-hidden': 'true' });
    bar.style.setProperty('--share', String(view.stackedTime > 0 ? time / view.stackedTime : 0));
    return element('td', { class: 'numeric' }, bar,
      element('span', { class: 'share' }, formatShare(time, view.stackedTime)),
      element('span', { class: 'time' }, formatTime(time)));
  }

  return { show };
}
