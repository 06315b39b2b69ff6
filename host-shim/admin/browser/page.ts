// What every page can do with script: buttons that copy, and the way to the first field that was refused.
// A button with data-copy="id" copies the text of that element. It may stand there `hidden`, since without script it
// does nothing: it is shown here.

const SHOWN_FOR_MS = 2000;

/** Marks the text, for a person to copy by hand. */
function select(source: HTMLElement): void {
  const range = document.createRange();
  range.selectNodeContents(source);
  const selection = window.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** What became of it, as a word for the button. */
async function copyFrom(source: HTMLElement): Promise<string> {
  try {
    // Missing, whatever its type says, on a page that came over plain HTTP from another machine.
    await navigator.clipboard.writeText(source.textContent ?? '');
    return 'Copied';
  } catch {
    select(source);
    return 'Marked: press Ctrl-C';
  }
}

/** Heard by those who do not see the button. */
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

const FIELD = 'input, select, textarea, button';
const refused = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
// A group of boxes is refused as a whole: its first box is where to begin.
(refused?.matches(FIELD) ? refused : refused?.querySelector<HTMLElement>(FIELD))?.focus();
