/**
 * `profilyfill calibrate`: stands before a site's server, has its pages run isolated with polls that count
 * themselves, and writes down how long what ends at each poll takes. See js/instrument/weights.js.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { parse } from 'parse5';
import { makeFilter } from '../file-patterns.js';
import { instrument } from '../instrument.js';
import { makeWeights } from '../instrument/weights.js';

const HELP = `Usage: profilyfill calibrate [options] <URL of the site's server> [-- command...]

Measures how long the code between two polls takes, for the option \`weights\` of the plugins and of
\`profilyfill instrument\`. The server sends the build as it is deployed, but without polls. Use the site for
some seconds, at the address that is printed; in Chromium or Firefox. Ends with Ctrl-C, after --seconds, or
when the command ends, which may drive a browser: it finds the address in $PROFILYFILL_URL.

  --out FILE             default: profilyfill-weights.json
  --port N               default: one that is free
  --seconds N            ends so long after a page has begun
  --exclude GLOB         leave these files out; may be given more than once
  --precision LEVEL      as of what will be deployed: high, normal (default) or low
  --min-function-size N  as of what will be deployed
  --help

Exit code: 0; the command's if it is not 0; 1 if nothing was measured; 2 if the arguments are wrong.
`;

const OPTIONS = {
  out: { type: 'string', default: 'profilyfill-weights.json' },
  port: { type: 'string', default: '0' },
  seconds: { type: 'string' },
  exclude: { type: 'string', multiple: true },
  precision: { type: 'string' },
  'min-function-size': { type: 'string' },
  help: { type: 'boolean' },
};

const OWN = '/__profilyfill__/';
const CALIBRATOR = readFileSync(new URL('calibrator.js', import.meta.url));

// Neither the page's policy nor what is about one connection only; bodies arrive decoded.
const DROPPED = new Set([
  'connection', 'content-encoding', 'content-length', 'content-security-policy',
  'content-security-policy-report-only', 'etag', 'keep-alive', 'last-modified', 'strict-transport-security',
  'transfer-encoding',
]);
const UNASKED = new Set([
  'accept-encoding', 'connection', 'host', 'if-modified-since', 'if-none-match', 'keep-alive',
  'transfer-encoding', 'upgrade',
]);
const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'credentialless',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': 'no-store',
};

const WORKERS = new Set(['worker', 'sharedworker', 'serviceworker']);
const BODY_MAX = 50e6; // bytes of a report
// Passes of a poll in whose segment no tick has fallen: of fewer nothing can be said.
const VISITS_MIN = 100;
// Segments that took several ticks are of code that takes long if that is so more often than collections of
// garbage come by.
const LONG_SHARE = 0.01;
const LOST_SHARE = 0.2; // of the time without a processor: from there on the user is told

const whole = (name, text, least) => {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= least)) throw new Error(`--${name} must be a whole number from ${least}, not ${text}`);
  return value;
};

/** What pages have reported. */
class Counts {
  functions = [];

  sites = new Map();

  ms = 0;

  ticks = 0;

  /** ms in which the ticker had no processor. */
  lost = 0;

  /** Segments that took several ticks. */
  longs = 0;

  fault;

  /** @param {{ ms: number, ticks: number, lost: number, sites: number[][] }} report */
  add({ ms, ticks, lost, sites, fault }) {
    if (fault !== undefined) {
      this.fault = String(fault);
      return;
    }
    this.ms += ms;
    this.ticks += ticks;
    this.lost += lost;
    for (const [site, ...numbers] of sites) {
      this.longs += numbers[3];
      const sum = this.sites.get(site);
      if (sum === undefined) this.sites.set(site, numbers);
      else for (let i = 0; i < sum.length; i++) sum[i] += numbers[i];
    }
  }

  /** ns, mean, of the segments that end at a poll; 0: unknown. */
  timeOf(site) {
    const [visits, hits, longTicks, longs] = this.sites.get(site) ?? [0, 0, 0, 0];
    const tick = (this.ms - this.lost) / this.ticks;
    // Where page and ticker share a processor, the page is interrupted for many ticks, and has none while it
    // runs: when it is interrupted is what tells who ran.
    const pause = Math.max(tick, this.lost / this.longs || 0);
    const time = hits * tick + (longs > visits * LONG_SHARE ? longTicks * tick : longs * pause);
    if (visits === 0 || (time === 0 && visits < VISITS_MIN)) return 0;
    // Where no tick has fallen, less than one would have been likely.
    return (time || 0.3 * tick) / visits * 1e6;
  }
}

class Calibration {
  #upstream;

  #includes;

  #options;

  #next = 0;

  /** Instrumented scripts, by their text. */
  #scripts = new Map();

  /** URLs of what runs in workers, which have no calibrator. */
  #inWorkers = new Set();

  counts = new Counts();

  onReport = () => {};

  constructor(upstream, includes, options) {
    this.#upstream = upstream;
    this.#includes = includes;
    this.#options = options;
    this.server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        if (!response.headersSent) response.writeHead(502, { 'Content-Type': 'text/plain' });
        const { message } = error.cause ?? error;
        response.end(`profilyfill: ${this.#upstream.origin} does not answer: ${message}`);
      });
    });
  }

  async #answer(request, response) {
    if (request.url.startsWith(OWN)) {
      await this.#answerOwn(request, response);
      return;
    }
    const url = new URL(request.url, this.#upstream);
    if (url.origin !== this.#upstream.origin) throw new Error(`not a path: ${request.url}`);
    const headers = Object.entries(request.headers).filter(([name]) => !UNASKED.has(name));
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    const answer = await fetch(url, {
      method: request.method, headers, redirect: 'manual',
      ...hasBody && { body: Readable.toWeb(request), duplex: 'half' },
    });
    const sent = {};
    for (const [name, value] of answer.headers) if (!DROPPED.has(name)) sent[name] = value;
    if (sent.location) sent.location = sent.location.replace(this.#upstream.origin, '');
    const cookies = answer.headers.getSetCookie();
    if (cookies.length > 0) sent['set-cookie'] = cookies;
    Object.assign(sent, ISOLATED);
    const type = sent['content-type'] ?? '';
    const isScript = /\b(?:java|ecma)script\b/.test(type) && !this.#isOfWorker(request, url);
    if (answer.ok && (isScript || /\btext\/html\b/.test(type))) {
      const text = await answer.text();
      sent['content-type'] = type.replace(/;.*|$/, '; charset=utf-8');
      response.writeHead(answer.status, sent);
      response.end(isScript ? this.#instrument(url, text) : addCalibrator(text));
      return;
    }
    response.writeHead(answer.status, sent);
    if (answer.body === null) response.end();
    else Readable.fromWeb(answer.body).on('error', () => response.destroy()).pipe(response);
  }

  #isOfWorker({ headers }, url) {
    const from = headers.referer && URL.canParse(headers.referer) ? new URL(headers.referer).pathname : '';
    if (!WORKERS.has(headers['sec-fetch-dest']) && !this.#inWorkers.has(from)) return false;
    this.#inWorkers.add(url.pathname);
    return true;
  }

  async #answerOwn(request, response) {
    if (request.url === `${OWN}calibrator.js`) {
      response.writeHead(200, { ...ISOLATED, 'Content-Type': 'text/javascript; charset=utf-8' });
      response.end(CALIBRATOR);
      return;
    }
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk;
      if (text.length > BODY_MAX) break;
    }
    try {
      this.counts.add(JSON.parse(text));
      this.onReport();
      response.writeHead(204, ISOLATED);
    } catch {
      response.writeHead(400, ISOLATED);
    }
    response.end();
  }

  /** The script with polls that count themselves; as it is if it cannot be instrumented. */
  #instrument({ pathname }, text) {
    if (!this.#includes(pathname.slice(1))) return text;
    let code = this.#scripts.get(text);
    if (code === undefined) {
      try {
        const result = instrument(text, { ...this.#options, calibrate: this.#next });
        const { calibrated = [] } = result;
        ({ code } = result);
        for (const one of calibrated) this.counts.functions.push(one);
        this.#next += calibrated.reduce((sum, { count }) => sum + count, 0);
      } catch (error) {
        console.error(`profilyfill: ${pathname} is left as it is: ${error.message}`);
        code = text;
      }
      this.#scripts.set(text, code);
    }
    return code;
  }
}

/** Before all other scripts. */
function addCalibrator(html) {
  const { childNodes } = parse(html, { sourceCodeLocationInfo: true });
  const root = childNodes.find(({ nodeName }) => nodeName === 'html');
  const head = root.childNodes.find(({ nodeName }) => nodeName === 'head');
  const doctype = childNodes.find(({ nodeName }) => nodeName === '#documentType');
  const at = head.sourceCodeLocation?.startTag?.endOffset ?? root.sourceCodeLocation?.startTag?.endOffset ??
    doctype?.sourceCodeLocation?.endOffset ?? 0;
  return `${html.slice(0, at)}<script src="${OWN}calibrator.js"></script>${html.slice(at)}`;
}

/**
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function run(args) {
  let values;
  let calibration;
  let seconds;
  let command;
  let port;
  try {
    const end = args.indexOf('--');
    command = end < 0 ? [] : args.slice(end + 1);
    const parsed = parseArgs({
      args: end < 0 ? args : args.slice(0, end), options: OPTIONS, allowPositionals: true,
    });
    ({ values } = parsed);
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    const [upstream, ...rest] = parsed.positionals;
    if (!URL.canParse(upstream) || !/^https?:$/.test(new URL(upstream).protocol) || rest.length > 0) {
      throw new Error('say the URL of one server, or --help');
    }
    seconds = whole('seconds', values.seconds, 1);
    port = whole('port', values.port, 0);
    const options = {
      precision: values.precision,
      minFunctionSize: whole('min-function-size', values['min-function-size'], 0),
    };
    instrument('', options); // to have them checked
    calibration = new Calibration(new URL(upstream), makeFilter({ exclude: values.exclude }), options);
  } catch (error) {
    console.error(`profilyfill: ${error.message}`);
    return 2;
  }

  const { server, counts } = calibration;
  try {
    await new Promise((resolve, reject) => {
      server.once('error', reject).listen(port, 'localhost', resolve);
    });
  } catch (error) {
    console.error(`profilyfill: ${error.message}`);
    return 2;
  }
  const address = `http://localhost:${server.address().port}/`;
  const hint = command.length || seconds ? '' : ', then press Ctrl-C';
  console.log(`profilyfill: use ${address} for a while${hint}`);
  const status = await untilEnd(calibration, seconds, command, address);
  server.close();
  server.closeAllConnections();

  if (status !== 0) return status;
  if (counts.ticks === 0) {
    console.error(counts.fault ?? 'profilyfill: no page has reported anything');
    return 1;
  }
  const weights = makeWeights(counts.functions, (site) => counts.timeOf(site));
  await writeFile(values.out, `${JSON.stringify(weights, null, 1)}\n`);
  const measured = Object.keys(weights.functions).length;
  console.log(`profilyfill: ${measured} functions of ${counts.functions.length} measured in ` +
    `${(counts.ms / 1000).toFixed(0)} s, written to ${values.out}`);
  const share = counts.lost / counts.ms;
  if (share > LOST_SHARE) {
    console.error(`profilyfill: the clock had no processor for ${(100 * share).toFixed(0)} % of the time: ` +
      'these weights are coarse; a machine with two processors and nothing else to do makes better ones');
  }
  return 0;
}

/** @returns {Promise<number>} the command's exit code */
function untilEnd(calibration, seconds, [file, ...args], address) {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(0));
    process.once('SIGTERM', () => resolve(0));
    if (seconds !== undefined) {
      calibration.onReport = () => {
        calibration.onReport = () => {};
        setTimeout(() => resolve(0), seconds * 1000);
      };
    }
    if (file === undefined) return;
    const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, PROFILYFILL_URL: address } });
    child.once('error', (error) => {
      console.error(`profilyfill: ${file}: ${error.message}`);
      resolve(2);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
