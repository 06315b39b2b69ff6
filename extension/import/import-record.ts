// The record of imports in the database: what was loaded when, and the first of the rows that were rejected. The numbers of
// imports ascend with their end, so the newest has the highest.
import type { ClientBase } from 'pg';
import type { ReadPool } from '../../host-shim/extension-api';
import { showValue } from './import-error';
import type { RejectedRow } from './rejected-rows';

export interface RecordedImport {
  readonly importId: number;
  readonly trackingId: string;
  readonly siteName: string;
  readonly material: string;
  /** Name of the file, or how the rows were generated. */
  readonly source: string;
  readonly startedAt: Date;
  readonly seconds: number;
  readonly read: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
}

export interface Rejection {
  readonly line: number;
  /** Null if the row as a whole is wrong. */
  readonly column: string | null;
  /** Shortened, as in messages. */
  readonly value: string | null;
  readonly reason: string;
}

export interface ImportFilter {
  /** Tracking ids; all sites if left out. */
  readonly sites?: readonly string[];
  /** Only imports before this number. */
  readonly before?: number;
}

export interface ImportList {
  readonly imports: readonly RecordedImport[];
  /** `before` of the next part; null if there is none. */
  readonly older: number | null;
}

const IMPORTS_AT_ONCE = 50;

const SELECT = `SELECT r.import_id AS "importId", s.tracking_id AS "trackingId", s.name AS "siteName", r.material, r.source,
    r.started_at AS "startedAt", extract(epoch FROM r.finished_at - r.started_at)::float8 AS seconds,
    r.rows_read AS read, r.rows_added AS added, r.rows_updated AS updated, r.rows_unchanged AS unchanged,
    r.rows_rejected AS rejected
  FROM analytics.import_run r JOIN analytics.site s USING (site_id)`;

/** Lists imports, the newest first, 50 at a time. */
export async function listImports(read: ReadPool, { sites, before }: ImportFilter): Promise<ImportList> {
  const rows = await read.query<RecordedImport>({
    text: `${SELECT} WHERE ($1::text[] IS NULL OR s.tracking_id = ANY($1::text[])) AND ($2::int IS NULL OR r.import_id < $2)
      ORDER BY r.import_id DESC LIMIT $3`,
    values: [sites ?? null, before ?? null, IMPORTS_AT_ONCE + 1],
  });
  const imports = rows.slice(0, IMPORTS_AT_ONCE);
  const last = imports.at(-1);
  return { imports, older: rows.length > IMPORTS_AT_ONCE && last ? last.importId : null };
}

export interface ImportWithRejections extends RecordedImport {
  /** The recorded ones, by line. */
  readonly rejections: readonly Rejection[];
}

/** One import with its rejected rows, or undefined if there is none of this number. */
export async function importOf(read: ReadPool, importId: number): Promise<ImportWithRejections | undefined> {
  const values = [importId];
  const [found] = await read.query<RecordedImport>({ text: `${SELECT} WHERE r.import_id = $1`, values });
  if (found === undefined) return undefined;
  const rejections = await read.query<Rejection>({
    text: `SELECT line, column_name AS column, value, reason FROM analytics.import_rejection WHERE import_id = $1 ORDER BY line`,
    values,
  });
  return { ...found, rejections };
}

export interface ImportRun {
  readonly siteId: number;
  readonly material: string;
  readonly source: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly read: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly rejected: number;
}

/** Records an import with its rejected rows. */
export async function recordImport(
  client: ClientBase,
  run: ImportRun,
  rejections: readonly Rejection[],
): Promise<void> {
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO analytics.import_run (site_id, material, source, started_at, finished_at,
       rows_read, rows_added, rows_updated, rows_unchanged, rows_rejected)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     RETURNING import_id AS id`,
    [
      ...[run.siteId, run.material, run.source, run.startedAt, run.finishedAt],
      ...[run.read, run.added, run.updated, run.unchanged, run.rejected],
    ],
  );
  if (rejections.length === 0) return;
  // A line is rejected once. If it were twice, that would be no reason to lose the import.
  await client.query(
    `INSERT INTO analytics.import_rejection (import_id, line, column_name, value, reason)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
     ON CONFLICT (import_id, line) DO NOTHING`,
    [
      rows[0]?.id ?? 0,
      rejections.map(({ line }) => line),
      rejections.map(({ column }) => column),
      rejections.map(({ value }) => value),
      rejections.map(({ reason }) => reason),
    ],
  );
}

/** Of an import so many rejected rows are recorded, and the number of all. */
export const RECORDED_REJECTIONS = 1000;

const LONGEST_NAME = 200;
const LONGEST_REASON = 1000;

/** A rejected row as the database can store it: short, and without the characters that it refuses. */
export function rejectionOf({ line, column, value, reason, row }: RejectedRow): Rejection {
  // A line without a row stands for its value.
  const shown = value ?? (typeof row === 'string' ? row : null);
  return {
    line,
    column: column === null ? null : storable(column, LONGEST_NAME),
    value: shown === null ? null : showValue(shown).toWellFormed(),
    reason: storable(reason, LONGEST_REASON),
  };
}

function storable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
  return cut.replaceAll('\0', '\\u0000').toWellFormed();
}
