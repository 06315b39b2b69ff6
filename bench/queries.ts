// All queries in the comparison, with their ranges, request bodies and SQL values.
import { Temporal } from 'temporal-polyfill';
import { textKey } from '../extension/language/sql/text-key';
import { laterDate } from '../extension/language/time/calendar';
import { BENCH_SITES, GOAL_RANK, LARGE_SITE, SEARCHED_RANK, SITE_TIMEZONE, urlOf } from './data/shape';
import type { BenchQuery } from './queries/bench-query';
import { DECIMAL_QUERIES } from './queries/decimals';
import { DIMENSION_QUERIES } from './queries/dimensions';
import { JOIN_QUERIES } from './queries/joins';
import { LIST_QUERIES } from './queries/lists';
import { PAGE_QUERIES } from './queries/pages';
import { UNFORESEEN_JOIN_QUERIES } from './queries/unforeseen-joins';
import { UNFORESEEN_VIEW_QUERIES } from './queries/unforeseen-views';
import { VISIT_QUERIES } from './queries/visits';

export const RANGES = [30, 90, 365] as const;

const urlOfRank = (rank: number): string =>
  BENCH_SITES.filter(({ trackingId }) => trackingId === LARGE_SITE)
    .map((site) => urlOf(site, rank))
    .join();
const GOAL_URL = urlOfRank(GOAL_RANK);
/** The page that a frequent keyword leads to. */
const SEARCHED_URL = urlOfRank(SEARCHED_RANK);

export const BENCH_QUERIES: readonly BenchQuery[] = [
  ...PAGE_QUERIES,
  ...DIMENSION_QUERIES(GOAL_URL),
  ...VISIT_QUERIES,
  ...JOIN_QUERIES,
  ...LIST_QUERIES,
  ...DECIMAL_QUERIES,
  ...UNFORESEEN_VIEW_QUERIES,
  ...UNFORESEEN_JOIN_QUERIES(GOAL_URL, SEARCHED_URL),
];

const END_DAY = '2026-11-01';

/** The date `days` days before the end of the ranges, as YYYY-MM-DD. */
export const dayBefore = (days: number): string => laterDate(END_DAY, -days);

/** The times of day at both ends of a ragged range. */
const RAGGED = { start: 'T10:37:11', end: 'T17:03:09' };

/** Local times. A ragged range ends a day earlier, so that it has rows on its last day. */
function textsOf({ ragged }: BenchQuery, days: number): { readonly start: string; readonly end: string } {
  return ragged === true
    ? { start: dayBefore(days) + RAGGED.start, end: dayBefore(1) + RAGGED.end }
    : { start: `${dayBefore(days)}T00:00:00`, end: `${END_DAY}T00:00:00` };
}

const instantOf = (text: string, zone: string): Temporal.ZonedDateTime =>
  Temporal.PlainDateTime.from(text).toZonedDateTime(zone);

/** PostgreSQL arrays of the range's UTC offsets in seconds, and of the UNIX times at which the offset changes. */
function offsetsBetween(
  from: Temporal.ZonedDateTime,
  to: Temporal.ZonedDateTime,
): { readonly offsets: string; readonly changes: string } {
  const starts = [from];
  for (;;) {
    const next = starts.at(-1)?.getTimeZoneTransition('next');
    if (next === undefined || next === null || Temporal.ZonedDateTime.compare(next, to) >= 0) break;
    starts.push(next);
  }
  const [, ...changes] = starts.map((start) => start.epochMilliseconds / 1000);
  const offsets = starts.map((start) => start.offsetNanoseconds / 1e9);
  // width_bucket rejects an empty array. If there are no changes, the array contains one in the far future.
  const known = changes.length === 0 ? [Number.MAX_SAFE_INTEGER] : changes;
  return { offsets: `{${offsets.join()}}`, changes: `{${known.join()}}` };
}

const zoneOf = ({ zone = SITE_TIMEZONE }: BenchQuery): string => zone;

/** The request body for the last `days` days of the data. */
export const bodyOf = (query: BenchQuery, days: number): string =>
  queryBody(query, query.allSites === true ? 'all' : LARGE_SITE, {
    ...textsOf(query, days),
    tz: zoneOf(query),
  });

/** The request body for a site and a time range. */
function queryBody(
  {
    materials = ['allpv'],
    view,
    make = { v: view },
    result = { use: 'v' },
  }: Pick<BenchQuery, 'materials' | 'view' | 'make' | 'result'>,
  trackingId: string,
  time: { readonly start: string; readonly end: string; readonly tz: string },
): string {
  const names = materials.map((name) => ({ name }));
  return JSON.stringify({ tracking_id: trackingId, materials: names, time, make, result });
}

export interface SiteIds {
  /** The queried site. */
  readonly large: number;
  readonly all: readonly number[];
}

/** The values of the :name placeholders in the query's SQL. */
export function valuesOf(
  query: BenchQuery,
  days: number,
  sites: SiteIds,
): Readonly<Record<string, string | number>> {
  const zone = zoneOf(query);
  const { start, end } = textsOf(query, days);
  const from = instantOf(start, zone);
  const to = instantOf(end, zone);
  return {
    site: sites.large,
    sites: `{${(query.allSites === true ? sites.all : [sites.large]).join()}}`,
    from: from.toInstant().toString(),
    to: to.toInstant().toString(),
    ...offsetsBetween(from, to),
    first_day: dayBefore(days),
    end_day: END_DAY,
    tz: zone,
    goal_url: GOAL_URL,
    goal_key: textKey([GOAL_URL]),
    searched_url: SEARCHED_URL,
  };
}
