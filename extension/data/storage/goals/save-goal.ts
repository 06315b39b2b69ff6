// Saves or removes a goal with its conversions in one transaction, without waiting for a running import to finish.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Queryable } from '../../../../host-shim/extension-api';
import { type Changed, type FieldFault, faultsOf, siteFault } from '../field-faults';
import { inTransaction } from '../in-transaction';
import { lockSiteWithTimeout } from '../site-locks';
import { findSite } from '../sites/list-sites';
import { replaceConversions } from './conversions';
import { databasePatternFault } from './goal-pattern';
import { type Goal, goalNameKey, goalSchema, markOfGoal } from './goal-schema';
import { goalsOf } from './list-goals';

/**
 * Saves a goal in the format of a sites file. Returns the errors in it; the goal is saved if there are no errors. `mark` is the
 * mark of the goal that the form showed; if the stored goal differs, it is returned.
 */
export async function saveGoal(
  write: Knex,
  trackingId: string,
  goal: unknown,
  mode: 'add' | 'change',
  mark?: string,
): Promise<readonly FieldFault[] | Changed<Goal>> {
  const parsed = goalSchema.safeParse(goal, { error: siteFault });
  if (!parsed.success) return faultsOf(parsed.error);
  const { data } = parsed;
  return changeGoals(write, trackingId, async (client, siteId) => {
    const goals = await goalsOf(client, siteId);
    const stored = goals.find(({ id }) => id === data.id);
    if (isChanged(stored, mark)) return { stored };
    const isStored = stored !== undefined;
    if (mode === 'add' && isStored) return [{ path: 'id', message: `goal ${data.id} already exists` }];
    if (mode === 'change' && !isStored) return [{ path: 'id', message: `there is no goal ${data.id}` }];
    const faults = [...nameFaults(goals, data), ...(await goalFaults(client, data))];
    if (faults.length === 0) await writeGoal(client, siteId, data);
    return faults;
  });
}

/**
 * Removes a goal with its conversions, if it exists. If it was not removed, returns the reason. `mark` is the mark of the goal that
 * the form showed; if the stored goal differs, it is returned.
 */
export function removeGoal(
  write: Knex,
  trackingId: string,
  number: number,
  mark?: string,
): Promise<readonly FieldFault[] | Changed<Goal>> {
  return changeGoals(write, trackingId, async (client, siteId) => {
    const stored = (await goalsOf(client, siteId)).find(({ id }) => id === number);
    if (isChanged(stored, mark)) return { stored };
    await client.query('DELETE FROM analytics.goal WHERE site_id = $1 AND goal_no = $2', [siteId, number]);
    return [];
  });
}

const isChanged = (stored: Goal | undefined, mark: string | undefined): stored is Goal =>
  stored !== undefined && mark !== undefined && markOfGoal(stored) !== mark;

/** Imports and changes to goals both write conversions; without the lock, they would miss each other's rows. */
function changeGoals(
  write: Knex,
  trackingId: string,
  change: (client: ClientBase, siteId: number) => Promise<readonly FieldFault[] | Changed<Goal>>,
): Promise<readonly FieldFault[] | Changed<Goal>> {
  return inTransaction(write, async (client) => {
    const site = await findSite(client, trackingId);
    if (site === undefined) return [{ path: '', message: `There is no site ${trackingId}.` }];
    if (await lockSiteWithTimeout(client, trackingId)) return change(client, site.siteId);
    const message = `Data is being imported into site ${trackingId}, or its goals are being changed. Try again later.`;
    return [{ path: '', message }];
  });
}

function nameFaults(goals: readonly Goal[], goal: Goal): readonly FieldFault[] {
  const key = goalNameKey(goal.name);
  const twin = goals.find(({ id, name }) => id !== goal.id && goalNameKey(name) === key);
  if (twin === undefined) return [];
  return [{ path: 'name', message: `goal ${twin.id} already has this name; choose another` }];
}

/** Errors in a goal's pattern that only PostgreSQL can find. The transaction can continue. */
export async function goalFaults(client: Queryable, goal: Goal): Promise<readonly FieldFault[]> {
  if (goal.type !== 'gtype_page' || goal.condition.match !== 'regex') return [];
  const message = await databasePatternFault(client, goal.condition.url);
  return message === undefined ? [] : [{ path: 'condition.url', message }];
}

/** Writes a valid goal, and its conversions if the goal changed. Returns whether it changed. */
export async function writeGoal(client: ClientBase, siteId: number, goal: Goal): Promise<boolean> {
  const written = await client.query(
    `INSERT INTO analytics.goal AS g (site_id, goal_no, name, type, condition) VALUES ($1, $2, $3, $4, $5::jsonb)
     ON CONFLICT (site_id, goal_no) DO UPDATE
        SET name = excluded.name, type = excluded.type, condition = excluded.condition
      WHERE (g.name, g.type, g.condition) IS DISTINCT FROM (excluded.name, excluded.type, excluded.condition)`,
    [siteId, goal.id, goal.name, goal.type, JSON.stringify(goal.condition)],
  );
  if (written.rowCount === 0) return false;
  await replaceConversions(client, siteId, goal, 'all');
  return true;
}
