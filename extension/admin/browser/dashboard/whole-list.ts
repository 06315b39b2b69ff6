// A dialog with a whole list: search, more rows, and a file of all of them.
import { button, element } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import { saveAnswer } from '../shared/save-answer';
import type { OnePart } from './ask';
import type { TabInfo } from './dashboard-types';
import { isSpoken, spokenName } from './in-words';
import { rowsOf } from './panel-view';
import { listTable, type RowLinks } from './rows';

/** How many rows are shown, then after each "Show more". From the first on, so that no change of the data hides a row. */
const SIZES = [100, 500, 2_000, 5_000] as const;
const TYPED_MS = 250;

export interface WholeList {
  readonly title: string;
  readonly tab: TabInfo;
  readonly whole: number | null;
  readonly links: RowLinks | null;
  /** Asks for rows; a later question ends an earlier one. */
  ask(part: {
    readonly search?: string;
    readonly names?: readonly string[];
    readonly limit: number;
  }): Promise<OnePart>;
  /** Route of POST /query; null where no files are to be had. */
  readonly files: string | null;
}

function saveButton(route: string, status: HTMLElement, query: () => object | undefined): HTMLButtonElement {
  return button('Download CSV', 'quiet', async () => {
    const asked = query();
    if (asked === undefined) return;
    const body = JSON.stringify(asked, (key, value) => (key === 'limit' ? 1_000_000 : value));
    const error = await saveAnswer({ route, format: 'format=csv&csv=spreadsheet', body, page: 'dashboard' });
    status.replaceChildren(...(error === undefined ? ['Saved.'] : sentenceOf(error)));
  });
}

/** Opens the dialog. It goes away when it is closed, or when a row of it filters. */
export function openWholeList(list: WholeList): void {
  const { tab } = list;
  const dialog = element('dialog', [], 'whole-list');
  const heading = element('h2', list.title);
  heading.id = 'whole-list-title';
  dialog.setAttribute('aria-labelledby', heading.id);
  const search = element('input');
  search.type = 'search';
  search.placeholder = 'Search';
  search.setAttribute('aria-label', `Search ${list.title}`);
  const body = element('div', [], 'whole-rows');
  body.tabIndex = 0;
  body.setAttribute('role', 'region');
  body.setAttribute('aria-labelledby', heading.id);
  const status = element('p', [], 'small muted');
  status.setAttribute('role', 'status');
  let size = 0;
  let query: object | undefined;
  /** Names that are shown in other words: what was typed is looked for among those that are known. */
  const known = new Set<string>();
  let turn = 0;

  const links: RowLinks | null = list.links && {
    ...list.links,
    go(value, place) {
      dialog.close();
      list.links?.go(value, place);
    },
  };
  const searched = () => {
    const text = search.value.trim();
    if (text === '') return {};
    if (!isSpoken(tab.dimension)) return { search: text };
    const names = [...known].filter((name) =>
      `${spokenName(tab.dimension, name)} ${name}`.toLowerCase().includes(text.toLowerCase()),
    );
    return { names };
  };
  async function load(): Promise<void> {
    turn += 1;
    const own = turn;
    body.setAttribute('aria-busy', 'true');
    const limit = SIZES[size] ?? 5_000;
    const { answer, head } = await list.ask({ ...searched(), limit });
    if (own !== turn) return;
    body.setAttribute('aria-busy', 'false');
    query = answer.query;
    const rows = head === undefined ? [] : rowsOf(tab, answer, head);
    if (search.value.trim() === '') for (const { value } of rows) if (value !== null) known.add(value);
    if (answer.error !== undefined) {
      body.replaceChildren(element('p', sentenceOf(answer.error), 'fault'));
      status.textContent = '';
      return;
    }
    body.replaceChildren(
      rows.length === 0
        ? element('p', 'Nothing found.', 'panel-empty')
        : listTable(tab, rows, { whole: list.whole, links }),
    );
    const isLast = size === SIZES.length - 1;
    more.hidden = answer.more !== true || isLast;
    const count = `${rows.length.toLocaleString()} ${rows.length === 1 ? 'row' : 'rows'}`;
    status.textContent = answer.more === true ? `The first ${count}; there are more.` : `${count}.`;
  }
  const more = button('Show more', 'quiet', () => {
    size = Math.min(size + 1, SIZES.length - 1);
    void load();
  });
  more.hidden = true;
  let timer = 0;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      size = 0;
      void load();
    }, TYPED_MS);
  });
  const close = button('Close', 'quiet', () => dialog.close());
  const files = list.files === null ? [] : [saveButton(list.files, status, () => query)];
  dialog.append(
    element('header', [heading, ...(tab.kind === 'goals' ? [] : [search]), close]),
    body,
    element('footer', [status, more, ...files]),
  );
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  void load();
}
