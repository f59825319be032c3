/**
 * Parses a script, finding out what kind it is where nobody said.
 */
import { parse as parseCode } from 'acorn';

const MODULE_SYNTAX = /\b(?:import|export)\b/;

function parseAs(code, sourceType) {
  return parseCode(code, { ecmaVersion: 'latest', sourceType, allowHashBang: true });
}

const isModuleItem = ({ type }) => type === 'ImportDeclaration' || type.startsWith('Export');

/**
 * @param {string} code
 * @param {'module' | 'script' | 'commonjs' | undefined} sourceType  `undefined`: a module if it has
 *   an `import` or `export` declaration, or cannot be parsed as a classic script but can as a module
 *   (`import.meta`, top-level `await`); else a script, which is also right for a module without any of
 *   these and for most CommonJS files
 * @returns {{ program: import('acorn').Program, sourceType: 'module' | 'script' | 'commonjs' }}
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
