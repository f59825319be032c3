import { writeFile } from 'node:fs/promises';
import { BrowserError, PageError } from './errors.js';
import { sleep, within } from './processes.js';

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

/** What every driver's page shares. A driver adds `_run(script)`, `_capture()` and the rest of Page. */
export class BasePage {
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
