// Owns the reading of the record of imports: what was loaded when, and the rows that were rejected.
// Numbers of imports ascend with their end, so the newest are those with the highest.
import type { ClientBase } from 'pg';
import type { ReadPool } from '../../host-shim/extension-api';
import type { RejectedRow } from './fill-batches';
import { showValue } from './import-error';

export interface RecordedImport {
  readonly importId: number;
  readonly trackingId: string;
  readonly siteName: string;
  readonly material: string;
  /** Name of the file, or how the rows were made. */
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
  /** null where the row as a whole is wrong. */
  readonly column: string | null;
  /** As messages show values: short. */
  readonly value: string | null;
  readonly reason: string;
}

export interface ImportFilter {
  /** Tracking ids; all sites unless said. */
  readonly sites?: readonly string[];
  /** Only imports before this number. */
  readonly before?: number;
}

export interface ImportList {
  readonly imports: readonly RecordedImport[];
  /** `before` of the next part; null when there is none. */
  readonly older: number | null;
}

const IMPORTS_AT_ONCE = 50;

const FIELDS = `r.import_id AS "importId", s.tracking_id AS "trackingId", s.name AS "siteName", r.material, r.source,
  r.started_at AS "startedAt", extract(epoch FROM r.finished_at - r.started_at)::float8 AS seconds,
  r.rows_read AS read, r.rows_added AS added, r.rows_updated AS updated, r.rows_unchanged AS unchanged,
  r.rows_rejected AS rejected`;

/** Imports, the newest first, 50 at a time. */
export async function listImports(read: ReadPool, { sites, before }: ImportFilter): Promise<ImportList> {
  const rows = await read.query<RecordedImport>({
    text: `SELECT ${FIELDS} FROM analytics.import_run r JOIN analytics.site s USING (site_id)
      WHERE ($1::text[] IS NULL OR s.tracking_id = ANY($1::text[])) AND ($2::int IS NULL OR r.import_id < $2)
      ORDER BY r.import_id DESC LIMIT $3`,
    values: [sites ?? null, before ?? null, IMPORTS_AT_ONCE + 1],
  });
  const imports = rows.slice(0, IMPORTS_AT_ONCE);
  const last = imports.at(-1);
  return { imports, older: rows.length > IMPORTS_AT_ONCE && last ? last.importId : null };
}

export interface ImportWithRejections extends RecordedImport {
  /** Those that were kept, by line. */
  readonly rejections: readonly Rejection[];
}

/** One import with its rejected rows; undefined when there is none of this number. */
export async function importOf(read: ReadPool, importId: number): Promise<ImportWithRejections | undefined> {
  const [found] = await read.query<RecordedImport>({
    text: `SELECT ${FIELDS} FROM analytics.import_run r JOIN analytics.site s USING (site_id) WHERE r.import_id = $1`,
    values: [importId],
  });
  if (found === undefined) return undefined;
  const rejections = await read.query<Rejection>({
    text: `SELECT line, column_name AS column, value, reason FROM analytics.import_rejection WHERE import_id = $1 ORDER BY line`,
    values: [importId],
  });
  return { ...found, rejections };
}

/** So many are kept of an import; its record tells how many there were. */
const KEPT_REJECTIONS = 1000;

const LONGEST_NAME = 200;
const LONGEST_REASON = 1000;

export interface RejectionKeeper {
  add(row: RejectedRow): void;
  /** Writes what was added, under the number of the import. */
  write(client: ClientBase, importId: number): Promise<void>;
}

/** Collects the rejected rows of one import. */
export function keepRejections(): RejectionKeeper {
  const lines: number[] = [];
  const columns: (string | null)[] = [];
  const values: (string | null)[] = [];
  const reasons: string[] = [];
  return {
    add({ line, column, value, reason, row }) {
      if (lines.length === KEPT_REJECTIONS) return;
      lines.push(line);
      columns.push(column === null ? null : storable(column, LONGEST_NAME));
      values.push(shownValue(value, row));
      reasons.push(storable(reason, LONGEST_REASON));
    },
    async write(client, importId) {
      if (lines.length === 0) return;
      // A line is rejected once; if it were told twice, that would be no reason to lose the import.
      await client.query(
        `INSERT INTO analytics.import_rejection (import_id, line, column_name, value, reason)
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[])
         ON CONFLICT (import_id, line) DO NOTHING`,
        [importId, lines, columns, values, reasons],
      );
    },
  };
}

/** The value, or the line where there was no row to take one from. */
function shownValue(value: unknown, row: unknown): string | null {
  if (value !== null) return showValue(value).toWellFormed();
  return typeof row === 'string' ? showValue(row).toWellFormed() : null;
}

function storable(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
  return cut.replaceAll('\0', '\\u0000').toWellFormed();
}
