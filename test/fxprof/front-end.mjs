// Loads profiles with the Firefox Profiler's own code, from its command-line program, which exports nothing
// and takes a process for each profile. (speedscope reads only what old Firefox's developer tools saved.)

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

const require = createRequire(import.meta.url);
const source = readFileSync(require.resolve('@firefox-devtools/profiler-cli'), 'utf8').replace(/^#!.*/, '');

// What it does in the end is to run; what it has before that is the class that loads and answers.
const end = source.search(/\w+\(\)\.catch\(\w+=>\{console\.error\(`Fatal error/);
const before = source.slice(0, source.indexOf('static async load('));
const [, name] = /(\w+)=class/.exec(before.slice(before.lastIndexOf('=class') - 20));

let said = [];
const say = (...words) => said.push(words.join(' '));
const console = { log() {}, info() {}, debug() {}, warn: say, error: say };
const Querier = runInThisContext(`(function (require, console) {${source.slice(0, end)};return ${name};})`)(
  require, console);

/**
 * Loads a profile, as the front-end does.
 *
 * @param {string} text the document
 * @returns what the program asks for its answers: `threadList()`, `threadInfo('t-0')`...
 * @throws when it cannot be loaded, or the front-end complains of it
 */
export async function load(text) {
  const file = join(tmpdir(), `profilyfill-profile-${process.pid}.json`);
  writeFileSync(file, text);
  said = [];
  try {
    const profile = await Querier.load(file, { skipSymbolication: true });
    if (said.length) throw new Error(said.join('\n'));
    return profile;
  } finally {
    rmSync(file);
  }
}
