// Owns the patience of a person at a form: a lock that somebody holds is waited for, but not for as long as an import takes.
// Work that takes locks in -> whether it got them. The transaction can go on either way.
import { type ClientBase, DatabaseError } from 'pg';

const PATIENCE_MS = 3000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Runs `take`, which waits for locks; false when they were not free in time. */
export async function lockedSoon(client: ClientBase, take: () => Promise<void>): Promise<boolean> {
  await client.query('SAVEPOINT locks');
  await client.query(`SET LOCAL lock_timeout = ${PATIENCE_MS}`);
  try {
    await take();
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT locks');
    return false;
  }
  await client.query('SET LOCAL lock_timeout = 0');
  return true;
}
