// Owns which days an import must compute again: those of touched rows, and later ones where their values are met again.
// Noted hours and late values -> days of a material. Where most of a site is concerned, all of it is taken.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../storage/planner';
import type { LocalClock } from '../time/local-clock';
import { dayBounds, dayOf } from '../time/local-days';
import type { CountedMaterial } from './counted-material';
import { dayOfRow, daysWithRows, instant, type LocalDay } from './local-day';
import type { SiteDays } from './rollup-state';
import { lateTable, NOTED_SECONDS, type NotedRows } from './touched-rows';

/** Where so much of a site is concerned, its rows are read in order rather than visitor by visitor. */
const MOST_OF_IT = 0.5;

/** What is computed again of a material: days with touched rows, and later ones where their visits and visitors are. */
export interface Extent {
  readonly days: readonly LocalDay[];
  /** Whether these are all days of the site. */
  readonly whole: boolean;
}

/** The days of a material to compute; without notes all of them. */
export async function extentOf(
  client: ClientBase,
  siteId: number,
  material: CountedMaterial,
  site: SiteDays,
  touched: NotedRows | undefined,
): Promise<Extent> {
  const { clock, firstDay, endDay } = site;
  const find = (numbers: readonly number[]): Promise<readonly LocalDay[]> =>
    daysWithRows(client, siteId, material, clock, numbers);
  const everything = async (): Promise<Extent> => {
    const all = Array.from({ length: endDay - firstDay }, (_, place) => firstDay + place);
    return { days: await find(all), whole: true };
  };
  if (touched === undefined) return everything();
  const numbers = daysOfHours(touched.hours.get(material.material) ?? new Set(), clock);
  if (numbers.length === 0 || material.counted.length === 0)
    return { days: await find(numbers), whole: false };
  const later = await laterDays(client, siteId, material, site, touched, numbers);
  const days = await find([...numbers, ...later].sort((a, b) => a - b));
  const known = await knownRows(client, siteId, material);
  return sizeOf(days) > known * MOST_OF_IT ? everything() : { days, whole: false };
}

/** How many rows the days have. */
export const sizeOf = (days: readonly LocalDay[]): number => days.reduce((sum, { rows }) => sum + rows, 0);

/** The days that noted hours may lie in, in order. */
function daysOfHours(hours: ReadonlySet<number>, clock: LocalClock): readonly number[] {
  const days = new Set<number>();
  for (const hour of hours) {
    days.add(dayOf(clock, hour * NOTED_SECONDS));
    days.add(dayOf(clock, (hour + 1) * NOTED_SECONDS - 1));
  }
  return [...days].sort((a, b) => a - b);
}

/** Days after touched ones, and none of them, on which visits or visitors of late rows are there as well. */
async function laterDays(
  client: ClientBase,
  siteId: number,
  { table, time, counted }: CountedMaterial,
  { clock, firstDay, endDay }: SiteDays,
  touched: NotedRows,
  numbers: readonly number[],
): Promise<readonly number[]> {
  if (!touched.hasLate()) return [];
  const bounds = dayBounds(clock, firstDay, endDay);
  const since = bounds[(numbers[0] ?? firstDay) - firstDay] ?? 0;
  const later = new Set<number>();
  for (const { field } of counted) {
    const { rows } = await client.query<{ day: number }>(
      `SELECT DISTINCT ${dayOfRow(firstDay, bounds, time)} AS day
         FROM ${lateTable(field)} l JOIN analytics.${table} v ON v.site_id = ${ANY_SITE} AND v.${field} = l.${field}
          AND v.${time} >= $2::timestamptz`,
      [siteId, instant(since)],
    );
    for (const { day } of rows) later.add(day);
  }
  for (const day of numbers) later.delete(day);
  return [...later];
}

/** How many rows of a material are counted already. */
async function knownRows(
  client: ClientBase,
  siteId: number,
  { dimensions }: CountedMaterial,
): Promise<number> {
  const whole = dimensions.find(({ keys }) => keys.length === 0)?.code ?? 0;
  const { rows } = await client.query<{ rows: number }>(
    `SELECT coalesce(sum(row_count[1]), 0)::float8 AS rows FROM analytics.rollup
      WHERE site_id = $1 AND dimension = $2 AND level = 0`,
    [siteId, whole],
  );
  return rows[0]?.rows ?? 0;
}

/** The end of the last stretch of days that are not asked for; null when there is none behind the first day. */
export function lastGap(days: readonly LocalDay[], firstDay: number): number | null {
  let place = days.length - 1;
  while (place > 0 && days[place - 1]?.day === (days[place]?.day ?? 0) - 1) place -= 1;
  const start = days[place];
  return start === undefined || start.day <= firstDay ? null : start.since;
}
