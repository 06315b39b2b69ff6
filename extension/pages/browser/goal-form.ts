// Shows only the fields of the chosen type, and counts matches while the condition is being typed. Without JavaScript,
// the form shows all types, and has a button for counting.
import { fetchRest, messageOf } from './shared/rest';
import { isObject, type JsonObject } from './shared/rest-answer';

const PAUSE_MS = 400;

function showChosenType(form: HTMLFormElement, type: string): void {
  for (const fieldset of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-type]'))
    fieldset.hidden = fieldset.dataset.type !== type;
}

/** The fields of the form, without the nonce, which is sent as a header. */
function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && name !== '_wpnonce') fields[name] = value;
  return fields;
}

/** The response's message, or its first fault with the field's label. */
function sentenceOf(answer: JsonObject, form: HTMLFormElement): string {
  if (typeof answer.message === 'string') return answer.message;
  const [fault] = isObject(answer.faults) ? Object.entries(answer.faults) : [];
  if (fault === undefined) return '';
  const [name, message] = fault;
  const label = form.querySelector<HTMLLabelElement>(`label[for="field-${name}"]`)?.textContent ?? '';
  return `Not counted yet: ${label} ${String(message)}.`;
}

function countWhileTyping(form: HTMLFormElement, place: HTMLElement): void {
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function count(signal: AbortSignal): Promise<void> {
    place.setAttribute('aria-busy', 'true');
    try {
      const body = JSON.stringify({ tracking_id: form.dataset.site ?? '', fields: fieldsOf(form) });
      const answer = await fetchRest(form.dataset.countRoute ?? '', { body, signal });
      if (!signal.aborted) {
        place.textContent = sentenceOf(answer, form);
        place.classList.toggle('warning', answer.isWarning === true);
      }
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
