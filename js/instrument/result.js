/** What instrument() returns. */
import MagicString from 'magic-string';
import { assemble } from './text.js';

function makeMap(code, insertions, url = '') {
  const text = new MagicString(code);
  for (const insertion of insertions) text.appendLeft(insertion.offset, insertion.text);
  const map = text.generateMap({ includeContent: true, hires: 'boundary' });
  // Given to generateMap, they would be made relative to each other.
  map.file = url;
  map.sources = [url];
  return map;
}

/**
 * The result, whose map is made when it is first asked for: that takes longer than all the rest. `others`: what
 * else it has with some options.
 */
export function makeResult(code, insertions, functions, polls, url, others) {
  let map;
  return {
    code: assemble(code, insertions),
    get map() {
      map ??= makeMap(code, insertions, url);
      return map;
    },
    insertions,
    functions,
    polls,
    ...others,
  };
}
