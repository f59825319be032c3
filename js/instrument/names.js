/**
 * Static names of functions, as native reports them (conformance rows 64 to 66): what the text says,
 * whatever happens at run time.
 */

/** Whether a node is an anonymous function or class, which takes the name of what it is assigned to. */
export function isAnonymous(node) {
  switch (node.type) {
    case 'ArrowFunctionExpression':
      return true;
    case 'FunctionExpression':
    case 'ClassExpression':
      return node.id === null;
    default:
      return false;
  }
}

/**
 * The name that a key gives to a function.
 *
 * @param {{ key: object, computed: boolean }} member  a property, method or field
 * @returns {string} empty when it is only known at run time
 */
export function nameOfKey({ key, computed }) {
  if (computed) return '';
  switch (key.type) {
    case 'Identifier':
      return key.name;
    case 'PrivateIdentifier':
      return '#' + key.name;
    default:
      return key.bigint ?? String(key.value);
  }
}

/** The name of a method or accessor. */
export function nameOfMethod(member) {
  const name = nameOfKey(member);
  const isAccessor = member.kind === 'get' || member.kind === 'set';
  return isAccessor && !member.computed ? `${member.kind} ${name}` : name;
}
