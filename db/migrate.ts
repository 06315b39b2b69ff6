// Brings the schemas of a database up to date. A migration is a file of SQL, applied once, in the order of the names.
// All of them run in one transaction under a lock: a killed run leaves nothing behind, and two runs wait for each other.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { grantReading } from './roles';

/** A schema and the folder of the SQL files that create it and change it. */
export interface MigratedSchema {
  readonly schema: string;
  readonly migrations: string;
  /** Whether the reader role may read its tables. */
  readonly readable: boolean;
}

const LOCK_KEY = 7_411_002;
const RECORDS = 'migrations.applied_file';
const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS migrations;
  CREATE TABLE IF NOT EXISTS ${RECORDS} (
    schema     text,
    name       text,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (schema, name)
  )`;

/**
 * Applies what is missing and grants the reader role again. Gives the migrations applied now: `host/0001-tables`. Throws
 * when the database has a migration that the folder lacks.
 */
export function migrate(
  write: Knex,
  schemas: readonly MigratedSchema[],
  readerRole: string,
): Promise<readonly string[]> {
  return write.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [LOCK_KEY]);
    await trx.raw(PREPARE);
    const applied: string[] = [];
    for (const one of schemas) {
      applied.push(...(await migrateSchema(trx, one)));
      if (one.readable) await grantReading(trx, one.schema, readerRole);
    }
    return applied;
  });
}

async function migrateSchema(trx: Knex, { schema, migrations }: MigratedSchema): Promise<readonly string[]> {
  const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort();
  const recorded = new Set(await trx.from(RECORDS).where({ schema }).pluck<string[]>('name'));
  const applied: string[] = [];
  for (const file of files) {
    const name = file.replace('.sql', '');
    if (recorded.delete(name)) continue;
    const sql = await readFile(join(migrations, file), 'utf8');
    await trx.raw(sql.replaceAll('?', '\\?'));
    await trx.into(RECORDS).insert({ schema, name });
    applied.push(`${schema}/${name}`);
  }
  for (const name of recorded)
    throw new Error(
      `The database has the migration ${schema}/${name}, which this program does not know: a newer version wrote it. ` +
        'Start that version, or use another database.',
    );
  return applied;
}
