// Shows only the steps in use and one more on request, and a value field only for steps that have one. Without JavaScript, the
// form shows all steps.
import { byId } from './shared/elements';

const MIN_STEPS = 2;
const form = byId('funnel-form', HTMLFormElement);
const add = byId('step-add', HTMLButtonElement);
const steps = [...form.querySelectorAll('#steps > li')].flatMap((item) => {
  const kind = item.querySelector('select');
  const value = item.querySelector('input');
  return item instanceof HTMLElement && kind !== null && value !== null ? [{ item, kind, value }] : [];
});
let shown = MIN_STEPS;

function show(): void {
  shown = Math.max(shown, steps.findLastIndex(({ kind }) => kind.value !== '') + 1);
  for (const [at, { item, kind, value }] of steps.entries()) {
    item.hidden = at >= shown;
    value.hidden = kind.value === '' || kind.value.startsWith('goal');
    value.required = !value.hidden;
    // Only events have suggestions.
    if (kind.value === 'event') value.setAttribute('list', 'events');
    else value.removeAttribute('list');
  }
  add.hidden = shown === steps.length;
}

add.addEventListener('click', () => {
  shown += 1;
  show();
  steps[shown - 1]?.kind.focus();
});
form.addEventListener('change', show);
form.addEventListener('reset', () => {
  shown = MIN_STEPS;
  // The fields are reset only after this event.
  queueMicrotask(show);
});
show();
