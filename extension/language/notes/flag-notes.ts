// Finds flags in a query that are never 1, because no page of the site has them.
import { valuesOf } from '../types/arithmetic';
import { columnsOfView } from '../types/columns-of-view';
import { columnsOfFilter } from '../types/filter-parts';
import { conditionsOf, type ParsedView } from '../types/parsed-query';
import type { Path } from '../types/path';
import type { BoundColumn, ResolvedView } from '../types/resolved-query';

const isFlagOfPages = ({ origin }: BoundColumn): boolean => origin.kind === 'lookup' && origin.bit !== null;

/** The page flags that a view reads from a material. */
export const pageFlagsIn = (view: ResolvedView): readonly string[] => [
  ...new Set(
    columnsOfView(view)
      .filter(isFlagOfPages)
      .map(({ name }) => name),
  ),
];

/** The first position in a view that names a column. */
export function placeOf(column: string, view: ParsedView): Path {
  const { name, keep, calc } = view;
  const condition = conditionsOf(view).find((it) => columnsOfFilter([it]).includes(column));
  if (condition !== undefined) return condition.place;
  const kept = keep.findIndex((it) => it.column === column);
  if (kept >= 0) return ['make', name, 'keep', kept];
  const call = calc.find(({ value }) => valuesOf(value).some(({ reference }) => reference.column === column));
  return ['make', name, 'calc', ...(call === undefined ? [] : [call.name])];
}
