// Finds flags in a query that no page of the site has, so they are never 1.
import { valuesOf } from '../types/arithmetic';
import { conditionsOf, type ParsedView } from '../types/parsed-query';
import type { Path } from '../types/path';
import type { BoundColumn, ResolvedCall, ResolvedFilterPart, ResolvedView } from '../types/resolved-query';

const isFlagOfPages = ({ origin }: BoundColumn): boolean => origin.kind === 'lookup' && origin.bit !== null;

const columnsIn = (filter: readonly ResolvedFilterPart[]): readonly BoundColumn[] =>
  filter.flatMap((part) => ('anyOf' in part ? columnsIn(part.anyOf.flat()) : [part.column]));

const columnsOfCall = ({ column, filter }: ResolvedCall): readonly BoundColumn[] => [
  column,
  ...columnsIn(filter?.parts ?? []),
];

/** The flags of pages that a view reads from a material. */
export const pageFlagsIn = ({ keep, filter, calc }: ResolvedView): readonly string[] => [
  ...new Set(
    [
      ...keep,
      ...columnsIn(filter),
      ...(calc ?? []).flatMap(({ value }) => valuesOf(value).flatMap(columnsOfCall)),
    ]
      .filter(isFlagOfPages)
      .map(({ name }) => name),
  ),
];

/** The first position in a view that names a column. */
export function placeOf(column: string, view: ParsedView): Path {
  const { name, keep, calc } = view;
  const condition = conditionsOf(view).find((it) => it.column === column);
  if (condition !== undefined) return condition.place;
  const kept = keep.findIndex((it) => it.column === column);
  if (kept >= 0) return ['make', name, 'keep', kept];
  const call = calc.find(({ value }) => valuesOf(value).some(({ reference }) => reference.column === column));
  return ['make', name, 'calc', ...(call === undefined ? [] : [call.name])];
}
