// Lowers a query to a simple plan, then runs an ordered list of passes that preserve its result.
// A pass that cannot prove that it preserves the result of a query does not fire.
import { deepFreeze } from '../../../manifests/reader/freeze';
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Engine } from '../types/engine';
import type { Plan } from '../types/plan';
import type { ResolvedQuery } from '../types/resolved-query';
import { mapInSteps, type Steps } from '../types/steps';
import type { PreparedCounts } from '../types/unique-counts';
import { rewritePlan } from '../types/walk-plan';
import { type CountOptions, lowerQuery } from './lower-query';
import type { Pass, PassContext, PassTrace } from './pass';
import { aggregateBeforeJoin } from './passes/aggregate-before-join';
import { distinctFirst } from './passes/distinct-first';
import { dropUnreadJoins } from './passes/drop-unread-joins';
import { excludeVisits } from './passes/exclude-visits';
import { groupById } from './passes/group-by-id';
import { limitBeforeLookups } from './passes/limit-before-lookups';
import { mergeGroups } from './passes/merge-groups';
import { monthsByDay } from './passes/months-by-day';
import { oneRowPerVisit } from './passes/one-row-per-visit';
import { periodsAsRanges } from './passes/periods-as-ranges';
import { repeatCounts } from './passes/repeat-counts';
import { stepsInOrder } from './passes/steps-in-order';
import { textFiltersToIds } from './passes/text-filters-to-ids';
import { topBeforeLookups } from './passes/top-before-lookups';
import { ungroupSingleRows } from './passes/ungroup-single-rows';
import { uniqueCounts } from './passes/unique-counts';
import { withoutViews } from './passes/without-views';
import { withWholeNumbers } from './whole-numbers';

/** The order matters: groupings by text become groupings by id with lookups above, so that a later limit can move below them. */
export const PASSES: readonly Pass[] = [
  excludeVisits,
  stepsInOrder,
  mergeGroups,
  dropUnreadJoins,
  withoutViews,
  aggregateBeforeJoin,
  groupById,
  ungroupSingleRows,
  textFiltersToIds,
  uniqueCounts,
  repeatCounts,
  oneRowPerVisit,
  distinctFirst,
  periodsAsRanges,
  monthsByDay,
  topBeforeLookups,
  limitBeforeLookups,
];

export interface PlanOptions extends CountOptions {
  readonly manifest: Manifest;
  readonly engine: Engine;
  readonly columns?: PreparedCounts | undefined;
  /** Whether the rows are sharded by site across several machines. */
  readonly isDivided?: boolean | undefined;
  /** Names of passes to skip, for tests and comparisons. */
  readonly withoutPasses?: readonly string[];
}

export function* planQuery(query: ResolvedQuery, options: PlanOptions): Steps<Plan> {
  const { plan } = yield* planTraced(query, options);
  return plan;
}

/** Plans a query, and traces each of the engine's passes in order. */
export function* planTraced(
  query: ResolvedQuery,
  { engine, manifest, columns, withoutPasses = [], isDivided, ...counting }: PlanOptions,
): Steps<{ readonly plan: Plan; readonly passes: readonly PassTrace[] }> {
  let plan = lowerQuery({ ...withWholeNumbers(query, engine), manifest }, counting);
  yield;
  const isOnOneMachine = isDivided !== true || query.scope.siteIds.length === 1;
  const passes = yield* mapInSteps(
    PASSES.filter(({ only = engine }) => only === engine),
    ({ name, rewrites, requiresOneMachine }): PassTrace => {
      if (withoutPasses.includes(name) || (requiresOneMachine && !isOnOneMachine))
        return { name, did: 'left out', because: [] };
      const reasons = new Set<string>();
      const context: PassContext = {
        manifest,
        countedUntil: (...args) => columns?.countedUntil(...args) ?? 0,
        countedSpread: (...args) => columns?.countedSpread(...args) ?? 0,
        visitFields: (...args) => columns?.visitFields(...args) ?? new Set(),
        viewFields: (...args) => columns?.viewFields(...args) ?? new Set(),
        visitReach: (...args) => columns?.visitReach(...args) ?? 0,
        dimensionRows: (table) =>
          (engine === 'columns' ? columns?.dimensionRows(table) : undefined) ?? Number.POSITIVE_INFINITY,
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
