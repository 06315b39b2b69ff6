// POST dashboard.
import type { Analytics } from '../../api/analytics';
import { listNotes } from '../notes/site-notes';
import type { PageRoute } from '../page-route';
import { type DashboardHead, NOW_MINUTES } from '../shared-types/dashboard-types';
import { figuresOf } from './dashboard-figures';
import { TABS } from './dashboard-panels';
import {
  type DashboardQuery,
  figureQuery,
  listQuery,
  parameterQuery,
  type QueryScope,
} from './dashboard-query';
import { begunBefore, type SiteNow } from './dashboard-range';
import { isParameter } from './event-parameter';
import { partsRoute } from './parts-route';
import type { LimitedView, Part } from './requested-dashboard';

export const DASHBOARD = 'dashboard';

export const dashboardRoute = (analytics: Analytics): PageRoute =>
  partsRoute(analytics, {
    slug: DASHBOARD,
    summary: 'Everything that the dashboard shows, as JSON lines.',
    // Links do not show notes: notes are written for colleagues, and a link may be older than a note.
    async complete(head, { site, isLink }) {
      const { read } = analytics.host.database;
      return isLink ? head : { ...head, notes: await listNotes(read, site.siteId, head.range) };
    },
    queryOf,
  });

/** undefined if the part does not exist, or if it needs a comparison that was not requested. */
function queryOf(
  part: Part,
  requested: LimitedView,
  head: DashboardHead,
  now: SiteNow,
): DashboardQuery | undefined {
  const { site, range, before, sameHours, step, chartBefore, goals } = head;
  const scope: QueryScope = { site, range, filters: requested.filters };
  const [kind, figure = '', when] = part.id.split(' ');
  const tab = TABS.get(part.id);
  if (tab !== undefined && tab.kind !== 'goals') return listQuery(tab, part, scope);
  if (part.id === 'parameter') {
    const { event = '', parameter = '' } = part;
    return isParameter(head.events, event, parameter)
      ? parameterQuery({ event, parameter }, part, scope)
      : undefined;
  }
  const minutes = NOW_MINUTES.find((one) => part.id === `now ${one}`);
  if (minutes !== undefined) {
    const end = now.instant + 1;
    return figureQuery(figuresOf([]).visitors, null, {
      ...scope,
      seconds: { first: end - 60 * minutes, end },
    });
  }
  const figures = Object.entries(figuresOf(goals.map(({ id }) => id)));
  const found = figures.find(([id]) => id === figure)?.[1];
  if (found === undefined || (kind !== 'total' && kind !== 'series')) return undefined;
  if (when === undefined) return figureQuery(found, kind === 'series' ? step : null, scope);
  if (when !== 'before' || before === null || chartBefore === null) return undefined;
  // The chart shows all days of the earlier range.
  if (kind === 'series') return figureQuery(found, step, { ...scope, range: chartBefore.days });
  if (!sameHours) return figureQuery(found, null, { ...scope, range: before });
  return figureQuery(found, null, { ...scope, range: begunBefore(before, range, now.day), until: now });
}
