// The record of an import in the database, from its start to its end. One transaction completes it, or several do: for the files
// of a command, or the pieces of a followed log. A record of several transactions ends when anything else changes the
// site, so that undoing it is exact; the next transaction then begins another record.
import { basename } from 'node:path';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { type ConnectionPool, poolOf } from '../../../host-shim/extension-api';
import { localDateOf } from '../../language/time/local-time';
import { LOCKS } from '../storage/advisory-locks';
import type { FollowedKey } from './followed-files';
import { forgetReplaced } from './forget-replaced';
import { addCounts, type ImportProgress } from './import-counts';
import { KILLED_FOLLOW_RUN, RECORDED_REJECTIONS } from './import-record';
import {
  type ImportEnd,
  type ImportStart,
  progressRecorder,
  recordEnd,
  recordFailure,
  recordStart,
  showRunning,
} from './record-import';
import { shareSets } from './record-sets';

/** The status of the record while more transactions may follow. A record with the status `following` ends at midnight. */
type SharedStatus = 'partial' | 'following';

interface RecordStart extends ImportStart {
  /** Takes the site lock. */
  takeSite(): Promise<void>;
  onRecorded?: ((importId: number) => void) | undefined;
}

interface RecordedPiece {
  readonly end: ImportEnd;
  /** Whether this is the last transaction of the record. */
  readonly isLast: boolean;
  /** Why the next file was not imported. */
  readonly error: string | undefined;
  /** How many imports into the site can be undone. */
  readonly undoable: number;
}

interface OpenRecord {
  readonly importId: number;
  readonly startedAt: Date;
  readonly progress: ReturnType<typeof progressRecorder>;
  /** The combined result of its committed transactions. */
  committed?: ImportEnd;
  /** The same, including the running transaction. */
  sum?: ImportEnd | undefined;
}

export type RunRecord = ReturnType<typeof openRunRecord>;

/** Opens a record. Without a status, one transaction completes it. */
export function openRunRecord(write: Knex, clock: () => Date, status?: SharedStatus) {
  let current: OpenRecord | undefined;
  /** The id of a record that was taken over, until another one begins. */
  let resumed: number | undefined;
  const holder = lockHolder(write);
  const importId = (): number | undefined => current?.importId;
  const soFar = (): ImportEnd | undefined => current?.committed;

  const end = async (): Promise<void> => {
    const ended = soFar() === undefined ? resumed : importId();
    current = undefined;
    resumed = undefined;
    if (ended !== undefined) await write.raw(END, [ended]);
  };

  /** Whether a transaction that holds the site lock may be added to the record. */
  const continues = async (client: ClientBase, { siteId, startedAt }: ImportStart): Promise<boolean> => {
    const { rows } = await client.query<{ timezone: string }>(UNCHANGED, [siteId, importId(), status]);
    const zone = rows[0]?.timezone;
    if (current === undefined || zone === undefined) return false;
    const dayOf = (at: Date): string => localDateOf(at.getTime() / 1000, zone);
    return status === 'partial' || dayOf(current.startedAt) === dayOf(startedAt);
  };

  return {
    status,
    importId,
    /** The combined result of its committed transactions; undefined before the first. */
    soFar,
    /** How many more rejected rows can be recorded. */
    roomForRejections: () => Math.max(0, RECORDED_REJECTIONS - (soFar()?.rejected ?? 0)),
    /** Begins a transaction of the record, and takes the site lock and the import's lock, which shows that the import is running. */
    async begin(client: ClientBase, start: RecordStart): Promise<void> {
      const hasCommitted = soFar() !== undefined;
      if (hasCommitted) {
        await start.takeSite();
        if (!(await continues(client, start))) await end();
      } else current = undefined;
      if (current === undefined) {
        const id = await recordStart(client, write, start);
        current = { importId: id, startedAt: start.startedAt, progress: progressRecorder(write, id, clock) };
      } else {
        current.sum = undefined;
        await showRunning(client, current.importId);
      }
      if (status !== undefined) await holder.hold(current.importId);
      start.onRecorded?.(current.importId);
      if (!hasCommitted) await start.takeSite();
    },
    /** Records the progress of the transaction, at most once per second. */
    show: ({ bytes, read }: ImportProgress): void =>
      current?.progress.show({ bytes: (soFar()?.bytes ?? 0) + bytes, read: (soFar()?.read ?? 0) + read }),
    /** Waits until no progress is being written. */
    settle: async (): Promise<void> => current?.progress.settle(),
    /** Records the result in the transaction. */
    async add(
      client: ClientBase,
      siteId: number,
      { end: added, isLast, error, undoable }: RecordedPiece,
    ): Promise<void> {
      if (current === undefined) throw new Error('The record of the import has not begun.');
      const { importId: id, committed } = current;
      current.sum = committed === undefined ? added : sumOf(committed, added);
      const isDone = status === undefined || (isLast && error === undefined);
      await recordEnd(client, id, { ...current.sum, status: isDone ? 'done' : status, error });
      const { updated, kept, unchanged } = current.sum;
      if (updated + kept + unchanged > 0) await shareSets(client, siteId, id);
      await forgetReplaced(client, siteId, undoable);
      if (!isDone) await client.query(STORE_VERSION, [siteId, id]);
    },
    /** Called after the transaction is committed. */
    committed(): void {
      if (current?.sum !== undefined) current.committed = current.sum;
    },
    /** Records why the import failed. Returns false if the import is complete, and only the confirmation of its commit was lost. */
    async fail(client: ClientBase, failed: ImportEnd, error: string): Promise<boolean> {
      const id = importId();
      return id === undefined || recordFailure(client, id, { ...failed, error });
    },
    /**
     * Shows that the log is followed, even between transactions, which may be far apart if the log grows slowly: holds this
     * record's lock, or takes over the record of a follower that was killed. Call it again after a restart of the database,
     * which releases the lock.
     */
    async resume({ siteId, material, path }: FollowedKey): Promise<void> {
      const own = importId() ?? resumed;
      if (own !== undefined) return holder.hold(own);
      const { rows } = await write.raw(KILLED_FOLLOW_RUN, { siteId, material, name: basename(path), path });
      resumed = rows[0]?.import_id;
      if (resumed !== undefined) await holder.hold(resumed);
    },
    /** Ends a record of several transactions, and the one that it took over. */
    async close(): Promise<void> {
      try {
        await end();
      } finally {
        holder.drop();
      }
    },
  };
}

const sumOf = (before: ImportEnd, end: ImportEnd): ImportEnd => ({
  ...end,
  ...addCounts([before, end]),
  bytes: before.bytes + end.bytes,
  format: [...new Set([...before.format.split(', '), ...end.format.split(', ')])].join(', '),
});

/** Holds an import's lock on a separate connection, which marks the import as running between its transactions. */
function lockHolder(write: Knex) {
  let holder: Awaited<ReturnType<ConnectionPool['acquire']>> | undefined;
  let held: number | undefined;
  const drop = (): void => {
    // Closing the connection also releases its locks.
    holder?.release(true);
    holder = undefined;
    held = undefined;
  };
  const lock = async (importId: number): Promise<void> => {
    if (held !== importId) drop();
    holder ??= await poolOf(write).acquire();
    await holder.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCKS.import, importId]);
    held = importId;
  };
  return {
    drop,
    async hold(importId: number): Promise<void> {
      // The database may have restarted since the previous transaction.
      await lock(importId).catch(() => {
        drop();
        return lock(importId);
      });
    },
  };
}

const END = `UPDATE analytics.import_run SET status = 'done'
  WHERE import_id = ? AND status IN ('partial', 'following') AND error IS NULL`;

/** The site's current version. Queried after the last change of a transaction, or while it holds the site lock. */
const VERSION = '(SELECT token FROM analytics.site_version WHERE site_id = $1)';
const STORE_VERSION = `UPDATE analytics.import_run SET version = ${VERSION} WHERE import_id = $2`;

/** SQL: whether nothing else has changed the site `$1` since the last transaction of the record `r`. */
const IS_LAST_CHANGE = `r.error IS NULL AND r.version = ${VERSION}
   AND NOT EXISTS (SELECT FROM analytics.import_run l WHERE l.site_id = r.site_id AND l.end_no > r.end_no)`;

/** The site's time zone, if nothing else has changed the site since the record's last transaction. */
const UNCHANGED = `
SELECT s.timezone FROM analytics.import_run r JOIN analytics.site s USING (site_id)
 WHERE r.import_id = $2 AND r.status = $3 AND ${IS_LAST_CHANGE}`;

const FOLLOWED = `
SELECT r.import_id AS "importId" FROM analytics.import_run r
 WHERE r.site_id = $1 AND r.status = 'following' AND ${IS_LAST_CHANGE}`;

/** The record of a followed log; undefined if anything else has changed the site since. */
export async function followedImport(client: ClientBase, siteId: number): Promise<number | undefined> {
  const { rows } = await client.query<{ importId: number }>(FOLLOWED, [siteId]);
  return rows[0]?.importId;
}
