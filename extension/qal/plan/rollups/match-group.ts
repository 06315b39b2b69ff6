// Owns whether a group of rows can be answered from what is kept counted, and from which of it.
// Group over a chain -> the dimension, its numbers, and what they leave to the conditions; or the reason why not.

import type { Manifest, Material } from '../../../../manifests/reader/manifest';
import type { MaterialRollups, RollupDimension, RowKind } from '../../../../manifests/reader/rollups';
import type { ColumnType } from '../../../../manifests/reader/schema';
import type { LocalClock } from '../../../time/local-clock';
import { eachOnce } from '../../types/columns-of';
import type { Aggregate, Expression, GroupNode, ScanBounds } from '../../types/plan';
import { partialsOf } from '../merge-aggregates';
import { localPeriodOf } from '../plan-facts';
import type { Span } from './blocks';
import { type CountedValues, uniqueOf } from './counted-values';
import { ALL_ROWS, bothKinds, isAllRows, measureOf, rowsOfKind, valueAsked } from './kept-measures';
import {
  atTop,
  conditionsOf,
  fieldsBehind,
  type PlacedCondition,
  type RowChain,
  storedField,
  valueBehind,
} from './row-chain';

/** The range of a scan. */
type RangeBounds = Extract<ScanBounds, { readonly kind: 'range' }>;

/** A group over a chain of rows whose counts are kept. */
export interface AskedGroup {
  readonly group: GroupNode;
  readonly chain: RowChain;
  readonly bounds: RangeBounds;
  readonly manifest: Manifest;
  readonly material: Material;
  readonly rollups: MaterialRollups;
}

export interface Match {
  readonly dimension: RollupDimension;
  /** Counts and sums of rows, which merge by adding. */
  readonly parts: readonly KeptPart[];
  /** Counts of different values. */
  readonly uniques: readonly CountedValues[];
  /** The array that tells whether a key has rows of the asked kind at all; null where every key has. */
  readonly rows: string | null;
  readonly period: PeriodKey | null;
  /** What the conditions say of the time of the parents: they hold for all others of its rows. */
  readonly parents: Span;
}

/** A number, and the array that holds it. */
interface KeptPart {
  readonly partial: Aggregate;
  readonly array: string;
}

/** The key of a group that is the local day or month of its rows. */
export interface PeriodKey {
  readonly column: string;
  readonly type: ColumnType;
  readonly unit: 'day' | 'month';
  /** The day or month of a stored row. */
  readonly value: Expression;
  readonly clock: LocalClock;
}

type Found<Thing> = { readonly found: Thing } | { readonly reason: string };

/** Matches a group with the smallest dimension that answers all of it; else the reason in one sentence. */
export function matchGroup(asked: AskedGroup): Found<Match> {
  const { group, chain, manifest, rollups } = asked;
  const periods = group.keys.flatMap((key) => periodOf(key, asked));
  const [period = null] = periods;
  const { parents, others } = apartFromParents(asked);
  const foreign = others.filter((condition) => kindOf(condition, chain) === undefined);
  const keys = group.keys.filter((key) => key !== period?.column).map((key) => atTop(key, chain));
  const fields = new Set([...keys, ...foreign].flatMap((placed) => fieldsBehind(placed, chain, manifest)));
  const possible = rollups.dimensions
    .filter((dimension) => [...fields].every((field) => dimension.keys.includes(field)))
    .sort((left, right) => left.keys.length - right.keys.length);
  const reasons: string[] = [];
  for (const dimension of possible) {
    const answer = inDimension(dimension, others, asked);
    if ('found' in answer) return { found: { ...answer.found, period, parents } };
    reasons.push(answer.reason);
  }
  const asNamed = [...keys, ...foreign]
    .filter((placed) => fieldsBehind(placed, chain, manifest).length > 0)
    .map(({ column }) => nameOf(column, asked));
  return { reason: reasons[0] ?? `No counts are kept by ${eachOnce(asNamed).join(' and ')}.` };
}

/** What queries call a column; a stored id is told by the first column that it opens. */
function nameOf(column: string, { material: { columns } }: AskedGroup): string {
  const name = column.slice(column.lastIndexOf('.') + 1);
  if (columns.has(name)) return name;
  const [opened = name] = [...columns].find(([, { via }]) => via === name) ?? [];
  return opened;
}

/** A key that is a day or month of the time by which the rows are read. */
function periodOf(key: string, { chain, bounds }: AskedGroup): readonly PeriodKey[] {
  const { value, steps } = valueBehind(atTop(key, chain), chain);
  const period = localPeriodOf(value);
  if (period === undefined || value.kind !== 'time-part') return [];
  const isOfRows = storedField({ column: period.column, steps }, chain) === bounds.field;
  return isOfRows ? [{ ...period, column: key, value: { ...value, column: bounds.field } }] : [];
}

/** The conditions apart from those that only bound the time of the parents. */
function apartFromParents({ chain, material }: AskedGroup): {
  readonly parents: Span;
  readonly others: readonly PlacedCondition[];
} {
  const others: PlacedCondition[] = [];
  let [start, end] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const placed of conditionsOf(chain)) {
    const { test } = placed.condition;
    const isOfParent = material.parent !== undefined && storedField(placed, chain) === material.parent.time;
    if (isOfParent && test.operator === 'gte') start = Math.max(start, Number(test.value));
    else if (isOfParent && test.operator === 'lt') end = Math.min(end, Number(test.value));
    else others.push(placed);
  }
  return { parents: { start, end }, others };
}

/** The rows that a condition on one stored field is about. */
function kindOf(placed: PlacedCondition, chain: RowChain): RowKind | undefined {
  const field = storedField(placed, chain);
  const value = valueAsked(placed.condition.test);
  return field === undefined || value === undefined ? undefined : { [field]: value };
}

type OfDimension = Omit<Match, 'period' | 'parents'>;

/** Conditions on the dimension's own keys stay conditions; the others must make up a kind of rows. */
function inDimension(
  dimension: RollupDimension,
  conditions: readonly PlacedCondition[],
  asked: AskedGroup,
): Found<OfDimension> {
  const { group, chain, manifest, material, rollups } = asked;
  const isOwn = (placed: PlacedCondition): boolean =>
    fieldsBehind(placed, chain, manifest).every((field) => dimension.keys.includes(field));
  const kind = conditions
    .filter((placed) => !isOwn(placed))
    .reduce<RowKind | undefined>(
      (all, placed) => all && bothKinds(all, kindOf(placed, chain) ?? {}),
      ALL_ROWS,
    );
  const rows = kind && rowsOfKind(kind, rollups);
  if (kind === undefined || rows === undefined) {
    return { reason: 'The rows that the filter leaves are not kept counted apart from the others.' };
  }
  const pinning = { keys: group.keys.map((key) => atTop(key, chain)), conditions };
  const parts: KeptPart[] = [];
  const uniques: CountedValues[] = [];
  for (const aggregate of group.aggregates) {
    const unique = uniqueOf(aggregate, dimension, pinning, asked);
    if (unique !== undefined && isAllRows(kind)) {
      uniques.push(unique);
      continue;
    }
    for (const partial of partialsOf(aggregate)) {
      const field = partial.column === null ? null : storedField(atTop(partial.column, chain), chain);
      const array = field === undefined ? undefined : measureOf(partial, field, kind, rollups, material);
      if (array === undefined) return { reason: reasonOf(aggregate, dimension, asked) };
      parts.push({ partial, array });
    }
  }
  const isSure = isAllRows(kind) || group.keys.length === 0;
  return { found: { dimension, parts, uniques, rows: isSure ? null : rows } };
}

function reasonOf(
  { function: name, column }: Aggregate,
  dimension: RollupDimension,
  asked: AskedGroup,
): string {
  const of = column === null ? 'rows' : nameOf(column, asked);
  return `${name} of ${of} is not kept for the rows that are asked, by ${dimension.name}.`;
}
