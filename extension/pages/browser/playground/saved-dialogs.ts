import type { SavedQuery } from '../../shared-types/saved-types';
import { createListDialog, type Naming, openNaming, openQuestion } from '../shared/dialog';
import { button, element, onPlainClick, searchField } from '../shared/elements';
import { listSaved, savedAddress } from './saved-queries';

/** Asks for a name until `save` succeeds; shows its errors. */
export function askName(title: string, naming: Naming, save: (naming: Naming) => Promise<void>): void {
  const about = 'Others can see the name and text of the query, but get answers only from their own sites.';
  const sharing = { share: 'Share with all playground users', more: [element('p', about, 'hint')] };
  openNaming(title, naming, sharing, save);
}

interface ListActions {
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
        ? 'Nothing is saved yet. Use "Save as …" to save the query in the editor.'
        : `${count}.`;
  }
  async function load(): Promise<void> {
    queries = await listSaved();
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
  const loss = shared ? 'Everyone loses access, and its link stops working.' : 'Its link stops working.';
  const words = element('p', `${loss} This cannot be undone.`);
  openQuestion(`Delete "${name}"?`, [words], element('button', 'Delete', 'danger'), remove);
}
