// Chooses what to draw: points in time or categories, with a series for each measure or group. Calculated columns are drawn;
// the columns in `keep` are times or labels. The note lists what was left out.

import type { AnswerColumn } from '../../shared-types/query-check';
import type { Cell, Row } from '../shared/query-answer';
import { TIME_AXES } from './time-points';

interface ChartPoint {
  readonly name: string;
  /** Short label and position on a time axis. */
  readonly axis: string;
  readonly place: number;
}

export interface Series {
  readonly name: string;
  /** One for each point; null if there is no row. */
  readonly values: readonly (number | null)[];
}

export interface ShownSeries extends Series {
  readonly className: string;
}

export interface Chart {
  readonly kind: 'time' | 'categories';
  /** Instants have no fixed step, so no point can be missing. */
  readonly isInstant: boolean;
  readonly points: readonly ChartPoint[];
  readonly series: readonly Series[];
  /** Such as `views by access_date`. */
  readonly title: string;
  /** If only one measure is drawn, the measures to choose from. */
  readonly measures: readonly string[];
  /** Whether the height of a stack is a total. */
  readonly isAdditive: boolean;
  readonly note: string;
}

export type ChartOrReason = Chart | { readonly kind: 'none'; readonly reason: string };

const MAX_CATEGORIES = 30;
const MAX_SERIES = 6;

interface Placed extends AnswerColumn {
  readonly index: number;
}

const isNumeric = ({ type }: AnswerColumn): boolean => type === 'int' || type === 'num' || type === 'flag';
const namesOf = (columns: readonly Placed[]): string => columns.map(({ name }) => name).join(' · ');
const joined = (...notes: readonly (string | false)[]): string => notes.filter(Boolean).join(' ');
const none = (reason: string): ChartOrReason => ({ kind: 'none', reason });

/** `wanted` is the preferred measure if only one can be drawn. */
export function chartOf(columns: readonly AnswerColumn[], rows: readonly Row[], wanted = ''): ChartOrReason {
  if (rows.length === 0) return none('There are no rows to draw.');
  const filled = columns
    .map((column, index): Placed => ({ ...column, index }))
    .filter(({ index }) => rows.some((row) => (row[index] ?? null) !== null));
  const measures = filled.filter((column) => column.measure !== null && isNumeric(column));
  if (measures.length === 0) return none('There is no calculated numeric column to draw: add one with calc.');
  const labels = filled.filter(({ measure }) => measure === null);
  if (labels.length === 0 && rows.length === 1) return totalsOf(measures, rows[0] ?? []);
  const time = labels.find((column) => column.time !== null);
  const others = labels.filter((column) => column !== time);
  if (time !== undefined) return seriesChart({ rows, measures, wanted }, [time], others);
  const split = splitOf(others, rows);
  const along = others.filter((column) => column !== split);
  return seriesChart({ rows, measures, wanted }, along, split === undefined ? [] : [split]);
}

function totalsOf(measures: readonly Placed[], row: Row): Chart {
  return {
    kind: 'categories',
    isInstant: false,
    points: measures.map(({ name }, place) => ({ name, axis: name, place })),
    series: [{ name: 'Value', values: measures.map(({ index }) => numberIn(row, index)) }],
    title: 'Totals',
    measures: [],
    isAdditive: false,
    note: '',
  };
}

/** If the last of several labels has few distinct values, each value becomes a series. */
function splitOf(labels: readonly Placed[], rows: readonly Row[]): Placed | undefined {
  const last = labels.at(-1);
  if (last === undefined || labels.length < 2) return undefined;
  return new Set(rows.map((row) => row[last.index])).size <= MAX_SERIES ? last : undefined;
}

interface ChartInput {
  readonly rows: readonly Row[];
  readonly measures: readonly Placed[];
  readonly wanted: string;
}

interface Drawn {
  readonly name: string;
  readonly total: number;
  readonly values: ReadonlyMap<string, number>;
}

/** A series for each group or, without groups, for each measure. */
function seriesChart(
  requested: ChartInput,
  along: readonly Placed[],
  groups: readonly Placed[],
): ChartOrReason {
  const [time] = along.filter(({ time }) => time !== null);
  const isUnlabeled = along.length === 0;
  const placed = requested.rows
    .filter((row) => time === undefined || (row[time.index] ?? null) !== null)
    .map((row, at) => ({
      row,
      point: isUnlabeled ? `Row ${at + 1}` : JSON.stringify(along.map(({ index }) => row[index])),
      group: JSON.stringify(groups.map(({ index }) => row[index])),
    }));
  const isCrowded = new Set(placed.map(({ point, group }) => `${point} ${group}`)).size < placed.length;
  const drawable = requested.measures.filter(({ measure }) => !isCrowded || measure === 'additive');
  const omitted = requested.measures.filter((measure) => !drawable.includes(measure));
  const reason = `Several rows have the same ${namesOf([...along, ...groups])}, and the values of ${namesOf(omitted)} cannot be added. Keep the column that distinguishes these rows.`;
  const chosen = drawable.find(({ name }) => name === requested.wanted) ?? drawable[0];
  if (chosen === undefined) return none(reason);
  const isGrouped = groups.length > 0;
  const drawn = isGrouped ? [chosen] : drawable.slice(0, MAX_SERIES);
  const all = isGrouped
    ? [...Map.groupBy(placed, ({ group }) => group).values()].map((members) =>
        seriesOf(labelOf(members[0]?.row ?? [], groups), members, chosen),
      )
    : drawn.map((measure) => seriesOf(measure.name, placed, measure));
  const largest = isGrouped ? all.toSorted((a, b) => b.total - a.total).slice(0, MAX_SERIES) : all;
  const cells = new Map(placed.map(({ point, row }) => [point, row]));
  const points = [...cells].map(([key, row]) => ({ key, ...pointOf(row, along, time, key) }));
  const shown =
    time === undefined ? largestPoints(points, largest) : points.toSorted((a, b) => a.place - b.place);
  return {
    kind: time === undefined ? 'categories' : 'time',
    isInstant: time?.time === 'instant',
    points: shown.map(({ name, axis, place }) => ({ name, axis, place })),
    series: largest.map(({ name, values }) => ({
      name,
      values: shown.map(({ key }) => values.get(key) ?? null),
    })),
    title: [namesOf(drawn), namesOf([...along, ...groups]) || 'row'].join(' by '),
    measures: isGrouped ? drawable.map(({ name }) => name) : [],
    isAdditive: isGrouped && chosen.measure === 'additive',
    note: joined(
      largest.length < all.length &&
        `The ${MAX_SERIES} largest of ${all.length} groups; the table has all of them.`,
      drawn.length < drawable.length &&
        !isGrouped &&
        `The first ${MAX_SERIES} of ${drawable.length} measures.`,
      shown.length < points.length &&
        `The ${MAX_CATEGORIES} largest of ${points.length}; the table has all of them.`,
      isCrowded && `Rows with the same ${namesOf([...along, ...groups])} are added up.`,
      omitted.length > 0 && reason,
    ),
  };
}

const numberIn = (row: Row, index: number): number | null => {
  const cell = row[index];
  return typeof cell === 'number' ? cell : null;
};

function seriesOf(
  name: string,
  rows: readonly { readonly row: Row; readonly point: string }[],
  { index }: Placed,
): Drawn {
  const values = new Map<string, number>();
  let total = 0;
  for (const { row, point } of rows) {
    const value = numberIn(row, index);
    if (value === null) continue;
    values.set(point, (values.get(point) ?? 0) + value);
    total += value;
  }
  return { name, values, total };
}

function pointOf(row: Row, along: readonly Placed[], time: Placed | undefined, key: string): ChartPoint {
  if (time === undefined || time.time === null) {
    const name = along.length === 0 ? key : labelOf(row, along);
    return { name, axis: name, place: 0 };
  }
  const cell = row[time.index] ?? null;
  const { place, axis, name } = TIME_AXES[time.time];
  return { name: name(cell), axis: axis(cell), place: place(cell) };
}

const shownCell = (cell: Cell | undefined): string => (cell === null ? '(none)' : String(cell));

/** Numbers are preceded by their column's name if there are several labels. */
const labelOf = (row: Row, labels: readonly Placed[]): string =>
  labels
    .map(({ name, index }) =>
      labels.length > 1 && typeof row[index] === 'number' ? `${name} ${row[index]}` : shownCell(row[index]),
    )
    .join(' · ');

/** Keeps the answer's row order. */
function largestPoints<Point extends { readonly key: string }>(
  points: readonly Point[],
  series: readonly Drawn[],
): readonly Point[] {
  if (points.length <= MAX_CATEGORIES) return points;
  const total = ({ key }: Point) => series.reduce((sum, { values }) => sum + (values.get(key) ?? 0), 0);
  const largest = new Set(points.toSorted((a, b) => total(b) - total(a)).slice(0, MAX_CATEGORIES));
  return points.filter((point) => largest.has(point));
}
