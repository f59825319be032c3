// Pages for the tests of profiling: scripts instrumented on the way, results handed to the test.

import { instrument } from '../../../js/instrument.js';

/** A function of the page that is busy for so many ms, in a script's text; defined at 2:14. */
export const SPIN = `
function spin(ms) {
  const end = performance.now() + ms;
  let n = 0;
  while (performance.now() < end) for (let i = 0; i < 100; i++) n += Math.sqrt(i);
  return n;
}
`;

/**
 * Puts a page and its scripts on the server.
 *
 * @param {import('../../../demo/server.js').Server} server
 * @param {string} name the page is `/<name>.html`; its files are below `/<name>/`
 * @param {object} page
 * @param {Record<string, string>} page.modules instrumented module scripts by file name; those that the
 *   page loads itself are listed in `load`
 * @param {Record<string, string>} [page.classic] instrumented classic scripts, all loaded in order
 * @param {Record<string, string>} [page.plain] scripts that are not instrumented, loaded first
 * @param {Record<string, string>} [page.first] not instrumented, loaded before the polyfill
 * @param {string[]} [page.load] module scripts to load (default: all)
 * @param {string} [page.attributes] of the polyfill's script element
 * @param {string} [page.polyfill] its address, '' for none
 * @param {string} [page.body]
 */
export function servePage(server, name, page) {
  const { modules = {}, classic = {}, plain = {}, first = {}, attributes = '', body = '' } = page;
  const { load = Object.keys(modules), polyfill = 'profilyfill.iife.js' } = page;
  const files = { ...first, ...plain };
  for (const [file, code] of Object.entries(modules)) {
    files[file] = instrument(code, { sourceType: 'module' }).code;
  }
  for (const [file, code] of Object.entries(classic)) {
    files[file] = instrument(code, { sourceType: 'script' }).code;
  }
  for (const [file, code] of Object.entries(files)) server.file(`/${name}/${file}`, code);
  const tags = (names, type) =>
    names.map((file) => `<script${type} src="${name}/${file}"></script>`).join('\n');
  server.file(`/${name}.html`, [
    '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>',
    body,
    tags(Object.keys(first), ''),
    polyfill && `<script src="${polyfill}" ${attributes}></script>`,
    tags(Object.keys(plain), ''),
    tags(Object.keys(classic), ''),
    tags(load, ' type="module"'),
  ].join('\n'));
}

// To open a page takes about as long as to load one, so that each browser has one for all of a file's runs,
// unless another page must be the only one (`keep`).
const pages = new WeakMap();

/** Loads a page and waits until `window.done` is set; returns it (a promise is awaited). */
export async function runPage(browser, server, name, mode, { before, query = '', keep = true } = {}) {
  const page = pages.get(browser) ?? await browser.newPage();
  pages.delete(browser); // whatever fails is not used again
  try {
    await page.goto(server.url(`/${name}.html${query}`, mode));
    await before?.(page);
    const done = await page.evaluate(() => new Promise((resolve, reject) => {
      const end = Date.now() + 40_000;
      (function look() {
        if (window.done !== undefined) resolve(window.done);
        else if (Date.now() > end) reject(new Error('the page has not come to its end'));
        else setTimeout(look, 50);
      })();
    }));
    if (keep) pages.set(browser, page);
    return done;
  } finally {
    if (!pages.has(browser)) await page.close();
  }
}

/** `a > b > c` of a stack, innermost last. */
export function describeStack(trace, stackId) {
  const names = [];
  for (let id = stackId; id !== undefined; id = trace.stacks[id].parentId) {
    names.unshift(trace.frames[trace.stacks[id].frameId].name);
  }
  return names.join(' > ');
}

/** Samples by `name line:column` of the innermost function, '(none)' without a stack. */
export function countSelf(trace, samples = trace.samples) {
  const counts = {};
  for (const { stackId } of samples) {
    let key = '(none)';
    if (stackId !== undefined) {
      const { name, line, column } = trace.frames[trace.stacks[stackId].frameId];
      key = `${name} ${line}:${column}`;
    }
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

/** Throws unless the trace has the shape that the specification gives it. */
export function checkShape(trace) {
  const fail = (what) => {
    throw new Error(`${what} in ${JSON.stringify(trace).slice(0, 2000)}`);
  };
  const unique = (list) => new Set(list.map((item) => JSON.stringify(item))).size === list.length;
  if (Object.keys(trace).join() !== 'frames,resources,samples,stacks') fail('keys of the trace');
  for (const list of ['frames', 'resources', 'stacks']) {
    if (!unique(trace[list])) fail(`${list} are not unique`);
  }
  for (const frame of trace.frames) {
    if (typeof frame.name !== 'string') fail('a frame without name');
    if ('resourceId' in frame && !(frame.resourceId in trace.resources)) fail('resourceId');
    if (('line' in frame) !== ('column' in frame)) fail('line without column');
    if (frame.line < 1 || frame.column < 1) fail('line or column');
    if (Object.keys(frame).join() !== Object.keys(frame).sort().join()) fail('keys of a frame');
  }
  trace.stacks.forEach(({ frameId, parentId }, id) => {
    if (!(frameId in trace.frames)) fail('frameId');
    if (parentId !== undefined && !(parentId < id)) fail('parentId');
  });
  let last = -Infinity;
  for (const { timestamp, stackId } of trace.samples) {
    if (!(timestamp >= last)) fail('timestamps go back');
    last = timestamp;
    if (stackId !== undefined && !(stackId in trace.stacks)) fail('stackId');
  }
}
