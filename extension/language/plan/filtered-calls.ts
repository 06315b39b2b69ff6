// A call with a filter aggregates a column that is null in rows that fail the filter, so the plan's passes never see the filter.
import { columnsOfFilter } from '../types/filter-parts';
import type { PlanNode } from '../types/plan';
import type { BoundColumn, CalcFilter, ResolvedCall } from '../types/resolved-query';
import { extended } from './build-nodes';
import { lowerFilter, type SourceRows } from './lower-material';

export interface FilteredCall {
  readonly column: BoundColumn;
  readonly filter: CalcFilter;
  /** The name of the column that is null in rows that fail the filter. */
  readonly name: string;
}

/** The filtered calls that aggregate a column of one side. */
export const filteredCalls = (
  view: string,
  calls: readonly ResolvedCall[],
  side: BoundColumn['side'],
): readonly FilteredCall[] =>
  calls.flatMap(({ column, filter }) =>
    filter === null || column.side !== side
      ? []
      : [{ column, filter, name: passingName(view, filter, column) }],
  );

export const passingName = (view: string, { calc }: CalcFilter, column: BoundColumn): string =>
  `passing.${view}.${calc}.${column.name}`;

export const columnsOfFiltered = (calls: readonly FilteredCall[]): readonly BoundColumn[] =>
  calls.flatMap(({ column, filter }) => [column, ...columnsOfFilter(filter.parts)]);

export const withPassing = (
  rows: PlanNode,
  calls: readonly FilteredCall[],
  nameOf: SourceRows['nameOf'],
): PlanNode =>
  extended(
    rows,
    [...new Map(calls.map((call) => [call.name, call])).values()].map(({ name, column, filter }) => {
      const conditions = lowerFilter(filter.parts, nameOf);
      return { name, value: { kind: 'where', column: nameOf(column), conditions } };
    }),
  );
