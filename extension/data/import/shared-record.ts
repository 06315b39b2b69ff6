// An import record shared by several transactions: the files of a command, or the pieces of a followed log. It ends when anything else
// changes the site, so that undoing it is exact; the next transaction then begins another one.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type ConnectionPool, poolOf } from '../../../host-shim/extension-api';
import { localDateOf } from '../../language/time/local-time';
import { IMPORT_LOCK } from './import-record';
import type { ImportEnd } from './record-import';

export interface RecordSoFar extends Omit<ImportEnd, 'finishedAt' | 'rejections'> {
  readonly importId: number;
  readonly startedAt: Date;
  readonly recordedRejections: number;
}

export interface SharedRecord {
  /** Its status while transactions may follow; a `following` record ends at midnight. */
  readonly status: 'partial' | 'following';
  /** The sum of its committed transactions; undefined before the first. */
  soFar: RecordSoFar | undefined;
  /** Marks the record as in use, including between its transactions. */
  hold(importId: number): Promise<void>;
  /** Ends the record. The next transaction begins another one. */
  end(): Promise<void>;
  /** Ends the record for good. */
  close(): Promise<void>;
}

export function openSharedRecord(write: Knex, status: SharedRecord['status']): SharedRecord {
  let holder: Awaited<ReturnType<ConnectionPool['acquire']>> | undefined;
  const lock = async (importId: number): Promise<void> => {
    holder ??= await poolOf(write).acquire();
    await holder.query('SELECT pg_advisory_unlock_all()');
    await holder.query('SELECT pg_advisory_lock_shared($1, $2)', [IMPORT_LOCK, importId]);
  };
  const drop = (): void => {
    // Closing the connection also releases its locks.
    holder?.release(true);
    holder = undefined;
  };
  const record: SharedRecord = {
    status,
    soFar: undefined,
    async hold(importId) {
      // The database may have restarted since the previous transaction.
      await lock(importId).catch(() => {
        drop();
        return lock(importId);
      });
    },
    async end() {
      const { importId } = record.soFar ?? {};
      record.soFar = undefined;
      if (importId !== undefined)
        await write.raw(
          "UPDATE analytics.import_run SET status = 'done' WHERE import_id = ? AND status IN ('partial', 'following') AND error IS NULL",
          [importId],
        );
    },
    async close() {
      try {
        await record.end();
      } finally {
        drop();
      }
    },
  };
  return record;
}

/** The site's version. Call it after this transaction's last change, or while it holds the site lock. */
async function versionOf(client: ClientBase, siteId: number): Promise<string | undefined> {
  const { rows } = await client.query<{ token: string }>(
    'SELECT token FROM analytics.site_version WHERE site_id = $1',
    [siteId],
  );
  return rows[0]?.token;
}

/** Stores the version that the site has after this transaction of a record. */
export async function storeVersion(client: ClientBase, siteId: number, importId: number): Promise<void> {
  await client.query('UPDATE analytics.import_run SET version = $2 WHERE import_id = $1', [
    importId,
    await versionOf(client, siteId),
  ]);
}

/** Whether a transaction that holds the site lock may be added to the record. */
export async function goesOn(
  client: ClientBase,
  siteId: number,
  { status, soFar }: SharedRecord,
  now: Date,
): Promise<boolean> {
  if (soFar === undefined) return false;
  const { rows } = await client.query<{ timezone: string }>(
    `SELECT s.timezone FROM analytics.import_run r JOIN analytics.site s USING (site_id)
      WHERE r.import_id = $1 AND r.status = $2 AND r.error IS NULL AND r.version = $3
        AND NOT EXISTS (SELECT FROM analytics.import_run l WHERE l.site_id = r.site_id AND l.end_no > r.end_no)`,
    [soFar.importId, status, await versionOf(client, siteId)],
  );
  const zone = rows[0]?.timezone;
  if (zone === undefined) return false;
  const dayOf = (at: Date): string => localDateOf(at.getTime() / 1000, zone);
  return status === 'partial' || dayOf(soFar.startedAt) === dayOf(now);
}
