// Owns which of the kept numbers answers an aggregate over rows of a kind.
// Of a kind are rows with certain stored values, say the first of a visit; without any value, all rows.
import type { Material } from '../../../../manifests/reader/manifest';
import type { MaterialRollups, RollupMeasure, RowKind } from '../../../../manifests/reader/rollups';
import type { Aggregate } from '../../types/plan';
import type { ResolvedTest } from '../../types/resolved-query';

export const ALL_ROWS: RowKind = {};

const isSameKind = (left: RowKind, right: RowKind): boolean => {
  const fields = Object.keys(left);
  return fields.length === Object.keys(right).length && fields.every((field) => left[field] === right[field]);
};

export const isAllRows = (kind: RowKind): boolean => isSameKind(kind, ALL_ROWS);

/** What a test asks of a whole number that is never null: one value, or to be greater than 0. */
export function valueAsked(test: ResolvedTest): number | 'positive' | undefined {
  switch (test.operator) {
    case 'eq':
      return asNumber(test.value);
    case 'in':
      return test.values.length === 1 ? asNumber(test.values[0]) : undefined;
    case 'gt':
      return test.value === 0 ? 'positive' : undefined;
    case 'gte':
      return test.value === 1 ? 'positive' : undefined;
    default:
      return undefined;
  }
}

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The kind of rows of both kinds; undefined where no single value of a field says so. */
export function bothKinds(left: RowKind, right: RowKind): RowKind | undefined {
  const differ = Object.keys(right).some((field) => field in left && left[field] !== right[field]);
  return differ ? undefined : { ...left, ...right };
}

/** The array that holds the number of rows of a kind. */
export function rowsOfKind(kind: RowKind, { measures }: MaterialRollups): string | undefined {
  return measures.find(
    (measure) =>
      (measure.function === 'COUNT' && measure.of === undefined && isSameKind(measure.where, kind)) ||
      // The sum of a flag is the number of rows that have it.
      (measure.function === 'SUM' && isFlagOf(measure) && isSameKind(measure.equally, kind)),
  )?.name;
}

const isFlagOf = ({ of, where, equally }: RollupMeasure): boolean =>
  of !== undefined && isAllRows(where) && isSameKind(equally, { [of]: 1 });

/** The array that holds a count or a sum of a stored field over rows of a kind; null is the count of the rows. */
export function measureOf(
  aggregate: Pick<Aggregate, 'function' | 'type'>,
  field: string | null,
  kind: RowKind,
  rollups: MaterialRollups,
  material: Material,
): string | undefined {
  const { function: name, type } = aggregate;
  if (name !== 'COUNT' && name !== 'SUM') return undefined;
  if (field === null || (name === 'COUNT' && isNeverNull(field, material))) {
    return name === 'COUNT' ? rowsOfKind(kind, rollups) : undefined;
  }
  const found = rollups.measures.find(
    (measure) =>
      measure.function === name &&
      measure.of === field &&
      (isSameKind(measure.where, kind) || (isAllRows(measure.where) && isSameKind(measure.equally, kind))),
  );
  if (found !== undefined || name !== 'SUM' || type !== 'flag') return found?.name;
  const flagged = bothKinds(kind, { [field]: 1 });
  return flagged && rowsOfKind(flagged, rollups);
}

/** Whether a field has a value in every row, as its own column in the manifest says. */
const isNeverNull = (stored: string, { columns }: Material): boolean =>
  [...columns.values()].some(
    ({ name, field = name, nullable, via, part, per, computed, word_of, goal, param }) =>
      field === stored &&
      !nullable &&
      [via, part, per, computed, word_of, goal, param].every((other) => other === undefined),
  );
