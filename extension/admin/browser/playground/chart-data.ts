// Decides how an answer is drawn: lines over time, bars, or nothing. Calculated columns are drawn; kept columns are
// times and labels. What a chart leaves out, its note says.
import type { Cell, Row } from '../shared/query-answer';
import { memberOf, membersOf, nodeAt, readQueryText, stringOf, stringsOf } from './query-text';

export interface ChartColumn {
  readonly name: string;
  /** COUNT, SUM ... of a calculated column. */
  readonly calc?: string | undefined;
}

export interface Lines {
  readonly kind: 'lines';
  /** Points in time, in order, with those in between that have no row. */
  readonly labels: readonly string[];
  readonly label: string;
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly note: string;
}

export interface Bars {
  readonly kind: 'bars';
  readonly label: string;
  readonly value: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
  readonly note: string;
}

export type Chart = Lines | Bars | { readonly kind: 'none'; readonly reason: string };

const MOST_BARS = 30;
const MOST_LINES = 6;
/** Numbers of two rows can be added. Averages and counts of distinct values cannot. */
const ADDABLE: ReadonlySet<string | undefined> = new Set(['COUNT', 'SUM']);

/** The columns of the answer to a query, each with the function that calculated it. */
export function chartColumns(text: string, names: readonly string[]): readonly ChartColumn[] {
  const { query } = readQueryText(text);
  if (nodeAt(query, ['result', 'count_only'])?.value === true)
    return names.map((name) => ({ name, calc: 'COUNT' }));
  const views = memberOf(query, 'make');
  /** Beside a calc, a kept column is a group, even where an earlier view calculated it. */
  const calcOf = (view: string, column: string, seen: readonly string[]): string | undefined => {
    const calc = nodeAt(views, [view, 'calc']);
    const expression = stringOf(memberOf(calc, column));
    if (expression !== undefined) return /\w+/.exec(expression)?.[0].toUpperCase();
    const kept = stringsOf(nodeAt(views, [view, 'keep'])).find((one) => one.endsWith(`.${column}`));
    if (membersOf(calc).length > 0 || kept === undefined || seen.includes(view)) return undefined;
    return calcOf(kept.slice(0, kept.lastIndexOf('.')), column, [...seen, view]);
  };
  const use = stringOf(nodeAt(query, ['result', 'use'])) ?? '';
  return names.map((name) => ({ name, calc: calcOf(use, name, []) }));
}

/** A column with its place in a row. */
interface Placed extends ChartColumn {
  readonly index: number;
}

interface Parts {
  readonly rows: readonly Row[];
  readonly labels: readonly Placed[];
  readonly measures: readonly Placed[];
}

const cellsOf = (rows: readonly Row[], { index }: Placed) => rows.flatMap((row) => row[index] ?? []);
const namesOf = (columns: readonly Placed[]): string => columns.map(({ name }) => name).join(' · ');
const joined = (...notes: readonly (string | false)[]): string => notes.filter(Boolean).join(' ');

export function chartOf(columns: readonly ChartColumn[], rows: readonly Row[]): Chart {
  if (rows.length === 0) return { kind: 'none', reason: 'There are no rows to draw.' };
  const filled = columns
    .map((column, index): Placed => ({ ...column, index }))
    .filter((column) => cellsOf(rows, column).length > 0);
  const labels = filled.filter(({ calc }) => calc === undefined);
  const measures = filled.filter(
    (column) => column.calc !== undefined && cellsOf(rows, column).every((cell) => typeof cell === 'number'),
  );
  if (measures.length === 0)
    return { kind: 'none', reason: 'There is no calculated column of numbers to draw: add one with calc.' };
  for (const time of labels) {
    const unit = unitOf(time.name, cellsOf(rows, time));
    const others = labels.filter((column) => column !== time);
    if (unit !== undefined) return linesOf({ rows, labels: others, measures }, time, unit);
  }
  return barsOf({ rows, labels, measures });
}

const shown = (cell: Cell | undefined): string => (cell === null ? '(none)' : String(cell));

/** Bars of the first measure; of a single unnamed row, a bar for each measure. */
function barsOf({ rows, labels, measures }: Parts): Chart {
  const [first] = rows;
  const isTotals = rows.length === 1 && labels.length === 0;
  const [measure] = measures;
  const all = isTotals
    ? measures.map(({ name, index }) => ({ label: name, value: first?.[index] }))
    : rows.map((row, place) => ({
        label: labels.map(({ index }) => shown(row[index])).join(' · ') || `Row ${place + 1}`,
        value: row[measure?.index ?? 0],
      }));
  const numbers = all.flatMap(({ label, value }) => (typeof value === 'number' ? [{ label, value }] : []));
  const bars = isTotals ? numbers : numbers.toSorted((a, b) => b.value - a.value).slice(0, MOST_BARS);
  return {
    kind: 'bars',
    label: isTotals ? 'Column' : namesOf(labels) || 'Row',
    value: isTotals ? 'Value' : (measure?.name ?? ''),
    bars,
    note: joined(
      bars.length < numbers.length && `The ${MOST_BARS} largest of ${numbers.length}; the table has all.`,
      !isTotals && measures.length > 1 && `Only ${measure?.name} is drawn.`,
    ),
  };
}

interface Line {
  readonly name: string;
  readonly values: Map<string, number>;
  total: number;
}

/** A line for each measure or, where other columns tell rows apart, for each group of the first measure. */
function linesOf({ rows, labels, measures }: Parts, time: Placed, unit: Unit): Chart {
  const points = rows.flatMap((row) => {
    const at = timeLabel(row[time.index]);
    const group = labels.map(({ index }) => row[index]);
    return at === undefined ? [] : [{ row, at, group: JSON.stringify(group) }];
  });
  const isCrowded = new Set(points.map(({ at, group }) => `${at} ${group}`)).size < points.length;
  const drawable = isCrowded ? measures.filter(({ calc }) => ADDABLE.has(calc)) : measures;
  const left = measures.filter((measure) => !drawable.includes(measure));
  const reason = `Several rows have the same ${time.name}, and the values of ${namesOf(left)} cannot be added up. Keep the column that tells these rows apart.`;
  if (drawable.length === 0) return { kind: 'none', reason };
  const isGrouped = labels.length > 0;
  const drawn = isGrouped ? drawable.slice(0, 1) : drawable;
  const lines = new Map<string, Line>();
  for (const { row, at, group } of points)
    for (const { name, index } of drawn) {
      const value = row[index];
      if (typeof value !== 'number') continue;
      const key = isGrouped ? group : name;
      const line = lines.get(key) ?? {
        name: isGrouped ? lineName(row, labels) : name,
        values: new Map(),
        total: 0,
      };
      lines.set(key, line);
      line.values.set(at, (line.values.get(at) ?? 0) + value);
      line.total += value;
    }
  const all = [...lines.values()];
  const largest = isGrouped
    ? all.toSorted((a, b) => b.total - a.total).slice(0, MOST_LINES)
    : all.slice(0, MOST_LINES);
  const times = timeLabels(new Set(all.flatMap(({ values }) => [...values.keys()])), unit);
  return {
    kind: 'lines',
    labels: times,
    label: time.name,
    series: largest.map(({ name, values }) => ({ name, values: times.map((at) => values.get(at) ?? null) })),
    note: joined(
      largest.length < all.length && `The ${MOST_LINES} largest of ${all.length} lines; the table has all.`,
      isGrouped && drawable.length > 1 && `Only ${drawn[0]?.name} is drawn.`,
      isCrowded && 'Rows of the same time are added up.',
      left.length > 0 && reason,
    ),
  };
}

/** A number alone does not say what it stands for. */
const lineName = (row: Row, labels: readonly Placed[]): string =>
  labels
    .map(({ name, index }) => (typeof row[index] === 'number' ? `${name} ${row[index]}` : shown(row[index])))
    .join(' · ');

type Unit = 'day' | 'week' | 'month' | 'second' | 'hour';

const FORMS: readonly (readonly [unit: Unit, form: RegExp])[] = [
  ['day', /^\d{4}-\d{2}-\d{2}$/],
  ['month', /^\d{4}-\d{2}$/],
  ['second', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/],
];

/** What the values of a column are as times; undefined where they are not times. */
function unitOf(name: string, values: readonly Cell[]): Unit | undefined {
  const isHour = (value: Cell) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 24;
  if (/(^|_)hour$/.test(name) && values.every(isHour)) return 'hour';
  const unit = FORMS.find(([, form]) => values.every((value) => form.test(String(value))))?.[0];
  return unit === 'day' && /(^|_)week$/.test(name) ? 'week' : unit;
}

/** Two digits, so that hours sort as text. */
const timeLabel = (cell: Cell | undefined): string | undefined =>
  typeof cell === 'number' ? String(cell).padStart(2, '0') : (cell ?? undefined);

const DAY_MS = 86_400_000;
const MOST_FILLED = 2_000;

const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const NEXT: Readonly<Record<Exclude<Unit, 'second'>, (label: string) => string | undefined>> = {
  day: (day) => daysAfter(day, 1),
  week: (monday) => daysAfter(monday, 7),
  month: (month) => new Date(Date.parse(`${month}-28`) + 5 * DAY_MS).toISOString().slice(0, 7),
  hour: (hour) => timeLabel(Number(hour) + 1),
};

/** The labels in order, with the steps in between, as long as the span is short enough to draw. */
function timeLabels(found: Iterable<string>, unit: Unit): readonly string[] {
  const labels = [...found].sort();
  const last = labels.at(-1);
  let label = labels[0];
  // 2026-99-99 looks like a day and is not one.
  const isUnreal = unit !== 'hour' && labels.some((one) => Number.isNaN(Date.parse(one)));
  if (unit === 'second' || isUnreal || last === undefined) return labels;
  const filled: string[] = [];
  while (label !== undefined && label <= last && filled.length <= MOST_FILLED) {
    filled.push(label);
    // The last day that a Date can print has no next one.
    label = label === last ? undefined : NEXT[unit](label);
  }
  return filled.length > MOST_FILLED ? labels : filled;
}
