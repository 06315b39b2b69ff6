// Owns the conversions of a site: for each session and goal, the first view by (at, pv_id) that triggers it.
// Sessions that an import touched -> their conversions computed anew, in the same transaction. Derived data: no row is
// ever changed in place, so a late view, or a session that was joined to another, cannot leave an old one behind.
import type { ClientBase } from 'pg';
import { type Goal, storedGoal } from './goal-schema';
import { type TriggerKind, triggerKind, triggerQuery } from './goal-trigger';

export interface ConversionKeeper {
  /** Sessions to look at again. */
  touch(sessions: Iterable<number>): Promise<void>;
  /** Sessions that a query answers as `session_id`. */
  touchFound(sql: string, bindings: readonly unknown[]): Promise<void>;
  /** Looks at every session of the site. */
  touchAll(): void;
  /** Computes what was touched. */
  run(): Promise<void>;
}

/** The keeper for one import; `kinds`: the rows that it brings. Open it when the site is locked. */
export async function conversionKeeper(
  client: ClientBase,
  siteId: number,
  kinds: readonly TriggerKind[],
): Promise<ConversionKeeper> {
  const stored = await storedGoals(client, siteId);
  const goals = stored.filter((goal) => kinds.includes(triggerKind(goal)));
  let touched: Touched = 'none';
  const collect = async (sql: string, bindings: readonly unknown[]): Promise<void> => {
    if (goals.length === 0 || touched === 'all') return;
    if (touched === 'none') await client.query(TOUCHED_TABLE);
    touched = 'some';
    await client.query(`INSERT INTO touched_session ${sql} ON CONFLICT DO NOTHING`, [...bindings]);
  };
  return {
    touch: (sessions) => collect('SELECT unnest($1::bigint[])', [[...sessions]]),
    touchFound: collect,
    touchAll() {
      touched = 'all';
    },
    async run() {
      if (touched === 'none') return;
      if (touched === 'some') await client.query('ANALYZE touched_session');
      for (const goal of goals) await compute(client, siteId, goal, touched);
    },
  };
}

/** Computes a goal anew over all sessions of its site. */
export async function rebuildConversions(client: ClientBase, siteId: number, goal: Goal): Promise<void> {
  await compute(client, siteId, goal, 'all');
}

/** Sessions whose conversions may be others now; some are those of the table. */
type Touched = 'none' | 'some' | 'all';

const TOUCHED_TABLE = 'CREATE TEMPORARY TABLE touched_session (session_id bigint PRIMARY KEY) ON COMMIT DROP';

async function storedGoals(client: ClientBase, siteId: number): Promise<readonly Goal[]> {
  const answer = await client.query<{ id: number; name: string; type: string; condition: unknown }>(
    'SELECT goal_no AS id, name, type, condition FROM analytics.goal WHERE site_id = $1 ORDER BY goal_no',
    [siteId],
  );
  return answer.rows.map(storedGoal);
}

async function compute(
  client: ClientBase,
  siteId: number,
  goal: Goal,
  touched: 'some' | 'all',
): Promise<void> {
  const only = touched === 'some' ? 'session_id IN (SELECT session_id FROM touched_session)' : 'true';
  await client.query(`DELETE FROM analytics.conversion WHERE site_id = $1 AND goal_no = $2 AND ${only}`, [
    siteId,
    goal.id,
  ]);
  const bindings: unknown[] = [siteId, goal.id];
  const bind = (value: unknown): string => `$${bindings.push(value)}`;
  const triggers = triggerQuery(goal, '$1', bind);
  await client.query(
    `INSERT INTO analytics.conversion (site_id, goal_no, session_id, pv_id, at)
     SELECT DISTINCT ON (session_id) $1, $2, session_id, pv_id, at FROM (${triggers}) t
      WHERE ${only} ORDER BY session_id, at, pv_id`,
    bindings,
  );
}
