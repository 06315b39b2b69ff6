import type { PinnedSegment, SiteInfo, TabInfo } from '../../shared-types/dashboard-types';
import { element, headCell, onPlainClick, row } from '../shared/elements';
import { isPinned, nextPlace, type Place, placed, placeOf, type View } from './address';
import { localizedName, pathOf, share, withUnit } from './in-words';
import { commonSuffix, type ListRow } from './list-rows';

export interface RowLinks {
  place(value: string | null): Place;
  address(value: string | null, place: Place): string;
  go(value: string | null, place: Place): void;
}

const LINK_TITLES: Readonly<Record<Place, (name: string) => string>> = {
  none: (name) => `Show only ${name}`,
  in: (name) => `Leave out ${name}`,
  out: (name) => `Show ${name} again`,
};

/** A page is shown as its path, with its title in small print. */
function wordsOf(
  tab: TabInfo,
  { names }: ListRow,
  suffix: string,
): { readonly main: string | null; readonly more: string | null } {
  const [first = null, second] = names;
  if (second === undefined)
    return { main: first === null ? null : localizedName(tab.dimension, first), more: null };
  if (second === null) return { main: first, more: null };
  const title = first?.endsWith(suffix) === true ? first.slice(0, first.length - suffix.length) : first;
  return { main: pathOf(second), more: title };
}

function nameCell(
  tab: TabInfo,
  listRow: ListRow,
  { bar, suffix, links }: { readonly bar: number; readonly suffix: string; readonly links: RowLinks | null },
): HTMLTableCellElement {
  const { main, more } = wordsOf(tab, listRow, suffix);
  const words = [
    main === null ? element('span', tab.nameless, 'muted') : element('bdi', main),
    ...(more === null ? [] : [' ', element('bdi', more, 'row-more')]),
  ];
  const cell = element('th', [], 'row-name', { scope: 'row' });
  cell.style.setProperty('--share', `${(bar * 100).toFixed(1)}%`);
  const whole = [
    listRow.names.at(-1) ?? main ?? tab.nameless,
    ...(more === null ? [] : [listRow.names[0] ?? more]),
  ].join('\n');
  if (links === null) {
    cell.append(element('span', words, 'row-words'));
    cell.title = whole;
    return cell;
  }
  const place = links.place(listRow.value);
  const link = element('a', words, 'row-words', {
    href: links.address(listRow.value, place),
    title: `${whole}\n${LINK_TITLES[place](main ?? tab.nameless)}`,
    'data-key': listRow.value ?? '',
    ...(place !== 'none' && { 'aria-current': 'true' }),
  });
  onPlainClick(link, () => links.go(listRow.value, place));
  cell.append(link);
  return cell;
}

export interface ListOptions {
  /** The total of which the first measure is a part. */
  readonly whole: number | null;
  readonly links: RowLinks | null;
  more?(listRow: ListRow): HTMLElement | undefined;
}

/** Bar lengths are relative to the largest row. */
export function listTable(
  tab: TabInfo,
  rows: readonly ListRow[],
  { whole, links, more }: ListOptions,
): HTMLElement {
  const isPages = tab.names.length > 1;
  const suffix = isPages ? commonSuffix(rows.flatMap(({ names: [title] }) => title ?? [])) : '';
  const longest = rows.reduce((largest, { numbers }) => Math.max(largest, numbers[0] ?? 0), 0);
  const head = row([
    headCell(element('span', 'Name', 'visually-hidden')),
    ...tab.measures.map(({ label }) => headCell(label, 'number tight')),
  ]);
  const body = rows.map((listRow) => {
    const [first = null] = listRow.numbers;
    const part = whole === null || whole === 0 || first === null ? null : first / whole;
    const cells = tab.measures.map(({ unit }, at) => {
      const text = withUnit(listRow.numbers[at], unit);
      const small = at === 0 && part !== null ? [' ', element('span', share(part), 'row-share')] : [];
      return element('td', [text, ...small], 'number');
    });
    const bar = longest === 0 ? 0 : (first ?? 0) / longest;
    const name = nameCell(tab, listRow, { bar, suffix, links });
    const button = more?.(listRow);
    if (button !== undefined) name.append(button);
    return row([name, ...cells]);
  });
  return element('table', [element('thead', head), element('tbody', body)], 'rows');
}

export interface Navigation {
  readonly view: View;
  readonly pinned: PinnedSegment | undefined;
  readonly own: SiteInfo['own'];
  address(view: View): string;
  go(view: View): void;
}

/** null if the tab's rows cannot be used as filters. */
export function rowLinks({ dimension }: TabInfo, { view, pinned, address, go }: Navigation): RowLinks | null {
  if (dimension === null || isPinned(pinned, dimension)) return null;
  const after = (value: string | null, place: Place): View => ({
    ...view,
    filters: placed(view.filters, dimension, value, nextPlace[place]),
  });
  return {
    place: (value) => placeOf(view.filters, dimension, value),
    address: (value, place) => address(after(value, place)),
    go: (value, place) => go(after(value, place)),
  };
}
