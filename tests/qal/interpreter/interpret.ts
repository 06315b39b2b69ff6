// A second reading of the language, for comparison: plain loops over arrays, no SQL, nothing of the program's code.
// Rows in memory + a valid query -> what the answer must be, rows in their order.
import { firstInstantOf, localText, weekday } from './local-clock';

export type Value = string | number | null;

/** A page view with all columns that the random queries use; `at` in epoch seconds. */
export interface ViewRow {
  readonly site: number;
  readonly at: number;
  readonly values: Readonly<Record<string, Value>>;
}

export interface RandomView {
  readonly from: string;
  readonly keep: readonly string[];
  readonly filter: readonly {
    readonly column: string;
    readonly operator: string;
    readonly value: Value | readonly Value[];
  }[];
  readonly calc: readonly { readonly name: string; readonly function: string; readonly column: string }[];
  readonly sort: { readonly by: string; readonly order: 'asc' | 'desc'; readonly top: number | null } | null;
}

export interface RandomQuery {
  readonly sites: readonly number[];
  readonly all: boolean;
  readonly time: { readonly start: string; readonly end: string; readonly tz: string };
  readonly views: Readonly<Record<string, RandomView>>;
  readonly use: string;
  readonly limit: number;
}

/** A row on its way: its output so far, what it is sorted by when nothing else is said, and its site. */
interface Row {
  readonly site: number;
  readonly values: ReadonlyMap<string, Value>;
  readonly place: readonly Value[];
}

export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly total: number;
}

/** Instants travel as sortable texts and are printed last: clocks show some texts for two of them. */
const instantText = (instant: number): string => `@${String(instant).padStart(12, '0')}`;
const printed = (value: Value, zone: string): Value =>
  typeof value === 'string' && /^@\d{12}$/.test(value) ? localText(Number(value.slice(1)), zone) : value;
const operandOf = (value: Value, zone: string): Value =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value)
    ? instantText(firstInstantOf(value, zone))
    : value;

const IDS = new Set(['pv_id', 'session_id', 'reader_id', 'page_id']);

/** What a query must answer. */
export function interpret(query: RandomQuery, rows: readonly ViewRow[]): Answer {
  const { views, use, limit } = query;
  const columns = outputOf(views[use] as RandomView);
  const all = runView(use, query, rows);
  return {
    columns,
    rows: all
      .slice(0, limit)
      .map((row) => columns.map((column) => printed(row.values.get(column) ?? null, query.time.tz))),
    total: all.length,
  };
}

const outputOf = ({ keep, calc }: RandomView): readonly string[] => [
  ...new Set(keep),
  ...calc.map(({ name }) => name),
];

function runView(name: string, query: RandomQuery, rows: readonly ViewRow[]): readonly Row[] {
  const view = query.views[name] as RandomView;
  const source = view.from === 'allpv' ? readRows(query, rows) : runView(view.from, query, rows);
  const kept = source.filter((row) =>
    view.filter.every((test) => passes(row.values.get(test.column) ?? null, test, query.time.tz)),
  );
  const made = view.calc.length === 0 ? kept.map((row) => project(row, view)) : group(kept, view, query.all);
  const { sort } = view;
  const sorted = [...made].sort((a, b) => {
    if (sort !== null) {
      const order = compare(
        a.values.get(sort.by) ?? null,
        b.values.get(sort.by) ?? null,
        sort.order === 'desc',
      );
      if (order !== 0) return order;
    }
    return comparePlaces(a.place, b.place);
  });
  // A chained view keeps the order that it was given, whatever that was sorted by.
  const placed = sorted.map((row, index) => ({ ...row, place: [index] }));
  return sort === null || sort.top === null ? placed : placed.slice(0, sort.top);
}

function readRows({ sites, time }: RandomQuery, rows: readonly ViewRow[]): readonly Row[] {
  const start = firstInstantOf(time.start, time.tz);
  const end = firstInstantOf(time.end, time.tz);
  return rows
    .filter((row) => sites.includes(row.site) && row.at >= start && row.at < end)
    .map((row) => {
      const local = localText(row.at, time.tz);
      const { os, browser } = row.values;
      const values = new Map<string, Value>([
        ...Object.entries(row.values),
        ['access_time', instantText(row.at)],
        ['access_date', local.slice(0, 10)],
        ['access_month', local.slice(0, 7)],
        ['access_hour', Number(local.slice(11, 13))],
        ['access_weekday', weekday(local)],
        ['ua', os == null || browser == null ? null : `${os} ${browser}`],
      ]);
      return { site: row.site, values, place: [row.at, row.values.pv_id ?? null, row.site] };
    });
}

function project(row: Row, { keep }: RandomView): Row {
  return { ...row, values: new Map(keep.map((column) => [column, row.values.get(column) ?? null])) };
}

function group(rows: readonly Row[], { keep, calc }: RandomView, all: boolean): readonly Row[] {
  const apart = all && keep.some((column) => IDS.has(column));
  const groups = new Map<string, Row[]>();
  if (keep.length === 0) groups.set('', []);
  for (const row of rows) {
    const key =
      keep.length === 0
        ? ''
        : JSON.stringify([...keep.map((column) => row.values.get(column) ?? null), apart ? row.site : 0]);
    const members = groups.get(key) ?? [];
    groups.set(key, members);
    members.push(row);
  }
  return [...groups.values()].map((members) => {
    const first = members[0];
    const keys = keep.map((column): [string, Value] => [column, first?.values.get(column) ?? null]);
    const results = calc.map((entry): [string, Value] => [entry.name, aggregate(entry, members, all)]);
    const site = first?.site ?? 0;
    return {
      site,
      values: new Map([...keys, ...results]),
      place: [...keys.map(([, value]) => value), apart ? site : 0],
    };
  });
}

function aggregate(
  { function: name, column }: RandomView['calc'][number],
  rows: readonly Row[],
  all: boolean,
): Value {
  const present = rows.flatMap((row) => {
    const value = row.values.get(column) ?? null;
    return value === null ? [] : [{ value, site: row.site }];
  });
  const values = present.map(({ value }) => value);
  const numbers = values.map(Number);
  const sum = numbers.reduce((total, value) => total + value, 0);
  switch (name) {
    case 'COUNT':
      return values.length;
    case 'COUNTUNIQUE':
      return new Set(
        present.map(({ value, site }) =>
          all && IDS.has(column) ? `${site} ${value}` : `${typeof value} ${value}`,
        ),
      ).size;
    case 'SUM':
      return sum;
    case 'AVERAGE':
      return values.length === 0 ? null : sum / values.length;
    case 'MIN':
    case 'MAX': {
      const ordered = [...values].sort((a, b) => compare(a, b, name === 'MAX'));
      return ordered[0] ?? null;
    }
    default:
      throw new Error(`The interpreter has no function ${name}.`);
  }
}

function passes(
  value: Value,
  { operator, value: given }: RandomView['filter'][number],
  zone: string,
): boolean {
  const operand = Array.isArray(given)
    ? given.map((it) => operandOf(it, zone))
    : operandOf(given as Value, zone);
  const one = operand as Value;
  switch (operator) {
    case 'eq':
      return one === null ? value === null : value === one;
    case 'neq':
      return one === null ? value !== null : value !== one;
    case 'in':
      return value !== null && (operand as readonly Value[]).includes(value);
    default:
  }
  if (value === null) return false;
  switch (operator) {
    case 'gt':
      return compare(value, one, false) > 0;
    case 'gte':
      return compare(value, one, false) >= 0;
    case 'lt':
      return compare(value, one, false) < 0;
    case 'lte':
      return compare(value, one, false) <= 0;
    case 'contains':
      return String(value).includes(String(one));
    case 'prefix':
      return String(value).startsWith(String(one));
    case 'between': {
      const [low = null, high = null] = operand as readonly Value[];
      return compare(value, low, false) >= 0 && compare(value, high, false) <= 0;
    }
    default:
      throw new Error(`The interpreter has no operator ${operator}.`);
  }
}

/** Null last in both directions; numbers by value, text by its bytes. */
function compare(a: Value, b: Value, descending: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order =
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return descending ? -order : order;
}

function comparePlaces(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const order = compare(value, b[index] ?? null, false);
    if (order !== 0) return order;
  }
  return 0;
}
