import type { PartAnswer, TabInfo } from '../../shared-types/dashboard-types';
import type { Cell, Row } from '../shared/query-answer';

export interface ListRow {
  readonly names: readonly (string | null)[];
  /** The value to filter by. */
  readonly value: string | null;
  readonly numbers: readonly (number | null)[];
}

/** A cell as a name; null if it is empty. */
export const nameOf = (cell: Cell | undefined): string | null =>
  cell === null || cell === undefined || cell === '' ? null : String(cell);

export function listRowsOf(tab: TabInfo, { columns = [], rows = [] }: PartAnswer): readonly ListRow[] {
  const cell = (row: Row, column: string): Cell | undefined => row[columns.indexOf(column)];
  return rows.map((row) => {
    const names = tab.names.map((column) => nameOf(cell(row, column)));
    const numbers = tab.measures.map(({ column }) => {
      const value = cell(row, column);
      return typeof value === 'number' ? value : null;
    });
    return { names, value: names.at(-1) ?? null, numbers };
  });
}

/** One row per goal, from a figure with one column per goal. */
export function goalRowsOf(
  { columns = [], rows = [] }: PartAnswer,
  goals: readonly { readonly id: number; readonly name: string }[],
): readonly ListRow[] {
  const [only] = rows;
  const number = (column: string): number => {
    const value = only?.[columns.indexOf(column)];
    return typeof value === 'number' ? value : 0;
  };
  const visits = number('entries');
  return goals
    .map(({ id, name }) => {
      const reached = number(`goal_${id}`);
      const rate = visits === 0 ? null : (100 * reached) / visits;
      return { names: [name], value: String(id), numbers: [reached, rate] };
    })
    .sort((one, other) => (other.numbers[0] ?? 0) - (one.numbers[0] ?? 0));
}

const SUFFIX = / [|–—·-] [^|–—·]+$/;

/** The suffix that most titles in a list share, such as ` | Shop` with the site's name. Empty if there is none. */
export function commonSuffix(titles: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const title of titles) {
    const [suffix] = SUFFIX.exec(title) ?? [];
    if (suffix !== undefined) counts.set(suffix, (counts.get(suffix) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one);
  return best !== undefined && best[1] >= 2 && best[1] * 2 > titles.length ? best[0] : '';
}
