/**
 * Random programs, plain and instrumented, must do the same.
 *
 *     node test/fuzz/instrument.mjs [--seconds N] [--from SEED] [--count N]
 *
 * Prints one line at the end: how many programs, how many of them the parser refused (it wrongly takes the
 * end of `async function ({ a }, { b }) {}` within a template for the end of a block), how many polls called
 * the handler. The first difference ends it with status 1 and the seed, the program and what differs.
 */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { observe } from '../unit/support/compare.js';
import { makeProgram } from '../unit/support/random-program.js';
import { closeRealms } from '../unit/support/realm.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: 'Infinity' },
  },
});
const [seconds, from, count] = [values.seconds, values.from, values.count].map(Number);

const SOURCE_TYPES = ['script', 'commonjs'];

// Programs drop promises that are rejected: no business of ours.
process.on('unhandledRejection', () => {});

function reportDifference(seed, { plain, quiet, polled, code }) {
  const other = isDeepStrictEqual(plain, quiet) ? polled : quiet;
  const at = plain.findIndex((entry, i) => entry !== other[i]);
  console.error(`seed ${seed}: ${other === quiet ? 'without' : 'with'} a handler, entry ${at} is`);
  console.error(`${other[at]}\ninstead of\n${plain[at]}`);
  console.error(`\n${makeProgram(seed)}\n\ninstrumented:\n${code}`);
}

const end = performance.now() + seconds * 1000;
let seed = from;
let polls = 0;
let refused = 0;
let entries = 0;
for (; seed < from + count && performance.now() < end; seed++) {
  let observed;
  try {
    observed = await observe(makeProgram(seed), SOURCE_TYPES[seed % SOURCE_TYPES.length]);
  } catch (error) {
    if (error.code !== 'ERR_PROFILYFILL_SYNTAX') throw error;
    refused++;
    continue;
  }
  polls += observed.calls;
  entries += observed.plain.length;
  const { plain, quiet, polled } = observed;
  if (!isDeepStrictEqual(plain, quiet) || !isDeepStrictEqual(plain, polled)) {
    reportDifference(seed, observed);
    process.exitCode = 1;
    break;
  }
}
closeRealms();
if (!process.exitCode) console.log(JSON.stringify({ programs: seed - from, refused, polls, entries }));
