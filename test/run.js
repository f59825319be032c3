// Runs every test and counts what ran: C tests, then jest's projects. The last line printed is
// `N passed, N failed`; the exit code is 1 when anything failed, did not start or was skipped.
//
//   node test/run.js [--only c|unit|browser|apps|timing]

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const binaries = join(root, 'wasm-out/test');
const KINDS = ['c', 'unit', 'browser', 'apps', 'timing'];
const only = process.argv[2] === '--only' ? process.argv[3] : undefined;
if (process.argv.length > 2 && !KINDS.includes(only)) {
  console.error(`usage: node test/run.js [--only ${KINDS.join('|')}]`);
  process.exit(2);
}
const total = { passed: 0, failed: 0 };
const CHANCE = 5; // files: where tests of more than that fail, it is none
const TIMES = 3;
const again = [];

function count(name, passed, failed) {
  console.log(`== ${name}: ${passed} passed, ${failed} failed`);
  total.passed += passed;
  total.failed += failed;
}

function runC(name) {
  const env = { ...process.env, CMOCKA_MESSAGE_OUTPUT: 'TAP' };
  const { stdout, stderr, status } =
    spawnSync(join(binaries, name), { env, cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  const lines = `${stdout}\n${stderr}`.split('\n');
  const passed = lines.filter((line) => line.startsWith('ok ')).length;
  let failed = lines.filter((line) => line.startsWith('not ok ')).length;
  // A sanitizer ends the program; a program without a test tests nothing.
  if (failed === 0 && (status !== 0 || passed === 0)) failed = 1;
  if (failed) console.log(lines.join('\n'));
  count(name, passed, failed);
}

/** Runs jest without its own output; what it reports, null if it reports nothing. */
async function runJest(project, args = []) {
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-'));
  const report = join(folder, 'report.json');
  // What runs in Node alone takes what the browsers leave.
  const [file, ...before] = project === 'unit' ? ['nice', '-n', '19', process.execPath] : [process.execPath];
  const [status] = await once(spawn(file, [
    ...before, '--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js'),
    '--selectProjects', project, '--json', `--outputFile=${report}`, '--runInBand', ...args,
  ], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  try {
    return { status, ...JSON.parse(readFileSync(report, 'utf8')) };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const namesOf = ({ assertionResults }, state) =>
  assertionResults.filter(({ status }) => status === state).map(({ fullName }) => fullName);

const escape = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Runs a project, and counts it but for what is to run again: see runAgain(). */
async function runProject(project) {
  const results = await runJest(project);
  if (results === null) {
    count(project, 0, 1);
    return;
  }
  const { status, testResults, numPassedTests, numFailedTests } = results;
  const { numPendingTests = 0, numTodoTests = 0, numRuntimeErrorTestSuites: broken = 0 } = results;
  const failed = numFailedTests + broken + numPendingTests + numTodoTests;
  const files = testResults.filter((file) => file.status === 'failed')
    .map((file) => ({ project, path: file.name, names: namesOf(file, 'failed') }));
  const mayBeChance = project !== 'unit' && files.length > 0 && files.length <= CHANCE &&
    failed === numFailedTests && files.every(({ names }) => names.length > 0);
  if (mayBeChance) again.push(...files);
  // Whatever else jest has to complain of is a failure, too.
  const left = mayBeChance ? 0 : status === 0 && numPassedTests ? failed : Math.max(1, failed);
  count(project, numPassedTests, left);
}

/**
 * Tests in browsers that failed run again, when nothing else does: a machine that was busy elsewhere for as
 * long as a test may take is no fault of the code. What fails TIMES times has failed.
 */
async function runAgain() {
  for (const { project, path, names } of again) {
    let left = names;
    for (let time = 2; time <= TIMES && left.length > 0; time++) {
      const results = await runJest(project, [path, '-t', `^(?:${left.map(escape).join('|')})$`]);
      const passed = results === null ? [] : namesOf(results.testResults[0], 'passed');
      for (const name of left) {
        console.log(`${passed.includes(name) ? 'passed' : 'FAILED'} when run for the ${time}. time: ${name}`);
      }
      left = left.filter((name) => !passed.includes(name));
    }
    count(`${relative(root, path)}, again`, names.length - left.length, left.length);
  }
}

const isWanted = (kind) => !only || only === kind;

// A browser waits half of its time, so that two run what bears it.
const beside = isWanted('browser') && runProject('browser');
if (isWanted('c')) {
  // By their sources: what was built of one that is gone since is still there.
  const programs = readdirSync(join(root, 'test/c')).filter((name) => /^test_\w+\.c$/.test(name))
    .map((name) => name.replace('.c', ''));
  for (const name of programs) runC(name);
  if (!programs.length) count('c', 0, 1);
}
if (isWanted('apps')) await runProject('apps');
const unit = isWanted('unit') && runProject('unit');
await beside;
if (isWanted('timing')) await runProject('timing');
await unit;
await runAgain();

console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;
