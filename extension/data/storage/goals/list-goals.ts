// The goals of sites and their conversion counts.
import type { Patience, ReadPool } from '../../../../host-shim/extension-api';
import { analytics } from '../build-query';
import { readWithin } from '../read-within';
import { type Goal, storedGoal } from './goal-schema';

/** The goals of a site by number; empty if the site does not exist. */
export async function listGoals(read: ReadPool, trackingId: string): Promise<readonly Goal[]> {
  const stored = await read.query<Parameters<typeof storedGoal>[0]>({
    text: `SELECT g.goal_no AS id, g.name, g.type, g.condition FROM analytics.goal g JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = $1 ORDER BY g.goal_no`,
    values: [trackingId],
  });
  return stored.map(storedGoal);
}

/** The number of sessions that converted; undefined if counting took too long. */
type ConversionsOf = (goal: Pick<Goal, 'id'>) => number | undefined;

export async function countConversions(
  read: ReadPool,
  trackingId: string,
  patience: Patience,
): Promise<ConversionsOf> {
  const counted = await readWithin(read, patience, (client) =>
    client.query<{ id: number; conversions: number }>(
      `SELECT c.goal_no AS id, count(*) AS conversions FROM analytics.conversion c
        WHERE c.site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = $1) GROUP BY c.goal_no`,
      [trackingId],
    ),
  );
  if (counted === undefined) return () => undefined;
  const conversions = new Map(counted.rows.map((row) => [row.id, row.conversions]));
  return ({ id }) => conversions.get(id) ?? 0;
}

/** The numbers of all goals that exist on at least one of the sites, in order. */
export async function definedGoals(read: ReadPool, siteIds: readonly number[]): Promise<readonly number[]> {
  const goals = await read.select(
    analytics('goal')
      .distinct<{ goal_no: number }[]>('goal_no')
      .whereIn('site_id', siteIds)
      .orderBy('goal_no'),
  );
  return goals.map((goal) => goal.goal_no);
}
