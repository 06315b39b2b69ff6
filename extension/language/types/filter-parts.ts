// Filters as trees of conditions and lists of filters, and functions that collect their conditions and columns.

/** All parts of a filter must hold. Of the filters in `anyOf`, at least one must hold or, with `except`, none may hold. */
export type FilterPart<Condition> = Condition | AnyOf<FilterPart<Condition>>;

interface AnyOf<Part> {
  readonly anyOf: readonly (readonly Part[])[];
  readonly except: boolean;
}

const isList = <Condition extends object>(
  part: FilterPart<Condition>,
): part is AnyOf<FilterPart<Condition>> => 'anyOf' in part;

/** All conditions of a filter, including those in lists. */
export const conditionsIn = <Condition extends object>(
  filter: readonly FilterPart<Condition>[],
): readonly Condition[] =>
  filter.flatMap((part): readonly Condition[] => (isList(part) ? conditionsIn(part.anyOf.flat()) : [part]));

/** The columns that a filter reads, with duplicates. */
export const columnsOfFilter = <Column>(
  filter: readonly FilterPart<
    { readonly column: Column } | { readonly column: Column; readonly other: Column }
  >[],
): readonly Column[] =>
  conditionsIn(filter).flatMap((it) => ('other' in it ? [it.column, it.other] : [it.column]));
