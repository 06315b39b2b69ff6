import type { HostRequest } from '../../../host-shim/extension-api';
import { type Analytics, manifestFor } from '../../api/analytics';
import type { InstalledContract } from '../../api/contracts/contract';
import { ANSWER_FORMATS_FEATURE } from '../../api/contracts/with-switches';
import { listGoals } from '../../data/storage/goals/list-goals';
import { observedEvents } from '../../data/storage/observed-events';
import { type Site, siteOverview } from '../../data/storage/sites/list-sites';
import { dataVersionOf } from '../../language/resolve/data-version';
import { localDateOf, localTimeOf } from '../../language/time/local-time';
import { isEnabled } from '../../language/types/contract';
import type { SiteState } from '../../language/types/resolved-query';
import type { DashboardHead, DayRange } from '../shared-types/dashboard-types';
import {
  daysOfPoints,
  daysWithViews,
  defaultStep,
  hasSameHours,
  missingDays,
  pointsOf,
  type SiteNow,
  stepsOf,
} from './dashboard-range';
import type { LimitedView } from './requested-dashboard';

/** The feature that allows `offset` and `data_version` in a query. */
const PAGES_FEATURE = 'result_offset';

export function nowAt({ host }: Pick<Analytics, 'host'>, { timezone }: Site): SiteNow {
  const instant = Math.floor(host.clock().getTime() / 1000);
  return { instant, day: localDateOf(instant, timezone), ...localTimeOf(instant, timezone) };
}

interface RequestedRange {
  readonly requested: LimitedView;
  readonly site: Site;
  readonly state: SiteState;
  readonly range: DayRange;
  readonly before: DayRange | null;
  readonly now: SiteNow;
  readonly contract: InstalledContract;
}

export async function headOf(
  analytics: Analytics,
  { user }: HostRequest,
  { requested, site, state, range, before, now, contract }: RequestedRange,
): Promise<DashboardHead> {
  const { read } = analytics.host.database;
  const { siteId, trackingId, name, timezone } = site;
  const [goals, events, [overview]] = await Promise.all([
    listGoals(read, siteId),
    observedEvents(read, [siteId], manifestFor(analytics, user)),
    siteOverview(read, [trackingId], analytics.workers),
  ]);
  const steps = stepsOf(range);
  const step = steps.find((one) => one === requested.by) ?? defaultStep(range);
  const { firstView = null, lastView = null } = overview ?? {};
  const data = daysWithViews({ firstView, lastView }, timezone);
  const unfinished = range.first <= now.day && now.day <= range.last;
  const chart = pointsOf(step, range, now, data);
  const daysBefore = before && daysOfPoints(step, before, chart.points.length);
  return {
    version: dataVersionOf([state]),
    site: { trackingId, name, timezone },
    range,
    before,
    steps,
    step,
    unfinished,
    sameHours: unfinished && hasSameHours(requested.compare, range, before),
    chart,
    chartBefore: daysBefore && { ...pointsOf(step, daysBefore, now, data), days: daysBefore },
    data,
    // Other servers' clocks may be ahead.
    newest: lastView && Math.max(0, now.instant - Math.floor(lastView.getTime() / 1000)),
    missing: missingDays(range, before, data, now.day),
    canPage: isEnabled(contract, PAGES_FEATURE),
    canSave: isEnabled(contract, ANSWER_FORMATS_FEATURE),
    goals: goals.map(({ id, name: goalName }) => ({ id, name: goalName })),
    events: Object.fromEntries(
      [...(events.get(siteId) ?? [])].map(([event, parameters]) => [event, Object.fromEntries(parameters)]),
    ),
  };
}
