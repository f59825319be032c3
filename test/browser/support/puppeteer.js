/** Chromium (DevTools protocol) and Firefox (WebDriver BiDi) by puppeteer-core. */
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { BrowserError } from './errors.js';
import { BasePage } from './page.js';
import { environment, within } from './processes.js';

// Root needs --no-sandbox; the others keep Chromium from doing anything of its own while something is
// measured.
const CHROMIUM_ARGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--mute-audio',
];
const UNTHROTTLED = [
  '--disable-background-timer-throttling', '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** Starts Chromium or Firefox; `settings` are those of launch(), completed. */
export async function startPuppeteer(settings, resources) {
  const { name, binary, args = [], width, height, home, timeout, throttled, extensions = false } = settings;
  const chromium = name === 'chromium';
  const native = await puppeteer.launch({
    browser: chromium ? 'chrome' : 'firefox',
    executablePath: binary,
    headless: true,
    pipe: chromium,
    enableExtensions: chromium && extensions,
    userDataDir: join(home, 'profile'),
    args: chromium ? [...CHROMIUM_ARGS, ...(throttled ? [] : UNTHROTTLED), ...args] : args,
    ignoreDefaultArgs: throttled ? UNTHROTTLED : false, // puppeteer has them, too
    env: environment(settings),
    timeout: settings.startTimeout,
    protocolTimeout: timeout + 5_000,
    defaultViewport: { width, height },
    // Signals are handled here, once for all browsers.
    handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false,
    signal: resources.signal,
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
