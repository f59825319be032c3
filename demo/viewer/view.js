/** The page around main.js: says what is going on, takes over the finished trace and shows it. */
import { analyse, expectedSamples, layoutMerged, layoutOverTime, samplesBetween } from './analysis.js';
import { colourOf } from './colours.js';
import { element } from './dom.js';
import { createFlame } from './flame.js';
import { formatName, formatShare, formatTime } from './format.js';
import { drawStrip } from './strip.js';
import { createTable } from './table.js';
import { createTooltip } from './tooltip.js';

const $ = (id) => document.getElementById(id);
const { demo } = window;
const tooltip = createTooltip($('tooltip'));
const table = createTable($('functions'));
const flame = createFlame($('flame'), { tooltip, onZoom: (zoomed) => { $('zoom-out').hidden = !zoomed; } });
let analysis;
let order = 'merged';
let times; // of the run that goes on

// ---------------------------------------------------------------- who profiles

const implementation = globalThis.profilyfill?.installed ?? 'none';
demo.nativeWorks ??= implementation === 'native';

/** The engine and its version as the user agent string tells them. */
function engine() {
  const agent = navigator.userAgent;
  const [, firefox] = /Firefox\/(\d+)/.exec(agent) ?? [];
  if (firefox) return { id: 'firefox', title: `Firefox ${firefox}` };
  const [, chromium] = /Chrom(?:e|ium)\/(\d+)/.exec(agent) ?? [];
  if (chromium) return { id: 'chromium', title: `Chromium ${chromium}` };
  // Only Apple's own browser puts a meaningful version there.
  const [, safari] = /\bMac OS X\b.*Version\/(\d+(?:\.\d+)?)/.exec(agent) ?? [];
  return { id: 'webkit', title: safari ? `Safari ${safari}` : 'WebKit' };
}

function drawSwitches() {
  if (demo.nativeWorks) {
    // Which one is installed is decided before the first script, so a change needs a new page.
    const choice = (name, title) => link(title, `?impl=${name}`, implementation === name);
    $('implementations').append(choice('native', 'Native'), choice('polyfill', 'Polyfill'));
  } else {
    const text = implementation === 'polyfill' ? 'Polyfill' : 'No profiler';
    const why = 'This page has no native Profiler to compare with';
    $('implementations').append(element('span', { class: 'only', title: why }, text));
  }
  $('implementations').hidden = false;

  // The demo's server has the same page under several sets of response headers; elsewhere there is nothing
  // to switch.
  const [, mode, rest] = /^\/(plain|isolated|native)\/(.*)$/.exec(location.pathname) ?? [];
  if (mode === undefined) return;
  for (const [name, title, meaning] of [
    ['plain', 'Plain', 'No special response headers'],
    ['isolated', 'Isolated', 'Cross-origin isolated: SharedArrayBuffer and a finer clock'],
    ['native', 'With header', 'Document-Policy: js-profiling allows the native Profiler where there is one'],
  ]) {
    const choice = link(title, `/${name}/${rest}`, name === mode);
    choice.title = meaning;
    $('modes').append(choice);
  }
  $('modes').hidden = false;
}

function link(title, href, active) {
  const made = element('a', { href }, title);
  if (active) made.setAttribute('aria-current', 'true');
  return made;
}

// ---------------------------------------------------------------- a run

function setState(state) {
  demo.state = state;
  document.documentElement.dataset.state = state;
  const busy = state === 'busy';
  for (const id of ['generate', 'again']) $(id).setAttribute('aria-disabled', String(busy));
  $('empty').hidden = state !== 'idle' && state !== 'busy' || analysis !== undefined;
  $('error').hidden = state !== 'error';
  $('result').hidden = analysis === undefined || state === 'error';
  $('status').textContent = {
    idle: 'takes about a second', busy: 'Profiling…', done: 'Done, see below', error: 'No trace, see below',
  }[state];
}

// The primes block this thread, so "Profiling…" has to be on the screen before they start. A press of a
// button takes long enough for that; the click that follows goes to main.js undelayed, with nothing of ours
// on its stack.
$('generate').addEventListener('pointerdown', (event) => {
  if (event.button === 0 && demo.state !== 'busy') $('status').textContent = 'Profiling…';
});
addEventListener('pointerup', (event) => {
  if (event.target !== $('generate') && demo.state !== 'busy') setState(demo.state);
});

// A key's click comes at once: it is put off until the next picture has been drawn. The bound native
// function is called from the event loop, so that here, too, no frame of ours is below handleClick.
let letThrough = false;
function clickAfterPaint() {
  if (demo.state === 'busy') return;
  setState('busy');
  letThrough = true;
  const click = HTMLElement.prototype.click.bind($('generate'));
  requestAnimationFrame(() => setTimeout(click, 30));
}

document.addEventListener('click', (event) => {
  if (event.target !== $('generate')) return;
  const byKey = event.isTrusted && event.detail === 0;
  if ((demo.state === 'busy' && !letThrough) || byKey) {
    event.stopImmediatePropagation();
    if (byKey) clickAfterPaint();
    return;
  }
  letThrough = false;
  setState('busy');
  demo.run = undefined;
  demo.error = undefined;
  times = { started: performance.now() };
}, { capture: true });

// Bubbles up here when handleClick has reached its first await: the loop is over.
document.addEventListener('click', (event) => {
  if (event.target === $('generate') && times) times.looped = performance.now();
});

document.addEventListener('trace', ({ detail: { trace, profiler } }) => {
  const ended = performance.now();
  try {
    demo.run = {
      trace, ...times, ended,
      interval: profiler.sampleInterval,
      implementation, engine: engine(), isolated: self.crossOriginIsolated === true,
    };
    analysis = analyse(trace, profiler.sampleInterval);
    demo.run.counts = countSamples();
    // Before anything is drawn it has to be visible: sizes of hidden elements are 0.
    setState('done');
    draw();
  } catch (error) {
    fail(error);
  }
});

for (const type of ['error', 'unhandledrejection']) {
  addEventListener(type, (event) => {
    if (demo.state === 'busy') fail(event.reason ?? event.error ?? new Error(event.message));
  });
}

function fail(error) {
  demo.error = String(error?.message ?? error);
  $('error-text').textContent = `${error?.name ?? 'Error'}: ${demo.error}`;
  $('error-hint').textContent = implementation === 'none'
    ? 'The polyfill (profilyfill.iife.js) was not loaded.'
    : 'The run was given up; it can be started again.';
  analysis = undefined;
  setState('error');
}

function countSamples() {
  const { started, looped, ended, interval } = demo.run;
  return {
    all: analysis.samples,
    expected: expectedSamples(started, ended, interval),
    stacked: analysis.stacked,
    idle: analysis.idle,
    loop: {
      ...samplesBetween(analysis, started, looped),
      expected: expectedSamples(started, looped, interval),
    },
  };
}

// ---------------------------------------------------------------- the result

function draw() {
  const view = viewOf(analysis);
  drawFigures();
  drawFlame(view);
  drawSamples();
  table.show(analysis.functions, view);
}

function drawSamples() {
  if (analysis !== undefined) drawStrip($('strip'), $('legend'), analysis, colourOf(analysis));
}

const viewOf = ({ stackedTime }) => (
  { colour: colourOf(analysis), stackedTime, base: document.baseURI });

function drawFigures() {
  const { counts, interval, isolated } = demo.run;
  const { stackedTime, functions } = analysis;
  const hottest = functions[0];
  const figure = (title, value, note) => element('div', {}, element('dt', {}, title),
    element('dd', {}, value, element('small', {}, note)));
  $('figures').replaceChildren(
    figure('Hottest function', hottest ? formatName(hottest) : 'none',
      hottest ? `${formatShare(hottest.self, stackedTime)} self` : 'no sample has a stack'),
    figure('Samples', String(counts.all), `of ${counts.expected} due`),
    figure('With a stack', String(counts.stacked), `${counts.idle} without`),
    figure('Interval', formatTime(interval), `for ${formatTime(demo.run.ended - demo.run.started)}`),
  );
  $('figures').firstElementChild.classList.add('figure-wide');
  // The engine's own profiler often has no stack for code that runs: better said than left to be wondered at.
  const { all, stacked: seen } = counts.loop;
  const unseen = all > 0 && seen < 0.9 * all
    ? ` While the primes were being found, ${all - seen} of ${all} samples came without a stack.` : '';
  $('summary-line').textContent = `${[
    engine().title,
    implementation === 'native' ? 'native Profiler' : 'polyfill',
    isolated ? 'cross-origin isolated page' : 'page not isolated',
  ].join(' · ')}.${unseen}`;
}

function drawFlame(view) {
  const merged = order === 'merged';
  $('order-merged').setAttribute('aria-pressed', String(merged));
  $('order-time').setAttribute('aria-pressed', String(!merged));
  $('flame-caption').textContent = merged
    ? 'Callers above, callees below; width is time with a stack, widest first. Click a box to zoom.'
    : 'Callers above, callees below; from left to right as time went by. Click a box to zoom.';
  $('zoom-out').hidden = true;
  flame.show(merged ? layoutMerged(analysis) : layoutOverTime(analysis), view);
}

for (const [id, name] of [['order-merged', 'merged'], ['order-time', 'time']]) {
  $(id).addEventListener('click', () => {
    order = name;
    drawFlame(viewOf(analysis));
  });
}
// Its time axis is as fine as there is room for.
new ResizeObserver(() => drawSamples()).observe($('strip').parentElement);
$('zoom-out').addEventListener('click', () => flame.reset());
$('again').addEventListener('click', () => {
  clickAfterPaint();
  scrollTo({ top: 0, behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
});

function download(content, kind) {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  element('a', { href: address, download: `${kind}-${engine().id}-${implementation}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

$('download').addEventListener('click', () => {
  download(JSON.stringify(demo.run.trace, undefined, 1), 'trace');
});
$('firefox-profile').addEventListener('click', async () => {
  const { trace, interval, started, looped } = demo.run;
  const loop = { entryType: 'measure', name: 'the primes', startTime: started, duration: looped - started };
  try {
    // Loaded when it is wanted: it is larger than the polyfill.
    const { toFirefoxProfile } = await import('../export.js');
    const profile = await toFirefoxProfile(trace, { product: document.title, interval, entries: [loop] });
    download(profile.toBytes(), 'firefox-profile');
  } catch (error) {
    $('status').textContent = `No Firefox profile: ${error.message}`; // the page's policy may refuse wasm
  }
});

drawSwitches();
setState('idle');
