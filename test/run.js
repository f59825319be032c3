// Runs every test and counts what ran: C tests, then jest's projects. The last line printed is
// `N passed, N failed`; the exit code is 1 when anything failed, did not start or was skipped.
//
//   node test/run.js [--only c|unit|browser|apps|timing]

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

async function runJest(project) {
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-'));
  const report = join(folder, 'report.json');
  const [status] = await once(spawn(process.execPath, [
    '--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js'),
    '--selectProjects', project, '--json', `--outputFile=${report}`, '--runInBand',
  ], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    results = { numPassedTests: 0, numFailedTests: 1 };
  }
  rmSync(folder, { recursive: true });
  const { numPassedTests, numFailedTests, numPendingTests = 0, numTodoTests = 0 } = results;
  const broken = results.numRuntimeErrorTestSuites ?? 0;
  const failed = numFailedTests + broken + numPendingTests + numTodoTests;
  // Whatever else jest has to complain of is a failure, too.
  count(project, numPassedTests, status === 0 && numPassedTests ? failed : Math.max(1, failed));
}

const isWanted = (kind) => !only || only === kind;

// A browser waits half of its time, so that what bears it runs beside.
const beside = isWanted('browser') && runJest('browser');
if (isWanted('c')) {
  // By their sources: what was built of one that is gone since is still there.
  const programs = readdirSync(join(root, 'test/c')).filter((name) => /^test_\w+\.c$/.test(name))
    .map((name) => name.replace('.c', ''));
  for (const name of programs) runC(name);
  if (!programs.length) count('c', 0, 1);
}
if (isWanted('unit')) await runJest('unit');
if (isWanted('apps')) await runJest('apps');
await beside;
if (isWanted('timing')) await runJest('timing');

console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;
