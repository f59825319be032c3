// The page that profiles itself by an SDK, and shows what that has sent.

import { genPrimes } from '../generate.js';

const sdk = new URLSearchParams(location.search).get('sdk') === 'datadog' ? 'datadog' : 'sentry';
const [, mode] = location.pathname.split('/');
const run = `demo-${Math.random().toString(36).slice(2)}`;
const $ = (id) => document.getElementById(id);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** For whoever drives the page. */
window.demo = { state: 'idle', received: undefined };

const { name, profile, start } = await import(`./use-${sdk}.js`);
start(`/${mode}/ingest/${sdk}/${run}`);
$('sdk').textContent = name;
document.querySelector(`#sdks a[href="?sdk=${sdk}"]`).setAttribute('aria-current', 'true');

function findPrimes() {
  const primes = genPrimes();
  console.log(`Finished generating ${primes.length} primes!`);
}

/** What has arrived at the server. */
async function receive() {
  for (let turn = 0; turn < 100; turn++) {
    const [received] = await (await fetch(`/${mode}/ingest/received/${run}`)).json();
    if (received) return received;
    await sleep(100);
  }
  throw new Error('Nothing has arrived.');
}

function element(tag, text, ...children) {
  const made = document.createElement(tag);
  made.append(text, ...children);
  return made;
}

/** The functions that are on the samples' stacks, by how many have them; `self`: on top. */
function countFunctions({ frames, samples }) {
  const counts = frames.map((frame) => ({ frame, self: 0, total: 0 }));
  for (const { stack } of samples) {
    if (stack.length) counts[stack[0]].self++;
    for (const at of new Set(stack)) counts[at].total++;
  }
  return counts.sort((a, b) => b.self - a.self || b.total - a.total);
}

function show(received) {
  const { frames, samples, bytes, sdk: version } = received;
  const stacked = samples.filter(({ stack }) => stack.length).length;
  const shown = [
    ['sent by', version.replace(/^(?:sentry\.javascript\.browser|datadog)/, name), 'unmodified'],
    ['size on the wire', `${(bytes / 1000).toFixed(1)} kB`, 'the body of the request'],
    ['samples', String(samples.length), `${stacked} with a stack`],
    ['functions', String(frames.length), 'frames of the profile'],
  ];
  $('figures').replaceChildren(...shown.map(([term, value, note]) =>
    element('div', element('dt', term), element('dd', value, element('small', note)))));
  const base = location.href.replace(/[^/]*$/, '').replace(/sdks\/$/, '');
  const row = (cell, ...cells) => element('tr', '', ...cells.map((content) => element(cell, content)));
  $('functions').replaceChildren(
    element('thead', row('th', 'Function', 'self', 'total', 'Defined at')),
    element('tbody', '', ...countFunctions(received).slice(0, 12).map(({ frame, self, total }) => row('td',
      element('code', frame.name || '(anonymous)'), self, total,
      element('code', frame.line === undefined ? ''
        : `${frame.url.replace(base, '')}:${frame.line}:${frame.column}`),
    ))),
  );
  $('result').hidden = false;
}

$('start').addEventListener('click', async () => {
  $('start').disabled = true;
  document.body.dataset.state = 'busy';
  $('status').textContent = sdk === 'datadog' ? 'five seconds…' : 'profiling…';
  await sleep(50); // the page is painted
  try {
    await profile(findPrimes);
    const received = await receive();
    show(received);
    Object.assign(window.demo, { state: 'done', received });
    $('status').textContent = 'it has arrived';
  } catch (error) {
    window.demo.state = 'error';
    $('status').textContent = error.message;
  }
  delete document.body.dataset.state;
});

$('download').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([JSON.stringify(window.demo.received.raw, undefined, 1)], { type: 'application/json' }));
  link.download = `${sdk}-profile.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});
