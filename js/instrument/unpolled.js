/**
 * The profiler's own functions that polls call: polled themselves, in a bundle that holds both the
 * polyfill and the page's code, they would call themselves without end. They are known by a text in
 * them that no minifier drops (js/polls.js).
 */
const MARK = 'profilyfill/unpolled';

const FUNCTION = /Function(?:Declaration|Expression)$/;

/** The body of the innermost function around an offset. */
function findInnermost(node, offset, body) {
  for (const value of Object.values(node)) {
    const children = Array.isArray(value) ? value : [value];
    for (const child of children) {
      if (typeof child?.type !== 'string' || offset < child.start || offset >= child.end) continue;
      return findInnermost(child, offset, FUNCTION.test(child.type) ? child.body : body);
    }
  }
  return body;
}

/** @returns {Set<object>} the bodies of the functions to leave alone, with all that is in them */
export function findUnpolled(code, program) {
  const bodies = new Set();
  for (let at = -1; (at = code.indexOf(MARK, at + 1)) >= 0;) {
    bodies.add(findInnermost(program, at, null));
  }
  bodies.delete(null);
  return bodies;
}
