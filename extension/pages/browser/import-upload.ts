import { type Sending, send } from './imports/send-file';
import { showFailure, showReport } from './imports/show-report';
import { button, byId, element } from './shared/elements';

const form = byId('upload', HTMLFormElement);
const outcome = byId('outcome', HTMLElement);
const buttons = [...form.querySelectorAll('button')];
let current: Sending | undefined;

/** Only fields with a value. */
function parametersOf(fields: FormData, file: File, isCheck: boolean): URLSearchParams {
  const parameters = new URLSearchParams({ file: file.name });
  for (const name of ['site', 'format', 'on_error', 'on_conflict', 'source', 'timezone']) {
    const value = fields.get(name);
    if (typeof value === 'string' && value.trim() !== '') parameters.set(name, value.trim());
  }
  for (const name of fields.getAll('enable')) parameters.append('enable[]', String(name));
  if (isCheck) parameters.set('dry_run', 'true');
  return parameters;
}

function setBusy(isBusy: boolean): void {
  for (const one of buttons) one.disabled = isBusy;
  outcome.setAttribute('aria-busy', String(isBusy));
}

async function start(isCheck: boolean): Promise<void> {
  const fields = new FormData(form);
  const file = fields.get('file');
  if (!(file instanceof File)) return;
  const bar = element('progress', [], '', { 'aria-label': 'Sent' });
  const note = element('p', 'Sending …', '', { role: 'status' });
  const cancel = button('Cancel', 'quiet', () => current?.cancel());
  outcome.hidden = false;
  outcome.replaceChildren(bar, note, element('p', cancel, 'actions'));
  setBusy(true);
  const route = `${form.dataset.route}/${String(fields.get('material'))}?${parametersOf(fields, file, isCheck)}`;
  current = send(route, file, (share) => {
    bar.value = share;
    const sent = isCheck ? 'Sent; checking …' : 'Sent; storing …';
    const text = share < 1 ? `Sent ${Math.floor(share * 100)} %` : sent;
    if (note.textContent !== text) note.textContent = text;
  });
  try {
    showReport(outcome, await current.answer, form.dataset.imports ?? '');
  } catch (error) {
    showFailure(outcome, error);
  } finally {
    setBusy(false);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { submitter } = event;
  void start(submitter instanceof HTMLButtonElement && submitter.value === 'check');
});
