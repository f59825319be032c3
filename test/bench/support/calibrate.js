/** Weights of a program, made by the command as users would: it runs in a browser through the proxy. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../../browser/support/browsers.js';

const COMMAND = fileURLToPath(new URL('../../../js/command.js', import.meta.url));
const MS = 5000;

/** Runs the program again and again, and takes turns with the page. */
const DRIVER = `async (ms) => {
  const channel = new MessageChannel();
  for (const end = performance.now() + ms; performance.now() < end;) {
    await program.run();
    await new Promise((resolve) => { channel.port1.onmessage = resolve; channel.port2.postMessage(0); });
  }
}`;

/**
 * @param {import('../../browser/support/server.js').Server} server
 * @param {string} code  of the program, without polls
 * @param {string[]} [args]  of the command
 * @returns {Promise<object>} the weights
 */
export async function calibrate(server, code, args = []) {
  server.file('/calibrated.js', code);
  server.file('/calibrated.html', '<!doctype html><body><script src="calibrated.js"></script>');
  const folder = await mkdtemp(join(tmpdir(), 'profilyfill-weights-'));
  const out = join(folder, 'weights.json');
  const child = spawn(process.execPath, [COMMAND, 'calibrate', server.origin, '--out', out, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  const browser = await launch('chromium');
  try {
    let said = '';
    for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (/http\S+/.test(said)) break;
    }
    const page = await browser.newPage();
    await page.goto(`${/http\S+/.exec(said)[0]}plain/calibrated.html`);
    await page.evaluate(`(${DRIVER})(${MS})`);
    await page.close();
    child.kill('SIGINT');
    const status = await ended;
    if (status !== 0) throw new Error(`the command ended with ${status}`);
    return JSON.parse(await readFile(out, 'utf8'));
  } finally {
    child.kill();
    await browser.close();
    await rm(folder, { recursive: true });
  }
}
