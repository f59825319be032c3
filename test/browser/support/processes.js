import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BrowserError } from './errors.js';

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
export class Resources {
  #home;
  #groups = new Set();
  #end = new AbortController();

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

  /** Aborted when all is given back, for what starts a process by itself and has not told of it yet. */
  get signal() {
    return this.#end.signal;
  }

  releaseNow() {
    this.#end.abort();
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

/** Resolves after so many ms. */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The promise's outcome, or a BrowserError BROWSER_TIMEOUT when it takes longer than `ms`.
 *
 * @template T
 * @param {number} ms
 * @param {string} what what did not happen, for the message
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function within(ms, what, promise) {
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

/** The environment of a browser: all that would land in the user's home goes to the temporary directory. */
export function environment({ home, env }) {
  return {
    ...process.env,
    HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    LANG: 'C.UTF-8',
    ...env,
  };
}
