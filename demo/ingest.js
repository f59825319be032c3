/**
 * Plays the servers of Sentry and Datadog for pages of the demo and of the tests: takes what the SDKs send,
 * and finds the profiles in it.
 */

/**
 * A profile that an SDK has sent, in one shape for all.
 *
 * @typedef {object} Received
 * @property {string} sdk such as "sentry.javascript.browser/11.12.0", "datadog"
 * @property {number} bytes the length of the request's body
 * @property {{ name: string, url?: string, line?: number, column?: number }[]} frames
 * @property {number[][]} stacks indices of frames, the innermost first
 * @property {{ time: number, stack: number[] }[]} samples `time` in ms since 1970, as the SDK has told it;
 *   `stack` is one of the stacks, without frames where nothing was running
 * @property {Record<string, string>} debugIds by URL
 * @property {object} raw the profile as it was sent
 */

/** @returns {{ header: object, payload: object }[]} the items of a Sentry envelope */
export function readEnvelope(body) {
  const lines = body.split('\n');
  const items = [];
  for (let i = 1; i + 1 < lines.length; i += 2) {
    if (lines[i]) items.push({ header: JSON.parse(lines[i]), payload: JSON.parse(lines[i + 1]) });
  }
  return items;
}

/** Sentry 10 and 11 send chunks with times, Sentry 9 profiles with times since the first sample. */
function readSentry({ header, payload }, bytes) {
  const { profile, debug_meta: { images }, client_sdk: sdk, timestamp } = payload;
  const start = header.type === 'profile' ? Date.parse(timestamp) : 0;
  return {
    sdk: sdk ? `${sdk.name}/${sdk.version}` : 'sentry.javascript.browser',
    bytes,
    frames: profile.frames.map((frame) => ({
      name: frame.function, url: frame.abs_path, line: frame.lineno, column: frame.colno,
    })),
    stacks: profile.stacks,
    samples: profile.samples.map(({ stack_id: id, timestamp: seconds, elapsed_since_start_ns: ns }) => ({
      time: seconds === undefined ? start + ns / 1e6 : seconds * 1000, stack: profile.stacks[id],
    })),
    debugIds: Object.fromEntries(images.map(({ code_file: url, debug_id: id }) => [url, id])),
    raw: payload,
  };
}

/** @returns {Record<string, string>} the parts of a multipart body by their names */
export function readParts(body) {
  const boundary = body.slice(0, body.indexOf('\r\n'));
  const parts = {};
  for (const part of body.split(boundary).slice(1, -1)) {
    const end = part.indexOf('\r\n\r\n');
    parts[/name="([^"]*)"/.exec(part.slice(0, end))[1]] = part.slice(end + 4, -2);
  }
  return parts;
}

function readDatadog(body, bytes) {
  const trace = JSON.parse(readParts(body)['wall-time.json']);
  const { frames, stacks, samples, resources, debugIds = [], clocksOrigin } = trace;
  const listed = stacks.map((_, id) => {
    const list = [];
    for (let at = id; at !== undefined; at = stacks[at].parentId) list.push(stacks[at].frameId);
    return list;
  });
  return {
    sdk: 'datadog',
    bytes,
    frames: frames.map(({ name, resourceId, line, column }) => ({
      name, url: resources[resourceId], line, column,
    })),
    stacks: listed,
    samples: samples.map(({ timestamp, stackId }) => ({
      time: clocksOrigin.timeStamp + timestamp, stack: listed[stackId] ?? [],
    })),
    debugIds: Object.fromEntries(debugIds.map(({ resourceId, debugId }) => [resources[resourceId], debugId])),
    raw: trace,
  };
}

/**
 * Adds the end-points `/ingest/sentry/RUN` (for Sentry's `tunnel`) and `/ingest/datadog/RUN` (for Datadog's
 * `proxy`) to a server, below every mode, and `/ingest/received/RUN`, which tells what has arrived.
 *
 * @param {import('./server.js').Server} server
 * @returns {(run: string) => Received[]} the profiles that have arrived for a run, oldest first
 */
export function addIngest(server) {
  /** @type {Map<string, Received[]>} */
  const runs = new Map();
  const put = (path, received) => {
    const run = path.split('/').pop();
    if (!runs.has(run)) runs.set(run, []);
    runs.get(run).push(received);
  };
  const json = (value) => ({ type: 'application/json', body: JSON.stringify(value) });

  server.file('/ingest/sentry/*', async (request) => {
    const body = await request.body();
    for (const item of readEnvelope(body)) {
      if (/^profile/.test(item.header.type)) put(request.path, readSentry(item, Buffer.byteLength(body)));
    }
    return json({});
  });
  server.file('/ingest/datadog/*', async (request) => {
    const wanted = request.query.get('ddforward') ?? '';
    if (wanted.startsWith('/api/v2/profiling/quota')) {
      return json({ data: { attributes: { admitted: true, reason: 'quota_ok' } } });
    }
    const body = await request.body();
    if (wanted.startsWith('/api/v2/profile')) put(request.path, readDatadog(body, Buffer.byteLength(body)));
    return json({});
  });
  const profilesOf = (run) => runs.get(run) ?? [];
  server.file('/ingest/received/*', ({ path }) => json(profilesOf(path.split('/').pop())));
  return profilesOf;
}
