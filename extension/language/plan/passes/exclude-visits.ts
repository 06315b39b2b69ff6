// Excludes the rows of visits that have a match, instead of first finding the visits without one.

// Proof: the groups are the visits of some rows, each with its number of matches, and a filter keeps those without any. A join
// with these groups keeps the rows whose visit is among them and has no match. If the groups cover all rows in the range, every
// row's visit is among them; otherwise, the join with the grouped rows stays. The counted column is never null in a match, so a
// row has no match if and only if the column is null after a keep-left join. That join returns each row without a match once,
// and all other rows are dropped.
import type { ComputedColumn, JoinNode, PlanNode } from '../../types/plan';
import type { ScanNode } from '../../types/scan-node';
import { rowSteps } from '../../types/walk-plan';
import { extended } from '../build-nodes';
import type { Pass, PassContext } from '../pass';
import { isUnique, storedFieldOf, wholeScan } from '../plan-facts';

/** This field is never null. */
const VISIT = 'session_id';

export const excludeVisits: Pass = {
  name: 'exclude-visits',
  rewrites: { join: withoutMatches },
};

function withoutMatches(join: JoinNode, context: PassContext): PlanNode | undefined {
  const { right, mode } = join;
  const key = onlyKey(join);
  if (mode !== 'drop' || key === undefined) return undefined;
  const excluded = excludedBy(right, key.right);
  if (excluded === undefined) return undefined;
  if (join.columns.some(({ column }) => column !== key.right))
    return context.because('The number of matches is read.');
  const kept = keptRows(join, key.left, excluded, context);
  if (kept === undefined) return context.because('The rows are not among those whose visits are counted.');
  const { rows, matched } = excluded;
  const joined: JoinNode = {
    kind: 'join',
    left: kept,
    right: rows,
    on: [{ left: key.left, right: excluded.key }],
    mode: 'keep-left',
    columns: [matched],
  };
  const isUnmatched = { column: matched.name, type: matched.type, test: { operator: 'is-null' } } as const;
  const columns = join.columns.map(
    ({ name }): ComputedColumn => ({ name, value: { kind: 'column', column: key.left } }),
  );
  return extended({ kind: 'filter', input: joined, conditions: [isUnmatched] }, columns);
}

function onlyKey({ on }: JoinNode): JoinNode['on'][number] | undefined {
  const [first, ...others] = on;
  return others.length === 0 ? first : undefined;
}

interface Excluded {
  /** The matches, their key, and a column that is never null. */
  readonly rows: PlanNode;
  readonly key: string;
  readonly matched: JoinNode['columns'][number];
  /** The rows whose visits are counted. */
  readonly among: { readonly rows: PlanNode; readonly key: string };
}

/** The matches whose visits are excluded, if `node` returns the visits without a match. */
function excludedBy(node: PlanNode, groupKey: string): Excluded | undefined {
  if (node.kind !== 'filter' || node.input.kind !== 'group' || node.input.input.kind !== 'join')
    return undefined;
  const { keys, aggregates } = node.input;
  const counted = node.input.input;
  const key = onlyKey(counted);
  const [condition, ...conditions] = node.conditions;
  const [aggregate, ...others] = aggregates;
  if (aggregate?.function !== 'COUNT' || others.length > 0 || conditions.length > 0) return undefined;
  if (condition === undefined || !('test' in condition) || condition.column !== aggregate.name)
    return undefined;
  if (condition.test.operator !== 'eq' || condition.test.value !== 0) return undefined;
  if (counted.mode !== 'keep-left' || key?.left !== groupKey || keys.join() !== groupKey) return undefined;
  const matched = counted.columns.find(({ name }) => name === aggregate.column);
  if (matched === undefined || matched.fill !== null || !isCount(matched.column, counted.right))
    return undefined;
  return {
    rows: counted.right,
    key: key.right,
    matched,
    among: { rows: counted.left, key: key.left },
  };
}

const isCount = (column: string, node: PlanNode): boolean =>
  node.kind === 'group' &&
  node.aggregates.some(({ name, function: fn }) => name === column && fn === 'COUNT');

/** The left rows of the join whose visits are among the counted ones. */
function keptRows(
  join: JoinNode,
  key: string,
  { among }: Excluded,
  context: PassContext,
): PlanNode | undefined {
  const all = wholeScan(among.rows);
  if (all !== undefined) {
    const isOfVisits = [storedFieldOf(key, join.left), storedFieldOf(among.key, among.rows)].every(
      (field) => field === VISIT,
    );
    return isOfVisits && JSON.stringify(all) === JSON.stringify(scanOf(join.left)) ? join.left : undefined;
  }
  if (!isUnique(among.rows, [among.key], context.manifest)) return undefined;
  const on = [{ left: key, right: among.key }];
  const some: JoinNode = { ...join, right: among.rows, on, columns: [] };
  return withoutMatches(some, context) ?? some;
}

/** The scan that these rows come from. */
function scanOf(node: PlanNode): ScanNode | undefined {
  const { base } = rowSteps(node);
  if (base.kind === 'join' && base.mode !== 'keep-both') return scanOf(base.left);
  return base.kind === 'scan' ? base : undefined;
}
