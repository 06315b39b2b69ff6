import { button, element } from '../shared/elements';
import { type SavedQuery, savedAddress } from './saved-queries';

interface Frame {
  readonly dialog: HTMLDialogElement;
  readonly head: HTMLElement;
  readonly close: HTMLButtonElement;
  fail(error: unknown): void;
}

function createDialog(title: string, className: string, closing: string): Frame {
  const heading = element('h2', title);
  heading.id = `${className}-title`;
  const head = element('header', heading);
  const fault = element('p', [], 'fault');
  fault.setAttribute('role', 'alert');
  fault.hidden = true;
  const dialog = element('dialog', [head, fault], className);
  dialog.setAttribute('aria-labelledby', heading.id);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  return {
    dialog,
    head,
    close: button(closing, 'quiet', () => dialog.close()),
    fail(error) {
      fault.textContent = error instanceof Error ? error.message : '';
      fault.hidden = false;
    },
  };
}

export interface Naming {
  readonly name: string;
  readonly shared: boolean;
}

/** Asks for a name until `save` succeeds; shows its errors. */
export function askName(
  title: string,
  { name, shared }: Naming,
  save: (naming: Naming) => Promise<void>,
): void {
  const { dialog, close, fail } = createDialog(title, 'question', 'Cancel');
  const field = element('input');
  field.id = 'saved-query-name';
  field.value = name;
  field.required = true;
  field.maxLength = 100;
  const label = element('label', 'Name');
  label.htmlFor = field.id;
  const check = element('input');
  check.type = 'checkbox';
  check.checked = shared;
  const form = element('form', [
    element('div', [label, field], 'field'),
    element('label', [check, 'Share it with everybody who may use the playground'], 'check'),
    element('p', 'Others see its name and text, and get answers only from sites they may see.', 'hint'),
    element('div', [element('button', 'Save'), close], 'actions'),
  ]);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    save({ name: field.value, shared: check.checked }).then(() => dialog.close(), fail);
  });
  dialog.append(form);
  dialog.showModal();
  field.select();
}

interface ListActions {
  list(): Promise<readonly SavedQuery[]>;
  open(query: SavedQuery): Promise<void>;
  rename(query: SavedQuery, naming: Naming): Promise<void>;
  remove(query: SavedQuery): Promise<void>;
}

export function showSavedQueries(actions: ListActions): void {
  const search = element('input');
  search.type = 'search';
  search.placeholder = 'Search';
  search.setAttribute('aria-label', 'Search saved queries');
  const rows = element('ul');
  const body = element('div', rows, 'whole-rows');
  const status = element('p', [], 'small muted');
  status.setAttribute('role', 'status');
  const { dialog, head, close, fail } = createDialog('Saved queries', 'whole-list', 'Close');
  head.append(search, close);
  dialog.append(body, element('footer', status));
  let queries: readonly SavedQuery[] = [];

  function show(): void {
    const words = search.value.trim().toLowerCase();
    const found = queries.filter(({ name, owner }) => `${name}\n${owner}`.toLowerCase().includes(words));
    rows.replaceChildren(...found.map(rowOf));
    const count = found.length === 1 ? '1 query' : `${found.length} queries`;
    status.textContent =
      queries.length === 0
        ? 'Nothing is saved yet. Save as … gives the query in the editor a name.'
        : `${count}.`;
  }
  async function load(): Promise<void> {
    queries = await actions.list();
    show();
  }

  function rowOf(query: SavedQuery): HTMLElement {
    const { name, owner, shared, isOwn, mayChange, changedAt } = query;
    const link = element('a', name);
    link.href = savedAddress(query.id);
    link.addEventListener('click', (event) => {
      // With a modifier key, the browser opens a new tab or window.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      actions.open(query).then(() => dialog.close(), fail);
    });
    const day = new Date(changedAt).toLocaleDateString(undefined, { dateStyle: 'medium' });
    const about = isOwn ? (shared ? 'shared, ' : '') : `shared by ${owner}, `;
    const act = (text: string, onClick: () => void) => {
      const created = button(text, 'plain small', onClick);
      created.setAttribute('aria-label', `${text}: ${name}`);
      return created;
    };
    const buttons = [
      act('Rename or share', () =>
        askName('Rename or share', query, (naming) => actions.rename(query, naming).then(load)),
      ),
      act('Delete', () => askDelete(query, () => actions.remove(query).then(load))),
    ];
    return element('li', [
      element('div', [link, element('span', ` ${about}${day}`, 'small muted')]),
      ...(mayChange ? [element('div', buttons, 'row-actions')] : []),
    ]);
  }

  search.addEventListener('input', show);
  dialog.showModal();
  load().catch(fail);
}

function askDelete({ name, shared }: SavedQuery, remove: () => Promise<void>): void {
  const { dialog, close, fail } = createDialog(`Delete "${name}"?`, 'question', 'Cancel');
  const loss = shared ? 'Everybody it is shared with loses it, and its link ends.' : 'Its link ends.';
  const confirm = button('Delete', 'danger', () => remove().then(() => dialog.close(), fail));
  dialog.append(element('p', `${loss} This cannot be undone.`), element('div', [confirm, close], 'actions'));
  dialog.showModal();
  close.focus();
}
