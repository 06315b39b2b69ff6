// Owns the writing of one goal together with its conversions, and what only the database can have against it.
// Checked goal in -> its row and its conversions. All of it inside a transaction that holds the lock of the site.
import type { ClientBase } from 'pg';
import type { FieldFault } from '../sites/site-faults';
import { databasePatternFault } from './goal-pattern';
import type { Goal } from './goal-schema';
import { rebuildConversions } from './keep-conversions';

/** What PostgreSQL has against the pattern of a goal. Runs inside a transaction, and leaves it as it was. */
export async function goalFaults(client: ClientBase, goal: Goal): Promise<readonly FieldFault[]> {
  if (goal.type !== 'gtype_page' || goal.condition.match !== 'regex') return [];
  const message = await databasePatternFault(client, goal.condition.url);
  return message === undefined ? [] : [{ path: 'condition.url', message }];
}

/** Writes a goal, and its conversions when it is different now; answers whether it is. */
export async function writeGoal(client: ClientBase, siteId: number, goal: Goal): Promise<boolean> {
  const written = await client.query(
    `INSERT INTO analytics.goal AS g (site_id, goal_no, name, type, condition) VALUES ($1, $2, $3, $4, $5::jsonb)
     ON CONFLICT (site_id, goal_no) DO UPDATE
        SET name = excluded.name, type = excluded.type, condition = excluded.condition
      WHERE (g.name, g.type, g.condition) IS DISTINCT FROM (excluded.name, excluded.type, excluded.condition)`,
    [siteId, goal.id, goal.name, goal.type, JSON.stringify(goal.condition)],
  );
  if (written.rowCount === 0) return false;
  await rebuildConversions(client, siteId, goal);
  return true;
}
