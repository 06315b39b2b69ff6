// Counts what a goal would match before it is saved, with a short time limit because a user is waiting.
import type { Queryable, ReadPool } from '../../../../host-shim/extension-api';
import { bindings } from '../bindings';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { readWithin } from '../read-within';
import { findSite } from '../sites/list-sites';
import { type Goal, goalSchema } from './goal-schema';
import { triggerQuery } from './goal-trigger';
import { goalFaults } from './save-goal';

export type GoalCount =
  /** For the 30 local days up to `lastDay`, the site's last day with a view. `sessions` is the number of conversions. */
  | { readonly kind: 'counted'; readonly lastDay: string; readonly views: number; readonly sessions: number }
  | { readonly kind: 'no-views' }
  | { readonly kind: 'faults'; readonly faults: readonly FieldFault[] }
  | { readonly kind: 'too-long'; readonly seconds: number }
  | { readonly kind: 'no-site' };

const COUNT_SECONDS = 5;
/** Enough days to see whether a condition is right, and few enough to count quickly. */
export const TRIED_DAYS = 30;

interface TriedDays {
  /** Both are null if there are no views. */
  readonly start: Date | null;
  readonly last_day: string | null;
}

export interface CountOptions {
  readonly signal: AbortSignal;
  /** The time limit per statement; 5 by default. */
  readonly seconds?: number;
}

export async function countGoal(
  read: ReadPool,
  trackingId: string,
  goal: { readonly type: unknown; readonly condition: unknown },
  { signal, seconds = COUNT_SECONDS }: CountOptions,
): Promise<GoalCount> {
  const { type, condition } = goal;
  const parsed = goalSchema.safeParse({ id: 1, name: 'counted', type, condition }, { error: siteFault });
  if (!parsed.success) return { kind: 'faults', faults: faultsOf(parsed.error) };
  const counted = await readWithin(read, { seconds, signal }, (client) =>
    countOn(client, trackingId, parsed.data),
  );
  return counted ?? { kind: 'too-long', seconds };
}

async function countOn(client: Queryable, trackingId: string, goal: Goal): Promise<GoalCount> {
  const site = await findSite(client, trackingId);
  if (site === undefined) return { kind: 'no-site' };
  const faults = await goalFaults(client, goal);
  if (faults.length > 0) return { kind: 'faults', faults };
  const { siteId, domain, timezone } = site;
  const tried = await client.query<TriedDays>(
    `SELECT (day - ($3::integer - 1))::timestamp AT TIME ZONE $2 AS start, day::text AS last_day
       FROM (SELECT (max(at) AT TIME ZONE $2)::date AS day FROM analytics.page_view WHERE site_id = $1) last`,
    [siteId, timezone, TRIED_DAYS],
  );
  const { start = null, last_day: lastDay = null } = tried.rows[0] ?? {};
  if (lastDay === null) return { kind: 'no-views' };
  const { bind, values } = bindings(siteId, start);
  const { rows } = await client.query<{ views: number; sessions: number }>(
    `SELECT coalesce(sum(views), 0) AS views, count(*) AS sessions
       FROM (SELECT count(DISTINCT pv_id) AS views FROM (${triggerQuery(goal, domain, bind)}) t
              WHERE at >= $2 GROUP BY session_id) s`,
    values,
  );
  return { kind: 'counted', lastDay, views: rows[0]?.views ?? 0, sessions: rows[0]?.sessions ?? 0 };
}
