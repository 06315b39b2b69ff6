// The conversions on a site: for each session and goal, the visit's first view that triggers the goal. All conversions in a
// changed session are recomputed, so that no stale conversion remains.
import type { ClientBase } from 'pg';
import { countNoted, forget, note, noted } from '../../change/noted';
import { bindings } from '../bindings';
import type { Goal } from './goal-schema';
import { type TriggerKind, triggerKind, triggerQuery } from './goal-trigger';
import { goalsOf } from './list-goals';

/** Marks the sessions whose conversions may have changed, and recomputes them. */
export type ConversionUpdater = Awaited<ReturnType<typeof conversionUpdater>>;

type Dirty = 'none' | 'some' | 'all';

/** The kind under which the marked sessions are noted. */
const DIRTY = 'dirty_session';

/**
 * Recomputes the conversions of goals that name a page by its path alone, after the site's domain has changed. The caller must hold
 * the lock on the site.
 */
export async function followDomain(
  client: ClientBase,
  siteId: number,
  oldDomain: string,
  newDomain: string,
): Promise<void> {
  for (const goal of await goalsOf(client, siteId))
    if (triggerText(goal, oldDomain) !== triggerText(goal, newDomain))
      await replaceConversions(client, siteId, goal, 'all');
}

/** What triggers a goal on a site with this domain, for comparison. */
function triggerText(goal: Goal, domain: string): string {
  const { bind, values } = bindings();
  return JSON.stringify([triggerQuery(goal, domain, bind), values]);
}

/**
 * Creates an updater for a change to rows of this kind; a change to page views also changes their clicks and events. The caller
 * must hold the site's lock.
 */
export async function conversionUpdater(client: ClientBase, siteId: number, kind: TriggerKind) {
  const goals = (await goalsOf(client, siteId)).filter(
    (goal) => kind === 'view' || triggerKind(goal) === kind,
  );
  let dirty: Dirty = 'none';
  return {
    /** Marks the sessions that a query with one column returns. */
    async addFound(sql: string, values: readonly unknown[]): Promise<void> {
      if (goals.length === 0 || dirty === 'all') return;
      dirty = 'some';
      await note(client, DIRTY, sql, values);
    },
    /** Marks all sessions of the site. */
    addAll(): void {
      dirty = 'all';
    },
    /** Recomputes the conversions of the marked sessions. */
    async update(): Promise<void> {
      if (dirty === 'none') return;
      if (dirty === 'some') await countNoted(client);
      for (const goal of goals) await replaceConversions(client, siteId, goal, dirty);
      if (dirty === 'some') await forget(client, DIRTY);
    },
  };
}

/** Recomputes a goal's conversions in all sessions of its site, or in the marked ones. */
export async function replaceConversions(
  client: ClientBase,
  siteId: number,
  goal: Goal,
  sessions: 'some' | 'all',
): Promise<void> {
  const only = sessions === 'some' ? `session_id IN (${noted(DIRTY)})` : 'true';
  await client.query(`DELETE FROM analytics.conversion WHERE site_id = $1 AND goal_no = $2 AND ${only}`, [
    siteId,
    goal.id,
  ]);
  const { rows } = await client.query<{ domain: string }>(
    'SELECT domain FROM analytics.site WHERE site_id = $1',
    [siteId],
  );
  const domain = rows[0]?.domain ?? '';
  const { bind, values } = bindings(siteId, goal.id);
  await client.query(
    `INSERT INTO analytics.conversion (site_id, goal_no, session_id, pv_id, at)
     SELECT DISTINCT ON (session_id) $1, $2, session_id, pv_id, at FROM (${triggerQuery(goal, domain, bind)}) t
      WHERE ${only} ORDER BY session_id, at, order_no, pv_id`,
    values,
  );
}
