// Text is always added as text nodes, never as HTML.

/** Throws if the template has no such element, or one of another type. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} with the id ${id}.`);
}

type Child = string | Node;

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  children: Child | readonly Child[] = [],
  className = '',
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  created.append(...[children].flat());
  if (className !== '') created.className = className;
  return created;
}

export function button(text: string, className: string, onClick: () => void): HTMLButtonElement {
  const created = element('button', text, className);
  created.type = 'button';
  created.addEventListener('click', onClick);
  return created;
}

export const row = (cells: readonly Child[]): HTMLTableRowElement => element('tr', cells);

export function headCell(children: Child | readonly Child[], className = ''): HTMLTableCellElement {
  const cell = element('th', children, className);
  cell.scope = 'col';
  return cell;
}

/** A table in a box that scrolls sideways and can be focused. */
export function scrollingTable(
  label: string,
  head: HTMLTableRowElement,
  body: HTMLTableSectionElement,
  className = '',
): HTMLElement {
  const box = element('div', element('table', [element('thead', head), body], className), 'scroll');
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', label);
  box.tabIndex = 0;
  return box;
}

export function pairs(lines: readonly (readonly [term: string, text: string])[]): HTMLElement {
  return element(
    'dl',
    lines.flatMap(([term, text]) => [element('dt', term), element('dd', text)]),
    'pairs',
  );
}

/**
 * Replaces the children. If the focus was inside, it moves to the element with the same data-key, else to the first focusable
 * one, else to the place itself.
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
