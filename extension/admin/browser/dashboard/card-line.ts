// The line of a card: the rows of its figure, put in their places. Nothing here touches the page.
import { pointInWords, pointOnAxis, rangeInWords } from '../shared/dates-in-words';
import type { CardInfo, DashboardHead, PartAnswer } from './dashboard-types';
import type { Line } from './line';

/** A step without rows is 0, or a gap where the number is no count. */
export function lineOf(
  card: CardInfo,
  head: DashboardHead,
  now: PartAnswer,
  before: PartAnswer | undefined,
): Line {
  const { step, points, pointsBefore, partial, begun, range } = head;
  const valuesOf = (answer: PartAnswer | undefined, at: readonly string[]): readonly (number | null)[] => {
    if (answer === undefined) return [];
    const { columns = [], rows = [] } = answer;
    const column = columns.indexOf(card.column);
    const names = step === 'hour' ? 2 : 1;
    const found = new Map(rows.map((row) => [row.slice(0, names).join(' '), row[column]]));
    const isCount = card.unit === 'count' && column >= 0;
    return at.map((point) => {
      const value = found.get(point);
      return typeof value === 'number' ? value : isCount ? 0 : null;
    });
  };
  const values = valuesOf(now, points).map((value, at) => (at < begun ? value : null));
  return {
    label: card.label,
    unit: card.unit,
    values,
    before: valuesOf(before, pointsBefore.slice(0, points.length)),
    axis: points.map((point) => pointOnAxis(step, point)),
    names: points.map((point) => pointInWords(step, point)),
    namesBefore:
      before === undefined
        ? []
        : pointsBefore.slice(0, points.length).map((point) => pointInWords(step, point)),
    partial: new Set(partial),
    description: `${card.label} by ${step}, ${rangeInWords(range)}. The left and right arrow keys move along the line.`,
  };
}
