// Aggregates in two steps: over parts of a group, then over the partial results.
// COUNT, SUM, MIN and MAX merge directly, and AVERAGE as sum and count. COUNTUNIQUE, PERCENTILE, FIRST and LAST do not merge.
import type { ColumnType } from '../../../manifests/reader/schema';
import { type Arithmetic, type ExactColumn, operation, valueTerm } from '../types/arithmetic';
import type { Aggregate, ComputedColumn, GroupNode, PlanNode } from '../types/plan';
import { extended } from './build-nodes';

export const isUniqueCount = (aggregate: Aggregate): boolean => aggregate.function === 'COUNTUNIQUE';

export const isMergeable = (aggregate: Aggregate): boolean =>
  !['COUNTUNIQUE', 'PERCENTILE', 'FIRST', 'LAST'].includes(aggregate.function);

/** Why a pass keeps a group with an unmergeable aggregate other than COUNTUNIQUE. */
export const NEEDS_ROWS = 'FIRST, LAST and PERCENTILE can be computed only from the rows of a group.';

function partialsOf(aggregate: Aggregate): readonly Aggregate[] {
  if (aggregate.function !== 'AVERAGE') return [aggregate];
  return [
    { ...aggregate, name: `${aggregate.name}:sum`, function: 'SUM' },
    { ...aggregate, name: `${aggregate.name}:count`, function: 'COUNT' },
  ];
}

/** Separates the aggregates of a group that merge, as partials, from those that do not. */
export const splitAggregates = ({ aggregates }: GroupNode) => ({
  partials: aggregates.filter(isMergeable).flatMap(partialsOf),
  unmergeable: aggregates.filter((aggregate) => !isMergeable(aggregate)),
});

/** The aggregate that merges the results of a partial, under the same name. */
export function merged(partial: Aggregate): Aggregate {
  const isCount = partial.function === 'COUNT';
  return {
    ...partial,
    function: isCount ? 'SUM' : partial.function,
    column: partial.name,
    type: isCount || partial.type === 'flag' ? 'int' : partial.type,
    within: [],
  };
}

/** Groups partial results instead of rows: `aggregates` merge them, and an average is the ratio of a sum and a count. */
export function mergedGroup(group: GroupNode, input: PlanNode, aggregates: readonly Aggregate[]): PlanNode {
  const ratios = group.aggregates.flatMap(({ name, type, function: fn }): readonly ComputedColumn[] =>
    fn === 'AVERAGE'
      ? [{ name, value: { kind: 'arithmetic', value: meanOf(`${name}:sum`, `${name}:count`, type) } }]
      : [],
  );
  return extended({ ...group, input, aggregates }, ratios);
}

export const meanOf = (sum: string, count: string, type: ColumnType): Arithmetic<ExactColumn> =>
  operation('/', exactColumn(sum, type), exactColumn(count, 'int'));

export const exactColumn = (column: string, type: ColumnType): Arithmetic<ExactColumn> =>
  valueTerm({ column, digits: type === 'num' ? 6 : 0 });
