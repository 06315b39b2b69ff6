// Removes old records other than dataset rows.
import { readdir, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Knex } from 'knex';
import { DAY_MS, ignoreMissing } from '../../../host-shim/extension-api';
import { rejectedFolder } from './visitor-files';

interface Stored {
  readonly write: Knex;
  readonly dataDir: string;
}

/** Functions that remove records from before an instant, by kind of record. */
export const OLD_RECORDS = {
  'query records': async ({ write }: Stored, before: Date) => {
    await write.raw('DELETE FROM analytics.query_record WHERE asked_at < ?', [before]);
  },
  'rejected rows': async ({ write, dataDir }: Stored, before: Date) => {
    await write.raw(
      `DELETE FROM analytics.import_rejection r USING analytics.import_run i
        WHERE i.import_id = r.import_id AND i.started_at < ?`,
      [before],
    );
    const removed = await removeOldFiles(rejectedFolder(dataDir), before);
    await write.raw('DELETE FROM analytics.rejected_file WHERE path = ANY(?::text[])', [removed]);
  },
  'import records': async ({ write }: Stored, before: Date) => {
    const { rows }: { rows: { id: number }[] } = await write.raw(
      'SELECT DISTINCT unnest(array_remove(import_ids || placed_by, NULL)) AS id FROM analytics.waiting_row',
    );
    await write.raw(REMOVE_IMPORTS, [before, rows.map(({ id }) => id)]);
  },
} satisfies Record<string, (stored: Stored, before: Date) => Promise<void>>;

export type RecordKind = keyof typeof OLD_RECORDS;

/**
 * End numbers increase within a site, so the newest import is kept. The imports of rows that are waiting, or may wait again,
 * are kept, and so are imports that can be undone.
 */
const REMOVE_IMPORTS = `
DELETE FROM analytics.import_run r
 WHERE coalesce(r.finished_at, r.started_at) < ? AND NOT r.can_undo AND r.import_id <> ALL(?::integer[])
   AND (r.end_no IS NULL OR EXISTS (SELECT FROM analytics.import_run l WHERE l.site_id = r.site_id AND l.end_no > r.end_no))`;

/**
 * Removes old files of rejected rows that could not be written next to the imported file. Those that are next to it belong to
 * the user who ran the import. Returns the paths of the removed files.
 */
async function removeOldFiles(folder: string, before: Date): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  const removed: string[] = [];
  for (const entry of entries ?? []) {
    const path = resolve(folder, entry.name);
    const found = entry.isFile() ? await stat(path).catch(ignoreMissing) : undefined;
    if (found === undefined || found.mtime >= before) continue;
    await rm(path, { force: true });
    removed.push(path);
  }
  return removed;
}

export const daysBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);
