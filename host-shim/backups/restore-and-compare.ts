import type { Knex } from 'knex';
import { answersTo, BackupError } from '../../db/backup/backup-format';
import { type RestoreOptions, restoreBackup } from '../../db/backup/restore-backup';
import { poolOf } from '../../db/write-pool';

/**
 * Restores a backup into an empty database, and compares the number of rows in each table and the answers to the questions that
 * both versions support with those in the backup. Returns the number of rows and the number of answers. Throws a
 * BackupError on failure.
 */
export async function restoreAndCompare(options: RestoreOptions) {
  const { write, file, schemas } = options;
  const { header, tables, migrated } = await restoreBackup(options);
  // Later migrations may change rows.
  if (migrated.length === 0)
    for (const { schema, table, rows } of tables) await compareRows(write, file, `${schema}.${table}`, rows);
  const questions = schemas.flatMap((schema) => schema.questions ?? []);
  const client = await poolOf(write).acquire();
  const found = await answersTo(client, questions).finally(() => client.release());
  return {
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    /** 0 for a backup from an older version, which contains no answers. */
    answers: compareAnswers(file, header.answers, found),
  };
}

async function compareRows(write: Knex, file: string, table: string, expected: number): Promise<void> {
  const [found] = await write.from(table).count<{ count: number | string }[]>({ count: '*' });
  if (Number(found?.count) === expected) return;
  throw new BackupError(
    `${file} was restored, but ${table} has ${found?.count} rows, not ${expected}. Do not rely on this backup; report it with the log.`,
  );
}

type Answers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Compares the answers to the questions that both versions support. Returns the number of answers compared. */
function compareAnswers(file: string, expected: Answers, found: Answers): number {
  let count = 0;
  for (const [question, bySite] of Object.entries(expected)) {
    const restored = found[question];
    if (restored === undefined) continue;
    for (const site of new Set([...Object.keys(bySite), ...Object.keys(restored)])) {
      if (bySite[site] !== restored[site])
        throw new BackupError(
          `${file} was restored, but the answer to "${question}" for ${site} differs from the answer at the time of the backup. Do not rely on this backup; report it with the log.`,
        );
      count += 1;
    }
  }
  return count;
}
