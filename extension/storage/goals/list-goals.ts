// Owns the reading of a site's goals for people, and of the conversions that each has so far.
// Tracking id in -> goals by number; conversions by the number of their goal, counted with little patience.
import type { Knex } from 'knex';
import { type Patience, readWithin } from '../read-within';
import { type Goal, storedGoal } from './goal-schema';

/** The goals of a site by number; none for a site that there is not. */
export async function listGoals(read: Knex, trackingId: string): Promise<readonly Goal[]> {
  const stored: { rows: { id: number; name: string; type: string; condition: unknown }[] } = await read.raw(
    `SELECT g.goal_no AS id, g.name, g.type, g.condition FROM analytics.goal g JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ? ORDER BY g.goal_no`,
    [trackingId],
  );
  return stored.rows.map(storedGoal);
}

/** How many sessions converted on a goal; undefined where there are too many to count in time. */
export type ConversionsOf = (goal: Goal) => number | undefined;

/** Counts the conversions of all goals of a site. */
export async function countConversions(
  read: Knex,
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

/** The numbers of the goals that any of the sites defines, in order. */
export function definedGoals(database: Knex, siteIds: readonly number[]): Promise<readonly number[]> {
  return database
    .withSchema('analytics')
    .from('goal')
    .distinct('goal_no')
    .whereIn('site_id', siteIds)
    .orderBy('goal_no')
    .pluck<number[]>('goal_no');
}
