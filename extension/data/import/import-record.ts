// The record of imports in the database: what was imported when and by whom, the outcome, and the first
// rejected rows. Imports are numbered in the order in which they start, so the newest has the highest number.
import type { ReadPool } from '../../../host-shim/extension-api';
import { LOCKS } from '../storage/advisory-locks';
import { COUNTS, type ImportCounts, type ImportedBy } from './import-counts';
import { showValue } from './import-error';
import type { RejectedRow } from './rejected-rows';

/** Clicks and events are counted as waiting if they were waiting when the import ended. */
export interface RecordedImport extends ImportCounts {
  readonly importId: number;
  readonly trackingId: string;
  readonly siteName: string;
  readonly material: string;
  /** Name of the file, or how the rows were generated. */
  readonly source: string;
  /** Distinguishes the import's rows from those of other sources, if specified. */
  readonly sourceName: string | null;
  readonly format: string;
  readonly login: string;
  readonly through: ImportedBy['through'];
  readonly status: ImportStatus;
  /** Why the import failed. */
  readonly error: string | null;
  readonly startedAt: Date;
  /** The duration; for a running import, the time so far. */
  readonly seconds: number;
  readonly bytes: number;
  /**
   * Whether the values that the import replaced are still stored. A later import of the same rows still has to be undone first.
   */
  readonly canUndo: boolean;
  readonly undoneAt: Date | null;
  readonly undoneBy: string | null;
}

/** `partial`: some of its files are stored, and `error` explains why the others are not. `following`: a log is being followed. */
export const STATUSES = ['running', 'done', 'failed', 'undone', 'partial', 'following'] as const;
type ImportStatus = (typeof STATUSES)[number];

/** SQL: whether rows of an import are stored. */
export const isStored = (run: string): string => `${run}.status IN ('done', 'partial', 'following')`;

export interface Rejection {
  /** Null if the import has one file. */
  readonly file: string | null;
  readonly line: number;
  /** Null if the whole row is invalid. */
  readonly column: string | null;
  /** Shortened, as in messages. */
  readonly value: string | null;
  readonly reason: string;
}

interface ImportFilter {
  /** Tracking ids; all sites if left out. */
  readonly sites?: readonly string[];
  /** Only imports with a lower id. */
  readonly before?: number;
}

const IMPORTS_AT_ONCE = 50;

/** The ids of the imports that are running or following, in all processes. */
const HELD = `SELECT DISTINCT l.objid::bigint AS import_id FROM pg_locks l
   JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
  WHERE l.locktype = 'advisory' AND l.classid = ${LOCKS.import} AND l.objsubid = 2 AND l.granted`;

// An import that never ended, but whose lock is free, was killed.
const STATUS = `CASE WHEN r.status = 'running' AND h.import_id IS NULL THEN 'failed'
    WHEN r.status = 'partial' AND h.import_id IS NOT NULL AND r.error IS NULL THEN 'running'
    WHEN r.status = 'following' AND h.import_id IS NULL THEN 'done' ELSE r.status END`;

const SELECT = `SELECT r.import_id AS "importId", s.tracking_id AS "trackingId", s.name AS "siteName", r.material, r.source,
    r.source_name AS "sourceName", r.format, r.login, r.through, ${STATUS} AS status,
    CASE WHEN r.status = 'running' AND h.import_id IS NULL THEN 'The importing program stopped or lost its connection; nothing was imported.'
         WHEN r.status = 'partial' AND h.import_id IS NULL AND r.error IS NULL
           THEN 'The importing program stopped or lost its connection; the files imported before that are stored.'
         ELSE r.error END AS error,
    r.started_at AS "startedAt",
    extract(epoch FROM CASE WHEN h.import_id IS NOT NULL AND r.status IN ('running', 'partial') THEN now()
                            ELSE coalesce(r.finished_at, r.started_at) END - r.started_at)::float8 AS seconds,
    r.bytes_read::float8 AS bytes, r.skipped, ${COUNTS.map((name) => `r.rows_${name} AS ${name}`).join(', ')}, r.can_undo AS "canUndo",
    r.undone_at AS "undoneAt", r.undone_by AS "undoneBy"
  FROM analytics.import_run r JOIN analytics.site s USING (site_id) LEFT JOIN (${HELD}) h ON h.import_id = r.import_id`;

/** Lists imports, newest first, 50 at a time. */
export async function listImports(read: ReadPool, { sites, before }: ImportFilter) {
  const rows = await read.query<RecordedImport>({
    text: `${SELECT} WHERE ($1::text[] IS NULL OR s.tracking_id = ANY($1::text[])) AND ($2::int IS NULL OR r.import_id < $2)
      ORDER BY r.import_id DESC LIMIT $3`,
    values: [sites ?? null, before ?? null, IMPORTS_AT_ONCE + 1],
  });
  const imports = rows.slice(0, IMPORTS_AT_ONCE);
  const last = imports.at(-1);
  return {
    imports,
    /** `before` for the next page; null if this is the last one. */
    older: rows.length > IMPORTS_AT_ONCE && last ? last.importId : null,
  };
}

/** For each source of each site, the newest import that started at `since` or later, if it failed. */
export function failedSources(read: ReadPool, since: Date): Promise<RecordedImport[]> {
  return read.query<RecordedImport>({
    text: `SELECT * FROM (${SELECT} WHERE r.status IN ('failed', 'running', 'partial') AND r.import_id IN
             (SELECT DISTINCT ON (site_id, material, source_name) import_id FROM analytics.import_run
               WHERE started_at >= $1 ORDER BY site_id, material, source_name, import_id DESC)) newest
      WHERE status IN ('failed', 'partial') ORDER BY "importId" DESC`,
    values: [since],
  });
}

/** Logs are compared by file name, because the same log may have a different path the next time. */
const FILE_NAME = (run: string): string => `substring(${run}.source FROM '[^/]*$')`;

const KILLED = `analytics.import_run r JOIN analytics.site s USING (site_id) LEFT JOIN (${HELD}) h ON h.import_id = r.import_id
  WHERE r.status = 'following' AND h.import_id IS NULL
    AND NOT EXISTS (SELECT FROM analytics.import_run l WHERE l.site_id = r.site_id AND l.material = r.material
                      AND ${FILE_NAME('l')} = ${FILE_NAME('r')} AND l.import_id > r.import_id)`;

/** The logs of followers that started after `since`, were killed, and were not resumed. */
export function killedFollowRuns(
  read: ReadPool,
  since: Date,
): Promise<readonly Pick<RecordedImport, 'trackingId' | 'source'>[]> {
  return read.query({
    text: `SELECT s.tracking_id AS "trackingId", r.source FROM ${KILLED} AND r.started_at >= $1 ORDER BY 1, 2`,
    values: [since],
  });
}

/** Finds the record of a log's follower that was killed, by site, dataset and file name, unless another followed log has that name. */
export const KILLED_FOLLOW_RUN = `
SELECT r.import_id FROM ${KILLED} AND r.site_id = :siteId AND r.material = :material AND ${FILE_NAME('r')} = :name
   AND NOT EXISTS (SELECT FROM analytics.followed_file f WHERE f.site_id = r.site_id AND f.material = r.material AND f.path <> :path
                      AND substring(f.path FROM '[^/]*$') = :name)`;

type StatusCounts = Readonly<Record<ImportStatus, number>> & {
  /** When the newest import that stored rows ended; null before the first. */
  readonly lastDone: Date | null;
};

/** Counts the recorded imports of all processes by status. */
export async function countImports(read: ReadPool): Promise<StatusCounts> {
  const [counts] = await read.query<StatusCounts>({
    text: `SELECT ${STATUSES.map((status) => `count(*) FILTER (WHERE status = '${status}')::int AS ${status}`).join(', ')},
                  max(finished_at) FILTER (WHERE status NOT IN ('failed', 'undone')) AS "lastDone"
             FROM (SELECT ${STATUS} AS status, r.finished_at
                     FROM analytics.import_run r LEFT JOIN (${HELD}) h ON h.import_id = r.import_id) runs`,
  });
  if (counts === undefined) throw new Error('The database counted no imports.');
  return counts;
}

export interface ImportWithRejections extends RecordedImport {
  /** The recorded rejections, by line. */
  readonly rejections: readonly Rejection[];
}

/** One import with its rejected rows, or undefined if it does not exist. */
export async function importOf(read: ReadPool, importId: number): Promise<ImportWithRejections | undefined> {
  const values = [importId];
  const [found] = await read.query<RecordedImport>({ text: `${SELECT} WHERE r.import_id = $1`, values });
  if (found === undefined) return undefined;
  const rejections = await read.query<Rejection>({
    text: `SELECT nullif(file, '') AS file, line, column_name AS column, value, reason FROM analytics.import_rejection
            WHERE import_id = $1 ORDER BY import_rejection.file, line`,
    values,
  });
  return { ...found, rejections };
}

/** The maximum number of rejected rows recorded per import. Their total number is always recorded. */
export const RECORDED_REJECTIONS = 1000;

const MAX_NAME_LENGTH = 200;
const MAX_REASON_LENGTH = 1000;

/** A rejected row in a form that the database can store: short, and without characters that it rejects. */
export function rejectionOf({ line, column, value, reason, row }: RejectedRow, file?: string): Rejection {
  // If there is no value, the text of a line without a row is shown.
  const shown = value ?? (typeof row === 'string' ? row : null);
  return {
    file: file ?? null,
    line,
    column: column === null ? null : storable(column, MAX_NAME_LENGTH),
    value: shown === null ? null : showValue(shown).toWellFormed(),
    reason: storable(reason),
  };
}

/** A string in a form that the database can store. */
export function storable(text: string, longest = MAX_REASON_LENGTH): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
  return cut.replaceAll('\0', '\\u0000').toWellFormed();
}
