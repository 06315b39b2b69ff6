// The form of a goal: shows the fields of the chosen type only, and counts what the condition matches while it is typed.
// Without script all types stand there and a button counts; what is asked of the host is the same.
import { askRest } from './data/ask-rest';
import { isObject } from './data/refusal';

const PAUSE_MS = 400;

function showChosenType(form: HTMLFormElement, type: string): void {
  for (const fieldset of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-type]'))
    fieldset.hidden = fieldset.dataset.type !== type;
}

/** What is typed, by name; not the nonce, which goes in a header. */
function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && name !== '_wpnonce') fields[name] = value;
  return fields;
}

/** The sentence of an answer; of faults, the first one with the label of its field. */
function sentenceOf(answer: unknown, form: HTMLFormElement): string {
  if (!isObject(answer)) return '';
  if (typeof answer.message === 'string') return answer.message;
  const [fault] = isObject(answer.faults) ? Object.entries(answer.faults) : [];
  if (fault === undefined) return '';
  const [name, message] = fault;
  const label = form.querySelector<HTMLLabelElement>(`label[for="field-${name}"]`)?.textContent ?? '';
  return `Not to be counted yet: ${label} ${String(message)}.`;
}

function countWhileTyping(form: HTMLFormElement, place: HTMLElement): void {
  let asking = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function count(signal: AbortSignal): Promise<void> {
    place.setAttribute('aria-busy', 'true');
    try {
      const body = { tracking_id: form.dataset.site ?? '', fields: fieldsOf(form) };
      const answer = await askRest(form.dataset.countRoute ?? '', { body, signal });
      if (!signal.aborted) place.textContent = sentenceOf(answer, form);
    } catch (error) {
      if (!signal.aborted) place.textContent = error instanceof Error ? error.message : String(error);
    }
    if (!signal.aborted) place.removeAttribute('aria-busy');
  }

  form.addEventListener('input', (event) => {
    const { target } = event;
    // Name and number are no part of the condition.
    if (target instanceof HTMLElement && ['field-name', 'field-id'].includes(target.id)) return;
    asking.abort();
    clearTimeout(timer);
    asking = new AbortController();
    const { signal } = asking;
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
