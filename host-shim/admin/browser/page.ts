// A button with data-copy="id" copies the text of the element with that id. Templates hide the button until this script shows it.

const SHOWN_FOR_MS = 2000;

/** Selects the text, so that the user can copy it with the keyboard. */
function select(source: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

async function copyFrom(source: HTMLElement): Promise<string> {
  try {
    // Over plain HTTP from another machine, `clipboard` is undefined, although its type does not show that.
    await navigator.clipboard.writeText(source.textContent ?? '');
    return 'Copied';
  } catch {
    select(source);
    return 'Selected: press Ctrl-C';
  }
}

/** Announces text to screen readers. */
function announce(message: string): void {
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  document.body.append(status);
  status.textContent = message;
  setTimeout(() => status.remove(), SHOWN_FOR_MS);
}

const labels = new WeakMap<HTMLButtonElement, string>();

async function copy(button: HTMLButtonElement, source: HTMLElement): Promise<void> {
  const label = labels.get(button) ?? button.textContent ?? '';
  labels.set(button, label);
  const message = await copyFrom(source);
  button.textContent = message;
  announce(message);
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

const CONTROLS = 'a, button, summary, input, select, textarea, label';

/** The notice about the last action stays until the user's next action. */
const notice = document.querySelector('main > .notice[role="status"]');
function dismiss({ target }: Event): void {
  if (!(target instanceof Element) || target.closest(CONTROLS) === null) return;
  notice?.remove();
  for (const kind of ['click', 'change']) document.removeEventListener(kind, dismiss);
}
if (notice !== null) for (const kind of ['click', 'change']) document.addEventListener(kind, dismiss);

const FIELDS = 'input, select, textarea, button';
const invalid = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
// In a group of checkboxes, the first one gets focus.
(invalid?.matches(FIELDS) ? invalid : invalid?.querySelector<HTMLElement>(FIELDS))?.focus();
