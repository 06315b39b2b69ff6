import type { SavedQuery } from '../../shared-types/saved-types';
import { createDialog, createListDialog } from '../shared/dialog';
import { button, element, onPlainClick, searchField } from '../shared/elements';
import { savedAddress } from './saved-queries';

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
  const id = 'saved-query-name';
  const field = element('input', [], '', { id, required: '', maxlength: 100 });
  field.value = name;
  const label = element('label', 'Name', '', { for: id });
  const check = element('input', [], '', { type: 'checkbox' });
  check.checked = shared;
  const form = element('form', [
    element('div', [label, field], 'field'),
    element('label', [check, 'Share it with all users of the playground'], 'check'),
    element('p', 'Others see its name and text, but get answers only from their own sites.', 'hint'),
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
  const search = searchField('Search saved queries');
  const rows = element('ul');
  const { dialog, body, status, fail } = createListDialog('Saved queries', [search]);
  body.append(rows);
  let queries: readonly SavedQuery[] = [];

  function show(): void {
    const words = search.value.trim().toLowerCase();
    const found = queries.filter(({ name, owner }) => `${name}\n${owner}`.toLowerCase().includes(words));
    rows.replaceChildren(...found.map(rowOf));
    const count = found.length === 1 ? '1 query' : `${found.length} queries`;
    status.textContent =
      queries.length === 0
        ? 'Nothing is saved yet. Save as … stores the query in the editor under a name.'
        : `${count}.`;
  }
  async function load(): Promise<void> {
    queries = await actions.list();
    show();
  }

  function rowOf(query: SavedQuery): HTMLElement {
    const { name, owner, shared, isOwn, mayChange, changedAt } = query;
    const link = element('a', name, '', { href: savedAddress(query.id) });
    onPlainClick(link, () => void actions.open(query).then(() => dialog.close(), fail));
    const day = new Date(changedAt).toLocaleDateString(undefined, { dateStyle: 'medium' });
    const about = isOwn ? (shared ? 'shared, ' : '') : `shared by ${owner}, `;
    const act = (text: string, onClick: () => void) =>
      button(text, 'plain small', onClick, { 'aria-label': `${text}: ${name}` });
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
  const loss = shared ? 'All users lose it, and its link stops working.' : 'Its link stops working.';
  const confirm = button('Delete', 'danger', () => remove().then(() => dialog.close(), fail));
  dialog.append(element('p', `${loss} This cannot be undone.`), element('div', [confirm, close], 'actions'));
  dialog.showModal();
  close.focus();
}
