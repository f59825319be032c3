/**
 * `make demo`: profiles the demo page, headless, in every browser installed here, says where the time went,
 * keeps the traces and a picture of each page, then serves the page.
 *
 * SERVE=0 ends after the report. PORT=n chooses the port (default 3000, or any free one when that is taken).
 * The exit status is 1 when a browser failed or a function that must be in the trace is not.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BROWSERS, installedBrowsers, launch } from '../test/browser/support/browsers.js';
import { DEMO, buildDemo } from './build.js';
import { addIngest } from './ingest.js';
import { startServer } from './server.js';
import { analyse } from './viewer/analysis.js';
import { formatName, formatPosition, formatShare, formatTime } from './viewer/format.js';

const NATIVE_HINT = "the engine's own profiler, for comparison";
const NATIVE_NOTE =
  '(it takes bursts of samples while the code is compiled, and finds no stack in most of those that follow)';
const RUNS = [
  { id: 'plain', mode: 'plain', title: 'plain page' },
  { id: 'isolated', mode: 'isolated', title: 'cross-origin isolated page' },
  { id: 'native', mode: 'native', title: `page with the header (${NATIVE_HINT})`, only: 'chromium' },
  {
    id: 'native-polyfill',
    mode: 'native',
    query: '?impl=polyfill',
    title: 'page with the header, polyfill forced',
    only: 'chromium',
  },
];

/** Where native Chromium says that the demo's functions are defined. */
const EXPECTED = [
  ['handleClick', 'main.js:5:27'],
  ['genPrimes', 'generate.js:15:26'],
  ['isPrime', 'generate.js:6:17'],
];

/** Chromium's console says this whenever it is asked for a native Profiler that it refuses. */
const EXPECTED_ERROR = /Document policy violation: js-profiling/;

const PICTURE = { width: 1280, height: 1180 };
const MOST_ROWS = 8;

const here = (url) => relative(process.cwd(), fileURLToPath(url)) || '.';
const tty = process.stdout.isTTY;
const strong = (text) => (tty ? `\u001b[1m${text}\u001b[0m` : text);
const faint = (text) => (tty ? `\u001b[2m${text}\u001b[0m` : text);
const red = (text) => (tty ? `\u001b[31m${text}\u001b[0m` : text);
const problems = [];

function problem(text) {
  problems.push(text);
  console.log(red(`  ! ${text}`));
}

async function main() {
  console.log('Building the demo...');
  const root = await buildDemo();
  const traces = new URL('traces/', DEMO);
  await rm(traces, { recursive: true, force: true });
  await mkdir(traces, { recursive: true });
  const server = await listen(root);
  addIngest(server); // for the page that shows what SDKs send

  const browsers = installedBrowsers();
  for (const name of BROWSERS) {
    if (!browsers.includes(name)) console.log(`\n${strong(name)} is not installed here`);
  }
  if (browsers.length === 0) problem('no browser is installed: nothing was profiled');
  for (const name of browsers) await profileIn(name, server, traces);

  const pictures = browsers.map((name) => here(new URL(`${name}.png`, DEMO)));
  console.log(`\nTraces: ${here(traces)}\nPictures: ${pictures.join(' ')}`);
  if (problems.length > 0) console.log(red(`\n${problems.length} problem(s):\n- ${problems.join('\n- ')}`));
  process.exitCode = problems.length > 0 ? 1 : 0;

  if (process.env.SERVE === '0') {
    await server.close();
    return;
  }
  console.log(`\nThe demo is served at\n
  ${strong(server.url(''))}            a plain page
  ${strong(server.url('', 'isolated'))}         cross-origin isolated
  ${strong(server.url('', 'native'))}           with the header that allows the native Profiler
\nPress Ctrl+C to stop.`);
}

async function listen(root) {
  const wanted = process.env.PORT;
  try {
    return await startServer({ roots: root, port: Number(wanted ?? 3000), index: '/plain/' });
  } catch (error) {
    if (wanted !== undefined || error.code !== 'EADDRINUSE') throw error;
    return startServer({ roots: root, index: '/plain/' });
  }
}

async function profileIn(name, server, traces) {
  console.log(`\nStarting ${name}...`);
  let browser;
  try {
    browser = await launch(name, { ...PICTURE, colorScheme: 'light' });
    console.log(strong(browser.version));
    for (const run of RUNS.filter(({ only }) => only === undefined || only === name)) {
      await profileOnce(browser, run, server, traces);
    }
  } catch (error) {
    problem(`${name}: ${error.message}`);
  } finally {
    await browser?.close();
  }
}

async function profileOnce(browser, { id, mode, query = '', title }, server, traces) {
  const { name } = browser;
  console.log(`\n  ${title}`);
  const page = await browser.newPage();
  try {
    await page.setViewport(PICTURE);
    await page.goto(server.url(query, mode));
    await page.click('#generate');
    // Every look at the page runs code in it, which its profiler may see: so the first look comes late.
    await page.waitFor(() => ['done', 'error'].includes(window.demo.state), { delay: 2_000, every: 500 });
    const { error, run } = await page.evaluate(() => window.demo);
    if (error !== undefined) throw new Error(error);
    await writeFile(new URL(`${name}-${id}.json`, traces), `${JSON.stringify(run.trace)}\n`);
    if (mode === 'plain') await page.screenshot(fileURLToPath(new URL(`${name}.png`, DEMO)));
    report(name, id, run, server.url('', mode));
    for (const { text } of page.errors.filter((one) => !EXPECTED_ERROR.test(one.text))) {
      problem(`${name}, ${id}: the page reported: ${text}`);
    }
  } catch (error) {
    problem(`${name}, ${id}: ${error.message}`);
  } finally {
    await page.close();
  }
}

function report(name, id, { trace, interval, implementation, counts }, base) {
  const { loop } = counts;
  const { functions, stackedTime } = analyse(trace, interval);
  const every = formatTime(interval);
  console.log(faint(`  ${implementation}, every ${every}: ${loop.all} of ${loop.expected} samples `
    + `(${formatShare(loop.all, loop.expected)}) while the primes were found, ${loop.stacked} with a stack; `
    + `${counts.all} of ${counts.expected} in all`));
  if (implementation === 'native') console.log(faint(`  ${NATIVE_NOTE}`));
  console.log(faint(`${'self'.padStart(10)}${'total'.padStart(19)}${''.padStart(12)}function`));
  for (const func of functions.slice(0, MOST_ROWS)) {
    const amount = (time) => (
      `${formatShare(time, stackedTime).padStart(8)} ${formatTime(time).padStart(8)}`);
    console.log(`  ${amount(func.self)}  ${amount(func.total)}   ${strong(formatName(func).padEnd(14))} `
      + `${faint(formatPosition(func, base))}`);
  }
  if (functions.length > MOST_ROWS) console.log(faint(`  and ${functions.length - MOST_ROWS} more`));

  for (const [wanted, position] of EXPECTED) {
    const found = functions.some((func) => func.name === wanted && formatPosition(func, base) === position);
    if (found) continue;
    const text = `${name}, ${id}: ${wanted} (${position}) is not in the trace`;
    // What the engine's own profiler misses is its own affair.
    if (implementation === 'native') console.log(`  note: ${text}`);
    else problem(text);
  }
}

try {
  await main();
} catch (error) {
  console.error(red(error.code === undefined ? error.stack : `${error.message} (${error.code})`));
  process.exit(1);
}
