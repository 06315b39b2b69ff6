// A dialog with a complete list: search, pages and download.
import type { AskedPart, DashboardInfo, PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import { createListDialog } from '../shared/dialog';
import { button, element, searchField } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';
import type { OnePart } from './ask';
import { isSpoken, spokenName, withUnit } from './in-words';
import { type PanelPlace, rowsOf } from './panel-view';
import { listTable, type RowLinks } from './rows';

const PAGE = 100;
/** Localized names are searched in the browser, so more rows are read at once. */
const SPOKEN_PAGE = 1_000;
const TYPED_MS = 250;
const DATA_CHANGED = 'E_DATA_CHANGED';

interface AskedRows {
  readonly search?: string;
  readonly names?: readonly string[];
  readonly limit?: number;
  readonly offset?: number;
  readonly version?: string;
}

interface WholeList {
  readonly title: string;
  readonly tab: TabInfo;
  readonly whole: number | null;
  readonly links: RowLinks | null;
  /** If false, only the first page can be read. */
  readonly canPage: boolean;
  ask(part: AskedRows): Promise<OnePart>;
  /** null if files are switched off. */
  readonly save: ((part: AskedRows) => Promise<RestError | undefined>) | null;
}

function placeInWords(rows: number, offset: number, { total, more }: PartAnswer): string {
  const number = (value: number) => withUnit(value, 'count');
  if (total === undefined)
    return more === true
      ? `The first ${number(rows)} rows. Pages are switched off on this server.`
      : `${number(rows)} ${rows === 1 ? 'row' : 'rows'}.`;
  if (total <= rows) return `${number(rows)} ${rows === 1 ? 'row' : 'rows'}.`;
  return `${number(offset + 1)}–${number(offset + rows)} of ${number(total)} rows.`;
}

/** The dialog closes when a row is chosen as a filter. */
function openWholeList(list: WholeList): void {
  const { tab, canPage, save } = list;
  const size = isSpoken(tab.dimension) ? SPOKEN_PAGE : PAGE;
  const search = searchField(`Search ${list.title}`);
  const controls = tab.kind === 'goals' ? [] : [search];
  const { dialog, body, status, foot } = createListDialog(list.title, controls);
  let offset = 0;
  /** Version of the first page: further pages must have the same one. */
  let version: string | undefined;
  /** Names read so far, for searching localized names. */
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
  async function load(note = ''): Promise<void> {
    turn += 1;
    const own = turn;
    body.setAttribute('aria-busy', 'true');
    const page = canPage ? { offset, ...(version === undefined ? {} : { version }) } : {};
    const { answer, head } = await list.ask({ ...searched(), limit: size, ...page });
    if (own !== turn) return;
    if (answer.error?.code === DATA_CHANGED) return begin('The data has changed; this is the new list. ');
    body.setAttribute('aria-busy', 'false');
    const rows = head === undefined ? [] : rowsOf(tab, answer, head);
    if (search.value.trim() === '') for (const { value } of rows) if (value !== null) known.add(value);
    if (answer.error !== undefined) {
      body.replaceChildren(element('p', sentenceOf(answer.error), 'fault'));
      status.textContent = '';
      return;
    }
    version = answer.version;
    body.replaceChildren(
      rows.length === 0
        ? element('p', 'Nothing found.', 'panel-empty')
        : listTable(tab, rows, { whole: list.whole, links }),
    );
    body.scrollTop = 0;
    const { total = 0 } = answer;
    const isOnePage = total <= size;
    for (const one of [before, after]) one.hidden = isOnePage;
    before.disabled = offset === 0;
    after.disabled = offset + size >= total;
    status.textContent = note + placeInWords(rows.length, offset, answer);
  }
  function begin(note = ''): Promise<void> {
    offset = 0;
    version = undefined;
    return load(note);
  }
  function turnTo(place: number): void {
    offset = place;
    void load();
  }
  const before = button('Previous', 'quiet', () => turnTo(Math.max(0, offset - size)));
  const after = button('Next', 'quiet', () => turnTo(offset + size));
  before.hidden = true;
  after.hidden = true;
  let timer = 0;
  search.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void begin(), TYPED_MS);
  });
  async function download(): Promise<void> {
    const error = await save?.(searched());
    status.replaceChildren(...(error === undefined ? ['Saved.'] : sentenceOf(error)));
  }
  foot.append(before, after);
  if (save !== null) foot.append(button('Download CSV', 'quiet', () => void download()));
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.showModal();
  void begin();
}

interface Foot {
  readonly tab: TabInfo;
  readonly answer: PartAnswer;
  readonly whole: number | null;
  readonly links: RowLinks | null;
  /** Whether lists have pages. */
  readonly canPage: boolean;
  /** null if files are switched off. */
  readonly save: ((part: AskedPart) => Promise<RestError | undefined>) | null;
  readonly own: DashboardInfo['own'];
  ask(part: AskedPart): Promise<OnePart>;
}

export function showFoot({ foot, panel }: PanelPlace, { tab, answer, own, ask, save, ...shown }: Foot): void {
  const title = panel.tabs.length === 1 ? panel.title : `${panel.title}: ${tab.title}`;
  const openList = () =>
    openWholeList({
      title,
      tab,
      ...shown,
      ask: (part) => ask({ ...part, id: tab.id }),
      save: save && ((part) => save({ ...part, id: tab.id })),
    });
  const whole = button('Show all', 'plain', openList, { 'aria-label': `Show all of ${title}` });
  const playground = own?.playground ?? null;
  const href = `${playground}?run#${encodeURIComponent(JSON.stringify(answer.query, null, 2))}`;
  const open = element('a', 'Open as query', '', { href, 'aria-label': `Open as query: ${title}` });
  foot.replaceChildren(
    ...(tab.kind === 'goals' || answer.error !== undefined ? [] : [whole]),
    ...(playground === null ? [] : [open]),
  );
}
