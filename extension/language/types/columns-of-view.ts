// The columns that a resolved view reads, with duplicates.
import { valuesOf } from './arithmetic';
import { columnsOfFilter } from './filter-parts';
import type { BoundColumn, ResolvedCalc, ResolvedCall, ResolvedView } from './resolved-query';

export const callsOf = (calc: readonly ResolvedCalc[] | null): readonly ResolvedCall[] =>
  (calc ?? []).flatMap(({ value }) => valuesOf(value));

/** The columns that a view reads from every row that passes its filter. */
export const columnsOfRows = ({
  keep,
  calc,
}: Pick<ResolvedView, 'keep' | 'calc'>): readonly BoundColumn[] => [
  ...keep,
  ...callsOf(calc).flatMap(({ column, filter }) => (filter === null ? [column] : [])),
];

/** All columns that a view reads, in order, except those that only its join pairs read. */
export const columnsOfView = ({ keep, filter, calc }: ResolvedView): readonly BoundColumn[] => [
  ...keep,
  ...columnsOfFilter(filter),
  ...callsOf(calc).flatMap((call) => [call.column, ...columnsOfFilter(call.filter?.parts ?? [])]),
];
