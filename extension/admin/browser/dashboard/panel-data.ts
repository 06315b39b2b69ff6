// Reads what the page says of a panel, and turns the answer of its query into what is shown. Pure: no page is touched here.
// A day without views has no row in an answer: it is 0, not missing.
/** The answer of a query. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface PanelData {
  readonly kind: 'total' | 'days' | 'list';
  readonly counts: readonly { readonly column: string; readonly label: string }[];
  readonly nameless: string | null;
  /** YYYY-MM-DD, both included. */
  readonly first: string;
  readonly last: string;
  readonly query: unknown;
}

export interface DaysShown {
  readonly days: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export interface ListRow {
  /** The kept columns in their order. */
  readonly names: readonly (string | null)[];
  readonly count: number;
  /** Of the greatest count in the list, 0 to 1. */
  readonly share: number;
}

const DAY_MS = 86_400_000;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const cellOf = (table: Table, row: readonly unknown[], column: string): unknown =>
  row[table.columns.indexOf(column)];

/** The one number of a total. */
export const totalOf = (panel: PanelData, table: Table): number =>
  numberOf(cellOf(table, table.rows[0] ?? [], panel.counts[0]?.column ?? ''));

/** Every day of the range, YYYY-MM-DD. */
function daysOf(first: string, last: string): readonly string[] {
  const days: string[] = [];
  for (let at = Date.parse(`${first}T00:00:00Z`); at <= Date.parse(`${last}T00:00:00Z`); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** One value of each count for each day of the range; undefined when no day has any. */
export function daysShown(panel: PanelData, table: Table): DaysShown | undefined {
  if (table.rows.length === 0) return undefined;
  const days = daysOf(panel.first, panel.last);
  const rows = new Map(table.rows.map((row) => [cellOf(table, row, 'access_date'), row]));
  return {
    days,
    series: panel.counts.map(({ column, label }) => ({
      name: label,
      values: days.map((day) => numberOf(cellOf(table, rows.get(day) ?? [], column))),
    })),
  };
}

/** The rows of a list. A cell without a value is null. */
export function listRows(panel: PanelData, table: Table): readonly ListRow[] {
  const counted = panel.counts[0]?.column ?? '';
  const named = table.columns.filter((column) => column !== counted);
  const most = Math.max(1, ...table.rows.map((row) => numberOf(cellOf(table, row, counted))));
  return table.rows.map((row) => {
    const count = numberOf(cellOf(table, row, counted));
    const names = named.map((column) => {
      const value = cellOf(table, row, column);
      return value === null || value === undefined || value === '' ? null : String(value);
    });
    return { names, count, share: count / most };
  });
}

const DEVICES: Readonly<Record<string, string>> = { PC: 'Computer', SP: 'Smartphone', tablet: 'Tablet' };

/** What people call a country or a device; text of other panels as it is. */
export function spokenName(panel: string, name: string, language: string): string {
  if (panel === 'devices') return DEVICES[name] ?? name;
  if (panel !== 'countries' || !/^[A-Z]{2}$/.test(name)) return name;
  const spoken = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }).of(name);
  return spoken === undefined ? name : `${spoken} (${name})`;
}
