import type {
  CardInfo,
  ChartPoints,
  DashboardHead,
  PartAnswer,
  Step,
  Unit,
} from '../../shared-types/dashboard-types';
import { type Plane, ticksBetween } from '../shared/axis';
import { pointInWords, pointOnAxis, rangeInWords } from '../shared/dates-in-words';
import { changeOf, withUnit } from './in-words';
import { type PlacedNote, placedNotes } from './placed-notes';

export interface Line {
  readonly label: string;
  readonly unit: Unit;
  /** null is a gap. */
  readonly values: readonly (number | null)[];
  readonly before: readonly (number | null)[];
  /** Short and long labels of each point, and long labels of the earlier points. */
  readonly axis: readonly string[];
  readonly names: readonly string[];
  readonly namesBefore: readonly string[];
  /** Incomplete points: lines to and from them are dashed. */
  readonly partial: ReadonlySet<number>;
  readonly partialBefore: ReadonlySet<number>;
  readonly notes: readonly PlacedNote[];
  readonly description: string;
}

const SECONDS = [1.5, 3, 6, 12, 15, 30];

/** At most five round numbers from 0 to at least `largest`. */
export const ticksUpTo = (largest: number, unit: Unit): readonly number[] =>
  unit === 'seconds'
    ? ticksBetween(0, largest, false, (rough) => (rough >= 10 ? SECONDS : [1, 2, 2.5, 5, 10]))
    : ticksBetween(0, largest, unit === 'count');

interface Piece {
  readonly dashed: boolean;
  readonly d: string;
}

/** Stretches of the line without gaps, split where dashes begin or end. */
export function piecesOf(
  values: readonly (number | null)[],
  partial: ReadonlySet<number>,
  { x, y }: Plane,
): readonly Piece[] {
  const pieces: { dashed: boolean; d: string }[] = [];
  let last: { dashed: boolean; d: string } | undefined;
  for (let at = 1; at < values.length; at += 1) {
    const [from, to] = [values[at - 1], values[at]];
    if (typeof from !== 'number' || typeof to !== 'number') {
      last = undefined;
      continue;
    }
    const dashed = partial.has(at) || partial.has(at - 1);
    if (last?.dashed !== dashed) {
      last = { dashed, d: `M${x(at - 1)} ${y(from)}` };
      pieces.push(last);
    }
    last.d += `L${x(at)} ${y(to)}`;
  }
  return pieces;
}

export const largestOf = (values: readonly (number | null)[]): number =>
  values.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0);

export const pointName = (names: readonly string[], partial: ReadonlySet<number>, at: number): string =>
  `${names[at] ?? '–'}${partial.has(at) ? ' (incomplete)' : ''}`;

export function pointText(line: Line, at: number): readonly string[] {
  const { unit, partial, partialBefore } = line;
  const [now = null, before = null] = [line.values[at], line.before[at]];
  const change = changeOf(now, before);
  const sign = change?.direction === 'down' ? '−' : '+';
  const lines = [pointName(line.names, partial, at), `${line.label}: ${withUnit(now, unit)}`];
  if (line.namesBefore[at] === undefined) return lines;
  const more =
    change === undefined || partial.has(at) || partialBefore.has(at)
      ? ''
      : ` (${change.direction === 'same' ? '±' : sign}${change.text})`;
  return [...lines, `${pointName(line.namesBefore, partialBefore, at)}: ${withUnit(before, unit)}${more}`];
}

/** A point without a row is 0 if the card shows a count and the point is within the range of the data; otherwise it is a gap. */
function valuesOf(
  { unit, column: name }: CardInfo,
  step: Step,
  { points, known: [from, until] }: ChartPoints,
  { columns = [], rows = [] }: PartAnswer,
): readonly (number | null)[] {
  const column = columns.indexOf(name);
  const names = step === 'hour' ? 2 : 1;
  const found = new Map(rows.map((row) => [row.slice(0, names).join(' '), row[column]]));
  const missing = unit === 'count' && column >= 0 ? 0 : null;
  return points.map((point, at) => {
    const value = found.get(point);
    if (at < from || at >= until) return null;
    return typeof value === 'number' ? value : missing;
  });
}

export function lineOf(
  card: CardInfo,
  head: DashboardHead,
  now: PartAnswer,
  before: PartAnswer | undefined,
): Line {
  const { step, chart, chartBefore, range } = head;
  const { points, partial } = chart;
  const compared = before && chartBefore;
  return {
    label: card.label,
    unit: card.unit,
    values: valuesOf(card, step, chart, now),
    before: compared ? valuesOf(card, step, compared, before) : [],
    axis: points.map((point) => pointOnAxis(step, point)),
    names: points.map((point) => pointInWords(step, point)),
    namesBefore: compared ? compared.points.map((point) => pointInWords(step, point)) : [],
    partial: new Set(partial),
    partialBefore: new Set(compared?.partial),
    notes: placedNotes(head),
    description: `${card.label} by ${step}, ${rangeInWords(range)}. The left and right arrow keys move along the line.`,
  };
}
