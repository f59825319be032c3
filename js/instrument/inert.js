/**
 * Functions that run no code but their own, and so are on no stack that a poll could see: the function
 * table does without them. Bundlers make thousands (`x: () => x`).
 */

/** Whether an expression calls nothing: no getter, no `valueOf`, no proxy. */
function isInertExpression(node, declared) {
  switch (node.type) {
    case 'Literal':
    case 'ThisExpression':
      return true;
    case 'Identifier':
      // A name of the global object may be a getter.
      return declared.has(node.name);
    case 'UnaryExpression':
      return /^(?:!|void|typeof)$/.test(node.operator) ? isInertExpression(node.argument, declared)
        : node.argument.type === 'Literal';
    case 'LogicalExpression':
      return isInertExpression(node.left, declared) && isInertExpression(node.right, declared);
    case 'ArrayExpression':
      return node.elements.length === 0;
    case 'ObjectExpression':
      return node.properties.length === 0;
    default:
      return false;
  }
}

/**
 * @param {object} node  a function that is neither a constructor, which may run initialisers of fields,
 *   nor within `with`
 * @param {Set<string>} declared  every name that is declared in the file
 */
export function isInert({ async, generator, params, body }, declared) {
  if (async || generator || params.some(({ type }) => type !== 'Identifier')) return false;
  if (body.type !== 'BlockStatement') return isInertExpression(body, declared);
  const [statement] = body.body;
  if (statement === undefined) return true;
  return body.body.length === 1 && statement.type === 'ReturnStatement' &&
    (statement.argument === null || isInertExpression(statement.argument, declared));
}
