// Text is always added as text nodes, never as HTML.

/** Throws if the element is missing from the template or has a different type. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} with the id ${id}.`);
}

export type Attributes = Readonly<Record<string, string | number>>;
type Child = string | Node;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  children: Child | readonly Child[] = [],
  className = '',
  attributes: Attributes = {},
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  created.append(...[children].flat());
  if (className !== '') created.className = className;
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}

export function button(
  text: string,
  className: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const created = element('button', text, className, { type: 'button', ...attributes });
  created.addEventListener('click', onClick);
  return created;
}

export const row = (cells: readonly Child[]): HTMLTableRowElement => element('tr', cells);

export const headCell = (children: Child | readonly Child[], className = ''): HTMLTableCellElement =>
  element('th', children, className, { scope: 'col' });

export const statusLine = (): HTMLElement => element('p', [], 'small muted', { role: 'status' });

export const searchField = (label: string): HTMLInputElement =>
  element('input', [], '', { type: 'search', placeholder: 'Search', 'aria-label': label });

/** With a modifier key, the browser opens the link in a new tab or window. */
export function onPlainClick(link: HTMLElement | SVGElement, act: () => void): void {
  link.addEventListener('click', (event) => {
    if (event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey))
      return;
    event.preventDefault();
    act();
  });
}

/** A table in a box that scrolls sideways and can be focused. */
export function scrollingTable(
  label: string,
  head: HTMLTableRowElement,
  body: HTMLTableSectionElement,
  className = '',
): HTMLElement {
  const table = element('table', [element('thead', head), body], className);
  return element('div', table, 'scroll', { role: 'region', 'aria-label': label, tabindex: 0 });
}

export function pairs(lines: readonly (readonly [term: string, text: string])[]): HTMLElement {
  return element(
    'dl',
    lines.flatMap(([term, text]) => [element('dt', term), element('dd', text)]),
    'pairs',
  );
}

/** An input below its label. */
export const labeled = (label: string, input: HTMLInputElement): HTMLElement =>
  element('div', [element('label', label, '', { for: input.id }), input], 'field');

export function checkbox(label: string, isChecked: boolean) {
  const box = element('input', [], '', { type: 'checkbox' });
  box.checked = isChecked;
  return { box, line: element('label', [box, label], 'check') };
}

/** Text with a button that copies it. */
export function copyable(
  id: string,
  text: Child | readonly Child[],
  attributes: Attributes = {},
): HTMLElement {
  const copy = element('button', 'Copy', '', { type: 'button', 'data-copy': id });
  return element('div', [element('pre', text, '', { id, tabindex: 0, ...attributes }), copy], 'copyable');
}

/**
 * Replaces the children. If one of them had focus, focus moves to the new element with the same data-key, or else to
 * the first focusable element, or to `place` itself.
 */
export function replaceKeepingFocus(place: HTMLElement, children: readonly Child[]): void {
  const focused = document.activeElement;
  const hadFocus = focused !== null && place.contains(focused);
  const key =
    focused instanceof HTMLElement || focused instanceof SVGElement ? focused.dataset.key : undefined;
  place.replaceChildren(...children);
  if (!hadFocus) return;
  const reachable = [...place.querySelectorAll<HTMLElement | SVGElement>('a, button, input, [tabindex="0"]')];
  const next =
    reachable.find(({ dataset }) => key !== undefined && dataset.key === key) ?? reachable[0] ?? place;
  if (next === place) place.tabIndex = -1;
  next.focus();
}
