// Counts what a goal would match before it is saved, in a few seconds, because a person is waiting.
import type { Queryable, ReadPool } from '../../../host-shim/extension-api';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { readWithin } from '../read-within';
import { type Goal, goalSchema } from './goal-schema';
import { triggerQuery } from './goal-trigger';
import { goalFaults } from './save-goal';

export type GoalCount =
  /** `sessions` is how many conversions the goal would have. */
  | { readonly kind: 'counted'; readonly views: number; readonly sessions: number }
  | { readonly kind: 'faults'; readonly faults: readonly FieldFault[] }
  | { readonly kind: 'too-long'; readonly seconds: number }
  | { readonly kind: 'no-site' };

const COUNT_SECONDS = 5;

export interface CountOptions {
  readonly signal: AbortSignal;
  /** For one statement; 5 by default. */
  readonly seconds?: number;
}

/** Counts the views and sessions that a goal would match. */
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
  const found = await client.query<{ site_id: number }>(
    'SELECT site_id FROM analytics.site WHERE tracking_id = $1',
    [trackingId],
  );
  const site = found.rows[0];
  if (site === undefined) return { kind: 'no-site' };
  const faults = await goalFaults(client, goal);
  if (faults.length > 0) return { kind: 'faults', faults };
  const bindings: unknown[] = [site.site_id];
  const bind = (value: unknown): string => `$${bindings.push(value)}`;
  const { rows } = await client.query<{ views: number; sessions: number }>(
    `SELECT coalesce(sum(views), 0) AS views, count(*) AS sessions
       FROM (SELECT count(DISTINCT pv_id) AS views FROM (${triggerQuery(goal, '$1', bind)}) t
              GROUP BY session_id) s`,
    bindings,
  );
  return { kind: 'counted', views: rows[0]?.views ?? 0, sessions: rows[0]?.sessions ?? 0 };
}
