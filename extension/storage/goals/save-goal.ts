// Owns the making, changing and removing of one goal by a person, with its conversions in the same transaction.
// Goal in -> saved, or the faults by field; nothing is written then. Waits for no import: it says that one is running.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type FieldFault, faultsOf, siteFault } from '../field-faults';
import { ChangedMeanwhile } from '../form-mark';
import { inTransaction } from '../in-transaction';
import { lockedSoon, waitForSites } from '../site-locks';
import { replaceConversions } from './conversions';
import { databasePatternFault } from './goal-pattern';
import { type Goal, goalSchema, markOfGoal, storedGoal } from './goal-schema';

/**
 * Saves a goal; `goal` is as a file of sites has it. Answers its faults, none when it is saved. `mark` is that of the goal
 * as the form showed it (`markOfGoal`): throws ChangedMeanwhile when another one is stored by now.
 */
export async function saveGoal(
  write: Knex,
  trackingId: string,
  goal: unknown,
  mode: 'add' | 'change',
  mark?: string,
): Promise<readonly FieldFault[]> {
  const parsed = goalSchema.safeParse(goal, { error: siteFault });
  if (!parsed.success) return faultsOf(parsed.error);
  return changingGoals(write, trackingId, (client, siteId) =>
    writeChecked(client, siteId, parsed.data, { mode, mark }),
  );
}

/**
 * Removes a goal with its conversions. Answers what is against it, nothing when it is removed. `mark` is that of the goal
 * as the question showed it: throws ChangedMeanwhile when another one is stored by now.
 */
export function removeGoal(
  write: Knex,
  trackingId: string,
  number: number,
  mark?: string,
): Promise<readonly FieldFault[]> {
  return changingGoals(write, trackingId, async (client, siteId) => {
    const stored = await storedAt(client, siteId, number, mark);
    if (stored === undefined) return [{ path: 'id', message: `there is no goal ${number}` }];
    await client.query('DELETE FROM analytics.goal WHERE site_id = $1 AND goal_no = $2', [siteId, number]);
    await raiseDataVersion(client, siteId);
    return [];
  });
}

async function writeChecked(
  client: ClientBase,
  siteId: number,
  goal: Goal,
  { mode, mark }: { readonly mode: 'add' | 'change'; readonly mark: string | undefined },
): Promise<readonly FieldFault[]> {
  const isThere = (await storedAt(client, siteId, goal.id, mark)) !== undefined;
  if (mode === 'add' && isThere) return [{ path: 'id', message: `there is a goal ${goal.id} already` }];
  if (mode === 'change' && !isThere) return [{ path: 'id', message: `there is no goal ${goal.id}` }];
  const faults = await goalFaults(client, goal);
  if (faults.length > 0) return faults;
  if (await writeGoal(client, siteId, goal)) await raiseDataVersion(client, siteId);
  return [];
}

/** The goal of this number, if there is one; throws ChangedMeanwhile where its mark is another one than `mark`. */
async function storedAt(
  client: ClientBase,
  siteId: number,
  number: number,
  mark: string | undefined,
): Promise<Goal | undefined> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT goal_no AS id, name, type, condition FROM analytics.goal WHERE site_id = $1 AND goal_no = $2',
    [siteId, number],
  );
  const [stored] = rows.map(storedGoal);
  if (stored !== undefined && mark !== undefined && markOfGoal(stored) !== mark)
    throw new ChangedMeanwhile<Goal>(stored);
  return stored;
}

/** Conversions follow goals, and imports keep conversions: both at once would miss each other's rows. */
function changingGoals(
  write: Knex,
  trackingId: string,
  change: (client: ClientBase, siteId: number) => Promise<readonly FieldFault[]>,
): Promise<readonly FieldFault[]> {
  return inTransaction(write, async (client) => {
    const found = await client.query<{ site_id: number }>(
      'SELECT site_id FROM analytics.site WHERE tracking_id = $1',
      [trackingId],
    );
    const site = found.rows[0];
    if (site === undefined) return [{ path: '', message: `There is no site ${trackingId}.` }];
    if (await lockedSoon(client, () => waitForSites(client, [trackingId])))
      return change(client, site.site_id);
    return [
      {
        path: '',
        message: `Data of site ${trackingId} are being imported, or its goals changed; try again when that is done.`,
      },
    ];
  });
}

async function raiseDataVersion(client: ClientBase, siteId: number): Promise<void> {
  await client.query('UPDATE analytics.site SET data_version = data_version + 1 WHERE site_id = $1', [
    siteId,
  ]);
}

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
  await replaceConversions(client, siteId, goal, 'all');
  return true;
}
