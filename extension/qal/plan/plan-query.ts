// Owns the phase that decides how: the plain plan, then an ordered list of rewrites with equal results.
// ResolvedQuery -> frozen Plan. Cannot fail; a rewrite that cannot be proved for a query does not fire.
import { deepFreeze } from '../../../manifests/reader/freeze';
import type { QueryContext } from '../types/query-context';
import type { ResolvedQuery } from '../types/resolved-query';
import type { Plan } from '../types/whole-plan';
import { lowerQuery } from './lower-query';
import type { PassContext, PassTrace, Rewrite } from './pass';
import { aggregateBeforeJoin } from './passes/aggregate-before-join';
import { distinctFirst } from './passes/distinct-first';
import { dropUnreadJoins } from './passes/drop-unread-joins';
import { groupById } from './passes/group-by-id';
import { limitBeforeLookups } from './passes/limit-before-lookups';
import { mergeGroups } from './passes/merge-groups';
import { periodsAsRanges } from './passes/periods-as-ranges';
import { readRollups } from './passes/read-rollups';
import { textFiltersToIds } from './passes/text-filters-to-ids';
import { topBeforeLookups } from './passes/top-before-lookups';
import { ungroupSingleRows } from './passes/ungroup-single-rows';

interface Pass {
  readonly name: string;
  readonly rewrite: Rewrite;
}

/** In this order: two groupings by text become two by id, whose look-ups end up above both, where a cut may pass. */
export const PASSES: readonly Pass[] = [
  { name: 'merge-groups', rewrite: mergeGroups },
  { name: 'drop-unread-joins', rewrite: dropUnreadJoins },
  { name: 'aggregate-before-join', rewrite: aggregateBeforeJoin },
  { name: 'group-by-id', rewrite: groupById },
  { name: 'ungroup-single-rows', rewrite: ungroupSingleRows },
  { name: 'read-rollups', rewrite: readRollups },
  { name: 'text-filters-to-ids', rewrite: textFiltersToIds },
  { name: 'distinct-first', rewrite: distinctFirst },
  { name: 'periods-as-ranges', rewrite: periodsAsRanges },
  { name: 'top-before-lookups', rewrite: topBeforeLookups },
  { name: 'limit-before-lookups', rewrite: limitBeforeLookups },
];

/** What of the context the planner may look at. */
export type PlanOptions = Pick<QueryContext, 'manifest' | 'alwaysCount' | 'withoutPasses'>;

/** Plans a query. */
export function planQuery(query: ResolvedQuery, options: PlanOptions): Plan {
  return planTraced(query, options).plan;
}

/** The same, with what became of each pass, in their order. */
export function planTraced(
  query: ResolvedQuery,
  { manifest, alwaysCount, withoutPasses = [] }: PlanOptions,
): { readonly plan: Plan; readonly passes: readonly PassTrace[] } {
  const sites = new Map(query.scope.states.map((state) => [state.siteId, state]));
  const { root, counted, output } = lowerQuery(query, alwaysCount);
  let rows: Rows = { root, counted };
  const passes = PASSES.map(({ name, rewrite }): PassTrace => {
    if (withoutPasses.includes(name)) return { name, did: 'left out', because: [] };
    const reasons: string[] = [];
    const context: PassContext = { manifest, sites, because: (reason) => void reasons.push(reason) };
    const before = rows;
    rows = {
      root: rewrite(before.root, context),
      counted: before.counted === null ? null : rewrite(before.counted, context),
    };
    const fired = rows.root !== before.root || rows.counted !== before.counted;
    return { name, did: fired ? 'fired' : 'nothing', because: [...new Set(reasons)] };
  });
  return { plan: deepFreeze({ ...rows, output }), passes };
}

type Rows = Pick<Plan, 'root' | 'counted'>;
