// Decides how an answer is drawn: columns + rows -> lines over time, bars, or nothing with the reason.
// Calculated columns are drawn, kept ones say what of; drawing is elsewhere. What is left out has a note that says so.
import type { OutputColumn } from './query-names';
import type { Cell, Row } from './sort-rows';
import { timeLabel, timeLabels, type Unit, unitOf } from './time-labels';

/** A column of the answer. */
export type ChartColumn = Pick<OutputColumn, 'name' | 'calc'>;

export interface Series {
  readonly name: string;
  /** One for each label; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface Lines {
  readonly kind: 'lines';
  /** One for each point in time, in order; days, months and hours without a row are among them. */
  readonly labels: readonly string[];
  readonly label: string;
  readonly series: readonly Series[];
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
const MOST_SERIES = 6;

/** Of two rows the number of both together is the sum; of a mean or of different values it is not. */
const ADDABLE: ReadonlySet<string> = new Set(['COUNT', 'SUM']);

const NO_NUMBERS = 'There is no calculated column of numbers to draw: add one with calc.';

/** A column with its place in a row. */
interface Placed extends ChartColumn {
  readonly index: number;
}

const cellsOf = (rows: readonly Row[], { index }: Placed): readonly Exclude<Cell, null>[] =>
  rows.flatMap((row) => row[index] ?? []);

/** How these rows are drawn. */
export function chartOf(columns: readonly ChartColumn[], rows: readonly Row[]): Chart {
  if (rows.length === 0) return { kind: 'none', reason: 'There are no rows to draw.' };
  // A column without any value tells nothing apart.
  const placed = columns
    .map((column, index): Placed => ({ ...column, index }))
    .filter((column) => cellsOf(rows, column).length > 0);
  const kept = placed.filter(({ calc }) => calc === undefined);
  const measures = placed.filter(
    (column) =>
      column.calc !== undefined && cellsOf(rows, column).every((value) => typeof value === 'number'),
  );
  if (measures.length === 0) return { kind: 'none', reason: NO_NUMBERS };
  for (const time of kept) {
    const unit = unitOf(time.name, cellsOf(rows, time));
    const labels = kept.filter((column) => column !== time);
    if (unit !== undefined) return linesOf({ rows, time, unit, labels, measures });
  }
  return barsOf(rows, kept, measures);
}

const shown = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '(none)' : String(cell);

const labelOf = (row: Row, labels: readonly Placed[]): string =>
  labels.map(({ index }) => shown(row[index])).join(' · ');

const namesOf = (columns: readonly Placed[]): string => columns.map(({ name }) => name).join(' · ');

const sentences = (...notes: readonly string[]): string => notes.filter((note) => note !== '').join(' ');

/** Only the first measure has bars, but that of a single row without a name, where each has one. */
function barsOf(rows: readonly Row[], labels: readonly Placed[], measures: readonly Placed[]): Chart {
  const [only] = rows;
  if (rows.length === 1 && labels.length === 0 && only !== undefined) return barsOfOneRow(only, measures);
  const [measure] = measures;
  const all = rows.flatMap((row, index) => {
    const value = row[measure?.index ?? 0];
    const label = labels.length === 0 ? `Row ${index + 1}` : labelOf(row, labels);
    return typeof value === 'number' ? [{ label, value }] : [];
  });
  const largest = all.toSorted((one, other) => other.value - one.value).slice(0, MOST_BARS);
  return {
    kind: 'bars',
    label: labels.length === 0 ? 'Row' : namesOf(labels),
    value: measure?.name ?? '',
    bars: largest,
    note: sentences(
      largest.length < all.length ? `The ${MOST_BARS} largest of ${all.length}; the table has all.` : '',
      measures.length > 1 ? `Only ${measure?.name} is drawn.` : '',
    ),
  };
}

/** A bar for each number of the row: totals without a group. */
function barsOfOneRow(row: Row, measures: readonly Placed[]): Bars {
  const bars = measures.flatMap(({ name, index }) => {
    const value = row[index];
    return typeof value === 'number' ? [{ label: name, value }] : [];
  });
  return { kind: 'bars', label: 'Column', value: 'Value', bars, note: '' };
}

interface Timed {
  readonly rows: readonly Row[];
  readonly time: Placed;
  readonly unit: Unit;
  readonly labels: readonly Placed[];
  readonly measures: readonly Placed[];
}

interface Sums {
  readonly name: string;
  readonly byLabel: Map<string, number>;
  total: number;
}

/** A number alone does not say what it is of. */
const lineName = (row: Row, labels: readonly Placed[]): string =>
  labels
    .map(({ name, index }) => (typeof row[index] === 'number' ? `${name} ${row[index]}` : shown(row[index])))
    .join(' · ');

/** Whether several rows stand at one time of one line. */
function isCrowded({ rows, time, labels }: Timed): boolean {
  const places = rows.flatMap((row) => {
    const at = timeLabel(row[time.index]);
    return at === undefined ? [] : [JSON.stringify([at, ...labels.map(({ index }) => row[index])])];
  });
  return new Set(places).size < places.length;
}

function linesOf(timed: Timed): Chart {
  const { time, unit, labels, measures } = timed;
  const crowded = isCrowded(timed);
  const drawable = crowded ? measures.filter(({ calc }) => ADDABLE.has(calc ?? '')) : measures;
  const left = measures.filter((measure) => !drawable.includes(measure));
  const reason = `Several rows have the same ${time.name}, and the numbers of ${namesOf(left)} cannot be added up: keep the column that tells those rows apart.`;
  if (drawable.length === 0) return { kind: 'none', reason };
  // One line for each group, or one for each measure: never both, which nobody could read.
  const drawn = labels.length === 0 ? drawable : drawable.slice(0, 1);
  const found = sumsOf(timed, drawn);
  const largest = labels.length === 0 ? found : found.toSorted((one, other) => other.total - one.total);
  const series = largest.slice(0, MOST_SERIES);
  const at = timeLabels(new Set(found.flatMap(({ byLabel }) => [...byLabel.keys()])), unit);
  return {
    kind: 'lines',
    labels: at,
    label: time.name,
    series: series.map(({ name, byLabel }) => ({ name, values: at.map((it) => byLabel.get(it) ?? null) })),
    note: sentences(
      series.length < largest.length
        ? `The ${MOST_SERIES} largest of ${largest.length} lines; the table has all.`
        : '',
      labels.length > 0 && drawable.length > 1 ? `Only ${drawn[0]?.name} is drawn.` : '',
      crowded ? 'Rows of the same time are added up.' : '',
      left.length > 0 ? reason : '',
    ),
  };
}

/** The numbers of each line by time, in the order in which the lines are met. */
function sumsOf({ rows, time, labels }: Timed, drawn: readonly Placed[]): readonly Sums[] {
  const found = new Map<string, Sums>();
  for (const row of rows) {
    const at = timeLabel(row[time.index]);
    if (at === undefined) continue;
    for (const measure of drawn) {
      const value = row[measure.index];
      if (typeof value !== 'number') continue;
      const key = labels.length === 0 ? measure.name : JSON.stringify(labels.map(({ index }) => row[index]));
      const name = labels.length === 0 ? measure.name : lineName(row, labels);
      const sums = found.get(key) ?? { name, byLabel: new Map(), total: 0 };
      found.set(key, sums);
      sums.byLabel.set(at, (sums.byLabel.get(at) ?? 0) + value);
      sums.total += value;
    }
  }
  return [...found.values()];
}
