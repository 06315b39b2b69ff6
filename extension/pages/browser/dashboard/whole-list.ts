// A dialog that shows a complete list, with search, pages and download.
import type { PartAnswer, RequestedPart, SiteInfo, TabInfo } from '../../shared-types/dashboard-types';
import { createListDialog } from '../shared/dialog';
import { button, element, searchField } from '../shared/elements';
import { sentenceOf } from '../shared/rest';
import type { RestError } from '../shared/rest-answer';
import type { OnePart } from './ask';
import { isLocalized, localizedName, withUnit } from './in-words';
import { type PanelPlace, rowsOf } from './panel-view';
import { failureNodes, queryLink } from './part-view';
import { type ListOptions, listTable } from './rows';

const PAGE = 100;
/** Localized names are searched in the browser, so more rows are read at a time. */
const LOCALIZED_PAGE = 1_000;
const TYPING_PAUSE_MS = 250;
const DATA_CHANGED = 'E_DATA_CHANGED';

interface WholeList extends Pick<ListOptions, 'links' | 'whole'> {
  readonly tab: TabInfo;
  /** If false, only the first page can be read. */
  readonly canPage: boolean;
  readonly own: SiteInfo['own'];
  ask(part: RequestedPart): Promise<OnePart>;
  /** null if downloads are switched off. */
  readonly save: ((part: RequestedPart) => Promise<RestError | undefined>) | null;
}

function placeInWords(rows: number, offset: number, { total, more }: PartAnswer): string {
  const number = (value: number) => withUnit(value, 'count');
  if (total === undefined)
    return more === true
      ? `The first ${number(rows)} rows. Paging is switched off on this server.`
      : `${number(rows)} ${rows === 1 ? 'row' : 'rows'}.`;
  if (total <= rows) return `${number(rows)} ${rows === 1 ? 'row' : 'rows'}.`;
  return `${number(offset + 1)}–${number(offset + rows)} of ${number(total)} rows.`;
}

/** The dialog closes when a row is chosen as a filter. */
function openWholeList(title: string, list: WholeList): void {
  const { tab, canPage, own, save } = list;
  const size = isLocalized(tab.dimension) ? LOCALIZED_PAGE : PAGE;
  const search = searchField(`Search ${title}`);
  const controls = tab.kind === 'goals' ? [] : [search];
  const { dialog, body, status, foot } = createListDialog(title, controls);
  let offset = 0;
  /** Version of the first page: further pages must have the same version. */
  let version: string | undefined;
  /** Names read so far, for searching localized names. */
  const known = new Set<string>();
  let requests = 0;

  const links: ListOptions['links'] = list.links && {
    ...list.links,
    go(value, place) {
      dialog.close();
      list.links?.go(value, place);
    },
  };
  const searched = (): RequestedPart => {
    const { id } = tab;
    const text = search.value.trim();
    if (text === '') return { id };
    if (!isLocalized(tab.dimension)) return { id, search: text };
    const names = [...known].filter((name) =>
      `${localizedName(tab.dimension, name)} ${name}`.toLowerCase().includes(text.toLowerCase()),
    );
    return { id, names };
  };
  async function load(note = ''): Promise<void> {
    requests += 1;
    const mine = requests;
    body.setAttribute('aria-busy', 'true');
    const page = canPage ? { offset, ...(version === undefined ? {} : { version }) } : {};
    const { answer, head } = await list.ask({ ...searched(), limit: size, ...page });
    if (mine !== requests) return;
    if (answer.error?.code === DATA_CHANGED) return begin('The data has changed; this is the new list. ');
    body.setAttribute('aria-busy', 'false');
    const rows = head === undefined ? [] : rowsOf(tab, answer, head);
    if (search.value.trim() === '') for (const { value } of rows) if (value !== null) known.add(value);
    if (answer.error !== undefined) {
      body.replaceChildren(...failureNodes(answer.error, own, () => void load()));
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
    timer = window.setTimeout(() => void begin(), TYPING_PAUSE_MS);
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

export function showFoot({ foot, panel }: PanelPlace, answer: PartAnswer, list: WholeList): void {
  const { tab, own } = list;
  const title = panel.tabs.length === 1 ? panel.title : `${panel.title}: ${tab.title}`;
  const whole = button('Show all', 'plain', () => openWholeList(title, list), {
    'aria-label': `Show all of ${title}`,
  });
  foot.replaceChildren(
    ...(tab.kind === 'goals' || answer.error !== undefined ? [] : [whole]),
    ...queryLink(answer, own, title),
  );
}
