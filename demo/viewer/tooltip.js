import { element } from './dom.js';

const GAP = 14;

/**
 * The one tooltip of the page, shown beside the pointer or below a focused element.
 *
 * @param {HTMLElement} box
 * @typedef {{title: string, lines: string[]}} Text
 * @returns {{attach: (target: HTMLElement, describe: () => Text) => void, hide:
 *   () => void}}
 */
export function createTooltip(box) {
  const hide = () => { box.hidden = true; };

  function show({ title, lines }, x, y) {
    box.replaceChildren(element('b', {}, title), ...lines.map((line) => element('span', {}, line)));
    box.hidden = false;
    // Beside the pointer, but never over the edge of the window.
    const { width, height } = box.getBoundingClientRect();
    const left = Math.max(8, Math.min(x + GAP, innerWidth - width - 8));
    const top = y + GAP + height > innerHeight - 8 ? Math.max(8, y - GAP - height) : y + GAP;
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  }

  function attach(target, describe) {
    target.addEventListener('pointermove', (event) => {
      if (event.pointerType !== 'touch') show(describe(), event.clientX, event.clientY);
    });
    target.addEventListener('pointerleave', hide);
    target.addEventListener('focus', () => {
      if (!target.matches(':focus-visible')) return;
      const { left, bottom } = target.getBoundingClientRect();
      show(describe(), left, bottom - GAP + 6);
    });
    target.addEventListener('blur', hide);
  }

  addEventListener('scroll', hide, { passive: true, capture: true });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
  return { attach, hide };
}
