// The phase that decides how: a plain plan, then an ordered list of passes that keep its result.
// ResolvedQuery -> frozen Plan. Cannot fail; a pass that cannot be proved for a query does not fire.
import { deepFreeze } from '../../../manifests/reader/freeze';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Engine } from '../types/engine';
import type { Plan } from '../types/plan';
import type { ResolvedQuery } from '../types/resolved-query';
import type { UniqueCounts } from '../types/unique-counts';
import { rewritePlan } from '../types/walk-plan';
import { type CountOptions, lowerQuery } from './lower-query';
import type { Pass, PassContext, PassTrace } from './pass';
import { aggregateBeforeJoin } from './passes/aggregate-before-join';
import { distinctFirst } from './passes/distinct-first';
import { dropUnreadJoins } from './passes/drop-unread-joins';
import { groupById } from './passes/group-by-id';
import { limitBeforeLookups } from './passes/limit-before-lookups';
import { mergeGroups } from './passes/merge-groups';
import { monthsByDay } from './passes/months-by-day';
import { periodsAsRanges } from './passes/periods-as-ranges';
import { textFiltersToIds } from './passes/text-filters-to-ids';
import { topBeforeLookups } from './passes/top-before-lookups';
import { ungroupSingleRows } from './passes/ungroup-single-rows';
import { uniqueCounts } from './passes/unique-counts';

/** In this order: two groupings by text become two by id, whose look-ups end up above both, where a cut may pass. */
export const PASSES: readonly Pass[] = [
  mergeGroups,
  dropUnreadJoins,
  aggregateBeforeJoin,
  groupById,
  ungroupSingleRows,
  textFiltersToIds,
  uniqueCounts,
  distinctFirst,
  periodsAsRanges,
  monthsByDay,
  topBeforeLookups,
  limitBeforeLookups,
];

/** What the planner needs besides the query. */
export interface PlanOptions extends CountOptions {
  readonly manifest: Manifest;
  readonly engine: Engine;
  /** The prepared counts of the column copy. */
  readonly columns?: PreparedCounts | undefined;
  /** Whether the rows are divided by site over several machines. */
  readonly isDivided?: boolean | undefined;
  /** Names of passes to leave out, for tests and to see what a pass does. */
  readonly withoutPasses?: readonly string[];
}

export interface PreparedCounts {
  /** Up to which instant, in epoch seconds, these counts of all of the sites hold: 0 for none, infinity for all rows. */
  countedUntil(counts: UniqueCounts, siteIds: readonly number[]): number;
}

/** Plans a query. */
export function planQuery(query: ResolvedQuery, options: PlanOptions): Plan {
  return planTraced(query, options).plan;
}

/** The same, with what each pass of the engine did, in their order. */
export function planTraced(
  query: ResolvedQuery,
  { engine, manifest, columns, withoutPasses = [], isDivided, ...counting }: PlanOptions,
): { readonly plan: Plan; readonly passes: readonly PassTrace[] } {
  let plan = lowerQuery({ ...query, manifest }, counting);
  const isOnOneMachine = isDivided !== true || query.scope.siteIds.length === 1;
  const passes = PASSES.filter(({ only = engine }) => only === engine).map(
    ({ name, rewrites, isForOneMachine }): PassTrace => {
      if (withoutPasses.includes(name) || (isForOneMachine && !isOnOneMachine))
        return { name, did: 'left out', because: [] };
      const reasons = new Set<string>();
      const context: PassContext = {
        manifest,
        countedUntil: (...asked) => columns?.countedUntil(...asked) ?? 0,
        because: (reason) => void reasons.add(reason),
      };
      const { root, counted } = plan;
      plan = {
        ...plan,
        root: rewritePlan(root, rewrites, context),
        counted: counted && rewritePlan(counted, rewrites, context),
      };
      const fired = plan.root !== root || plan.counted !== counted;
      return { name, did: fired ? 'fired' : 'nothing', because: [...reasons] };
    },
  );
  return { plan: deepFreeze(plan), passes };
}
