// Owns the days that are computed: which they are, when they begin and end, and in what portions they are taken.
// Clock, day numbers -> days with their instants; their rows are counted by the index, so that portions are of one size.
import type { ClientBase } from 'pg';
import { ANY_SITE, anySite } from '../storage/planner';
import type { LocalClock } from '../time/local-clock';
import { dayBounds } from '../time/local-days';
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
    `SELECT d.day, c.rows FROM unnest($2::integer[], $3::timestamptz[], $4::timestamptz[]) d (day, since, until),
            LATERAL (SELECT count(*)::integer AS rows FROM analytics.${table} v
                      WHERE v.site_id = ${ANY_SITE} AND v.${time} >= d.since AND v.${time} < d.until) c
      WHERE c.rows > 0`,
    [
      siteId,
      days.map(({ day }) => day),
      days.map(({ since }) => instant(since)),
      days.map(({ until }) => instant(until)),
    ],
  );
  const rows = new Map(answer.rows.map((found) => [found.day, found.rows]));
  return days.flatMap((day) => {
    const found = rows.get(day.day);
    return found === undefined ? [] : [{ ...day, rows: found }];
  });
}

/** Epoch seconds as the database takes them. */
export const instant = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** An array in SQL, for COPY, which takes no parameters. */
export const arrayOf = (values: readonly (string | number)[], type: string): string =>
  `'{${values.join(',')}}'::${type}[]`;

/** The local day of a row `v`, in SQL: `bounds` are the beginnings of all days, the first of which is `firstDay`. */
export const dayOfRow = (firstDay: number, bounds: readonly number[], time: string): string =>
  `${firstDay - 1} + width_bucket(v.${time}, ${arrayOf(bounds.map(instant), 'timestamptz')})`;

/** Days without others between them that a scan would rather read than leave out. */
const NEAR_DAYS = 3;

/**
 * The rows of days, in SQL without parameters: `day`, then these fields of `v`. They are read by the time of their days
 * and numbered by it: joined to the days, a table that nothing is known of yet would be read once for each of them.
 */
export function rowsOfDays(
  siteId: number,
  { table, time }: Pick<CountedMaterial, 'table' | 'time'>,
  fields: readonly string[],
  days: readonly LocalDay[],
): string {
  const runs = days.reduce<LocalDay[][]>((found, day) => {
    const run = found.at(-1);
    if (run !== undefined && day.day - (run.at(-1)?.day ?? 0) <= NEAR_DAYS) run.push(day);
    else found.push([day]);
    return found;
  }, []);
  const columns = ['day', ...fields].join(', ');
  return runs
    .map(
      (run) => `SELECT ${columns} FROM (
        SELECT ${[`${dayInRun(run, time)} AS day`, ...fields.map((field) => `v.${field}`)].join(', ')}
          FROM analytics.${table} v
         WHERE v.site_id = ${anySite(siteId)}
           AND v.${time} >= '${instant(run[0]?.since ?? 0)}' AND v.${time} < '${instant(run.at(-1)?.until ?? 0)}') r
       WHERE day IS NOT NULL`,
    )
    .join(' UNION ALL ');
}

/** The number of the day that a row lies in; null between the days. */
function dayInRun(run: readonly LocalDay[], time: string): string {
  const edges = run.flatMap((day, index) => {
    const next = run[index + 1];
    const isGap = next !== undefined && next.since > day.until;
    return [{ from: day.since, day: String(day.day) }, ...(isGap ? [{ from: day.until, day: 'NULL' }] : [])];
  });
  const numbers = arrayOf(
    edges.map(({ day }) => day),
    'integer',
  );
  const bounds = arrayOf(
    edges.map(({ from }) => instant(from)),
    'timestamptz',
  );
  return `(${numbers})[width_bucket(v.${time}, ${bounds})]`;
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
