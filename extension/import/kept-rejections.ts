// Owns the rejected rows that stay in the database with the record of their import: the first of them, as they are shown.
// Rejected rows in -> rows of analytics.import_rejection. A row of a file may hold what no text of the database can.
import type { ClientBase } from 'pg';
import type { RejectedRow } from './fill-batches';
import { showValue } from './import-error';

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
