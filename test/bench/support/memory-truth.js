/** What the engines themselves say a page holds, in bytes: Chromium and Firefox. WebKit says nothing. */
import { launch } from '../../browser/support/browsers.js';

async function startChromium() {
  const browser = await launch('chromium', {
    // Else native waits for the next garbage collection, some ten seconds.
    args: ['--enable-blink-features=ForceEagerMeasureMemory'], timeout: 180_000,
  });
  const measure = async (page) => page.evaluate(async () => {
    let last;
    for (let i = 0; i < 2; i++) last = await performance.measureUserAgentSpecificMemory();
    const types = {};
    for (const { bytes, types: [type = ''] } of last.breakdown) types[type] = (types[type] ?? 0) + bytes;
    return { bytes: last.bytes, types };
  });
  return { browser, measure };
}

/** In the page's process. */
const FRAME_SCRIPT = (channel) => `(() => {
  const manager = Components.classes['@mozilla.org/memory-reporter-manager;1']
    .getService(Components.interfaces.nsIMemoryReporterManager);
  for (let i = 0; i < 3; i++) { Cu.forceGC(); Cu.forceCC(); }
  const names = ['objects', 'strings', 'other', 'dom', 'style', 'rest', 'all', 'a', 'b'];
  const sizes = names.map(() => ({}));
  manager.sizeOfTab(content, ...sizes);
  const result = {};
  names.forEach((name, i) => { result[name] = sizes[i].value; });
  sendAsyncMessage(${JSON.stringify(channel)}, result);
})()`;

const IN_BROWSER = (url, channel) => `new Promise((resolve, reject) => {
  for (const window of Services.wm.getEnumerator('navigator:browser')) {
    for (const browser of window.gBrowser?.browsers ?? []) {
      if (browser.currentURI.spec !== ${JSON.stringify(url)}) continue;
      const { messageManager } = browser;
      messageManager.addMessageListener(${JSON.stringify(channel)}, ({ data }) => {
        resolve(JSON.stringify(data));
      });
      messageManager.loadFrameScript('data:text/javascript,' +
        encodeURIComponent(${JSON.stringify(FRAME_SCRIPT(channel))}), false);
      return;
    }
  }
  reject(new Error('no such page'));
})`;

async function startFirefox() {
  const browser = await launch('firefox', { args: ['--remote-allow-system-access'], timeout: 180_000 });
  const { connection } = browser.native;
  const tree = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const target = { context: tree.result.contexts[0].context };
  let count = 0;
  const measure = async (page) => {
    const expression = IN_BROWSER(await page.evaluate(() => location.href), `profilyfill:${count++}`);
    const { result } = await connection.send('script.evaluate', { expression, target, awaitPromise: true });
    if (result.type !== 'success') throw new Error(result.exceptionDetails.text);
    const types = JSON.parse(result.result.value);
    // What is in jsOther besides: room in chunks that large things left.
    return { bytes: types.objects + types.strings + types.dom, types };
  };
  return { browser, measure };
}

const STARTS = { chromium: startChromium, firefox: startFirefox };

/**
 * @param {'chromium' | 'firefox' | 'webkit'} name
 * @returns {Promise<{ browser: object,
 *   measure?: (page: object) => Promise<{ bytes: number, types: object }> }>}
 */
export const startTruth = async (name) => STARTS[name]?.() ?? { browser: await launch(name) };
