// Owns which counts of different values a dimension answers.
// The values are kept apart by the dimension's keys, so the groups must be: no group may merge two keys of a site.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { COUNTED_FIELDS, type RollupDimension } from '../../../../manifests/reader/rollups';
import { type Aggregate, SITE_FIELD } from '../../types/plan';
import {
  type PlacedColumn,
  type PlacedCondition,
  type RowChain,
  storedField,
  valueBehind,
} from './row-chain';

/** A count of different values of a field, and the number of that field in the database. */
export interface CountedValues {
  readonly aggregate: Aggregate;
  readonly field: string;
  readonly code: number;
}

/** What can hold a key of the dimension to one value in each group. */
interface Pinning {
  readonly keys: readonly PlacedColumn[];
  readonly conditions: readonly PlacedCondition[];
}

/** The counted field of an aggregate over all rows of a dimension; undefined where it is none, or not kept like that. */
export function uniqueOf(
  aggregate: Aggregate,
  { keys, counts }: RollupDimension,
  pinning: Pinning,
  { chain, manifest }: { readonly chain: RowChain; readonly manifest: Manifest },
): CountedValues | undefined {
  const { function: name, column, within } = aggregate;
  if (name !== 'COUNTUNIQUE' || column === null) return undefined;
  const field = storedField({ column, steps: chain.steps.length }, chain);
  const code = field === undefined ? undefined : COUNTED_FIELDS[field];
  if (field === undefined || code === undefined || !counts.includes(field)) return undefined;
  const isSiteKept = pinning.keys.some((key) => storedField(key, chain) === SITE_FIELD);
  const isWithinSite = chain.scan.siteIds.length === 1 || isSiteKept || within.includes(SITE_FIELD);
  if (!isWithinSite || within.some((other) => other !== SITE_FIELD)) return undefined;
  return keys.every((key) => isPinned(key, pinning, chain, manifest))
    ? { aggregate, field, code }
    : undefined;
}

/** Whether all rows of a group and a site have the same value in a stored field. */
function isPinned(
  field: string,
  { keys, conditions }: Pinning,
  chain: RowChain,
  manifest: Manifest,
): boolean {
  return (
    keys.some((key) => isOneToOne(field, key, chain, manifest)) ||
    conditions.some((placed) => isOneValue(placed) && isOneToOne(field, placed, chain, manifest))
  );
}

const isOneValue = ({ condition: { test } }: PlacedCondition): boolean =>
  test.operator === 'eq' || (test.operator === 'in' && test.values.length === 1);

/** Whether a column is the field itself, or a text of it that no two ids of a site share. */
function isOneToOne(field: string, placed: PlacedColumn, chain: RowChain, manifest: Manifest): boolean {
  const { value, steps } = valueBehind(placed, chain);
  if (value.kind !== 'lookup') return storedField(placed, chain) === field;
  const isUnique = manifest.dimensions.get(value.dimension)?.unique === value.field;
  return isUnique && value.bit === null && storedField({ column: value.key, steps }, chain) === field;
}
