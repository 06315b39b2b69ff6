// The stages of a query for display: asked, resolved, planned, and the SQL. Nothing is run here.
import type { PassTrace } from '../language/plan/pass';
import { type PlanOptions, planTraced } from '../language/plan/plan-query';
import type { prepareQuery } from './run-query';

type Prepared = Awaited<ReturnType<typeof prepareQuery>>;

/** The stages before the SQL, in order; the used view appears only by its name. */
export function explained({ asked, resolved, plan, sql }: Prepared) {
  const { views, use, ...rest } = resolved;
  return {
    stages: { asked, resolved: { ...rest, use: use.name, views }, plan },
    range: resolved.range,
    /** Those with a range of their own. */
    views: views.filter((view) => view.range !== resolved.range),
    plan,
    sql,
  };
}

const CHANGES_NOTHING = 'It changes nothing here.';

/** What each pass did, in order, with a reason for those that did nothing. Plans the query again. */
export function explainedPasses({ resolved }: Prepared, options: PlanOptions): readonly PassTrace[] {
  return planTraced(resolved, options).passes.map((pass) =>
    pass.did === 'nothing' && pass.because.length === 0 ? { ...pass, because: [CHANGES_NOTHING] } : pass,
  );
}

/** Fields of a plan that hold site numbers, which reveal how many other sites there are. */
const SITE_NUMBERS: readonly string[] = ['siteId', 'siteIds'];

/** The plan without site numbers, as JSON, for people who do not manage sites. */
export const planWithoutSites = ({ plan }: Prepared): unknown =>
  JSON.parse(JSON.stringify(plan, (key, value) => (SITE_NUMBERS.includes(key) ? undefined : value)));
