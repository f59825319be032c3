/**
 * Where the functions of scripts are defined that do not tell themselves: this file, which pages load only
 * when they need it, reads the text of scripts that are not instrumented and makes their function tables. Of
 * those whose table is a file of its own it reads that.
 *
 * V8 could tell something without the text (`CallSite.getEnclosingLineNumber()` and its like). But what
 * it tells is where the text of a function starts (at `function`, `async` or the key of a method), while
 * native tells where its parameters do: it takes the text to get from the one to the other. So all
 * engines go the same way.
 */
import { findInlineScripts } from './positions/inline-scripts.js';
import { addSeparateTables } from './positions/separate.js';
import { findDocument, findWholeUrl, readSource, withoutFragment } from './positions/source.js';
import { makeTable, setWorker } from './positions/tables.js';

const BYTES_MAX = 20_000_000; // of all texts of a stop()
const TIME_MAX = 2000; // ms

/** URLs as printed that have been dealt with, for better or worse. */
const known = new Set();

const lineEnds = /\r\n|[\n\r\u2028\u2029]/g;

/**
 * The inline scripts of the document that a call site can be told to lie in. Each has to be in the
 * document as it is now, by its text. Scripts that were made by other scripts are printed with the
 * document's URL, too, in some engines, with lines from 1: nothing on the lines that they take up is
 * certain.
 */
function findCertain(text) {
  const scripts = findInlineScripts(text);
  const found = new Set(scripts.map(({ code }) => code));
  const live = Array.from(document.scripts).filter(({ src }) => !src).map((element) => element.text);
  let doubtful = 0;
  for (const code of live) {
    if (!found.has(code)) doubtful = Math.max(doubtful, (code.match(lineEnds)?.length ?? 0) + 1);
  }
  return scripts.filter(({ code, line }) => line > doubtful && live.includes(code));
}

/** Throws when there is nothing to tell. */
async function placeOne(url, addScript, request, budget, signal) {
  if (await addSeparateTables(url, addScript, request, budget, signal)) return;
  const address = findDocument(url);
  const whole = address ?? withoutFragment(findWholeUrl(url));
  const { text, isVerified } = await readSource(whole, request, budget, signal);
  for (const { code, ...place } of address ? findCertain(text) : [{ code: text }]) {
    const table = await makeTable(code, place, signal);
    if (table) addScript({ stack: isVerified ? '' : '?', url, ...table });
    if (table === undefined) known.delete(url); // another time
  }
}

/**
 * Registers the function tables of scripts that have none. Takes 2 s at most, and ends when the page is
 * left or hidden; what is missing then stays out. What a worker is at is there for a later trace.
 *
 * @param {string[]} urls  as the engine prints them; each is looked at once in the life of the page
 * @param {(script: object) => void} addScript  as that of js/core.js
 * @param {typeof fetch} request  the browser's own: what SDKs have made of theirs would report ours
 * @param {typeof Worker | undefined} Worker  likewise; none where none may be made
 * @returns {Promise<void>}  never rejected
 */
export function place(urls, addScript, request, Worker) {
  setWorker(Worker);
  return new Promise((resolve) => {
    const controller = new AbortController();
    const budget = { left: BYTES_MAX };
    const events = ['pagehide', 'visibilitychange'];
    const end = () => {
      controller.abort();
      clearTimeout(timer);
      for (const event of events) globalThis.removeEventListener?.(event, end, true);
      resolve();
    };
    const timer = setTimeout(end, TIME_MAX);
    for (const event of events) globalThis.addEventListener?.(event, end, true);
    const work = urls.filter((url) => !known.has(url)).map((url) => {
      known.add(url);
      return placeOne(url, addScript, request, budget, controller.signal).catch(() => {});
    });
    Promise.all(work).then(end);
  });
}
