/** Finds functions in built code. */
import { parse } from 'acorn';
import { ancestor } from 'acorn-walk';

/**
 * Where the functions that assign texts to `globalThis.busy` are defined, and their names there.
 *
 * @param {string} code
 * @param {'module' | 'script'} sourceType
 * @returns {Record<string, { name: string, line: number, column: number }>} by those texts
 */
export function findFunctions(code, sourceType) {
  const found = {};
  const program = parse(code, { ecmaVersion: 'latest', sourceType, locations: true });
  ancestor(program, {
    AssignmentExpression(node, state, ancestors) {
      if (node.left.property?.name !== 'busy') return;
      const at = ancestors.findLastIndex(({ type }) => /Function/.test(type));
      const owner = ancestors[at];
      const isArrow = owner.type === 'ArrowFunctionExpression';
      const offset = isArrow ? owner.start : code.indexOf('(', owner.id?.end ?? owner.start);
      const before = code.slice(0, offset);
      const parent = ancestors[at - 1];
      // A template where the minifier preferred one.
      const text = node.right.value ?? node.right.quasis[0].value.cooked;
      found[text] = {
        name: owner.id?.name ?? parent.id?.name ?? parent.key?.name ?? '',
        line: before.split('\n').length,
        column: offset - before.lastIndexOf('\n'),
      };
    },
  });
  return found;
}
