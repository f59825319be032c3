/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Record<string, unknown>} [properties] `class`, `aria-*` and `data-*` become attributes, the rest
 *   properties
 * @param {...(Node|string)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class' || key.includes('-')) made.setAttribute(key, String(value));
    else made[key] = value;
  }
  made.append(...children);
  return made;
}
