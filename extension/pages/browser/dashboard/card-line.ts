import type {
  CardInfo,
  ChartPoints,
  DashboardHead,
  PartAnswer,
  Step,
} from '../../shared-types/dashboard-types';
import { pointInWords, pointOnAxis, rangeInWords } from '../shared/dates-in-words';
import type { Line } from './line';

/** A step without rows is 0 for counts with data on that day, otherwise a gap. */
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
  { step, chart, chartBefore, range }: DashboardHead,
  now: PartAnswer,
  before: PartAnswer | undefined,
): Line {
  const { points, partial } = chart;
  const compared = before && chartBefore;
  return {
    label: card.label,
    unit: card.unit,
    values: valuesOf(card, step, chart, now),
    before: compared ? valuesOf(card, step, compared, before).slice(0, points.length) : [],
    axis: points.map((point) => pointOnAxis(step, point)),
    names: points.map((point) => pointInWords(step, point)),
    namesBefore: compared
      ? compared.points.slice(0, points.length).map((point) => pointInWords(step, point))
      : [],
    partial: new Set(partial),
    description: `${card.label} by ${step}, ${rangeInWords(range)}. The left and right arrow keys move along the line.`,
  };
}
