// Owns the reading of a site's goals for people: each with the conversions that it has so far.
// Tracking id in -> goals by number. Conversions are counted with little patience; the goals are told either way.
import type { Knex } from 'knex';
import { type Patience, readWithin } from '../sites/read-within';
import { type Goal, storedGoal } from './goal-schema';

export interface ListedGoal {
  readonly goal: Goal;
  /** Sessions that converted; null when there are too many to count in time. */
  readonly conversions: number | null;
}

/** The goals of a site by number; none for a site that there is not. */
export async function listGoals(
  read: Knex,
  trackingId: string,
  patience: Patience,
): Promise<readonly ListedGoal[]> {
  const stored: { rows: { id: number; name: string; type: string; condition: unknown }[] } = await read.raw(
    `SELECT g.goal_no AS id, g.name, g.type, g.condition FROM analytics.goal g JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ? ORDER BY g.goal_no`,
    [trackingId],
  );
  const counted = await readWithin(read, patience, (client) =>
    client.query<{ id: number; conversions: number }>(
      `SELECT c.goal_no AS id, count(*) AS conversions FROM analytics.conversion c
        WHERE c.site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = $1) GROUP BY c.goal_no`,
      [trackingId],
    ),
  );
  const conversions = new Map(counted?.rows.map((row) => [row.id, row.conversions]));
  return stored.rows.map((row) => {
    const goal = storedGoal(row);
    return { goal, conversions: counted === undefined ? null : (conversions.get(goal.id) ?? 0) };
  });
}
