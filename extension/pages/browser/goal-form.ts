// Shows only the fields of the chosen type, and presses "Count matches" while the condition is being typed. Without JavaScript, the
// form shows all types.
import { messageOf } from './shared/rest';
import { UNREACHABLE } from './shared/rest-answer';

const PAUSE_MS = 400;

const MISSING = 'You are no longer logged in, or this page is too old. Reload it.';

function showChosenType(form: HTMLFormElement, type: string): void {
  for (const fieldset of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-type]'))
    fieldset.hidden = fieldset.dataset.type !== type;
}

/** Sends the form and returns the element with this id from the response. Throws an Error with a message for the user. */
async function fetchPart(id: string, request: RequestInit): Promise<HTMLElement> {
  const response = await fetch(location.href, request).catch(() => undefined);
  if (response === undefined) throw new Error(UNREACHABLE);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const part = page.getElementById(id);
  if (part === null) throw new Error(page.querySelector('main .fault')?.textContent ?? MISSING);
  return part;
}

function countWhileTyping(form: HTMLFormElement, place: HTMLElement): void {
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function count(signal: AbortSignal): Promise<void> {
    place.setAttribute('aria-busy', 'true');
    const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    body.set('action', 'count');
    try {
      const counted = await fetchPart(place.id, { method: 'POST', body, signal });
      if (signal.aborted) return;
      place.textContent = counted.textContent;
      place.className = counted.className;
    } catch (error) {
      if (!signal.aborted) place.textContent = messageOf(error);
    }
    if (!signal.aborted) place.removeAttribute('aria-busy');
  }

  form.addEventListener('input', (event) => {
    const { target } = event;
    // The name and the number are not part of the condition.
    if (target instanceof HTMLElement && ['field-name', 'field-id'].includes(target.id)) return;
    controller.abort();
    clearTimeout(timer);
    controller = new AbortController();
    const { signal } = controller;
    timer = setTimeout(() => void count(signal), PAUSE_MS);
  });
}

const form = document.querySelector<HTMLFormElement>('form#goal');
const type = document.querySelector<HTMLSelectElement>('#field-type');
const place = document.getElementById('goal-count');
if (form !== null && type !== null && place !== null) {
  showChosenType(form, type.value);
  type.addEventListener('change', () => showChosenType(form, type.value));
  countWhileTyping(form, place);
}
