/**
 * Drives the three engines through one small interface, so that a test is written once and runs in each of
 * them.
 *
 * Chromium and Firefox are driven by puppeteer-core (DevTools protocol and WebDriver BiDi); WebKitGTK's
 * MiniBrowser by a WebDriver client of our own under a private Xvfb, because no Node driver of it exists.
 */
import { accessSync, constants, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { BrowserError } from './errors.js';
import { Resources, within } from './processes.js';
import { startPuppeteer } from './puppeteer.js';
import { startWebKit } from './webkit.js';

export { BrowserError, PageError } from './errors.js';
export { ERROR_COLLECTOR } from './webkit.js';

/** The engines this project supports, in the order in which they are reported. */
export const BROWSERS = Object.freeze(['chromium', 'firefox', 'webkit']);

const DEFAULTS = {
  width: 1280,
  height: 800,
  startTimeout: 45_000,
  timeout: 60_000,
  attempts: 3,
};

/**
 * Starts a browser with a private, temporary profile. Without options, test files are lent the one that the
 * files before them have had (see environment.js).
 *
 * @param {'chromium'|'firefox'|'webkit'} name
 * @param {object} [options]
 * @param {string} [options.binary] the executable; else `$CHROMIUM_BIN`, `$FIREFOX_BIN`, `$MINIBROWSER_BIN`,
 *   else the usual places
 * @param {string} [options.driver] WebKit only: the WebKitWebDriver executable (`$WEBKITWEBDRIVER_BIN`)
 * @param {string[]} [options.args] further command line arguments (of the browser)
 * @param {boolean} [options.throttled] Chromium only: timers of hidden pages are slow, as in other browsers
 * @param {string[]} [options.extensions] Chromium only: folders of extensions to load
 * @param {Record<string, unknown>} [options.prefs] Firefox only: preferences
 * @param {Record<string, string>} [options.env] further environment variables
 * @param {number} [options.width] CSS pixels, default 1280
 * @param {number} [options.height] CSS pixels, default 800
 * @param {'light'|'dark'} [options.colorScheme] what `prefers-color-scheme` answers
 * @param {number} [options.startTimeout] ms for one attempt to start, default 45000
 * @param {number} [options.timeout] ms for every later operation, default 60000
 * @param {number} [options.attempts] how often a failed start is tried, default 3
 * @returns {Promise<Browser>}
 * @throws {BrowserError} BROWSER_UNKNOWN, BROWSER_NOT_FOUND (with what to install), BROWSER_START_FAILED
 */
export async function launch(name, options = {}) {
  if (!BROWSERS.includes(name)) {
    throw new BrowserError('BROWSER_UNKNOWN',
      `no browser named ${JSON.stringify(name)}; known: ${BROWSERS.join(', ')}`);
  }
  if (globalThis.lendBrowser && !Object.keys(options).length) return globalThis.lendBrowser(name);
  const settings = { ...DEFAULTS, ...options, name, ...findBinaries(name, options) };
  const start = name === 'webkit' ? startWebKit : startPuppeteer;
  let failure;
  for (let attempt = 1; attempt <= settings.attempts; attempt++) {
    const home = mkdtempSync(join(tmpdir(), `profilyfill-${name}-`));
    const resources = new Resources(home);
    try {
      const started = start({ ...settings, home }, resources);
      return await within(settings.startTimeout, `${name} did not start`, started);
    } catch (error) {
      failure = error;
      await resources.release();
    }
  }
  throw new BrowserError('BROWSER_START_FAILED',
    `${name} (${settings.binary}) did not start in ${settings.attempts} attempts: ${failure.message}`,
    failure);
}

/**
 * Which browsers can be launched here.
 *
 * @returns {string[]} a subset of BROWSERS
 */
export function installedBrowsers() {
  return BROWSERS.filter((name) => {
    try {
      findBinaries(name, {});
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * A running browser. `version` is a line such as "Chromium 150.0.7500.1".
 *
 * @typedef {object} Browser
 * @property {string} name 'chromium', 'firefox' or 'webkit'
 * @property {string} version
 * @property {() => Promise<Page>} newPage
 * @property {() => Promise<void>} close idempotent; kills what does not end by itself
 * @property {object} native the driver's own object, for what only one engine can do
 */

/**
 * A page (a tab).
 *
 * @typedef {object} Page
 * @property {(url: string) => Promise<void>} goto resolves after the load event
 * @property {(what: Function|string, ...args: unknown[]) => Promise<any>} evaluate calls the function (sent
 *   as text, with JSON arguments) or evaluates the expression in the page, awaits the result and returns it
 *   as JSON would carry it; rejects with a PageError when the page throws
 * @property {(what: Function|string, options?: {timeout?: number, delay?: number, every?: number,
 *   args?: unknown[]}) => Promise<any>} waitFor evaluates until the result is truthy, and returns it: the
 *   first time after `delay` ms (0), then every `every` ms (50)
 * @property {(selector: string) => Promise<void>} click a trusted click in the middle of the element
 * @property {(path?: string) => Promise<Buffer>} screenshot of the viewport, PNG
 * @property {(size: {width: number, height: number}) => Promise<void>} setViewport
 * @property {{kind: 'error'|'rejection'|'console', text: string}[]} errors collected so far, oldest first
 * @property {() => Promise<void>} close
 * @property {object} native the driver's own object
 */

function findBinaries(name, options) {
  if (name === 'chromium') {
    const wanted = options.binary ?? process.env.CHROMIUM_BIN;
    return { binary: find('chromium', wanted, ['chromium', 'chromium-browser']) };
  }
  if (name === 'firefox') {
    const wanted = options.binary ?? process.env.FIREFOX_BIN;
    return { binary: find('firefox-esr', wanted, ['firefox-esr', 'firefox']) };
  }
  return {
    binary: find('webkit2gtk-driver', options.binary ?? process.env.MINIBROWSER_BIN, miniBrowsers()),
    driver: find('webkit2gtk-driver', options.driver ?? process.env.WEBKITWEBDRIVER_BIN, ['WebKitWebDriver']),
    xvfb: find('xvfb', process.env.XVFB_BIN, ['Xvfb']),
  };
}

function find(debianPackage, wanted, candidates) {
  const tried = wanted ? [wanted] : candidates;
  const path = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin'];
  for (const candidate of tried) {
    const places = candidate.includes('/') ? [candidate] : path.map((dir) => join(dir, candidate));
    for (const place of places) {
      try {
        accessSync(place, constants.X_OK);
        return place;
      } catch {
        // try the next place
      }
    }
  }
  throw new BrowserError('BROWSER_NOT_FOUND',
    `no executable ${tried.join(' or ')} found; on Debian: apt-get install ${debianPackage}`);
}

// MiniBrowser lives in a directory named after the machine (x86_64-linux-gnu, aarch64-linux-gnu, ...).
function miniBrowsers() {
  const found = [];
  for (const machine of existsSync('/usr/lib') ? readdirSync('/usr/lib') : []) {
    for (const version of ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0']) {
      const path = `/usr/lib/${machine}/${version}/MiniBrowser`;
      if (machine.includes('-linux-') && existsSync(path)) found.push(path);
    }
  }
  return found.length > 0 ? found : ['MiniBrowser'];
}
