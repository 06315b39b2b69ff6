// The stages of a query in the form in which people are shown them: what was asked, resolved, planned, and the SQL.
// Nothing is run here.
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

/** Fields of a plan that hold numbers of sites: counted up over the installation, they tell how many others there are. */
const SITE_NUMBERS: readonly string[] = ['siteId', 'siteIds'];

/** The plan as whoever does not manage sites may see it, as JSON. */
export const planWithoutSites = ({ plan }: Prepared): unknown =>
  JSON.parse(JSON.stringify(plan, (key, value) => (SITE_NUMBERS.includes(key) ? undefined : value)));
