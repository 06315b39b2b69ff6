// Owns what is known of the counts of a site as a whole: the clock that numbers its days, and which days it has rows on.
// Row of analytics.rollup_state in and out. A site without one has no counts.
import type { ClientBase } from 'pg';
import type { LocalClock } from '../time/local-clock';
import { dayBounds, dayOf } from '../time/local-days';
import { zoneOffsets } from '../time/zone-offsets';

/** The tables of the counts, in schema analytics. */
export const ROLLUP_TABLES: readonly string[] = ['rollup', 'rollup_unique', 'rollup_state'];

export interface RollupState {
  /** The zone that the clock was made of. */
  readonly timezone: string;
  readonly clock: LocalClock;
  /** All rows lie on the days [firstDay, endDay). */
  readonly firstDay: number;
  readonly endDay: number;
  /** No click lies more seconds behind the beginning of its page view. */
  readonly longestClick: number;
}

/** The days of a site and the clock that numbers them. */
export type SiteDays = Omit<RollupState, 'longestClick'>;

/** The state of a site that has counts. */
export async function storedState(client: ClientBase, siteId: number): Promise<RollupState | undefined> {
  const { rows } = await client.query<RollupState>(
    `SELECT timezone, clock, first_day AS "firstDay", end_day AS "endDay", longest_click AS "longestClick"
       FROM analytics.rollup_state WHERE site_id = $1`,
    [siteId],
  );
  return rows[0];
}

/** Stores the state of a site. */
export async function writeState(client: ClientBase, siteId: number, state: RollupState): Promise<void> {
  await client.query(
    `INSERT INTO analytics.rollup_state (site_id, timezone, clock, first_day, end_day, longest_click, built_at)
     VALUES ($1, $2, $3::jsonb, $4, $5, $6, clock_timestamp())
     ON CONFLICT (site_id) DO UPDATE SET timezone = excluded.timezone, clock = excluded.clock,
       first_day = excluded.first_day, end_day = excluded.end_day, longest_click = excluded.longest_click,
       built_at = excluded.built_at`,
    [siteId, state.timezone, JSON.stringify(state.clock), state.firstDay, state.endDay, state.longestClick],
  );
}

/** Beyond the rows, so that the days at both ends are whole days of the clock. */
const MARGIN_SECONDS = 3 * 86_400;

/** The clock of a zone and the days for rows from `first` to `last` (epoch seconds, both included). */
export function daysOfRows(timezone: string, first: number, last: number): SiteDays {
  const clock = zoneOffsets(first - MARGIN_SECONDS, last + MARGIN_SECONDS, timezone);
  return { timezone, clock, firstDay: dayOf(clock, first), endDay: dayOf(clock, last) + 1 };
}

/** Whether another clock gives the stored days the same instants. */
export function sameDays({ clock, firstDay, endDay }: RollupState, other: LocalClock): boolean {
  const bounds = dayBounds(other, firstDay, endDay);
  return dayBounds(clock, firstDay, endDay).every((bound, place) => bound === bounds[place]);
}
