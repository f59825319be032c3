// What the C core reads from lines of `error.stack`.
//
//   node test/stack-parse.mjs < rows.jsonl > readings.jsonl
//
// Standard input: one JSON object a line, `{id, engine, line}`; `engine` is v8, spidermonkey, jsc or
// anything else (an engine of the past). Standard output: `{id, kind, name, url, line, column}` for each,
// in order: `kind` is frame, native, eval, wasm, async or not-frame; `name` is '' for an anonymous
// function and null for what is no frame; `url`, `line` and `column` are null where the text has none.
//
// Fails with exit code 1 and a message that starts with a code: ERR_STACK_PARSE_INPUT (a row is not
// what it should be), ERR_STACK_PARSE_BUILD (the test program cannot be built), ERR_STACK_PARSE_RUN.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM = 'wasm-out/test/stack-parse';
const ENGINES = new Map([['v8', 1], ['spidermonkey', 2], ['jsc', 3]]);
const OTHER_ENGINE = 4;
const KINDS = ['not-frame', 'frame', 'native', 'eval', 'wasm', 'async'];
const ANSWER_SIZE = 11 * 8;
const NONE = 2n ** 64n - 1n;

class StackParseError extends Error {
  constructor(code, message) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

function readRows(input) {
  const rows = [];
  input.split('\n').forEach((text, index) => {
    if (text.trim() === '') return;
    const where = `row on line ${index + 1}`;
    let row;
    try {
      row = JSON.parse(text);
    } catch (error) {
      throw new StackParseError('ERR_STACK_PARSE_INPUT', `${where} is not JSON (${error.message})`);
    }
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw new StackParseError('ERR_STACK_PARSE_INPUT', `${where} is not an object`);
    }
    for (const field of ['engine', 'line']) {
      if (typeof row[field] !== 'string') {
        throw new StackParseError('ERR_STACK_PARSE_INPUT', `${where}: "${field}" is not a string`);
      }
    }
    rows.push({ id: row.id, engine: row.engine, bytes: Buffer.from(row.line, 'utf8') });
  });
  return rows;
}

function run(code, command, args, options) {
  const done = spawnSync(command, args, { cwd: ROOT, maxBuffer: Infinity, ...options });
  if (done.error || done.status !== 0) {
    const said = done.error?.message ?? String(done.stderr).trim();
    const ended = `ended with ${done.status ?? done.signal}`;
    throw new StackParseError(code, `${command} ${args.join(' ')}: ${said || ended}`);
  }
  return done.stdout;
}

function parse(rows) {
  const chunks = [];
  for (const { engine, bytes } of rows) {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(ENGINES.get(engine) ?? OTHER_ENGINE, 0);
    head.writeUInt32LE(bytes.length, 4);
    chunks.push(head, bytes);
  }
  const answers = run('ERR_STACK_PARSE_RUN', `./${PROGRAM}`, [], { input: Buffer.concat(chunks) });
  if (answers.length !== rows.length * ANSWER_SIZE) {
    throw new StackParseError('ERR_STACK_PARSE_RUN', `${answers.length} bytes for ${rows.length} rows`);
  }
  return rows.map(({ id, bytes }, index) => {
    const number = (field) => answers.readBigUInt64LE(index * ANSWER_SIZE + field * 8);
    const view = (field) => {
      const start = number(field);
      if (start === NONE) return null;
      return bytes.toString('utf8', Number(start), Number(start + number(field + 1)));
    };
    const url = view(5);
    return {
      id,
      kind: KINDS[Number(number(0))],
      name: view(1),
      url: url === null ? null : (view(3) ?? '') + url,
      line: number(7) ? Number(number(8)) : null,
      column: number(9) ? Number(number(10)) : null,
    };
  });
}

try {
  const rows = readRows(readFileSync(0, 'utf8'));
  run('ERR_STACK_PARSE_BUILD', 'make', ['-s', PROGRAM]);
  if (rows.length > 0) {
    process.stdout.write(`${parse(rows).map((reading) => JSON.stringify(reading)).join('\n')}\n`);
  }
} catch (error) {
  if (!(error instanceof StackParseError)) throw error;
  process.stderr.write(`stack-parse: ${error.message}\n`);
  process.exitCode = 1;
}
