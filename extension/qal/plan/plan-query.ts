// Owns the phase that decides how: the plain plan, then an ordered list of rewrites with equal results.
// ResolvedQuery -> frozen Plan. Cannot fail; a rewrite that cannot be proved for a query does not fire.
import { deepFreeze } from '../../../manifests/reader/freeze';
import type { Plan, PlanNode } from '../types/plan';
import type { QueryContext } from '../types/query-context';
import type { ResolvedQuery } from '../types/resolved-query';
import { lowerQuery } from './lower-query';
import type { PassContext, Rewrite } from './pass';
import { aggregateBeforeJoin } from './passes/aggregate-before-join';
import { distinctFirst } from './passes/distinct-first';
import { dropUnreadJoins } from './passes/drop-unread-joins';
import { groupById } from './passes/group-by-id';
import { limitBeforeLookups } from './passes/limit-before-lookups';
import { periodsAsRanges } from './passes/periods-as-ranges';

interface Pass {
  readonly name: string;
  readonly rewrite: Rewrite;
}

/** In this order: two groupings by text become two by id, whose look-ups end up above both, where a cut may pass. */
export const PASSES: readonly Pass[] = [
  { name: 'drop-unread-joins', rewrite: dropUnreadJoins },
  { name: 'aggregate-before-join', rewrite: aggregateBeforeJoin },
  { name: 'distinct-first', rewrite: distinctFirst },
  { name: 'group-by-id', rewrite: groupById },
  { name: 'periods-as-ranges', rewrite: periodsAsRanges },
  { name: 'limit-before-lookups', rewrite: limitBeforeLookups },
];

/** What of the context the planner may look at. */
type PlanOptions = Pick<QueryContext, 'manifest' | 'alwaysCount' | 'withoutPasses'>;

/** Plans a query. */
export function planQuery(query: ResolvedQuery, { manifest, alwaysCount, withoutPasses }: PlanOptions): Plan {
  const passes = PASSES.filter(({ name }) => withoutPasses?.includes(name) !== true);
  const context: PassContext = {
    manifest,
    sites: new Map(query.scope.states.map((state) => [state.siteId, state])),
    because: () => {},
  };
  const rewrite = (root: PlanNode): PlanNode =>
    passes.reduce((node, pass) => pass.rewrite(node, context), root);
  const plain = lowerQuery(query, alwaysCount);
  return deepFreeze({
    ...plain,
    root: rewrite(plain.root),
    counted: plain.counted === null ? null : rewrite(plain.counted),
  });
}
