// Lowers a view's `fill_periods`, which adds the periods without rows. Parts of the view's filter that read only the period also
// apply to the added periods.

import { columnsOfFilter } from '../types/filter-parts';
import type { CalendarUnit } from '../types/periods';
import type { Aggregate, ComputedColumn, GroupNode, PlanNode } from '../types/plan';
import type { BoundColumn, FilledPeriods, ResolvedView } from '../types/resolved-query';
import { extended, filtered } from './build-nodes';
import { lowerFilter, uniqueColumns } from './lower-material';

/** The time parts that are the same at every instant of a period. */
const DETERMINED: Readonly<Record<CalendarUnit, readonly string[]>> = {
  date: ['weekday', 'week', 'month'],
  'month-start': ['month'],
  week: [],
  month: [],
  hour: [],
  weekday: [],
};

const ZERO_WITHOUT_ROWS: readonly Aggregate['function'][] = ['COUNT', 'COUNTUNIQUE', 'SUM'];

/** Whether a filtered column has exactly one value in each period. A filter reads only columns of the `from` side. */
const isDetermined = ({ name, origin }: BoundColumn, { column, unit }: FilledPeriods): boolean =>
  column.side === 'from' &&
  (name === column.name || (origin.kind === 'time-part' && DETERMINED[unit].includes(origin.part)));

/** `group` contains the view's groups, and `nameOf` returns the names of their plan columns. */
export function lowerFill(
  group: GroupNode,
  fill: FilledPeriods,
  { name: view, filter }: ResolvedView,
  nameOf: (bound: BoundColumn) => string,
): PlanNode {
  const { column: filled, unit, spans, max } = fill;
  const column = nameOf(filled);
  const parts = filter.filter((part) => columnsOfFilter([part]).every((read) => isDetermined(read, fill)));
  const partsOfPeriod = uniqueColumns(columnsOfFilter(parts)).flatMap((bound): readonly ComputedColumn[] =>
    bound.origin.kind === 'time-part' && bound.name !== filled.name
      ? [{ name: nameOf(bound), value: { kind: 'time-part', part: bound.origin.part, column, clock: null } }]
      : [],
  );
  const calendar = extended({ kind: 'calendar', column, unit, spans }, partsOfPeriod);
  return {
    kind: 'fill',
    input: group,
    calendar: filtered(calendar, lowerFilter(parts, nameOf)),
    column,
    within: group.keys.filter((key) => key !== column),
    zeros: group.aggregates
      .filter((aggregate) => ZERO_WITHOUT_ROWS.includes(aggregate.function))
      .map(({ name }) => name),
    max,
    view,
  };
}
