import { TABLE } from './hub.js';
import { ENOUGH } from './instrument/cost.js';
import { Edits } from './instrument/edits.js';
import { InstrumentError, checkKeys, failOption as fail } from './instrument/error.js';
import { addMemoryRoots } from './instrument/memory-roots.js';
import { parse } from './instrument/parse.js';
import {
  chooseNames, findRoot, isPrologue, makePrologue, makeTexts, mayTravel,
} from './instrument/prologue.js';
import { makeResult } from './instrument/result.js';
import { encodeTable } from './instrument/table.js';
import { findUnpolled } from './instrument/unpolled.js';
import { findLineStarts, hash, lineAt } from './instrument/text.js';
import { Walker, countDirectives } from './instrument/walk.js';
import { addCounters, addWeights, checkWeights } from './instrument/weights.js';

export { InstrumentError };

const SOURCE_TYPES = ['module', 'script', 'commonjs'];
const OPTIONS = [
  'url', 'sourceType', 'line', 'column', 'moved', 'executing', 'memoryRoots', 'precision', 'minFunctionSize',
  'weights', 'calibrate', 'separateTable',
];
const BYTE_ORDER_MARK = '\ufeff';

function checkArguments(code, options) {
  if (typeof code !== 'string') fail(`code must be a string, not ${describe(code)}`);
  if (typeof options !== 'object' || options === null) {
    fail(`options must be an object, not ${describe(options)}`);
  }
  checkKeys(options, OPTIONS);
  const {
    url, sourceType, line, column, moved, executing, memoryRoots, precision, minFunctionSize, separateTable,
  } = options;
  if (url !== undefined && typeof url !== 'string') {
    fail(`url must be a string, not ${describe(url)}`);
  }
  if (sourceType !== undefined && !SOURCE_TYPES.includes(sourceType)) {
    fail(`sourceType must be one of ${SOURCE_TYPES.join(', ')}, not ${describe(sourceType)}`);
  }
  if (options.weights !== undefined) checkWeights(options.weights);
  if (precision !== undefined && !Object.hasOwn(ENOUGH, precision)) {
    fail(`precision must be one of ${Object.keys(ENOUGH).join(', ')}, not ${describe(precision)}`);
  }
  for (const [name, value] of Object.entries({ executing, memoryRoots, separateTable })) {
    if (value !== undefined && typeof value !== 'boolean') {
      fail(`${name} must be a boolean, not ${describe(value)}`);
    }
  }
  for (const [name, value, least] of [
    ['line', line, 1], ['column', column, 1], ['moved', moved, 0], ['minFunctionSize', minFunctionSize, 0],
    ['calibrate', options.calibrate, 0],
  ]) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
      fail(`${name} must be a whole number from ${least}, not ${describe(value)}`);
    }
  }
}

function describe(value) {
  return typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' :
    typeof value === 'number' ? String(value) : typeof value;
}

/** Our error for one of the parser's, at its place in the file. */
function syntaxError(error, code, { url, line = 1, column = 1 }) {
  const starts = findLineStarts(code);
  const index = lineAt(starts, error.pos);
  return new InstrumentError(
    'ERR_PROFILYFILL_SYNTAX',
    error.message.replace(/ \(\d+:\d+\)$/, ''),
    {
      url,
      line: line + index,
      column: error.pos - starts[index] + (index === 0 ? column : 1),
      cause: error,
    },
  );
}

/**
 * Functions that other modules of an import cycle can call before the module's body has run, and the
 * names of all that are there by then.
 */
function findExportedFunctions({ body }) {
  const functions = new Set();
  const hoisted = new Set();
  const found = { functions, hoisted };
  if (!body.some(({ type, source }) => type === 'ImportDeclaration' || source)) return found;
  const names = new Set();
  for (const { specifiers, source, type } of body) {
    if (type !== 'ExportNamedDeclaration' || source) continue;
    for (const { local } of specifiers) names.add(local.name);
  }
  for (const statement of body) {
    const { declaration } = statement;
    const node = declaration ?? statement;
    if (node.type !== 'FunctionDeclaration') continue;
    if (node.id) hoisted.add(node.id.name);
    if (declaration || names.has(node.id.name)) functions.add(node);
  }
  if (functions.size === 0) hoisted.clear();
  return found;
}

/** Whether a top-level statement declares what a block around it would hide or change. */
function isScoped(node) {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.kind !== 'var';
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return true;
    case 'LabeledStatement':
      return isScoped(node.body);
    default:
      return false;
  }
}

function chooseHome(program, sourceType, exported) {
  if (sourceType === 'commonjs') return 'module';
  if (sourceType === 'module') return exported.size > 0 ? 'cycle' : 'module';
  return program.body.some(isScoped) ? 'global' : 'block';
}

/** Everything that is put in, in the order of the text. */
function listInsertions({ offsets, items }, prologueAt, prologue) {
  const insertions = [{ offset: prologueAt, text: prologue }];
  for (let i = 0; i < items.length; i++) {
    const text = items[i];
    if (typeof text === 'string' && text !== '') insertions.push({ offset: offsets[i], text });
  }
  return insertions;
}

/**
 * All that takes a syntax tree, of which nothing is left afterwards: it is by far the largest thing here.
 *
 * @returns {object | null} null: the code is to stay as it is
 */
function placePolls(code, options) {
  const { precision = 'normal', minFunctionSize = 0 } = options;
  let parsed;
  try {
    parsed = parse(code, options.sourceType);
  } catch (error) {
    if (error instanceof SyntaxError && error.pos !== undefined) {
      throw syntaxError(error, code, options);
    }
    throw error;
  }
  const { program, sourceType } = parsed;
  const { body } = program;
  const edits = new Edits();
  const directives = countDirectives(body);
  const isEmpty = body.length === 0;
  const prologueAt = directives > 0 ? body[directives - 1].end : body[0]?.start;
  const root = findRoot(program.declared, sourceType);
  if (isEmpty || root === '' || isPrologue(code, prologueAt)) return null;

  const { functions: exported, hoisted } = findExportedFunctions(program);
  const home = chooseHome(program, sourceType, exported);
  const names = chooseNames(code, home === 'global');
  const { declared, estimates } = program;
  const enough = ENOUGH[precision];
  estimates.finish(declared, enough, minFunctionSize);
  const unpolled = findUnpolled(code, program);
  const walker = new Walker(code, edits, makeTexts(names, mayTravel(code)), {
    isScript: sourceType === 'script',
    exported,
    hoisted,
    declared,
    estimates,
    enough,
    minFunctionSize,
    unpolled,
  });
  let hasTemporary;
  try {
    ({ hasTemporary } = walker.walk(program));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'Not enough stack space to walk the code';
    const cause = Object.assign(error, { message, pos: edits.offsets.at(-1) ?? 0 });
    throw syntaxError(cause, code, options);
  }
  if (home === 'block') edits.insert(body[body.length - 1].end, '}');
  const roots = !options.memoryRoots ? '' : addMemoryRoots(code, program, edits, {
    hub: names.hub, suffix: names.hub.slice(2), root, home, mayTravel: mayTravel(code), unpolled,
  });
  return { edits, home, names, root, roots, directives, prologueAt, hasTemporary };
}

/**
 * Puts polls and a function table into a script, so that it can be sampled while it runs. It computes
 * what it computed before, its lines stay where they were, and traces report the positions that its
 * functions have in the code as given.
 *
 * Code that is already instrumented comes back as it is, and so does code that declares every name
 * by which it could reach the global object.
 *
 * @param {string} code  JavaScript
 * @param {object} [options]
 * @param {string} [options.url]  the script's URL in traces, and its name in the map and in errors;
 *   without it the script finds its URL when it runs
 * @param {'module' | 'script' | 'commonjs'} [options.sourceType]  default: a module if it has import
 *   or export declarations, or can only be parsed as one; else a classic script
 * @param {number} [options.line]  1-based line of the file at which the code starts; default 1
 * @param {number} [options.column]  1-based column at which it starts there; default 1
 * @param {number} [options.moved]  by how many columns it starts later in the file as it is served, since
 *   scripts before it on its line were instrumented, too; default 0
 * @param {'high' | 'normal' | 'low'} [options.precision]  how short a function may be to be told from its
 *   callers: of any length, of some 2 or 30 ns; the shorter, the more polls; default 'normal'
 * @param {number} [options.minFunctionSize]  characters: functions whose text is shorter have no polls, and
 *   their time is their callers'; default 0
 * @param {boolean} [options.executing]  whether the table tells of all insertions, so that traces of
 *   `startProfiler({ executing: true })` have columns, too; default false
 * @param {boolean} [options.memoryRoots]  whether `performance.measureUserAgentSpecificMemory()` of this
 *   project can see the variables of modules, scripts and closures; default false
 * @param {boolean} [options.separateTable]  whether the function table is not in the code but in `table` of the
 *   result, for a file beside the script, named as separateTableOf() says; default false
 * @param {import('./instrument/weights.js').Weights} [options.weights]  what `profilyfill calibrate` has
 *   measured: makes traces of plain pages truer, and the sampling of them cheaper
 * @param {number} [options.calibrate]  of that command: polls count themselves, with numbers from this one
 *   on; `calibrated` of the result tells whose they are
 * @returns {{ code: string, map: import('magic-string').SourceMap,
 *   insertions: { offset: number, text: string }[], functions: number, polls: number, table?: string }}
 *   `insertions`: what was put in, and where in the given code, ascending; `functions`: how many the code has
 * @throws {InstrumentError} `ERR_PROFILYFILL_OPTION`, `ERR_PROFILYFILL_SYNTAX`
 */
export function instrument(code, options = {}) {
  checkArguments(code, options);
  const { url, line = 1, column = 1, moved = 0 } = options;
  const placed = placePolls(code, options);
  if (placed === null) return makeResult(code, [], 0, 0, url);
  const { edits, home, names, root, roots, directives, prologueAt, hasTemporary } = placed;
  let calibrated;
  if (options.calibrate !== undefined) calibrated = addCounters(code, edits, names, options.calibrate);
  else if (options.weights) addWeights(code, edits, names, options.weights);

  const lineStarts = findLineStarts(code);
  const table = encodeTable(edits, lineStarts, {
    length: code.length,
    firstColumn: code.startsWith(BYTE_ORDER_MARK) ? 1 : 0,
    prologueAt,
    executing: options.executing ?? false,
  });
  const separator = directives > 0 && code[prologueAt - 1] !== ';' ? ';' : '';
  const { separateTable = false } = options;
  const write = (positions, id) => separator + makePrologue(home, names, {
    url, line, column, root, positions, names: table.names, id, temporary: hasTemporary,
  }) + roots;
  // To the table it is as if the prologue were so much longer. No function is on a line before it.
  const before = lineAt(lineStarts, prologueAt) === 0 ? moved : 0;
  // The positions depend on how long it is, but their length does not.
  const first = table.positions(0);
  // Of all that they depend on.
  const id = separateTable ? hash(before + write(first)) : undefined;
  const positions = table.positions(before + write(first, id).length);
  const prologue = write(positions, id);
  const poll = `${names.flags}[0]`;
  let functions = 0;
  let polls = 0;
  for (const item of edits.items) {
    if (typeof item === 'string') polls += item.includes(poll);
    else functions += Boolean(item);
  }
  return makeResult(code, listInsertions(edits, prologueAt, prologue), functions, polls, url, {
    ...calibrated && { calibrated },
    ...separateTable && { table: JSON.stringify({ version: TABLE, id, positions, names: table.names }) },
  });
}
