// Applies the migrations of a database in parts, to test how one of them changes stored rows.
import { applyMigrations, knownMigrations, migrate } from '../../db/migrate';
import type { TestDatabase } from './database';
import { SCHEMAS } from './test-server';

type Migrated = Pick<TestDatabase, 'write' | 'readerRole'>;
type Known = Awaited<ReturnType<typeof knownMigrations>>[number];

async function apply({ write }: Migrated, isMeant: (migration: Known) => boolean): Promise<void> {
  const migrations = (await knownMigrations(SCHEMAS)).filter(isMeant);
  await write.transaction((transaction) => applyMigrations(transaction, migrations));
}

/** Applies the host's migrations, and the extension's before this one. */
export const migrateUntil = (database: Migrated, end: string): Promise<void> =>
  apply(database, ({ schema, name }) => schema !== 'analytics' || name < end);

/** Applies only this migration of the extension. */
export const applyMigration = (database: Migrated, only: string): Promise<void> =>
  apply(database, ({ schema, name }) => schema === 'analytics' && name === only);

/** Applies the rest. */
export const migrateFully = ({ write, readerRole }: Migrated): Promise<unknown> =>
  migrate(write, SCHEMAS, readerRole);
