/**
 * Drives the three engines through one small interface, so that a test is written once and runs in each of
 * them.
 *
 * Chromium and Firefox are driven by puppeteer-core (DevTools protocol and WebDriver BiDi); WebKitGTK's
 * MiniBrowser by a WebDriver client of our own under a private Xvfb, because no Node driver of it exists.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { startWebDriver } from './webdriver.js';

/** The engines this project supports, in the order in which they are reported. */
export const BROWSERS = Object.freeze(['chromium', 'firefox', 'webkit']);

/** An error of the driver itself (not of the page). `code` is stable; the message is for people. */
export class BrowserError extends Error {
  /**
   * @param {'BROWSER_UNKNOWN'|'BROWSER_NOT_FOUND'|'BROWSER_START_FAILED'|'BROWSER_TIMEOUT'|'BROWSER_CLOSED'|
   *   'ELEMENT_NOT_FOUND'|'NAVIGATION_FAILED'} code
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(code, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'BrowserError';
    this.code = code;
  }
}

/** An error thrown by code of the page: `message` and `pageName` are the page's, `pageStack` its stack. */
export class PageError extends Error {
  constructor({ name, message, stack }) {
    super(message);
    this.name = 'PageError';
    this.code = 'PAGE_ERROR';
    this.pageName = name;
    this.pageStack = stack;
  }
}

const DEFAULTS = {
  width: 1280,
  height: 800,
  startTimeout: 45_000,
  timeout: 60_000,
  attempts: 3,
};

// Root needs --no-sandbox; the others keep Chromium from doing anything of its own while something is
// measured.
const CHROMIUM_ARGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--mute-audio',
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/**
 * Starts a browser with a private, temporary profile.
 *
 * @param {'chromium'|'firefox'|'webkit'} name
 * @param {object} [options]
 * @param {string} [options.binary] the executable; else `$CHROMIUM_BIN`, `$FIREFOX_BIN`, `$MINIBROWSER_BIN`,
 *   else the usual places
 * @param {string} [options.driver] WebKit only: the WebKitWebDriver executable (`$WEBKITWEBDRIVER_BIN`)
 * @param {string[]} [options.args] further command line arguments (of the browser)
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

// ---------------------------------------------------------------- binaries

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

// ---------------------------------------------------------------- processes and directories

const alive = new Set();
let hooked = false;

function hookProcessEnd() {
  if (hooked) return;
  hooked = true;
  process.on('exit', () => {
    for (const resources of alive) resources.releaseNow();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      for (const resources of alive) resources.releaseNow();
      process.kill(process.pid, signal);
    });
  }
}

/** What one browser holds: process groups and a directory. Given back at close, or when this process ends. */
class Resources {
  #home;
  #groups = new Set();

  constructor(home) {
    this.#home = home;
    hookProcessEnd();
    alive.add(this);
  }

  /** Starts a process as the leader of its own group, so that its children can be killed with it. */
  spawn(command, args, options) {
    const child = spawn(command, args, { ...options, detached: true });
    if (child.pid !== undefined) this.adopt(child.pid);
    return child;
  }

  /** Takes over a process that already leads its own group. */
  adopt(pid) {
    this.#groups.add(pid);
  }

  releaseNow() {
    for (const pid of this.#groups) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // the whole group has ended already
      }
    }
    this.#groups.clear();
    try {
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
      alive.delete(this);
    } catch {
      // a dying process still writes there: the next call tries again
    }
  }

  async release() {
    this.releaseNow();
    for (let turn = 0; turn < 40 && alive.has(this); turn++) {
      await sleep(50);
      this.releaseNow();
    }
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function within(ms, what, promise) {
  let timer;
  const limit = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new BrowserError('BROWSER_TIMEOUT', `${what} within ${ms} ms`)), ms);
  });
  promise.catch(() => {}); // a late failure is of no interest any more
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** A TCP port nobody listens on right now. */
export async function freePort() {
  const probe = createServer();
  await new Promise((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

// Everything of the browser's that would otherwise land in the user's home goes to the temporary directory.
function environment({ home, env }) {
  return {
    ...process.env,
    HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    LANG: 'C.UTF-8',
    ...env,
  };
}

// ---------------------------------------------------------------- what every page can do

// The page answers with JSON text, so that all drivers carry the same values: [1, value] or [0, error].
function asScript(what, args) {
  const call = typeof what === 'function'
    ? `(${what})(${args.map((arg) => (arg === undefined ? 'undefined' : JSON.stringify(arg))).join(', ')})`
    : `(${what}\n)`;
  return `(async () => {
    try {
      const value = await ${call};
      return JSON.stringify(value === undefined ? [1] : [1, value]);
    } catch (error) {
      const thrown = error !== null && typeof error === 'object';
      return JSON.stringify([0, thrown
        ? { name: String(error.name), message: String(error.message), stack: String(error.stack) }
        : { name: typeof error, message: String(error), stack: '' }]);
    }
  })()`;
}

function fromAnswer(text) {
  const [good, value] = JSON.parse(text);
  if (good) return value;
  throw new PageError(value);
}

class BasePage {
  /** @type {{kind: 'error'|'rejection'|'console', text: string}[]} */
  errors = [];
  _timeout;

  constructor(timeout) {
    this._timeout = timeout;
  }

  async evaluate(what, ...args) {
    const answer = await within(this._timeout, 'evaluate did not end', this._run(asScript(what, args)));
    return fromAnswer(answer);
  }

  async waitFor(what, { timeout = this._timeout, delay = 0, every = 50, args = [] } = {}) {
    const end = Date.now() + timeout;
    await sleep(delay);
    for (;;) {
      const value = await this.evaluate(what, ...args);
      if (value) return value;
      if (Date.now() > end) {
        throw new BrowserError('BROWSER_TIMEOUT', `not true within ${timeout} ms: ${what}`);
      }
      await sleep(every);
    }
  }

  async screenshot(path) {
    const png = await within(this._timeout, 'screenshot was not taken', this._capture());
    if (path !== undefined) await writeFile(path, png);
    return png;
  }
}

// ---------------------------------------------------------------- Chromium and Firefox

async function startPuppeteer(settings, resources) {
  const { name, binary, args = [], width, height, home, timeout } = settings;
  const chromium = name === 'chromium';
  const native = await puppeteer.launch({
    browser: chromium ? 'chrome' : 'firefox',
    executablePath: binary,
    headless: true,
    pipe: chromium,
    userDataDir: join(home, 'profile'),
    args: chromium ? [...CHROMIUM_ARGS, ...args] : args,
    env: environment(settings),
    timeout: settings.startTimeout,
    protocolTimeout: timeout + 5_000,
    defaultViewport: { width, height },
    // Signals are handled here, once for all browsers.
    handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': settings.colorScheme === 'dark' ? 0 : 1,
      // No first-run pages, updates or telemetry while something is measured.
      'datareporting.policy.dataSubmissionEnabled': false,
      'app.update.enabled': false,
      'browser.aboutwelcome.enabled': false,
      ...settings.prefs,
    },
  });
  const pid = native.process()?.pid;
  if (pid !== undefined) resources.adopt(pid);
  const version = (await native.version()).replace(/^(Headless)?Chrome\//, 'Chromium ').replace('/', ' ');
  return new PuppeteerBrowser(native, resources, settings, version.replace(/^firefox/, 'Firefox'));
}

class PuppeteerBrowser {
  #resources;
  #settings;
  #closed = false;

  constructor(native, resources, settings, version) {
    this.native = native;
    this.name = settings.name;
    this.version = version;
    this.#resources = resources;
    this.#settings = settings;
  }

  async newPage() {
    if (this.#closed) throw new BrowserError('BROWSER_CLOSED', `${this.name} is closed`);
    const native = await within(this.#settings.timeout, 'no new page', this.native.newPage());
    if (this.name === 'chromium' && this.#settings.colorScheme) {
      const value = this.#settings.colorScheme;
      await native.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    }
    return new PuppeteerPage(native, this.#settings.timeout);
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await within(5_000, `${this.name} did not close`, this.native.close());
    } catch {
      // killed below
    }
    await this.#resources.release();
  }
}

class PuppeteerPage extends BasePage {
  constructor(native, timeout) {
    super(timeout);
    this.native = native;
    native.setDefaultTimeout(timeout);
    native.on('pageerror', (error) => {
      this.errors.push({ kind: 'error', text: String(error?.message ?? error) });
    });
    native.on('console', (message) => {
      if (message.type() === 'error') this.errors.push({ kind: 'console', text: message.text() });
    });
  }

  async goto(url) {
    try {
      await this.native.goto(url, { waitUntil: 'load', timeout: this._timeout });
    } catch (error) {
      throw new BrowserError('NAVIGATION_FAILED', `${url}: ${error.message}`, error);
    }
  }

  _run(script) {
    return this.native.evaluate(script);
  }

  async click(selector) {
    const element = await this.native.$(selector);
    if (!element) throw new BrowserError('ELEMENT_NOT_FOUND', `no element matches ${selector}`);
    await within(this._timeout, `click on ${selector} did not end`, element.click());
    await element.dispose();
  }

  async _capture() {
    return Buffer.from(await this.native.screenshot({ type: 'png' }));
  }

  async setViewport({ width, height }) {
    await this.native.setViewport({ width, height });
  }

  async close() {
    if (!this.native.isClosed()) await within(this._timeout, 'page did not close', this.native.close());
  }
}

// ---------------------------------------------------------------- WebKit

async function startWebKit(settings, resources) {
  const { binary, driver, xvfb, args = [], width, height } = settings;
  const screen = `${Math.max(width, 2000)}x${Math.max(height, 3200)}x24`;
  const display = await startDisplay(resources, xvfb, screen);
  const env = environment(settings);
  Object.assign(env, {
    DISPLAY: `:${display}`,
    GDK_BACKEND: 'x11',
    // The sandbox (bubblewrap) cannot be set up as root or inside most containers.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    // There is no GPU behind Xvfb. (WEBKIT_DISABLE_DMABUF_RENDERER would make screenshots hang.)
    LIBGL_ALWAYS_SOFTWARE: '1',
    NO_AT_BRIDGE: '1',
    ...(settings.colorScheme === 'dark' ? { GTK_THEME: 'Adwaita:dark' } : {}),
    ...settings.env,
  });
  delete env.WAYLAND_DISPLAY;
  const port = await freePort();
  const child = resources.spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], {
    env, stdio: ['ignore', 'pipe', 'pipe'],
  });
  const session = await startWebDriver({
    child,
    address: `http://127.0.0.1:${port}`,
    timeout: settings.startTimeout,
    commandTimeout: settings.timeout,
    capabilities: {
      // 'none' would return before the page exists; 'normal' waits for the load event.
      pageLoadStrategy: 'normal',
      timeouts: { script: settings.timeout, pageLoad: settings.timeout, implicit: 0 },
      'webkitgtk:browserOptions': { binary, args: ['--automation', ...args] },
    },
  });
  const { browserName, browserVersion } = session.capabilities;
  const version = `WebKitGTK ${browserVersion} (${browserName})`;
  const browser = new WebKitBrowser(session, resources, settings, version);
  await browser.initialise();
  return browser;
}

// Xvfb itself picks a free display and writes its number to the file descriptor it is given.
async function startDisplay(resources, xvfb, screen) {
  const args = ['-displayfd', '3', '-screen', '0', screen, '-nolisten', 'tcp', '-noreset'];
  const child = resources.spawn(xvfb, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  return within(15_000, 'Xvfb did not open a display', new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`Xvfb ended with status ${status}`)));
    child.stdio[3].setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(Number.parseInt(text, 10));
    });
  }));
}

class WebKitBrowser {
  #resources;
  #settings;
  #closed = false;
  #firstWindow;

  constructor(session, resources, settings, version) {
    this.native = session;
    this.name = 'webkit';
    this.version = version;
    this.#resources = resources;
    this.#settings = settings;
  }

  async initialise() {
    this.#firstWindow = await this.native.command('GET', '/window');
  }

  async newPage() {
    if (this.#closed) throw new BrowserError('BROWSER_CLOSED', 'webkit is closed');
    // The session starts with one window; it becomes the first page. It is never closed: the browser would
    // end.
    let handle = this.#firstWindow;
    const reused = handle !== undefined;
    this.#firstWindow = undefined;
    if (!reused) handle = (await this.native.command('POST', '/window/new', { type: 'tab' })).handle;
    const page = new WebKitPage(this.native, handle, this.#settings.timeout, (ended) => {
      this.#firstWindow ??= ended;
    });
    if (reused) await page.setViewport(this.#settings);
    return page;
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    await this.native.end();
    await this.#resources.release();
  }
}

/**
 * WebDriver reports no errors of the page, so they are collected inside it, by this script, and fetched
 * later. The driver runs it after the load event; a page whose errors *during* loading matter includes it as
 * its first script.
 */
export const ERROR_COLLECTOR = `if (!window.__collected) {
  const list = [];
  Object.defineProperty(window, '__collected', { value: list });
  addEventListener('error', (event) => {
    if (event.message) list.push({ kind: 'error', text: event.message });
  });
  addEventListener('unhandledrejection', (event) => {
    list.push({ kind: 'rejection', text: String(event.reason && event.reason.message || event.reason) });
  });
  const error = console.error;
  console.error = function (...args) {
    list.push({ kind: 'console', text: args.map(String).join(' ') });
    return error.apply(this, args);
  };
}`;

class WebKitPage extends BasePage {
  #handle;
  #fetched = 0;
  #closed = false;
  #onClose;

  constructor(session, handle, timeout, onClose) {
    super(timeout);
    this.native = session;
    this.#handle = handle;
    this.#onClose = onClose;
  }

  get handle() {
    return this.#handle;
  }

  async goto(url) {
    await this.#collect();
    try {
      await this.native.inWindow(this.#handle, async (command) => {
        await command('POST', '/execute/sync', { script: 'window.__left = true;', args: [] });
        await command('POST', '/url', { url });
        // The driver sometimes answers before the document is there, and a refused connection is no error to
        // it: it just goes on showing an empty document.
        const script = 'return [document.URL, document.readyState, window.__left === true];';
        const end = Date.now() + this._timeout;
        for (let turn = 0; ; turn++) {
          const [shown, state, old] = await command('POST', '/execute/sync', { script, args: [] });
          const wrong = shown === 'about:blank' && shown !== url;
          // The old document is also what a change of nothing but the hash leaves.
          if (!wrong && state === 'complete' && (!old || turn >= 20)) return;
          if (wrong && turn >= 20) throw new Error('the document could not be loaded');
          if (Date.now() > end) throw new Error(`not loaded within ${this._timeout} ms`);
          await sleep(50);
        }
      });
    } catch (error) {
      throw new BrowserError('NAVIGATION_FAILED', `${url}: ${error.message}`, error);
    }
    this.#fetched = 0;
    await this.#collect();
  }

  async #collect() {
    const script = `${ERROR_COLLECTOR}\nreturn JSON.stringify(window.__collected.slice(arguments[0]));`;
    try {
      const text = await this.native.inWindow(this.#handle, (command) => (
        command('POST', '/execute/sync', { script, args: [this.#fetched] })));
      const fresh = JSON.parse(text);
      this.#fetched += fresh.length;
      this.errors.push(...fresh);
    } catch {
      // a document that is on its way out has nothing to tell
    }
  }

  async _run(script) {
    const answer = await this.native.inWindow(this.#handle, (command) => command('POST', '/execute/async', {
      script: `const done = arguments[arguments.length - 1];\n${script}.then(done);`, args: [],
    }));
    await this.#collect();
    return answer;
  }

  async click(selector) {
    await this.native.inWindow(this.#handle, async (command) => {
      let element;
      try {
        element = await command('POST', '/element', { using: 'css selector', value: selector });
      } catch (error) {
        throw new BrowserError('ELEMENT_NOT_FOUND', `no element matches ${selector}`, error);
      }
      await command('POST', `/element/${Object.values(element)[0]}/click`, {});
    });
    await this.#collect();
  }

  async _capture() {
    // The picture is the one shown last, which may be older than the document: let two frames go by first.
    const script = `const done = arguments[0];
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20)));`;
    const base64 = await this.native.inWindow(this.#handle, async (command) => {
      await command('POST', '/execute/async', { script, args: [] });
      return command('GET', '/screenshot');
    });
    return Buffer.from(base64, 'base64');
  }

  // WebDriver sizes the window; the viewport is smaller by the browser's tool bars, so a second step makes
  // up for it.
  async setViewport({ width, height }) {
    const size = 'return [innerWidth, innerHeight];';
    await this.native.inWindow(this.#handle, async (command) => {
      const rect = { x: 0, y: 0, width, height };
      for (let turn = 0; turn < 6; turn++) {
        await command('POST', '/window/rect', rect);
        const [gotWidth, gotHeight] = await command('POST', '/execute/sync', { script: size, args: [] });
        if (gotWidth === width && gotHeight === height) return;
        rect.width += width - gotWidth;
        rect.height += height - gotHeight;
        await sleep(50);
      }
    });
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    await this.#collect();
    const handles = await this.native.command('GET', '/window/handles');
    if (handles.length > 1) {
      await this.native.inWindow(this.#handle, (command) => command('DELETE', '/window'));
    } else {
      await this.native.inWindow(this.#handle, (command) => command('POST', '/url', { url: 'about:blank' }));
      this.#onClose(this.#handle);
    }
  }
}
