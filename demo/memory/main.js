/** The memory page: measures on demand and now and then, shows a measurement, and what grew since another. */
import { element } from '../viewer/dom.js';
import { createTooltip } from '../viewer/tooltip.js';
import { compare, formatBytes, groupByRealm, nameType } from './analysis.js';
import { GROWERS, free } from './growers.js';
import { createTreemap } from './treemap.js';

const TYPES = ['JavaScript', 'DOM', 'Canvas', 'WebAssembly', 'Shared'];
const MEAN_INTERVAL = 5_000; // ms; a page in the field would measure once in some minutes

const $ = (id) => document.getElementById(id);
const tooltip = createTooltip($('tooltip'));
const showMap = createTreemap($('map'), tooltip);
const base = location.href;

/** What tests look at. */
const demo = { state: 'idle', results: [] };
window.demo = demo;
const { results } = demo;
let from = 0; // the measurements that are compared; the second is also shown
let to = 0;

function setState(state, text = '') {
  demo.state = state;
  document.documentElement.dataset.state = state;
  $('measure').setAttribute('aria-disabled', String(state === 'busy'));
  $('status').textContent = text;
  $('error').hidden = state !== 'error';
}

async function measure() {
  if (demo.state === 'busy') return;
  setState('busy', 'Measuring…');
  const begin = performance.now();
  try {
    const result = await performance.measureUserAgentSpecificMemory();
    results.push({ result, date: new Date() });
    from = Math.max(0, results.length - 2);
    to = results.length - 1;
    show();
    setState('done', `Took ${Math.round(performance.now() - begin)} ms`);
  } catch (error) {
    $('error-text').textContent = String(error);
    setState('error');
  }
}

/** Time until the next one, so that it does not depend on what the page does: exponentially distributed. */
const nextDelay = () => -Math.log(1 - Math.random()) * MEAN_INTERVAL;

function schedule() {
  setTimeout(async () => {
    if (!$('auto').checked) return;
    await measure();
    schedule();
  }, nextDelay());
}

const title = (i) => `${i + 1}: ${results[i].date.toLocaleTimeString()}`;

function show() {
  $('result').hidden = false;
  const { result } = results[to];
  const realms = groupByRealm(result, base);
  const growth = result.bytes - results[from].result.bytes;
  const figure = (name, value, note) => [
    element('dt', {}, name), element('dd', {}, value, element('small', {}, note)),
  ];
  const whose = { native: "the browser's", polyfill: 'the polyfill' }[window.profilyfillMemory.installed];
  const parts = [
    figure('In all', formatBytes(result.bytes), `measurement ${to + 1} of ${results.length}`),
    figure('Grown by', formatBytes(growth), `since ${from + 1}`),
    figure('Realms', String(realms.length), `${result.breakdown.length} entries`),
    figure('Measured by', whose, crossOriginIsolated ? 'isolated page' : 'page not isolated'),
  ];
  $('figures').replaceChildren(...parts.map((part) => element('div', {}, ...part)));
  showMap(realms.filter(({ bytes }) => bytes > 0));
  const empty = realms.filter(({ bytes }) => bytes === 0).map(({ name }) => name);
  $('empty-realms').textContent = empty.length ? `Listed with 0 bytes: ${empty.join(', ')}` : '';
  drawHistory();
  drawGrown();
}

function drawHistory() {
  const most = Math.max(...results.map(({ result }) => result.bytes), 1);
  $('history').replaceChildren(...results.map(({ result, date }, i) => {
    const bar = element('button', {
      'aria-pressed': i === to, class: i === from ? 'from' : '',
      'aria-label': `${title(i)}: ${formatBytes(result.bytes)}`,
    });
    for (const type of TYPES) {
      const bytes = result.breakdown.filter((entry) => nameType(entry) === type)
        .reduce((sum, entry) => sum + entry.bytes, 0);
      if (!bytes) continue;
      const part = element('span', { class: `t-${type}` });
      part.style.height = `${100 * bytes / most}%`;
      bar.append(part);
    }
    bar.addEventListener('click', () => {
      to = i;
      show();
    });
    tooltip.attach(bar, () => ({
      title: formatBytes(result.bytes), lines: [`measurement ${i + 1}`, date.toLocaleTimeString()],
    }));
    return bar;
  }));
}

function drawGrown() {
  for (const [id, chosen] of [['from', from], ['to', to]]) {
    $(id).replaceChildren(...results.map((one, i) => (
      element('option', { value: i, selected: i === chosen }, title(i)))));
  }
  const rows = compare(results[from].result, results[to].result, base);
  const amount = (text, kind = '') => element('td', { class: `amount ${kind}` }, text);
  const sign = (bytes) => (bytes > 0 ? `+${formatBytes(bytes)}` : formatBytes(bytes));
  const kindOf = (growth) => growth > 0 ? 'more' : growth < 0 ? 'less' : '';
  $('grown').replaceChildren(
    element('thead', {}, element('tr', {},
      ...['Grown by', 'Before', 'After'].map((name) => (
        element('th', { class: 'amount', scope: 'col' }, name))),
      element('th', { scope: 'col' }, 'What'))),
    element('tbody', {}, ...rows.map(({ name, type, before, after, growth }) => (
      element('tr', {},
        amount(growth ? sign(growth) : '–', kindOf(growth)),
        amount(formatBytes(before)),
        amount(formatBytes(after)),
        element('th', { scope: 'row' }, element('span', { class: `swatch t-${type}` }), `${type}  `,
          element('code', { class: 'position' }, name)))))),
  );
}

for (const [name, grow] of GROWERS) {
  const button = element('button', {}, `+ ${name}`);
  button.addEventListener('click', grow);
  $('growers').append(button);
}
$('growers').append(element('button', { class: 'free', id: 'free' }, 'free all'));
$('free').addEventListener('click', free);
$('measure').addEventListener('click', measure);
$('auto').addEventListener('change', schedule);
for (const id of ['from', 'to']) {
  $(id).addEventListener('change', () => {
    from = Number($('from').value);
    to = Number($('to').value);
    show();
  });
}
$('download').addEventListener('click', () => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(results, null, 2)], { type: 'application/json' }));
  element('a', { href: url, download: 'memory.json' }).click();
  URL.revokeObjectURL(url);
});
$('legend').append(...TYPES.map((type) => (
  element('li', {}, element('span', { class: `swatch t-${type}` }), type))));
