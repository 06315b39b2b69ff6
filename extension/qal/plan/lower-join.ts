// Owns the plan of a view's joined side.
// the rows of both sides -> joined rows; what is read of the joined side gets names that belong to this view alone.
import { type JoinedColumn, type JoinNode, type OrderKey, type PlanNode, SITE_FIELD } from '../types/plan';
import type { BoundColumn, QueriedSites, ResolvedJoin } from '../types/resolved-query';
import type { SourceRows } from './lower-material';

interface JoinedRows {
  readonly rows: JoinNode;
  /** The order of the joined side, for rows that are equal in that of the left one. */
  readonly orderKeys: readonly OrderKey[];
}

/**
 * Joins `right`, whose columns are all computed, to `left`. `name` gives the names outside; `wanted` are the joined
 * columns that the view reads. Under `all` rows meet within their site only.
 */
export function lowerJoin(
  left: PlanNode,
  leftColumn: (bound: BoundColumn) => string,
  right: SourceRows,
  join: ResolvedJoin,
  wanted: readonly BoundColumn[],
  name: (column: string) => string,
  { all }: QueriedSites,
): JoinedRows {
  const orderKeys = right.orderKeys.filter(({ column }) => column !== SITE_FIELD);
  const columns = new Map<string, JoinedColumn>([
    ...orderKeys.map(
      ({ column, type }) => [column, { name: name(column), column, type, fill: null }] as const,
    ),
    ...wanted.map((bound) => {
      const column = right.column(bound);
      const fill = join.fill.find((filled) => filled.column === bound.name)?.value ?? null;
      return [column, { name: name(column), column, type: bound.type, fill }] as const;
    }),
  ]);
  return {
    rows: {
      kind: 'join',
      left,
      right: right.rows,
      on: [
        ...join.on.map((pair) => ({ left: leftColumn(pair.left), right: right.column(pair.right) })),
        ...(all ? [{ left: SITE_FIELD, right: SITE_FIELD }] : []),
      ],
      mode: join.mode,
      columns: [...columns.values()],
    },
    orderKeys: orderKeys.map((key) => ({ ...key, column: name(key.column) })),
  };
}
