// The stages of a query in the form in which people are shown them: what was asked, resolved, planned, and the SQL.
// Nothing is run here.
import type { PassTrace } from './qal/plan/pass';
import { type PlanOptions, planTraced } from './qal/plan/plan-query';
import type { prepareQuery } from './run-query';

type Prepared = Awaited<ReturnType<typeof prepareQuery>>;

/** The stages before the SQL by their names, in order; the view that is used is told by its name alone. */
export function explained({ asked, resolved, plan, sql }: Prepared) {
  const { views, use, ...rest } = resolved;
  return {
    stages: { asked, resolved: { ...rest, use: use.name, views }, plan },
    range: resolved.range,
    plan,
    sql,
  };
}

const CHANGES_NOTHING = 'It changes nothing here.';

/** What became of each pass, in their order, with a reason for each that did nothing: the query is planned once more. */
export function explainedPasses({ resolved }: Prepared, options: PlanOptions): readonly PassTrace[] {
  return planTraced(resolved, options).passes.map((pass) =>
    pass.did === 'nothing' && pass.because.length === 0 ? { ...pass, because: [CHANGES_NOTHING] } : pass,
  );
}

/** Fields of a plan that hold numbers of sites: counted up over the installation, they tell how many others there are. */
const SITE_NUMBERS: readonly string[] = ['siteId', 'siteIds'];

/** The plan as whoever does not manage sites may see it, as JSON. */
export const planWithoutSites = ({ plan }: Prepared): unknown =>
  JSON.parse(JSON.stringify(plan, (key, value) => (SITE_NUMBERS.includes(key) ? undefined : value)));
