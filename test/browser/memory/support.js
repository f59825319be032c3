// Runs the rows of the memory table: scenes, each a page load on one of three local origins.
//
// A scene is an object:
//   name    of its page
//   page    (env) => what was observed, as JSON carries it; runs in the page, with PAGE_HELPERS
//   click   () => void; runs in the page before, at a click of the user's
//   mode    of the server, instead of the target's
//   bare    true: the page itself does not load the polyfill
//   only    (target) => whether it runs there
//   rows    [{ row, title, check(seen, target), only, departs: { native(seen) } }]: what is seen in it;
//           departs: what a target does instead, which test/data/memory-conformance.json explains

import { startServer } from '../support/server.js';

export const TARGETS = [
  { id: 'native', title: 'Chromium native', engine: 'chromium', mode: 'isolated', isNative: true },
  { id: 'chromium', title: 'Chromium', engine: 'chromium', mode: 'plain', isNative: false },
  { id: 'firefox', title: 'Firefox', engine: 'firefox', mode: 'plain', isNative: false },
  { id: 'webkit', title: 'WebKit', engine: 'webkit', mode: 'plain', isNative: false },
];

/** Natively a measurement waits for a garbage collection: not with this. */
export const launchOptions = ({ isNative }) =>
  (isNative ? { args: ['--enable-blink-features=ForceEagerMeasureMemory'] } : {});

const PAGE_HELPERS = `
const NAME = 'measureUserAgentSpecificMemory';

const measure = () => performance[NAME]();

const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Adds an element, and resolves to it when it has loaded.
function add(tag, attributes, parent = document.body) {
  return new Promise((resolve) => {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    element.onload = () => resolve(element);
    parent.append(element);
  });
}

const loading = (target) => new Promise((resolve) => {
  target.addEventListener('load', resolve, { once: true });
});

// What a frame, a window or a worker answers to a message.
function ask(target, message, transfer = []) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    const to = target.contentWindow || target.port || target;
    if (to === target.contentWindow || to.window === to) to.postMessage(message, '*', [port2, ...transfer]);
    else to.postMessage(message, [port2, ...transfer]);
  });
}

// The same of a window that may still be loading, which those of other origins do not tell.
async function askUntilAnswered(target, message) {
  for (;;) {
    const answered = await Promise.race([ask(target, message), idle(500)]);
    if (answered) return answered;
  }
}

const outcome = (promise) => promise.then(
  (value) => ({ value }), (error) => ({ error: error.name, code: error.code, message: error.message }));

// Where code runs: in frames and workers that are asked to.
const REMOTE = {
  has: () => typeof performance[NAME],
  measure: () => (performance[NAME] ? outcome(measure()) : 'absent'),
};
const answer = async ({ data, ports: [port] }) => {
  if (port && REMOTE[data]) port.postMessage(await REMOTE[data]());
};
if (globalThis.document && parent !== self || globalThis.opener) addEventListener('message', answer);
`;

const head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';

/** What workers of each kind run, behind the polyfill. */
const WORKERS = {
  dedicated: 'onmessage = answer;',
  shared: 'onconnect = ({ ports: [port] }) => { port.onmessage = answer; };',
  service: `onmessage = answer; oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());`,
};

/** Starts the servers of a target: `localhost:A`, and `localhost:B`, which is `127.0.0.1:B` as well. */
export async function startOrigins(target, roots) {
  const start = () => startServer({ roots, host: '0.0.0.0' });
  const servers = [await start(), await start()];
  const base = (host, port) => `http://${host}:${port}/${target.mode}/`;
  const env = {
    target: target.id, isNative: target.isNative, a: base('localhost', servers[0].port),
    b: base('localhost', servers[1].port), c: base('127.0.0.1', servers[1].port),
  };
  const tag = '<script src="measure-memory.iife.js"></script>';
  const polyfill = target.isNative ? '' : tag;
  const load = target.isNative ? '' : "importScripts('measure-memory.iife.js');";
  for (const server of servers) {
    const file = (name, body) => server.file(`/${name}`, body);
    file('helpers.js', PAGE_HELPERS);
    file('frame.html', `${head}${polyfill}<body><script src="helpers.js"></script>`);
    file('bare.html', `${head}<body><script src="helpers.js"></script>`);
    file('strict.html', `${head}${tag.replace(' src', ' data-require-isolation src')}<body>
      <script src="helpers.js"></script>`);
    // Frames around frames: ?inner=url&inner=url
    file('outer.html', `${head}${polyfill}<body><script src="helpers.js"></script><script>
      new URLSearchParams(location.search).getAll('inner').forEach((src, i) => {
        add('iframe', { id: 'secret-id-' + i, src });
      });
      if (location.search.includes('worker')) new Worker('dedicated.js?secret-worker');
    </script>`);
    file('redirect', ({ query }) => ({ status: 302, headers: { Location: query.get('to') } }));
    file('frameset.html', `${head}${polyfill}<script src="helpers.js"></script>
      <frameset><frame id="in-set" src="frame.html?set"></frameset>`);
    for (const kind in WORKERS) file(`${kind}.js`, `${load}\n${PAGE_HELPERS}\n${WORKERS[kind]}`);
    file('deaf.js', 'const seen = []; onmessage = ({ data }) => { seen.push(data); postMessage(seen); };');
    file('busy.js', `${load}\nonmessage = () => { postMessage(0); for (;;); };`);
    file('closing.js', `${load}\nonmessage = () => { close(); };`);
    file('nesting.js', `${load}\n${PAGE_HELPERS}\nonmessage = answer;
      const inner = new Worker('dedicated.js?nested');\nREMOTE.inner = () => ask(inner, 'has');`);
    file('holding.js', `${load}\n${PAGE_HELPERS}\nself.kept = new ArrayBuffer(3e6);
      onconnect = ({ ports: [port] }) => { port.onmessage = answer; };\nonmessage = answer;`);
  }
  const serve = (scene) => {
    for (const server of servers) {
      server.file(`/${scene.name}.html`, `${head}${scene.bare ? '' : polyfill}<body>
        <script src="helpers.js"></script><script>globalThis.page = ${scene.page};</script>
        <button onclick="(${scene.click ?? null})()">click</button>`);
    }
  };
  return { env, serve, close: () => Promise.all(servers.map((server) => server.close())) };
}

/** Runs one scene in a page; in one of its own if it has its own headers. */
export async function runScene(browser, page, origins, scene, target) {
  if (scene.mode && scene.mode !== target.mode) {
    const own = await browser.newPage();
    try {
      return await runScene(browser, own, origins, scene, { ...target, mode: scene.mode });
    } finally {
      await own.close();
    }
  }
  origins.serve(scene);
  await page.goto(`${origins.env.a.replace(/[^/]+\/$/, target.mode)}/${scene.name}.html?page`);
  if (scene.click) await page.click('button');
  return page.evaluate((env) => globalThis.page(env), origins.env);
}

// What results hold -------------------------------------------------------------------------------------

/** The attributions of a result, each once, as JSON, sorted. */
export const attributionsOf = ({ breakdown }) =>
  [...new Set(breakdown.flatMap(({ attribution }) => attribution.map((one) => JSON.stringify(one))))].sort();

/** The entries whose only realm's URL or container's id contains a text. */
export const entriesOf = ({ breakdown }, text) => breakdown.filter(({ attribution: [only] }) =>
  only && (only.url.includes(text) || only.container?.id === text));

/** The one attribution of such entries; undefined: there is none. */
export function attributionOf(result, text) {
  const all = attributionsOf({ breakdown: entriesOf(result, text) });
  if (all.length > 1) throw new Error(`${text} is ambiguous: ${all}`);
  return all.length ? JSON.parse(all[0]) : undefined;
}

export const sum = (entries) => entries.reduce((bytes, entry) => bytes + entry.bytes, 0);
