/**
 * Parses a script, finding out what kind it is where nobody said.
 */
import { Parser } from 'acorn';

const MODULE_SYNTAX = /\b(?:import|export)\b/;

// Every declaration goes through this method of the parser, which looks for names declared twice: so
// it costs nothing to take note of them.
const DeclaringParser = Parser.extend((Base) => class extends Base {
  declared = new Set();

  declareName(name, ...rest) {
    this.declared.add(name);
    return super.declareName(name, ...rest);
  }
});

function parseAs(code, sourceType) {
  const parser =
    new DeclaringParser({ ecmaVersion: 'latest', sourceType, allowHashBang: true }, code);
  const program = parser.parse();
  program.declared = parser.declared;
  return program;
}

const isModuleItem = ({ type }) => type === 'ImportDeclaration' || type.startsWith('Export');

/**
 * @param {string} code
 * @param {'module' | 'script' | 'commonjs' | undefined} sourceType  `undefined`: a module if it has
 *   an `import` or `export` declaration, or cannot be parsed as a classic script but can as a module
 *   (`import.meta`, top-level `await`); else a script, which is also right for a module without any of
 *   these and for most CommonJS files
 * @returns {{ program: import('acorn').Program & { declared: Set<string> },
 *   sourceType: 'module' | 'script' | 'commonjs' }} `declared`: every name declared in the file
 * @throws {SyntaxError} of acorn, with `pos`
 */
export function parse(code, sourceType) {
  if (sourceType !== undefined) return { program: parseAs(code, sourceType), sourceType };
  // The likelier kind first, since every failure costs a parse.
  if (MODULE_SYNTAX.test(code)) {
    try {
      const program = parseAs(code, 'module');
      if (program.body.some(isModuleItem)) return { program, sourceType: 'module' };
    } catch (error) {
      return parseEither(code, error);
    }
  }
  return parseEither(code);
}

/** A script if it can be one, else a module. If neither, the error of whichever came further. */
function parseEither(code, moduleError) {
  try {
    return { program: parseAs(code, 'script'), sourceType: 'script' };
  } catch (scriptError) {
    let error = moduleError;
    if (error === undefined) {
      try {
        return { program: parseAs(code, 'module'), sourceType: 'module' };
      } catch (caught) {
        error = caught;
      }
    }
    throw error.pos > scriptError.pos ? error : scriptError;
  }
}
