/**
 * The function table of a script as it is, for scripts that are not instrumented: same functions, same
 * names, same format, and nothing put in.
 */
import { Edits } from './edits.js';
import { parse } from './parse.js';
import { isPrologue } from './prologue.js';
import { encodeTable } from './table.js';
import { findLineStarts } from './text.js';
import { Walker, countDirectives } from './walk.js';

const BYTE_ORDER_MARK = '\ufeff';

/** Takes note of where functions start and end, and of nothing else. */
class Ranges extends Edits {
  insert() {}

  slot() {
    return -1;
  }

  /** What has no polls because nobody put any in is not to be passed over. */
  end(offset) {
    super.end(offset);
  }
}

const TEXTS = {
  entry: '', asyncEntry: '', poll: '', polls: ['', '', ''], temporary: '', initialise: '',
};

/**
 * @param {string} code  JavaScript
 * @param {object} [options]  as those of `instrument()`
 * @param {'module' | 'script' | 'commonjs'} [options.sourceType]
 * @param {number} [options.line]
 * @param {number} [options.column]
 * @returns {{ positions: string, names: string, line: number, column: number } | null} `null`: the code is
 *   instrumented, so that its own positions are nobody's
 * @throws {SyntaxError} of acorn, with `pos`
 */
export function describe(code, { sourceType, line = 1, column = 1 } = {}) {
  const { program } = parse(code, sourceType);
  const { body, declared, estimates } = program;
  const directives = countDirectives(body);
  const at = directives > 0 ? body[directives - 1].end : body[0]?.start ?? 0;
  if (isPrologue(code, at)) return null;
  const ranges = new Ranges();
  new Walker(code, ranges, TEXTS, {
    isScript: false, exported: new Set(), hoisted: new Set(), declared, estimates, enough: 0,
    unpolled: new Set(),
  }).walk(program);
  const firstColumn = code.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  const { positions, names } = encodeTable(ranges, findLineStarts(code), {
    length: code.length,
    firstColumn,
    prologueAt: firstColumn,
    executing: true, // nothing is put in, and that is told
  });
  return { positions: positions(0), names, line, column };
}
