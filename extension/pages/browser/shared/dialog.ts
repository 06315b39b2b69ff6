// Modal dialogs, which are removed from the page when they are closed.
import { MAX_NAME_LENGTH, type Saved } from '../../shared-types/saved-types';
import { button, checkbox, element, labeled, statusLine } from './elements';
import { messageOf } from './rest';

function createDialog(title: string, className: string, closeLabel: string) {
  const id = `${className}-title`;
  const head = element('header', element('h2', title, '', { id }));
  const fault = element('p', [], 'fault', { role: 'alert', hidden: '' });
  const dialog = element('dialog', [head, fault], className, { 'aria-labelledby': id });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  return {
    dialog,
    head,
    close: button(closeLabel, 'quiet', () => dialog.close()),
    fail(error: unknown): void {
      fault.textContent = messageOf(error);
      fault.hidden = false;
    },
  };
}

/** Opens a dialog that closes once `act` succeeds and shows its errors otherwise. */
export function openQuestion(
  title: string,
  children: readonly HTMLElement[],
  confirmButton: HTMLButtonElement,
  act: () => Promise<unknown>,
): HTMLDialogElement {
  const { dialog, close, fail } = createDialog(title, 'question', 'Cancel');
  const form = element('form', [...children, element('p', [confirmButton, ' ', close], 'actions')]);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act().then(() => dialog.close(), fail);
  });
  dialog.append(form);
  dialog.showModal();
  close.focus();
  return dialog;
}

export type Naming = Pick<Saved, 'name' | 'shared'>;

/** Asks for a name and, if `share` is given, whether others may use the saved item. */
export function openNaming(
  title: string,
  { name, shared }: Naming,
  { share, more = [] }: { readonly share: string | undefined; readonly more?: readonly HTMLElement[] },
  save: (naming: Naming) => Promise<unknown>,
): HTMLDialogElement {
  const field = element('input', [], '', { id: 'new-name', required: '', maxlength: MAX_NAME_LENGTH });
  field.value = name;
  const { box, line } = checkbox(share ?? '', shared);
  const dialog = openQuestion(
    title,
    [labeled('Name', field), ...(share === undefined ? [] : [line]), ...more],
    element('button', 'Save'),
    () => save({ name: field.value, shared: box.checked }),
  );
  field.select();
  return dialog;
}

/** A list that scrolls between a header with controls and a footer with a status line. */
export function createListDialog(title: string, controls: readonly HTMLElement[]) {
  const { dialog, head, close, fail } = createDialog(title, 'whole-list', 'Close');
  const region = { role: 'region', 'aria-labelledby': 'whole-list-title', tabindex: 0 };
  const body = element('div', [], 'whole-rows', region);
  const status = statusLine();
  const foot = element('footer', status);
  head.append(...controls, close);
  dialog.append(body, foot);
  return { dialog, body, status, foot, fail };
}
