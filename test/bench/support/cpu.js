/**
 * Processor time of a page's thread, by what Linux says: unlike the clock it stands still while other
 * programs have the processor.
 */
import { readFileSync, readdirSync } from 'node:fs';

const readText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // ended meanwhile, or not Linux
  }
};

/** Milliseconds of a process's first thread, which is the one that runs pages in all three browsers. */
const timeOf = (pid) => Number(readText(`/proc/${pid}/task/${pid}/schedstat`).split(' ')[0]) / 1e6;

/** What runs pages in Chromium, Firefox and WebKit. */
const RUNS_PAGES = /--type=renderer|-contentproc|WebKitWebProcess/;

/** Of all processes that we have started, and that those have started: the ones that run pages. */
function findCandidates() {
  const children = new Map();
  let names = [];
  try {
    names = readdirSync('/proc');
  } catch {
    return names;
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    // The name of the program, in brackets, may hold anything.
    const parent = Number(/.*\) \S (\d+)/s.exec(readText(`/proc/${name}/stat`))?.[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(name)]);
  }
  const found = [];
  const visit = (pid) => {
    for (const child of children.get(pid) ?? []) {
      if (RUNS_PAGES.test(readText(`/proc/${child}/cmdline`))) found.push(child);
      visit(child);
    }
  };
  visit(process.pid);
  return found;
}

/**
 * Finds the process of a page by keeping it busy.
 *
 * @param {(ms: number) => Promise<void>} spin keeps the page busy for so long
 * @returns {Promise<(() => number) | undefined>} the ms of processor time that its thread has had so far, or
 *   `undefined` where that cannot be told
 */
export async function findThread(spin) {
  const before = new Map(findCandidates().map((pid) => [pid, timeOf(pid)]));
  await spin(300);
  let best;
  let most = 0;
  for (const [pid, time] of before) {
    const used = timeOf(pid) - time;
    if (used > most) [best, most] = [pid, used];
  }
  return best === undefined ? undefined : () => timeOf(best);
}
