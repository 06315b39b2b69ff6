// The "Retention" page and its route, whose parts are `cohorts` and `recognized`.
import type { AdminPage } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { daysBetween } from '../../language/time/calendar';
import { pointsOf } from '../dashboard/dashboard-range';
import { partsRoute } from '../dashboard/parts-route';
import { sitePage } from '../dashboard/site-page';
import type { PageRoute } from '../page-route';
import type { DayRange } from '../shared-types/dashboard-types';
import type { CohortStep, ReportInfo, RetentionHead } from '../shared-types/report-types';
import { cohortsQuery, recognizedQuery } from './retention-query';

const RETENTION = 'retention';

export const retentionPage = (analytics: Analytics): AdminPage => ({
  ...sitePage(analytics, {
    slug: RETENTION,
    defaultPeriod: '90d',
    styles: ['extension/dashboard', 'extension/report'],
    frame(common) {
      const info: ReportInfo = { ...common, edit: null };
      return { info };
    },
  }),
  title: 'Retention',
  howTo: 'pages',
  group: 'Data',
  position: 6,
});

/** Longer ranges have only monthly cohorts. */
const MAX_DAYS_BY_WEEK = 400;

const stepsOf = ({ first, last }: DayRange): readonly CohortStep[] =>
  daysBetween(first, last) < MAX_DAYS_BY_WEEK ? ['week', 'month'] : ['month'];

export const retentionRoute = (analytics: Analytics): PageRoute =>
  partsRoute<RetentionHead>(analytics, {
    slug: RETENTION,
    summary: 'How many of the new visitors of each week or month came back.',
    async complete(head, { requested, now }) {
      const { range, data } = head;
      const steps = stepsOf(range);
      const step = steps.find((one) => one === requested.by) ?? steps[0] ?? 'month';
      return { ...head, cohorts: { step, steps, points: pointsOf(step, range, now, data) } };
    },
    queryOf({ id }, { filters }, { site, range, cohorts }) {
      const scope = { site, range, filters };
      if (id === 'cohorts') return cohortsQuery(cohorts.step, scope);
      return id === 'recognized' ? recognizedQuery(scope) : undefined;
    },
  });
