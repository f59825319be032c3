/**
 * Parses a script, finding out what kind it is where nobody said.
 */
import { Parser } from 'acorn';
import { Estimates } from './estimate.js';

const MODULE_SYNTAX = /\b(?:import|export)\b/;

// Comments in classic scripts, operators in modules.
const HTML_COMMENT = /<!--|-->/;

// Every declaration goes through one method of the parser, which looks for names declared twice, and
// every node through another: so it costs next to nothing to take note of them.
const FUNCTION_SCOPE = 2; // as acorn numbers them

const DeclaringParser = Parser.extend((Base) => class extends Base {
  declared = new Set();

  estimates = new Estimates();

  /** Whether it has what is none of module declarations, and yet makes it a module. */
  isModule = false;

  declareName(name, ...rest) {
    this.declared.add(name);
    return super.declareName(name, ...rest);
  }

  enterScope(flags) {
    // A CommonJS file's own scope is entered before there are fields.
    if (flags & FUNCTION_SCOPE) this.estimates?.enter();
    super.enterScope(flags);
  }

  exitScope() {
    if (this.currentScope().flags & FUNCTION_SCOPE) this.estimates.leave();
    super.exitScope();
  }

  /** Asked for wherever `await` may be an operator. */
  get canAwait() {
    const can = super.canAwait;
    if (can && this.value === 'await' && !this.inFunction) this.isModule = true;
    return can;
  }

  parseImportMeta(node) {
    this.isModule = true;
    return super.parseImportMeta(node);
  }

  finishNode(node, type) {
    const finished = super.finishNode(node, type);
    // The only names that are declared without that method.
    if ((type === 'FunctionExpression' || type === 'ClassExpression') && node.id) {
      this.declared.add(node.id.name);
    }
    this.estimates.add(finished);
    return finished;
  }
});

function parseAs(code, sourceType) {
  const parser =
    new DeclaringParser({ ecmaVersion: 'latest', sourceType, allowHashBang: true }, code);
  const program = parser.parse();
  program.declared = parser.declared;
  program.estimates = parser.estimates;
  return { program, isModule: parser.isModule };
}

const isModuleItem = ({ type }) => type === 'ImportDeclaration' || type.startsWith('Export');

/**
 * @param {string} code
 * @param {'module' | 'script' | 'commonjs' | undefined} sourceType  `undefined`: a module if it has
 *   an `import` or `export` declaration, or cannot be parsed as a classic script but can as a module
 *   (`import.meta`, top-level `await`); else a script, which is also right for a module without any of
 *   these and for most CommonJS files
 * @returns {{ program: import('acorn').Program & { declared: Set<string>,
 *   estimates: import('./estimate.js').Estimates },
 *   sourceType: 'module' | 'script' | 'commonjs' }} `declared`: every name declared in the file
 * @throws {SyntaxError} of acorn, with `pos`
 */
export function parse(code, sourceType) {
  if (sourceType !== undefined) return { program: parseAs(code, sourceType).program, sourceType };
  // The likelier kind first, since every failure costs a parse.
  if (!MODULE_SYNTAX.test(code)) return parseEither(code);
  const { found, error } = parseModule(code);
  return found ?? parseEither(code, error);
}

/** What code is that can be parsed as a module; by then no tree is left of any other. */
function parseModule(code) {
  try {
    const { program, isModule } = parseAs(code, 'module');
    if (program.body.some(isModuleItem)) return { found: { program, sourceType: 'module' } };
    // As a script it has the same tree, so it need not be parsed again.
    if (!isModule && !HTML_COMMENT.test(code)) return { found: { program, sourceType: 'script' } };
    return {};
  } catch (error) {
    return { error };
  }
}

/** A script if it can be one, else a module. If neither, the error of whichever came further. */
function parseEither(code, moduleError) {
  try {
    return { program: parseAs(code, 'script').program, sourceType: 'script' };
  } catch (scriptError) {
    let error = moduleError;
    if (error === undefined) {
      try {
        return { program: parseAs(code, 'module').program, sourceType: 'module' };
      } catch (caught) {
        error = caught;
      }
    }
    throw error.pos > scriptError.pos ? error : scriptError;
  }
}
