// Two queries: how many of each week's or month's new visitors came back in each later week or month, and whether visitors can be
// recognized.
import { allOf, chooseRows, type View } from '../dashboard/chosen-rows';
import { ENTRY, isDimension } from '../dashboard/dashboard-dimensions';
import { bodyOf, type DashboardQuery, type QueryScope } from '../dashboard/dashboard-query';
import type { CohortStep } from '../shared-types/report-types';

const READER = 'allpv.reader_id';
/** Longer than any site's day, even when clocks change. */
const OVER_A_DAY_SECONDS = 90_000;

/**
 * The query returns a row for each cohort and each period in which its members' visits began. Filters select the new visitors by
 * the page views of their first visit; later visits are not filtered.
 */
export function cohortsQuery(step: CohortStep, scope: QueryScope): DashboardQuery {
  const { views, join, filter, datasets, unfiltered } = chooseRows('allpv', scope.filters, true);
  const period = `access_${step}`;
  const firsts: View = {
    from: ['allpv'],
    filter: allOf([{ is_newuser: { eq: 1 } }, ENTRY, filter]),
    join,
    keep: [READER],
    calc: { cohort: `MIN(allpv.${period})` },
  };
  const visits: View = {
    from: ['allpv'],
    filter: ENTRY,
    keep: [READER, `allpv.${period}`],
    calc: { views: 'COUNT(allpv.pv_id)' },
  };
  const cohorts: View = {
    from: ['visits'],
    join: {
      with: 'firsts',
      on: [{ left: READER, right: 'firsts.reader_id' }],
      'if not match': 'drop',
    },
    keep: ['firsts.cohort', `visits.${period}`],
    calc: { visitors: 'COUNT(visits.reader_id)' },
    // biome-ignore lint/suspicious/noThenProperty: the language uses this name
    sort: { by: 'cohort', order: 'asc', then: [{ by: period, order: 'asc' }] },
  };
  const make = { ...views, firsts, visits, cohorts };
  return { query: bodyOf(scope, datasets, make, { use: 'cohorts', limit: MAX_ROWS }), unfiltered };
}

/** More than the number of cells for the longest range. */
const MAX_ROWS = 10_000;

/** How many visitors there were, and how many were seen for longer than a day, which is impossible if ids change daily. */
export function recognizedQuery(scope: QueryScope): DashboardQuery {
  const filtered = [...new Set(scope.filters.map(({ dimension }) => dimension))].filter(isDimension);
  const make = {
    visitors: {
      from: ['allpv'],
      keep: [READER],
      calc: { seconds: 'MAX(allpv.access_time) - MIN(allpv.access_time)' },
    },
    recognized: {
      from: ['visitors'],
      keep: [],
      calc: {
        visitors: 'COUNT(visitors.reader_id)',
        recognized: {
          of: 'COUNT(visitors.reader_id)',
          filter: { seconds: { gt: OVER_A_DAY_SECONDS } },
        },
      },
    },
  } as const;
  return { query: bodyOf(scope, ['allpv'], make, { use: 'recognized' }), unfiltered: filtered };
}
