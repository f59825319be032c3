// Runs the rows of the conformance table: all that a target has to show in one page load.
//
// A row is an object:
//   row      its number in the table
//   title    what it shows, in a few words
//   page     (env) => what was observed, as JSON carries it. Sent to the page as text, as a part of a
//            script that is instrumented where the polyfill serves it; it may use PAGE_HELPERS
//   uses     instead of `page`: the row whose observations are checked here, too
//   check    (seen, { target, env }) => void, with jest's expect()
//   files    further files by name: a text (scripts are instrumented), or (kit) => an answer of the
//            server; see serveRows()
//   only     (target) => whether the row can be observed there

import { instrument } from '../../../js/instrument.js';

/** Whose Profiler is looked at. `id` is also the key of limitations in test/data/conformance.json. */
export const TARGETS = [
  { id: 'native', title: 'Chromium native', engine: 'chromium', mode: 'native', isNative: true },
  { id: 'chromium', title: 'Chromium polyfill', engine: 'chromium', mode: 'plain', isNative: false },
  { id: 'firefox', title: 'Firefox', engine: 'firefox', mode: 'plain', isNative: false },
  { id: 'webkit', title: 'WebKit', engine: 'webkit', mode: 'plain', isNative: false },
];

/** Row 57 wants a garbage collector that can be called: gc() and TestUtils.gc(). WebKit has none. */
export const launchOptions = ({ engine }) => ({
  chromium: { args: ['--js-flags=--expose-gc'] },
  firefox: { prefs: { 'dom.testing.testutils.enabled': true } },
})[engine] ?? {};

/** A page whose policy refuses wasm (and eval), so that the JS twin of the core takes over. */
export const NO_WASM = 'no-wasm';

/** Whether code of texts, and wasm, may run on a target's page: an `only` of rows. */
export const allowsEval = ({ mode }) => mode !== NO_WASM;

/** Modes of the server beside its own: that one, and what rows 20 to 23 need. */
export const POLICY_MODES = {
  [NO_WASM]: { 'Content-Security-Policy': "script-src * 'unsafe-inline' blob: data:" },
  eager: { 'Document-Policy': 'js-profiling-mode=eager' },
  lazy: { 'Document-Policy': 'js-profiling-mode=lazy' },
  bogus: { 'Document-Policy': 'js-profiling-mode=bogus' },
  both: { 'Document-Policy': 'js-profiling, js-profiling-mode=lazy' },
};

// Counts the milliseconds in which the loop did run: what another program takes from the processor is
// no time in which a function could have been seen.
const BUSY = 'for (let n = 0, t = performance.now(); n < MS;) ' +
  '{ const u = performance.now(); if (u - t >= 1) { n++; t = u; } }';

/** Code that is busy for so many ms: a loop of its own for functions that have to be seen. */
export const busy = (ms) => BUSY.replace('MS', ms);

const PAGE_HELPERS = `
const OPTIONS = { sampleInterval: 10, maxBufferSize: 10000 };

function spin(ms) { ${busy('ms')} }

const idle = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Errors of other realms are named like ours.
const nameOf = (error) => Object.prototype.toString.call(error) === '[object DOMException]'
  ? 'DOMException ' + error.name : String(error && error.name);

function thrown(f) {
  try {
    f();
    return 'nothing';
  } catch (error) {
    return nameOf(error);
  }
}

function rejection(promise) {
  return promise.then(() => 'nothing', nameOf);
}

// Constructs, and tells what was thrown; what was not is stopped.
function constructing(options, P = Profiler) {
  return thrown(() => { new P(options).stop(); });
}

function addFrame(url) {
  return new Promise((resolve, reject) => {
    const iframe = document.createElement('iframe');
    iframe.onload = () => resolve(iframe);
    iframe.onerror = reject;
    iframe.src = url;
    document.body.append(iframe);
  });
}

function addScript(properties) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), properties);
    script.onload = resolve;
    script.onerror = () => reject(new Error('cannot load ' + script.src));
    document.head.append(script);
  });
}

// Calls f with a Profiler that no document policy allows.
async function withoutPolicy(env, f) {
  if (env.isNative) {
    const iframe = await addFrame('/plain/frame.html');
    const result = await f(iframe.contentWindow.Profiler);
    iframe.remove();
    return result;
  }
  profilyfill.install({ force: true, documentPolicy: false });
  try {
    return await f(Profiler);
  } finally {
    profilyfill.install({ force: true, documentPolicy: true });
  }
}

// Collects garbage, or urges WebKit to.
async function collect() {
  if (globalThis.gc) gc();
  else if (globalThis.TestUtils) await TestUtils.gc();
  else for (let i = 0, some = []; i < 20_000; i++) some.push({ i, some: [i] });
  await idle(30);
}

// What a worker answers to its first message.
function ask(worker, message) {
  return new Promise((resolve, reject) => {
    const port = worker.port || worker;
    port.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error('worker: ' + event.message));
    if (port.start) port.start();
    port.postMessage(message);
  });
}
`;

const RUN = `
const problems = [];
addEventListener('error', ({ message }) => { problems.push(String(message)); });
addEventListener('unhandledrejection', ({ reason }) => { problems.push(String(reason)); });

async function run(env) {
  const seen = {};
  for (const { id, page } of rows) {
    // In a task of its own: its stacks begin with it.
    seen[id] = await new Promise((resolve) => {
      setTimeout(() => resolve({ error: 'has not come to its end' }), 25_000);
      setTimeout(async () => {
        try {
          resolve({ value: await page(env) });
        } catch (error) {
          resolve({ error: String(error) + '\\n' + (error && error.stack) });
        }
      });
    });
  }
  await idle(0);
  return { seen, problems, core: globalThis.profilyfill && profilyfill.coreKind() };
}
`;

const POLYFILL_TAG = '<script src="profilyfill.iife.js"></script>';

/** The one script of all rows that `target` can show. */
function joinRows(rows, target) {
  const list = rows.map((row, id) => ({ ...row, id }))
    .filter((row) => row.page && (row.only?.(target) ?? true))
    .map(({ id, page }) => `rows.push({ id: ${id}, ${page} });`);
  return `const rows = [];\n${list.join('\n')}\n${RUN}`;
}

/**
 * Puts the page of a target, and what its rows need, on the server.
 *
 * A row's `files` that are functions get the kit: `polyfill` (the script element, '' for native),
 * `code(text, options)` (instrumented unless native), `server`, `request` (see the server).
 */
export function serveRows(server, rows, target) {
  const code = (text, options = { sourceType: 'script' }) =>
    (target.isNative ? text : instrument(text, options).code);
  const polyfill = target.isNative ? '' : POLYFILL_TAG;
  const head = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">${polyfill}`;
  server.file('/helpers.js', code(PAGE_HELPERS));
  server.file('/rows.js', code(joinRows(rows, target)));
  // A blank page has nothing but the polyfill, and whoever embeds it can call its helpers.
  server.file('/frame.html', `${head}<body><script src="helpers.js"></script>`);
  server.file('/conformance.html',
    `${head}<body><script src="helpers.js"></script><script src="rows.js"></script>`);
  for (const { files = {} } of rows) {
    for (const [name, file] of Object.entries(files)) {
      if (typeof file === 'function') {
        const kit = { target, polyfill, code, server };
        server.file(`/${name}`, (request) => file({ ...kit, request }));
      } else {
        const sourceType = name.endsWith('.mjs') ? 'module' : 'script';
        server.file(`/${name}`, name.endsWith('.html') ? file : code(file, { sourceType }));
      }
    }
  }
}

/** What the page code is told. */
export const makeEnv = (server, target) => ({
  target: target.id,
  engine: target.engine,
  isNative: target.isNative,
  base: server.url('/', target.mode),
  origin: server.origin,
  otherOrigin: server.otherOrigin,
});

/**
 * Runs all rows in one page.
 * @returns {Promise<{ seen: Record<number, { value?: any, error?: string }>, problems: string[],
 *   core: string | undefined }>} by index of the row; problems: errors that nobody caught
 */
export async function runRows(browser, server, rows, target) {
  serveRows(server, rows, target);
  const page = await browser.newPage();
  try {
    await page.goto(server.url('/conformance.html?q=1#frag', target.mode));
    return await page.evaluate((env) => globalThis.run(env), makeEnv(server, target));
  } finally {
    await page.close();
  }
}

/** What pages hear when they are left. */
export const LEAVING = ['beforeunload', 'pagehide', 'visibilitychange'];

/**
 * Leaves a page that stops profilers as it goes, and sends the traces to the server.
 * @returns {Promise<Record<string, object>>} those that came, by the event that the profiler was stopped in.
 *   The target is not native
 */
export async function leavePage(browser, server, target) {
  const traces = {};
  server.file('/beacon', async (request) => {
    traces[request.query.get('event')] = JSON.parse(await request.body());
    return 'thanks';
  });
  const code = instrument(`
    async function start() {
      await new Profiler(OPTIONS).stop(); // the core is there
      for (const event of ${JSON.stringify(LEAVING)}) {
        const profiler = new Profiler(OPTIONS);
        addEventListener(event, function leaves() {
          spin(30);
          profiler.stop().then((trace) => {
            navigator.sendBeacon('beacon?event=' + event, JSON.stringify(trace));
          });
        });
      }
      window.started = true;
    }
    start();`, { sourceType: 'script' }).code;
  server.file('/leave.js', code);
  server.file('/leave.html', `<!doctype html><meta charset="utf-8">
    ${POLYFILL_TAG}<script src="helpers.js"></script><script src="leave.js"></script>`);
  const page = await browser.newPage();
  try {
    await page.goto(server.url('/leave.html', target.mode));
    await page.waitFor(() => window.started);
    await page.goto(server.url('/frame.html', target.mode));
    for (const end = Date.now() + 10_000; Object.keys(traces).length < LEAVING.length && Date.now() < end;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return traces;
  } finally {
    await page.close();
  }
}

/**
 * `a > b > c` of each stack that a sample has, innermost last. Left out are top-level code and the
 * DOM's functions, which native shows by name only, where a polyfill does not (row 72).
 */
export function stacksOf(trace, samples = trace.samples) {
  const stacks = new Set();
  for (const { stackId } of samples) {
    const names = [];
    for (let id = stackId; id !== undefined; id = trace.stacks[id].parentId) {
      const { name, resourceId } = trace.frames[trace.stacks[id].frameId];
      if (name && resourceId !== undefined) names.unshift(name);
    }
    if (stackId !== undefined) stacks.add(names.join(' > '));
  }
  return [...stacks];
}

/** `name line:column` of each frame that has a place, with `/file` of its script. */
export const placesOf = (trace) => trace.frames.filter(({ line }) => line !== undefined)
  .map(({ name, line, column, resourceId }) =>
    `${name} ${line}:${column} ${trace.resources[resourceId].replace(/^https?:.*\//, '')}`);
