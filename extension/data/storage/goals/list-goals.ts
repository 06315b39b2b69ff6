// The goals defined on sites, and their conversion counts.
import type { ClientBase } from 'pg';
import type { Patience, ReadPool } from '../../../../host-shim/extension-api';
import type { DefinedGoal } from '../../../language/types/resolved-query';
import { readWithin } from '../read-within';
import { type Goal, storedGoal } from './goal-schema';

const GOALS =
  'SELECT goal_no AS id, name, type, condition FROM analytics.goal WHERE site_id = $1 ORDER BY goal_no';

type StoredGoal = Parameters<typeof storedGoal>[0];

/** Lists the goals of a site, ordered by number. */
export const listGoals = async (read: ReadPool, siteId: number): Promise<readonly Goal[]> =>
  (await read.query<StoredGoal>({ text: GOALS, values: [siteId] })).map(storedGoal);

/** Like `listGoals`, in a transaction. */
export const goalsOf = async (client: ClientBase, siteId: number): Promise<Goal[]> =>
  (await client.query<StoredGoal>(GOALS, [siteId])).rows.map(storedGoal);

/** The number of sessions that converted; undefined if counting took too long. */
type ConversionsOf = (goal: Pick<Goal, 'id'>) => number | undefined;

export async function countConversions(
  read: ReadPool,
  siteId: number,
  patience: Patience,
): Promise<ConversionsOf> {
  const counted = await readWithin(read, patience, (client) =>
    client.query<{ id: number; conversions: number }>(
      'SELECT goal_no AS id, count(*) AS conversions FROM analytics.conversion WHERE site_id = $1 GROUP BY goal_no',
      [siteId],
    ),
  );
  if (counted === undefined) return () => undefined;
  const conversions = new Map(counted.rows.map((row) => [row.id, row.conversions]));
  return ({ id }) => conversions.get(id) ?? 0;
}

/** The goals that exist on at least one of the sites, ordered by number. */
export const definedGoals = (read: ReadPool, siteIds: readonly number[]): Promise<readonly DefinedGoal[]> =>
  read.query({
    text: `SELECT goal_no AS number, array_agg(DISTINCT name) AS names, count(DISTINCT (name, type)) = 1 AS "isSame"
      FROM analytics.goal WHERE site_id = ANY($1) GROUP BY goal_no ORDER BY goal_no`,
    values: [siteIds],
  });
