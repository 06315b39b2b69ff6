// What a panel shows of the answer to its query. Nothing here touches the page.
import type { Row, TableAnswer } from '../shared/query-answer';

/** As the server writes it into the page. */
export interface Panel {
  readonly kind: 'total' | 'days' | 'list';
  readonly counts: readonly { readonly column: string; readonly label: string }[];
  /** Of a list: stands for a missing name. */
  readonly nameless: string | null;
  /** YYYY-MM-DD, both included. */
  readonly first: string;
  readonly last: string;
  readonly query: unknown;
}

type Table = Pick<TableAnswer, 'columns' | 'rows'>;

export interface DailyCounts {
  readonly days: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export interface ListRow {
  /** The columns that are not counts, in their order. */
  readonly names: readonly (string | null)[];
  readonly count: number;
  /** Of the largest count in the list, 0 to 1. */
  readonly share: number;
}

const DAY_MS = 86_400_000;

function countIn({ columns }: Table, row: Row | undefined, column: string): number {
  const value = row?.[columns.indexOf(column)];
  return typeof value === 'number' ? value : 0;
}

export const totalOf = ({ counts }: Panel, table: Table): number =>
  countIn(table, table.rows[0], counts[0]?.column ?? '');

/** Every day of the range, with 0 for days that the answer does not have; undefined when it has none. */
export function dailyCountsOf({ first, last, counts }: Panel, table: Table): DailyCounts | undefined {
  if (table.rows.length === 0) return undefined;
  const days: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  const rows = new Map(table.rows.map((row) => [row[table.columns.indexOf('access_date')], row]));
  const series = counts.map(({ column, label }) => ({
    name: label,
    values: days.map((day) => countIn(table, rows.get(day), column)),
  }));
  return { days, series };
}

export function listRowsOf({ counts }: Panel, table: Table): readonly ListRow[] {
  const counted = counts[0]?.column ?? '';
  const most = Math.max(1, ...table.rows.map((row) => countIn(table, row, counted)));
  return table.rows.map((row) => {
    const count = countIn(table, row, counted);
    const names = row
      .filter((_cell, index) => table.columns[index] !== counted)
      .map((cell) => (cell === null || cell === '' ? null : String(cell)));
    return { names, count, share: count / most };
  });
}

const DEVICES: Readonly<Record<string, string>> = { PC: 'Computer', SP: 'Smartphone', tablet: 'Tablet' };

/** What people call a country or a device; names of other panels stay as they are. */
export function displayName(panel: string, name: string, language: string): string {
  if (panel === 'devices') return DEVICES[name] ?? name;
  if (panel !== 'countries' || !/^[A-Z]{2}$/.test(name)) return name;
  const country = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }).of(name);
  return country === undefined ? name : `${country} (${name})`;
}

export interface PanelState {
  readonly title: string;
  /** loading, shown or failed. */
  readonly state: string;
}

/** One sentence for screen readers: "7 of 8 panels loaded. Failed: Countries." */
export function statusOf(panels: readonly PanelState[]): string {
  const loaded = panels.filter(({ state }) => state === 'shown').length;
  const failed = panels.filter(({ state }) => state === 'failed').map(({ title }) => title);
  const sentence = `${loaded} of ${panels.length} ${panels.length === 1 ? 'panel' : 'panels'} loaded.`;
  return failed.length === 0 ? sentence : `${sentence} Failed: ${failed.join(', ')}.`;
}
