// Owns the days that are computed: which they are, when they begin and end, and in what portions they are taken.
// Clock, day numbers -> days with their instants; their rows are counted by the index, so that portions are of one size.
import type { ClientBase } from 'pg';
import type { LocalClock } from '../../clocks/local-clock';
import { dayBounds } from '../../clocks/local-days';
import { ANY_SITE } from '../import/planner-hints';
import type { CountedMaterial } from './counted-material';

/** [since, until) in epoch seconds. */
export interface LocalDay {
  readonly day: number;
  readonly since: number;
  readonly until: number;
  readonly rows: number;
}

/** The days of these numbers (in order) that have rows. */
export async function daysWithRows(
  client: ClientBase,
  siteId: number,
  { table, time }: CountedMaterial,
  clock: LocalClock,
  numbers: readonly number[],
): Promise<readonly LocalDay[]> {
  const [first] = numbers;
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return [];
  const bounds = dayBounds(clock, first, last + 1);
  const days = numbers.map((day) => ({
    day,
    since: bounds[day - first] ?? 0,
    until: bounds[day - first + 1] ?? 0,
  }));
  const answer = await client.query<{ day: number; rows: number }>(
    `SELECT d.day, c.rows FROM ${dayList(days)},
            LATERAL (SELECT count(*)::integer AS rows FROM analytics.${table} v
                      WHERE v.site_id = ${ANY_SITE} AND v.${time} >= d.since AND v.${time} < d.until) c
      WHERE c.rows > 0`,
    [siteId],
  );
  const rows = new Map(answer.rows.map((found) => [found.day, found.rows]));
  return days.flatMap((day) => {
    const found = rows.get(day.day);
    return found === undefined ? [] : [{ ...day, rows: found }];
  });
}

/** Epoch seconds as the database takes them. */
export const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Days as a list in SQL, `d (day, since, until)`: for COPY, which takes no parameters. */
export function dayList(days: readonly Omit<LocalDay, 'rows'>[]): string {
  const list = (values: readonly (string | number)[], type: string): string =>
    `'{${values.join(',')}}'::${type}[]`;
  return `unnest(${list(
    days.map(({ day }) => day),
    'integer',
  )}, ${list(
    days.map(({ since }) => instant(since)),
    'timestamptz',
  )}, ${list(
    days.map(({ until }) => instant(until)),
    'timestamptz',
  )}) d (day, since, until)`;
}

/** Consecutive days, together of about so many rows. */
export function portions(days: readonly LocalDay[], rows: number): readonly (readonly LocalDay[])[] {
  const found: LocalDay[][] = [];
  let open: LocalDay[] = [];
  let size = 0;
  for (const day of days) {
    if (size > 0 && size + day.rows > rows) {
      found.push(open);
      open = [];
      size = 0;
    }
    open.push(day);
    size += day.rows;
  }
  if (open.length > 0) found.push(open);
  return found;
}
