import type { FileColumns } from '../shared-types/file-columns';
import { type FileStart, fetchColumns, readStart, showColumns } from './imports/file-columns';
import { InvalidRow, type Sending, send } from './imports/send-file';
import { failure, showFailure, showReport } from './imports/show-report';
import { button, byId, element } from './shared/elements';

const form = byId('upload', HTMLFormElement);
const outcome = byId('outcome', HTMLElement);
const columnsPlace = byId('columns', HTMLElement);
const zonePlace = byId('zone', HTMLElement);
const zone = byId('field-timezone', HTMLInputElement);
const buttons = [...form.querySelectorAll<HTMLButtonElement>('.actions > button')];
let current: Sending | undefined;
let start: FileStart | undefined;
let described: FileColumns | undefined;
/** Counts the requests about columns: only the response to the last one is shown. */
let requestCount = 0;
/** The request in flight. Only one runs at a time, because the server runs a trial import into the site for each request. */
let trying: Promise<unknown> = Promise.resolve();
/** The last call to `describe` or `takeFile`. */
let describing: Promise<void> = Promise.resolve();

const textOf = (fields: FormData, name: string): string => String(fields.get(name) ?? '').trim();

function chosenFile(fields: FormData): File | undefined {
  const file = fields.get('file');
  return file instanceof File && file.name !== '' ? file : undefined;
}

/** Contains only fields with a value. */
function parametersOf(fields: FormData, file: File, isCheck: boolean): URLSearchParams {
  const parameters = new URLSearchParams({ file: file.name });
  for (const name of ['site', 'format', 'on_error', 'on_conflict', 'source', 'timezone']) {
    const value = textOf(fields, name);
    if (value !== '') parameters.set(name, value);
  }
  const { map = '', delimiter } = described ?? {};
  if (map !== '') parameters.set('map', map);
  if (delimiter !== undefined) parameters.set('delimiter', delimiter);
  for (const name of fields.getAll('enable')) parameters.append('enable[]', String(name));
  if (isCheck) {
    parameters.set('dry_run', 'true');
    // A preview lists all invalid rows.
    parameters.set('on_error', 'skip');
  }
  return parameters;
}

function setBusy(isBusy: boolean): void {
  for (const one of buttons) one.disabled = isBusy;
  outcome.setAttribute('aria-busy', String(isBusy));
}

/** Asks the server what each column is imported as, given the user's choices. */
async function describe(columns?: readonly { readonly name: string; readonly to: string }[]): Promise<void> {
  const fields = new FormData(form);
  const file = chosenFile(fields);
  if (file === undefined || start === undefined) return;
  const mine = ++requestCount;
  columnsPlace.setAttribute('aria-busy', 'true');
  try {
    const question = {
      ...start,
      site: textOf(fields, 'site'),
      dataset: textOf(fields, 'material'),
      file: file.name,
      format: textOf(fields, 'format'),
      timezone: textOf(fields, 'timezone'),
      ...(columns && { columns }),
    };
    await trying;
    if (mine !== requestCount) return;
    const asking = fetchColumns(form.dataset.columns ?? '', question);
    trying = asking.catch(() => undefined);
    const answer = await asking;
    if (mine !== requestCount) return;
    described = answer;
    if (answer.timezone !== undefined) {
      zonePlace.hidden = false;
      zone.value = answer.timezone;
    }
    showColumns(columnsPlace, answer, (chosen) => {
      describing = describe(chosen);
    });
  } catch (error) {
    if (mine !== requestCount) return;
    described = undefined;
    columnsPlace.hidden = false;
    showFailure(columnsPlace, error);
  } finally {
    if (mine === requestCount) columnsPlace.setAttribute('aria-busy', 'false');
  }
}

async function takeFile(): Promise<void> {
  const file = chosenFile(new FormData(form));
  described = undefined;
  zone.value = '';
  zonePlace.hidden = true;
  columnsPlace.hidden = true;
  start = undefined;
  if (file === undefined) return;
  try {
    const read = await readStart(file);
    // Another file may have been chosen in the meantime.
    if (chosenFile(new FormData(form)) !== file) return;
    start = read;
  } catch (error) {
    columnsPlace.hidden = false;
    showFailure(columnsPlace, error);
  }
  await describe();
}

/** Nothing is imported before the user has seen what the columns are imported as. */
async function runDescribed(isCheck: boolean): Promise<void> {
  const seen = described;
  await describing;
  if (described === undefined) {
    describing = describe();
    await describing;
  }
  if (described === undefined) return;
  if (isCheck || seen?.columns !== undefined || described.columns === undefined) return run(isCheck);
  outcome.hidden = false;
  outcome.replaceChildren(
    element('p', 'Check what the columns are imported as, then import.', 'warning', { role: 'status' }),
  );
}

/** An import that stops at an invalid row is followed by a preview, which lists all invalid rows. */
async function run(isCheck: boolean, stoppedBy?: InvalidRow): Promise<void> {
  const fields = new FormData(form);
  const file = chosenFile(fields);
  if (file === undefined) return;
  const bar = element('progress', [], '', { 'aria-label': 'Upload progress' });
  const note = element('p', 'Sending …', '', { role: 'status' });
  const cancel = button('Cancel', 'quiet', () => current?.cancel());
  outcome.hidden = false;
  outcome.replaceChildren(bar, note, element('p', cancel, 'actions'));
  setBusy(true);
  const route = `${form.dataset.route}/${textOf(fields, 'material')}?${parametersOf(fields, file, isCheck)}`;
  current = send(route, file, (share) => {
    bar.value = share;
    const sent = isCheck ? 'Sent; checking …' : 'Sent; storing …';
    const text = share < 1 ? `Sent ${Math.floor(share * 100)}%` : sent;
    if (note.textContent !== text) note.textContent = text;
  });
  try {
    showReport(outcome, await current.answer, form.dataset);
    if (stoppedBy !== undefined) outcome.prepend(failure(stoppedBy));
  } catch (error) {
    if (error instanceof InvalidRow && !isCheck) return await run(true, error);
    showFailure(outcome, stoppedBy ?? error);
  } finally {
    setBusy(false);
  }
}

form.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
  if (target.name === 'file') describing = takeFile();
  else if (['site', 'material', 'format'].includes(target.name)) describing = describe();
  else if (target === zone) describing = describe(described?.columns);
});
// The file may have been chosen before this script loaded.
describing = takeFile();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { submitter } = event;
  void runDescribed(submitter instanceof HTMLButtonElement && submitter.value === 'check');
});
