// Owns how aggregates are computed in two steps: over parts of a group, then over the parts.
// COUNT, SUM, MIN and MAX merge as they are; AVERAGE as sum and count; the others not at all.
import type { Aggregate, ComputedColumn, PlanNode } from '../types/plan';

const UNMERGEABLE: ReadonlySet<Aggregate['function']> = new Set(['COUNTUNIQUE', 'FIRST', 'LAST']);

export const isMergeable = (aggregate: Aggregate): boolean => !UNMERGEABLE.has(aggregate.function);

/** What the parts compute. */
export function partialsOf(aggregate: Aggregate): readonly Aggregate[] {
  if (aggregate.function !== 'AVERAGE') return [aggregate];
  return [
    { ...aggregate, name: `${aggregate.name}:sum`, function: 'SUM' },
    { ...aggregate, name: `${aggregate.name}:count`, function: 'COUNT' },
  ];
}

/** What is computed from a part's result, under the same name. */
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

/** Groups of merged parts, with the averages among the aggregates put together again. */
export function withRatios(groups: PlanNode, aggregates: readonly Aggregate[]): PlanNode {
  const ratios = aggregates
    .filter((aggregate) => aggregate.function === 'AVERAGE')
    .map(
      ({ name }): ComputedColumn => ({
        name,
        value: { kind: 'ratio', dividend: `${name}:sum`, divisor: `${name}:count` },
      }),
    );
  return ratios.length === 0 ? groups : { kind: 'extend', input: groups, columns: ratios };
}
