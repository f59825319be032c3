#!/usr/bin/env node
/** The command `profilyfill`: a word that says what to do, and its arguments. */
import { readFileSync } from 'node:fs';

const COMMANDS = {
  instrument: () => import('./command/instrument.js'),
  calibrate: () => import('./command/calibrate.js'),
};

const HELP = `Usage: profilyfill <command> [options]

Commands:
  instrument  put polls into built scripts
  calibrate   measure what their times are, for truer traces of plain pages

  --help      of a command: its options
  --version
`;

const [name, ...args] = process.argv.slice(2);
if (Object.hasOwn(COMMANDS, name)) {
  const { run } = await COMMANDS[name]();
  process.exitCode = await run(args);
} else if (name === '--version') {
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
} else if (name === '--help') process.stdout.write(HELP);
else {
  const fault = name === undefined ? '' : `profilyfill: no command ${JSON.stringify(name)}\n\n`;
  process.stderr.write(fault + HELP);
  process.exitCode = 2;
}
