// When an account is deleted, deletes its saved data or transfers it to another account.
import type { Knex } from 'knex';
import { deleteReportsOf } from '../reports/stored-reports';
import { SEGMENTS } from '../segments/saved-segments';
import { SAVED_QUERIES } from './saved-queries';
import type { SavedTable } from './saved-rows';

type Heir = { readonly id: number; readonly login: string } | null;

/** Saved queries and segments are transferred to the heir, or deleted if there is none. Query records and reports are always deleted. */
export async function transferSavedData(write: Knex, userId: number, heir: Heir): Promise<void> {
  await passOn(write, SAVED_QUERIES, userId, heir);
  await passOn(write, SEGMENTS, userId, heir);
  await deleteReportsOf(write, userId);
  await write('analytics.query_record').where('user_id', userId).delete();
}

async function passOn(
  write: Knex,
  { table, id, within }: SavedTable,
  userId: number,
  heir: Heir,
): Promise<void> {
  const own = () => write(`analytics.${table} as t`).where('t.user_id', userId);
  if (heir === null) {
    await own().delete();
    return;
  }
  const taken = write(`analytics.${table} as o`)
    .where('o.user_id', heir.id)
    .whereRaw('lower(o.name) = lower(t.name)');
  for (const column of within) taken.whereRaw('o.?? = t.??', [column, column]);
  await own()
    .whereExists(taken)
    .update({ name: write.raw("left(name, 70) || ' (' || login || ' ' || ?? || ')'", [id]) });
  await own().update({ user_id: heir.id, login: heir.login });
}
