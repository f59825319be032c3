/**
 * A WebDriver client (https://www.w3.org/TR/webdriver2/), as small as WebKitWebDriver needs it.
 */

/** An error reported by the driver: `code` is WebDriver's error code, such as "no such element". */
export class WebDriverError extends Error {
  constructor(code, message) {
    super(message ? `${code}: ${message}` : code);
    this.name = 'WebDriverError';
    this.code = code;
  }
}

/**
 * Waits until a driver process answers, then opens a session.
 *
 * @param {object} options
 * @param {import('node:child_process').ChildProcess} options.child the driver; its end ends the waiting
 * @param {string} options.address such as "http://127.0.0.1:4444"
 * @param {object} options.capabilities for `alwaysMatch`
 * @param {number} options.timeout ms for all of it
 * @param {number} options.commandTimeout ms for every later command
 * @returns {Promise<Session>}
 */
export async function startWebDriver({ child, address, capabilities, timeout, commandTimeout }) {
  let ended;
  let output = '';
  child.once('error', (error) => { ended = error.message; });
  child.once('exit', (status, signal) => { ended ??= `ended with ${signal ?? `status ${status}`}`; });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => { output = (output + text).slice(-4_000); });
  }
  const end = Date.now() + timeout;
  for (;;) {
    if (ended !== undefined) throw new Error(`the WebDriver server ${ended}: ${output.trim()}`);
    try {
      await request(address, 'GET', '/status', undefined, 2_000);
      break;
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const body = { capabilities: { alwaysMatch: capabilities } };
  const value = await request(address, 'POST', '/session', body, Math.max(1, end - Date.now()));
  return new Session(`${address}/session/${value.sessionId}`, value.capabilities, commandTimeout);
}

async function request(base, method, path, body, timeout) {
  const response = await fetch(base + path, {
    method,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  });
  const { value } = await response.json();
  if (response.ok) return value;
  throw new WebDriverError(value?.error ?? `HTTP ${response.status}`, value?.message);
}

/** One session. Commands run one after another, since the current window is a state of the session. */
class Session {
  #base;
  #timeout;
  #queue = Promise.resolve();
  #window;

  constructor(base, capabilities, timeout) {
    this.#base = base;
    this.#timeout = timeout;
    this.capabilities = capabilities;
  }

  /** Sends a command that concerns no window, or the current one. */
  command(method, path, body) {
    return this.#enqueue(() => this.#send(method, path, body));
  }

  /**
   * Makes a window current and keeps it so while `task` sends its commands.
   *
   * @template T
   * @param {string} handle
   * @param {(command: (method: string, path: string, body?: object) => Promise<any>) => Promise<T>} task
   * @returns {Promise<T>}
   */
  inWindow(handle, task) {
    return this.#enqueue(async () => {
      if (this.#window !== handle) {
        await this.#send('POST', '/window', { handle });
        this.#window = handle;
      }
      return task((method, path, body) => this.#send(method, path, body));
    });
  }

  /** Ends the session, and with it the browser; never rejects. */
  async end() {
    try {
      await request(this.#base, 'DELETE', '', undefined, 3_000);
    } catch {
      // whoever calls this kills the processes next
    }
  }

  #send(method, path, body) {
    if (method === 'DELETE' && path === '/window') this.#window = undefined;
    return request(this.#base, method, path, body, this.#timeout + 2_000);
  }

  #enqueue(task) {
    const result = this.#queue.then(task);
    this.#queue = result.catch(() => {});
    return result;
  }
}
