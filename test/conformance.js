// Prints the conformance table, row by row, as the tests find it now: what is asked for, by what test,
// and what came of it in each browser. The exit code is 1 when a test failed or did not run.
//
//   pass        as the row asks
//   limitation  what a script cannot do; the test pins what happens instead, the reason is below
//   differs     another choice than the row's, pinned as well
//   -           cannot be observed there
//
//   node test/conformance.js

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TARGETS } from './browser/support/conformance.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const table = JSON.parse(readFileSync(new URL('data/conformance.json', import.meta.url), 'utf8'));

/** Every test of the suite, as jest reports it. */
function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'profilyfill-'));
  const report = join(folder, 'report.json');
  try {
    const { stderr } = spawnSync(process.execPath, [
      '--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js'),
      '--selectProjects', 'timing', '--runInBand', '--json', `--outputFile=${report}`,
      'test/browser/conformance.test.js',
    ], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', maxBuffer: 1 << 28 });
    if (!existsSync(report)) throw new Error(stderr);
    return JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** By all tests of a row's title there: pages that refuse wasm are tested, too. */
function judge({ limitations, differs }, target, tests) {
  if (!tests.length) return '-';
  if (tests.some(({ status }) => status !== 'passed')) return 'FAIL';
  if (limitations?.[target.id]) return 'limitation';
  return differs?.[target.id] ? 'differs' : 'pass';
}

/** One line for each test of a row: the row's text, the test's title, and a cell for each target. */
function linesOf(row, tests) {
  const prefix = `row ${row.row}: `;
  const titles = [...new Set(tests.map(({ title }) => title))].filter((title) => title.startsWith(prefix));
  if (!titles.length) return [[String(row.row), row.text, 'no test', ...TARGETS.map(() => 'FAIL')]];
  return titles.map((title, i) => [
    i ? '' : String(row.row), i ? '' : row.text, title.slice(prefix.length),
    ...TARGETS.map((target) => judge(row, target, tests.filter((test) =>
      test.title === title && test.ancestorTitles[0] === target.title))),
  ]);
}

function print(lines) {
  const widths = lines[0].map((cell, column) => Math.max(...lines.map((line) => line[column].length)));
  const format = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...rest] = lines;
  const rule = widths.map((width) => '-'.repeat(width));
  console.log([head, rule, ...rest].map(format).join('\n'));
}

/** The reasons, each once for the targets that share it. */
function printReasons(heading, key) {
  console.log(`\n${heading}`);
  for (const row of table) {
    const targets = new Map();
    for (const [id, reason] of Object.entries(row[key] ?? {})) {
      const { title } = TARGETS.find((target) => target.id === id);
      targets.set(reason, [...targets.get(reason) ?? [], title]);
    }
    for (const [reason, titles] of targets) console.log(`  row ${row.row}, ${titles.join(', ')}: ${reason}`);
  }
}

const tests = runTests();
const lines = table.flatMap((row) => linesOf(row, tests));
print([['row', 'requirement', 'test', ...TARGETS.map(({ title }) => title)], ...lines]);
printReasons('Limitations', 'limitations');
printReasons('Other choices', 'differs');

const failed = tests.filter(({ status }) => status !== 'passed');
for (const { fullName, failureMessages } of failed) {
  console.log(`\n${fullName}\n${failureMessages.join('\n')}`);
}
const missing = lines.filter((line) => line[2] === 'no test').length;
const count = (word) => lines.flat().filter((cell) => cell === word).length;
console.log(`\n${table.length} rows: ${count('pass')} pass, ${count('limitation')} limitation, ` +
  `${count('differs')} differs, ${failed.length + missing} failed`);
process.exitCode = failed.length + missing || !tests.length ? 1 : 0;
