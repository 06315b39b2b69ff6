// Owns the list of all queries of the comparison, the ranges they are asked for, and their bodies.
import { Temporal } from 'temporal-polyfill';
import { textKey } from '../db/import/text-key';
import { BENCH_SITES, GOAL_RANK, LARGE_SITE, SITE_TIMEZONE, urlOf } from './data/shape';
import type { BenchQuery } from './queries/bench-query';
import { DIMENSION_QUERIES } from './queries/dimensions';
import { JOIN_QUERIES } from './queries/joins';
import { LIST_QUERIES } from './queries/lists';
import { PAGE_QUERIES } from './queries/pages';
import { VISIT_QUERIES } from './queries/visits';

export const RANGES = [30, 90, 365] as const;

const GOAL_URL = BENCH_SITES.filter(({ trackingId }) => trackingId === LARGE_SITE)
  .map((site) => urlOf(site, GOAL_RANK))
  .join();

export const BENCH_QUERIES: readonly BenchQuery[] = [
  ...PAGE_QUERIES,
  ...DIMENSION_QUERIES(GOAL_URL),
  ...VISIT_QUERIES,
  ...JOIN_QUERIES,
  ...LIST_QUERIES,
];

const END_DAY = '2026-11-01';
const DAY_MS = 86_400_000;

const dayBefore = (days: number): string =>
  new Date(Date.parse(END_DAY) - days * DAY_MS).toISOString().slice(0, 10);

const midnight = (day: string, zone: string): Temporal.ZonedDateTime =>
  Temporal.PlainDate.from(day).toZonedDateTime(zone);

/** The offsets from UTC in seconds, in their order, and the UNIX seconds between them, as arrays of PostgreSQL. */
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
  // An array without a member has no type that width_bucket takes: far away is as good as never.
  const known = changes.length === 0 ? [Number.MAX_SAFE_INTEGER] : changes;
  return { offsets: `{${offsets.join()}}`, changes: `{${known.join()}}` };
}

const zoneOf = ({ zone = SITE_TIMEZONE }: BenchQuery): string => zone;

/** The body of a request for the last `days` days of the data. */
export function bodyOf(query: BenchQuery, days: number): string {
  const { materials = ['allpv'], view, result = { use: 'v' } } = query;
  return JSON.stringify({
    tracking_id: LARGE_SITE,
    materials: materials.map((name) => ({ name })),
    time: { start: `${dayBefore(days)}T00:00:00`, end: `${END_DAY}T00:00:00`, tz: zoneOf(query) },
    make: { v: view },
    result,
  });
}

/** The values of the SQL's :names for the same question. */
export function valuesOf(
  query: BenchQuery,
  days: number,
  siteId: number,
): Readonly<Record<string, string | number>> {
  const zone = zoneOf(query);
  const from = midnight(dayBefore(days), zone);
  const to = midnight(END_DAY, zone);
  return {
    site: siteId,
    from: from.toInstant().toString(),
    to: to.toInstant().toString(),
    ...offsetsBetween(from, to),
    first_day: dayBefore(days),
    end_day: END_DAY,
    tz: zone,
    goal_url: GOAL_URL,
    goal_key: textKey([GOAL_URL]),
  };
}
