// Owns what the pages about the goals of one site share: the site with its goals, their address, and their conversions.
// Conversions are counted for those pages only that show them.
import { type AdminRequest, pageAddress } from '../../host-shim/extension-api';
import type { Analytics } from '../analytics';
import type { Goal } from '../storage/goals/goal-schema';
import { countConversions } from '../storage/goals/list-goals';
import type { SiteOverview } from '../storage/sites/list-sites';

const COUNT_SECONDS = 5;

/** A request about the goals of a site. */
export interface OnSite {
  readonly analytics: Analytics;
  readonly request: AdminRequest;
  readonly site: SiteOverview;
  readonly sites: readonly SiteOverview[];
  readonly goals: readonly Goal[];
}

/** Of the list of goals. */
export const addressOf = ({ trackingId }: SiteOverview): string => pageAddress('goals', trackingId);

/** The conversions so far as they are shown, by goal. */
export async function conversionsShown({
  analytics,
  request,
  site,
}: OnSite): Promise<(goal: Goal) => string> {
  const patience = { seconds: COUNT_SECONDS, signal: request.signal };
  const conversionsOf = await countConversions(analytics.host.database.read, site.trackingId, patience);
  return (goal) => conversionsOf(goal)?.toLocaleString('en') ?? `not counted in ${COUNT_SECONDS} seconds`;
}
