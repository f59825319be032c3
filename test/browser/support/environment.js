/**
 * What the files of the browser project share: one browser of each kind, started when a file first launches
 * it without options, and ended when all have run. To start one takes as long as several tests. Jest keeps
 * this module while its process lives; each test file has modules of its own.
 */
import { TestEnvironment } from 'jest-environment-node';
import { launch } from './browsers.js';

/** @type {Map<string, import('./browsers.js').Browser>} */
const browsers = new Map();

/** A browser that others have had and will have: to close it is to close the pages opened with it here. */
class Lent {
  #browser;
  #pages = [];

  constructor(browser) {
    this.#browser = browser;
    this.name = browser.name;
    this.version = browser.version;
    this.native = browser.native;
  }

  async newPage() {
    const page = await this.#browser.newPage();
    this.#pages.push(page);
    return page;
  }

  async close() {
    // One by one: the last one of WebKit's stays, since the browser ends with it.
    for (const page of this.#pages.splice(0)) await page.close();
  }
}

async function lend(name) {
  if (browsers.has(name)) {
    const lent = new Lent(browsers.get(name));
    try {
      await lent.newPage();
      await lent.close();
      return lent;
    } catch {
      await browsers.get(name).close(); // a test has brought it down
    }
  }
  browsers.set(name, await launch(name));
  return new Lent(browsers.get(name));
}

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.lendBrowser = lend;
  }
}

/** Jest's globalTeardown. */
export const endAll = () => Promise.all([...browsers.values()].map((browser) => browser.close()));
