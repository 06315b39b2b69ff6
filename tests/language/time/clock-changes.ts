// Clock changes according to two independent sources: the database, and date formatting in the runtime. Both can only convert
// instants to local times, not local times to instants.
import type { Knex } from 'knex';

export const FROM = Date.UTC(2024) / 1000;
export const TO = Date.UTC(2028) / 1000;
const HOUR = 3600;
const DAY = 24 * HOUR;
/** No zone has two clock changes within a week. */
const WEEK = 7 * DAY;

/** Seconds compared on each side of a change. They include at least one whole day. */
export const AROUND = 2 * DAY;
/** A test verifies that all offsets and change times in these years are multiples of this number of seconds. */
export const GRID = 900;

/** A local day near a change. It contains `instants` grid points, from `first` to `last`. */
export interface ShownDay {
  readonly day: string;
  readonly first: number;
  readonly last: number;
  readonly instants: number;
}

export interface ClockChange {
  readonly zone: string;
  readonly at: number;
  /** Seconds by which local clocks were ahead of UTC before the change. */
  readonly before: number;
  /** Seconds by which they were ahead afterward. */
  readonly after: number;
  /** Ordered by `first`. The first and last days may be incomplete. */
  readonly days: readonly ShownDay[];
}

export async function clockChangesFromDatabase(
  database: Knex,
  zones: readonly string[],
): Promise<readonly ClockChange[]> {
  const ahead = (instant: string) =>
    `extract(epoch from (${instant} at time zone zone) - (${instant} at time zone 'UTC'))::int`;
  const { rows } = await database.raw(
    `with step as materialized (
       select zone, at from unnest(?::text[]) zone,
              generate_series(to_timestamp(${FROM}), to_timestamp(${TO - 1}), '12 hours') at
        where at at time zone zone <> (at + interval '12 hours') at time zone zone - interval '12 hours'
     ), change as materialized (
       select zone, minute as at, ${ahead("(minute - interval '1 second')")} as before, ${ahead('minute')} as after
         from step, generate_series(at + interval '1 minute', at + interval '12 hours', '1 minute') minute
        where minute at time zone zone <> (minute - interval '1 minute') at time zone zone + interval '1 minute'
     ), shown as (
       select zone, at, before, after, (instant at time zone zone)::date as day,
              extract(epoch from min(instant))::int as first, extract(epoch from max(instant))::int as last,
              count(*)::int as instants
         from change, generate_series(at - interval '${AROUND} s', at + interval '${AROUND - 1} s', '${GRID} s') instant
        group by 1, 2, 3, 4, 5
     )
     select zone, extract(epoch from at)::int as at, before, after,
            json_agg(json_build_object('day', day, 'first', first, 'last', last, 'instants', instants) order by first) as days
       from shown group by 1, 2, 3, 4 order by zone, at`,
    [[...zones]],
  );
  return rows;
}

/** The local times of instants according to the database, in seconds as if they were UTC. */
export async function localTimesFromDatabase(
  database: Knex,
  points: readonly { readonly zone: string; readonly instant: number }[],
): Promise<readonly number[]> {
  const { rows } = await database.raw(
    `select extract(epoch from to_timestamp(instant) at time zone zone)::bigint as shown
       from unnest(?::text[], ?::float8[]) with ordinality as asked (zone, instant, place) order by place`,
    [points.map(({ zone }) => zone), points.map(({ instant }) => instant)],
  );
  return rows.map(({ shown }: { shown: unknown }) => Number(shown));
}

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const;

type Clock = (instant: number) => number;

const clocks = new Map<string, Clock>();

/** Returns a function that converts an instant to local time according to the runtime, in seconds as if it were UTC. */
export function runtimeClock(zone: string): Clock {
  const clock = clocks.get(zone) ?? createClock(zone);
  clocks.set(zone, clock);
  return clock;
}

function createClock(zone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone: zone });
  return (instant) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] =
      format
        .format(instant * 1000)
        .match(/\d+/g)
        ?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  };
}

export function clockChangesFromRuntime(zones: readonly string[]): readonly ClockChange[] {
  /** Cached, because most zones share their changes with others and formatting each instant is slow. */
  const known = new Map<string, ClockChange['days']>();
  const daysOf = (at: number, before: number, after: number, clock: Clock) => {
    const change = [at, before, after].join();
    const days = known.get(change) ?? daysAround(at, clock);
    known.set(change, days);
    return days;
  };
  return zones.flatMap((zone) => {
    const clock = runtimeClock(zone);
    const ahead = (instant: number) => clock(instant) - instant;
    const changes: ClockChange[] = [];
    let offset = ahead(FROM);
    for (let start = FROM; start < TO; start += WEEK) {
      const end = Math.min(start + WEEK, TO);
      const next = ahead(end);
      if (next === offset) continue;
      const at = firstWith(next, ahead, start, end);
      changes.push({ zone, at, before: offset, after: next, days: daysOf(at, offset, next, clock) });
      offset = next;
    }
    return changes;
  });
}

/** The first second with the offset at `end` instead of the offset at `start`. */
function firstWith(offset: number, ahead: Clock, start: number, end: number): number {
  let [low, high] = [start, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (ahead(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

function daysAround(at: number, clock: Clock): readonly ShownDay[] {
  const days = new Map<number, { first: number; last: number; instants: number }>();
  for (let instant = at - AROUND; instant < at + AROUND; instant += GRID) {
    const day = Math.floor(clock(instant) / DAY);
    const known = days.get(day) ?? { first: instant, last: instant, instants: 0 };
    days.set(day, { first: known.first, last: instant, instants: known.instants + 1 });
  }
  return [...days].map(([day, shown]) => ({
    day: new Date(day * DAY * 1000).toISOString().slice(0, 10),
    ...shown,
  }));
}
