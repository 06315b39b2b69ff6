// A button with data-copy="id" copies the text of that element. Templates may hide it, because it needs a script.

const SHOWN_FOR_MS = 2000;

/** Lets the user copy the text with the keyboard. */
function select(source: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

async function copyFrom(source: HTMLElement): Promise<string> {
  try {
    // Over plain HTTP from another machine, `clipboard` is undefined, although its type does not say so.
    await navigator.clipboard.writeText(source.textContent ?? '');
    return 'Copied';
  } catch {
    select(source);
    return 'Selected: press Ctrl-C';
  }
}

/** Announces text to screen readers. */
function say(words: string): void {
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  document.body.append(status);
  status.textContent = words;
  setTimeout(() => status.remove(), SHOWN_FOR_MS);
}

const labels = new WeakMap<HTMLButtonElement, string>();

async function copy(button: HTMLButtonElement, source: HTMLElement): Promise<void> {
  const label = labels.get(button) ?? button.textContent ?? '';
  labels.set(button, label);
  const words = await copyFrom(source);
  button.textContent = words;
  say(words);
  setTimeout(() => {
    button.textContent = label;
  }, SHOWN_FOR_MS);
}

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const source = document.getElementById(button.dataset.copy ?? '');
  if (source !== null) void copy(button, source);
});

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy][hidden]'))
  button.hidden = false;

document.addEventListener('keydown', ({ key }) => {
  const menu = document.querySelector<HTMLDetailsElement>('.top > details[open]');
  if (key !== 'Escape' || menu === null) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});

const CONTROL = 'a, button, summary, input, select, textarea, label';

/** The notice for the last action stays until the next one. */
const notice = document.querySelector('main > .notice[role="status"]');
function leave({ target }: Event): void {
  if (!(target instanceof Element) || target.closest(CONTROL) === null) return;
  notice?.remove();
  for (const kind of ['click', 'change']) document.removeEventListener(kind, leave);
}
if (notice !== null) for (const kind of ['click', 'change']) document.addEventListener(kind, leave);

const FIELD = 'input, select, textarea, button';
const refused = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
// In a group of checkboxes, the first one gets the focus.
(refused?.matches(FIELD) ? refused : refused?.querySelector<HTMLElement>(FIELD))?.focus();
