// Aggregates in two steps: over parts of a group, then over the partial results.
// COUNT, SUM, MIN and MAX can be merged. COUNTUNIQUE, PERCENTILE, FIRST and LAST cannot.
import type { Aggregate, GroupNode } from '../types/plan';

export const isUniqueCount = (aggregate: Aggregate): boolean => aggregate.function === 'COUNTUNIQUE';

export const isMergeable = (aggregate: Aggregate): boolean =>
  !['COUNTUNIQUE', 'PERCENTILE', 'FIRST', 'LAST'].includes(aggregate.function);

/** Why a pass keeps a group with an unmergeable aggregate other than COUNTUNIQUE. */
export const NEEDS_ROWS = 'FIRST, LAST and PERCENTILE can be computed only from the rows of a group.';

/** Separates the aggregates of a group that can be merged, as partials, from those that cannot. */
export const splitAggregates = ({ aggregates }: GroupNode) => ({
  partials: aggregates.filter(isMergeable),
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

/** Whether repeating the rows of a group multiplies the aggregate. */
export const isScaled = ({ function: fn }: Aggregate): boolean => fn === 'COUNT' || fn === 'SUM';

/** The name of the column with the multiplied aggregate. */
export const productName = ({ name }: Aggregate): string => `${name}:product`;
