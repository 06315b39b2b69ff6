// Writes the record of an import, from its start and outside its transaction, so that its progress is
// visible and a failed import leaves a trace.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { nextNumbers } from '../rows/generated-ids';
import { LOCKS } from '../storage/advisory-locks';
import type { ConflictRule } from './conflict-rules';
import { COUNTS, type ImportCounts, type ImportedBy, type ImportProgress } from './import-counts';
import { type Rejection, storable } from './import-record';

export interface ImportStart {
  readonly siteId: number;
  readonly material: string;
  readonly source: string;
  readonly sourceName: string | undefined;
  readonly onConflict: ConflictRule;
  readonly format: string;
  readonly by: ImportedBy;
  readonly startedAt: Date;
}

/** The result of a transaction, or of all transactions of a record. */
export interface ImportEnd extends ImportCounts {
  readonly format: string;
  readonly bytes: number;
  readonly finishedAt: Date;
  /** The rejected rows in this transaction. */
  readonly rejections: readonly Rejection[];
}

/** Records that an import has started. `client` is in the import's transaction, and holds the import's lock until the transaction ends. */
export async function recordStart(client: ClientBase, write: Knex, start: ImportStart): Promise<number> {
  const [importId = 0] = await nextNumbers(client, 'import_run', 'import_id');
  await showRunning(client, importId);
  await write.raw(
    `INSERT INTO analytics.import_run (import_id, site_id, material, source, source_name, on_conflict, format, login, through, status,
       started_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     OVERRIDING SYSTEM VALUE VALUES (:importId, :siteId, :material, :source, :sourceName, :onConflict, :format, :login, :through, 'running',
       :startedAt, 0, 0, 0, 0)`,
    { ...start, ...start.by, importId, sourceName: start.sourceName ?? null },
  );
  return importId;
}

/** Marks the import as running until the end of the transaction. */
export async function showRunning(client: ClientBase, importId: number): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock_shared($1, $2)', [LOCKS.import, importId]);
}

const RECORD_EVERY_MS = 1000;

export function progressRecorder(write: Knex, importId: number, clock: () => Date) {
  let due = clock().getTime() + RECORD_EVERY_MS;
  let running: Promise<unknown> | undefined;
  return {
    show({ bytes, read }: ImportProgress): void {
      const now = clock().getTime();
      if (now < due || running !== undefined) return;
      due = now + RECORD_EVERY_MS;
      running = Promise.resolve(
        write.raw(
          `UPDATE analytics.import_run SET bytes_read = ?, rows_read = ? WHERE import_id = ? AND status IN ('running', 'partial', 'following')`,
          [bytes, read, importId],
        ),
      )
        // Progress is only informational; the import continues without it.
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
    },
    async settle(): Promise<void> {
      await running;
    },
  };
}

interface RecordedEnd extends ImportEnd {
  readonly status: 'done' | 'partial' | 'following';
  /** Why the next file was not imported. */
  readonly error: string | undefined;
}

/** SQL assignments for the end of an import: how much was read, and the outcome. */
const ENDED = `error = $2, finished_at = $3, bytes_read = $4, skipped = $5::jsonb, ${COUNTS.map((name, place) => `rows_${name} = $${place + 6}`).join(', ')}`;

const endedValues = (importId: number, end: ImportEnd, error: string | undefined): unknown[] => [
  importId,
  error === undefined ? null : storable(error),
  end.finishedAt,
  end.bytes,
  JSON.stringify(end.skipped),
  ...COUNTS.map((name) => end[name]),
];

/** Records the result in the import's transaction, which holds the site lock. */
export async function recordEnd(client: ClientBase, importId: number, end: RecordedEnd): Promise<void> {
  await client.query(
    `UPDATE analytics.import_run SET ${ENDED}, status = $${COUNTS.length + 6}, format = $${COUNTS.length + 7}, can_undo = true,
       end_no = coalesce(end_no,
         (SELECT coalesce(max(l.end_no), 0) + 1 FROM analytics.import_run l WHERE l.site_id = import_run.site_id))
      WHERE import_id = $1`,
    [...endedValues(importId, end, end.error), end.status, end.format],
  );
  await recordRejections(client, importId, end.rejections);
}

/**
 * Records that an import failed, and why. The results of the record's earlier transactions are kept. Returns false, and
 * records nothing, if the transaction was committed: its connection may break before the commit is confirmed.
 */
export async function recordFailure(
  client: ClientBase,
  importId: number,
  { error, ...end }: ImportEnd & { readonly error: string },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE analytics.import_run SET ${ENDED}, status = 'failed' WHERE import_id = $1 AND status = 'running'`,
    endedValues(importId, end, error),
  );
  if (rowCount === 0) return recordPartial(client, importId, error);
  await recordRejections(client, importId, end.rejections);
  return true;
}

async function recordPartial(client: ClientBase, importId: number, error: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE analytics.import_run SET status = 'partial', error = $2
      WHERE import_id = $1 AND status IN ('partial', 'following') AND error IS NULL`,
    [importId, storable(error)],
  );
  return rowCount === 1;
}

/** A line should be rejected only once, but a second rejection must not make the import fail. */
export async function recordRejections(
  client: ClientBase,
  importId: number,
  rejections: readonly Rejection[],
): Promise<void> {
  if (rejections.length === 0) return;
  await client.query(
    `INSERT INTO analytics.import_rejection (import_id, file, line, column_name, value, reason)
     SELECT $1, coalesce(file, ''), line, "column", value, reason
       FROM json_to_recordset($2) AS r(file text, line bigint, "column" text, value text, reason text)
     ON CONFLICT (import_id, file, line) DO NOTHING`,
    [importId, JSON.stringify(rejections)],
  );
}
