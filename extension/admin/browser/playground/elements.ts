// Finds and makes the elements of the playground. Text reaches the page as text, never as HTML.

/** The element of an id, of the kind that is wanted; its absence is a fault of the template. */
export function byId<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} with the id ${id}.`);
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
  className = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (text !== '') made.textContent = text;
  if (className !== '') made.className = className;
  return made;
}

export function button(text: string, className: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', text, className);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

/** A table in a box that scrolls by itself and can be reached with the keyboard. */
export function scrolling(table: HTMLTableElement, label: string): HTMLElement {
  const box = element('div', '', 'scroll');
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', label);
  box.tabIndex = 0;
  box.append(table);
  return box;
}
