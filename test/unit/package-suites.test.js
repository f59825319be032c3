/**
 * The tests that npm packages ship, run with polls in every file that they load, these tests and what they
 * use included, while a profiler is running: as many pass as without.
 */
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

jest.setTimeout(600_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const script = `${root}test/unit/support/package-suite.mjs`;

// Those left out need packages that are not here, a process of their own or a quiet machine, or read the text
// of functions (`plugin-name`).
const SUITES = {
  avvio: { files: /\.test\.js$/, except: /timeout|plugin-name/, atLeast: 240 },
  'fast-json-stable-stringify': { files: /\.js$/, atLeast: 15 },
  'fast-uri': { files: /\.test\.js$/, atLeast: 2000 },
  fastq: { files: /^(?:test|promise)\.js$/, atLeast: 250 },
  'find-my-way': { files: /\.test\.js$/, except: /issue-330|methods|shorthand|url-sanitizer/, atLeast: 240 },
  'json-schema-traverse': { folder: 'spec', files: /\.spec\.js$/, atLeast: 5 },
  'json-stable-stringify': { files: /\.js$/, atLeast: 30 },
  minimist: { files: /\.js$/, atLeast: 150 },
  'safe-regex2': { files: /\.js$/, atLeast: 4 },
  'secure-json-parse': { files: /\.js$/, atLeast: 90 },
};

const names = Object.keys(SUITES);
const results = {};

function run(name, kind) {
  const { folder = 'test', files, except, how = 'require' } = SUITES[name];
  const path = `${root}node_modules/${name}/${folder}`;
  const chosen = readdirSync(path).filter((file) => files.test(file) && !except?.test(file)).sort();
  return new Promise((resolve) => {
    execFile(process.execPath, [
      '--test-reporter=tap', script, kind, how, ...chosen.map((file) => `${path}/${file}`),
    ], {
      cwd: `${root}node_modules/${name}`, env: { ...process.env, NODE_OPTIONS: '' }, maxBuffer: 1 << 28,
      timeout: 400_000,
    }, (error, stdout, stderr) => {
      const count = (what) => Number(new RegExp(`^# ${what} +(\\d+)`, 'm').exec(stdout)?.[1] ?? 0);
      const failures = stdout.split('\n').filter((line) => /^\s*not ok/.test(line));
      resolve({
        passed: count('pass'), failures, status: error?.code ?? 0, stderr: stderr.slice(-2000),
        suite: JSON.parse(/^suite: (.*)$/m.exec(stdout)?.[1] ?? 'null'),
      });
    });
  });
}

beforeAll(async () => {
  const left = names.flatMap((name) => [[name, 'plain'], [name, 'polled']]);
  const work = async () => {
    for (let next; (next = left.shift());) results[next.join()] = await run(...next);
  };
  await Promise.all([work(), work()]);
});

test('enough packages', () => {
  expect(names.length).toBeGreaterThanOrEqual(10);
});

describe.each(names)('%s', (name) => {
  test('passes its own tests, with polls as without', () => {
    const { passed, failures, status, stderr } = results[`${name},plain`];
    expect({ failures, status, stderr }).toMatchObject({ failures: [], status: 0 });
    expect(passed).toBeGreaterThanOrEqual(SUITES[name].atLeast);
    const polled = results[`${name},polled`];
    expect(polled).toMatchObject({ passed, failures: [], status: 0 });
    // The profiler was alive: polls have taken samples.
    expect(polled.suite.files).toBeGreaterThan(1);
    expect(polled.suite.polls).toBeGreaterThan(50);
    expect(polled.suite.samples).toBeGreaterThan(0);
  });
});
