/** WebKitGTK's MiniBrowser by WebKitWebDriver, on a private display. */
import { BrowserError } from './errors.js';
import { BasePage } from './page.js';
import { environment, freePort, sleep, within } from './processes.js';
import { startWebDriver } from './webdriver.js';

/** Starts WebKit; `settings` are those of launch(), completed. */
export async function startWebKit(settings, resources) {
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
