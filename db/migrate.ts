// Brings a database to the newest schema. Everything happens in one transaction under a lock: a killed run leaves
// nothing behind, and two starters do not meet. The tables of applied names lie in the schema "migrations".
import type { Knex } from 'knex';
import { MIGRATIONS, type Migration } from './migrations/index';
import { grantReading, READER_ROLE } from './roles';

const LOCK_KEY = 7_411_002;
const RECORDS = 'migrations';

const source: Knex.MigrationSource<Migration> = {
  getMigrations: async () => [...MIGRATIONS],
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => migration,
};

const config: Knex.MigratorConfig = { migrationSource: source, schemaName: RECORDS, tableName: 'applied' };

/** Applies what is missing and grants the reader role again; gives the names applied now. */
export async function migrate(write: Knex): Promise<readonly string[]> {
  const reader: unknown = write.userParams.readerRole ?? READER_ROLE;
  return write.transaction(async (trx) => {
    await prepare(trx);
    await refuseNewerDatabase(trx);
    const [, names]: [number, string[]] = await trx.migrate.latest(config);
    if (typeof reader === 'string') await grantReading(trx, reader);
    return names;
  });
}

/** Takes back all migrations, and with them all data. For tests and for starting over. */
export async function rollbackAll(write: Knex): Promise<void> {
  await write.transaction(async (trx) => {
    await prepare(trx);
    await trx.migrate.rollback(config, true);
  });
}

async function prepare(trx: Knex.Transaction): Promise<void> {
  await trx.raw('SELECT pg_advisory_xact_lock(?)', [LOCK_KEY]);
  await trx.raw('CREATE SCHEMA IF NOT EXISTS ??', [RECORDS]);
}

async function refuseNewerDatabase(trx: Knex.Transaction): Promise<void> {
  const { rows } = await trx.raw("SELECT to_regclass('migrations.applied') IS NOT NULL AS made");
  if (rows[0].made !== true) return;
  const applied: { name: string }[] = await trx.withSchema(RECORDS).from('applied').select('name');
  const known = new Set(MIGRATIONS.map((migration) => migration.name));
  const unknown = applied.find((row) => !known.has(row.name));
  if (unknown === undefined) return;
  throw new Error(
    `The database carries migration ${unknown.name}, which this program does not know: a newer version wrote it. ` +
      'Start that version, or give this one another database.',
  );
}
