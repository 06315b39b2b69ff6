// Facts about the rows of a node that follow from the plan and the manifest.
import type { Manifest } from '../../../manifests/reader/manifest';
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { PeriodUnit } from '../time/local-periods';
import type { LocalClock } from '../time/zone-offsets';
import {
  type ComputedColumn,
  type Expression,
  type ExtendNode,
  type PlanCondition,
  type PlanNode,
  SITE_FIELD,
} from '../types/plan';
import type { ScanNode } from '../types/scan-node';
import { rowSteps } from '../types/walk-plan';

/**
 * The definition of a column, looking through renames, filters and the left side of joins. Undefined for a stored field, and for
 * a column of a join that keeps both sides, which is null in rows that exist only on the right side.
 */
export function definitionOf(column: string, node: PlanNode): Expression | undefined {
  if (node.kind === 'filter') return definitionOf(column, node.input);
  if (node.kind === 'join')
    return node.mode === 'keep-both' || node.columns.some(({ name }) => name === column)
      ? undefined
      : definitionOf(column, node.left);
  if (node.kind !== 'extend') return undefined;
  const value = node.columns.find(({ name }) => name === column)?.value;
  if (value === undefined) return definitionOf(column, node.input);
  return value.kind === 'column' ? (definitionOf(value.column, node.input) ?? value) : value;
}

/** The stored field that a column renames or converts to a number. Any other column is returned unchanged. */
export function storedFieldOf(column: string, node: PlanNode): string {
  const value = definitionOf(column, node);
  return value?.kind === 'column' || value?.kind === 'flag' ? value.column : column;
}

/** Whether a column is text that is looked up for each row. */
export const isLookedUp = ({ value }: ComputedColumn): boolean =>
  ['lookup', 'joined-texts', 'channel'].includes(value.kind);

/** Why a pass keeps a lookup below a limit. */
export const SORTED_BY_TEXT = 'The rows are sorted by a text value, which must be looked up for all of them.';

/** Why a pass does not change a join. */
export const KEEPS_BOTH = 'The join keeps the rows of both sides.';

/** The scan that these rows come from, if each scanned row occurs at most once. */
export function scanBelow(node: PlanNode): ScanNode | undefined {
  const { base } = rowSteps(node);
  return base.kind === 'scan' ? base : undefined;
}

/** The scan, if these are all of its rows. */
export function wholeScan(node: PlanNode): ScanNode | undefined {
  const { steps, base } = rowSteps(node);
  return base.kind === 'scan' && steps.every(({ kind }) => kind === 'extend') ? base : undefined;
}

/** Whether no two rows are equal in all of the columns, where null equals null. False if this cannot be proved. */
export function isUnique(node: PlanNode, columns: readonly string[], manifest: Manifest): boolean {
  switch (node.kind) {
    case 'scan': {
      const unique = manifest.materials.get(node.material)?.unique;
      const isOneSite = node.siteIds.length === 1 || columns.includes(SITE_FIELD);
      return unique !== undefined && columns.includes(unique) && isOneSite;
    }
    case 'extend': {
      const computed = new Set(node.columns.map(({ name }) => name));
      const ofInput = columns.filter((column) => !computed.has(column));
      const stored = columns.map((column) => storedFieldOf(column, node));
      return isUnique(node.input, [...ofInput, ...stored, ...withFlags(columns, node)], manifest);
    }
    case 'group': {
      const stored = new Set(columns.map((column) => storedFieldOf(column, node.input)));
      return node.keys.every((key) => stored.has(storedFieldOf(key, node.input)));
    }
    case 'filter':
    case 'order':
    case 'limit':
    case 'number':
      return isUnique(node.input, columns, manifest);
    case 'join': {
      if (node.mode === 'keep-both') return false;
      const rightKeys = node.on.map(({ right }) => right);
      const ofRight = new Set(node.columns.map(({ name }) => name));
      const ofLeft = columns.filter((column) => !ofRight.has(column));
      return isUnique(node.right, rightKeys, manifest) && isUnique(node.left, ofLeft, manifest);
    }
    case 'steps':
      return columns.includes(node.key);
    case 'fill':
      return [...node.within, node.column].every((key) => columns.includes(key));
    case 'unique-counts':
    case 'per-period':
    case 'calendar':
      return false;
  }
}

/**
 * The columns that are each determined by a pair of these columns: one column of the pair holds the value, with a constant in
 * place of null, and the other shows whether the value is present.
 */
function withFlags(columns: readonly string[], { columns: computed }: ExtendNode): readonly string[] {
  const values = computed.flatMap(({ name, value }) => (columns.includes(name) ? [value] : []));
  const filled = values.flatMap((value) =>
    value.kind === 'where' && value.otherwise !== undefined && value.conditions.every(isNotNull(value.column))
      ? [value.column]
      : [],
  );
  const flagged = values.flatMap((value) =>
    value.kind === 'computed' && value.value.kind === 'has-value' ? [value.value.column] : [],
  );
  return filled.filter((column) => flagged.includes(column));
}

const isNotNull =
  (column: string) =>
  (condition: PlanCondition): boolean =>
    'test' in condition && condition.column === column && condition.test.operator === 'is-not-null';

/**
 * Whether the columns have about as many combinations of values as there are sessions, or fewer. This is an estimate from the
 * manifest, used to choose the faster plan. No result depends on it.
 */
export function isSessionConstant(columns: readonly string[], node: PlanNode, manifest: Manifest): boolean {
  const isConstantDimension = (name: string): boolean =>
    manifest.dimensions.get(name)?.sessionConstant === true;
  const isConstantField = (field: string): boolean => {
    if (field === 'session_id' || field === SITE_FIELD) return true;
    const dimension = [...manifest.materials.values()].find(({ keys }) => keys.has(field))?.keys.get(field);
    return dimension !== undefined && isConstantDimension(dimension);
  };
  const isConstant = (value: Expression): boolean => {
    switch (value.kind) {
      case 'flag':
      case 'time-part':
      case 'converted':
      case 'has-rows':
        return true;
      case 'column':
      case 'where':
        return isConstantField(value.column);
      case 'lookup':
        return value.bit !== null || isConstantDimension(value.dimension);
      case 'joined-texts':
        return value.parts.every(isConstant);
      case 'channel':
        return [value.source, value.medium].every(isConstant);
      case 'either':
        return value.columns.every(isConstantField);
      case 'computed':
        return ['constant', 'has-value', 'word'].includes(value.value.kind);
      case 'passed-tests':
      case 'arithmetic':
      case 'product':
      case 'session-of-day':
        return false;
    }
  };
  return columns.every((column) => isConstant(definitionOf(column, node) ?? { kind: 'column', column }));
}

interface LocalPeriod {
  /** The column that contains the instant. */
  readonly column: string;
  readonly clock: LocalClock;
  readonly unit: PeriodUnit;
  readonly type: ColumnType;
}

/** The time parts that do not recur. */
export const PERIODS: Readonly<Record<TimePart, Pick<LocalPeriod, 'unit' | 'type'> | undefined>> = {
  date: { unit: 'day', type: 'date' },
  week: { unit: 'week', type: 'date' },
  month: { unit: 'month', type: 'text' },
  hour: undefined,
  weekday: undefined,
};

/** The local day, week or month that a value computes. A stored date has no zone, so it is not a local day. */
export function localPeriodOf(value: Expression | undefined): LocalPeriod | undefined {
  if (value?.kind !== 'time-part' || value.clock === null) return undefined;
  const period = PERIODS[value.part];
  return period && { column: value.column, clock: value.clock, ...period };
}
