import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Knex } from 'knex';
import { DatabaseError, escapeIdentifier } from 'pg';
import { HOST_LOCKS } from '../advisory-locks';
import type { PooledConnection, Queryable } from '../connection-pool';
import {
  applyMigrations,
  knownMigrations,
  type MigratedSchema,
  nameOf,
  UNFINISHED_RESTORE,
} from '../migrate';
import { grantReading } from '../roles';
import { copyFrom } from '../run-copy';
import { connectionOf } from '../write-pool';
import {
  BackupError,
  type BackupHeader,
  describeTables,
  findAnyTable,
  type TableToCopy,
} from './backup-format';
import { type CopyOptions, copyTables, findSequences } from './copy-tables';
import { type VerifiedBackup, verifyBackup } from './read-backup';

export interface RestoreOptions {
  readonly write: Knex;
  readonly file: string;
  readonly schemas: readonly MigratedSchema[];
  readonly readerRole: string;
  readonly signal: AbortSignal;
  /** Called once it is certain that the database is empty. */
  onEmpty?(): Promise<void>;
  onProgress?(table: string, bytes: number): void;
}

interface RestoredBackup extends VerifiedBackup {
  /** The migrations that the backup lacked. */
  readonly migrated: readonly string[];
}

/**
 * Restores into an empty database and migrates it. Nothing is written until the whole file has been verified. If the restore is
 * killed, the database stays empty, and opening it fails with an error that names the file. Throws a BackupError if the file
 * cannot be restored.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoredBackup> {
  const { write, file, schemas, readerRole, signal } = options;
  const verified = await verifyBackup(file, signal);
  const migrations = await planMigrations(file, verified.header, schemas);
  let isMarked = false;
  /** Does not include tables in the backup that later migrations drop. */
  let restored: readonly TableToCopy[] = [];
  try {
    await write.transaction(async (transaction) => {
      const client = connectionOf(transaction);
      await refuseOther(client);
      await markUnfinished(write, file);
      isMarked = true;
      await options.onEmpty?.();
      await withContentErrors(file, async () => {
        await applyMigrations(transaction, migrations.ofBackup);
        await fillTables(client, options);
        for (const [sequence, { last, isCalled }] of await findSequences(client, file, verified.header))
          await client.query('SELECT setval($1::regclass, $2, $3)', [sequence, last, isCalled]);
      });
      await applyMigrations(transaction, migrations.later);
      for (const { schema, readable } of schemas)
        if (readable) await grantReading(transaction, schema, readerRole);
      await client.query(`DROP TABLE ${UNFINISHED_RESTORE}`);
      restored = await describeTables(client);
    });
  } catch (error) {
    if (!isMarked) throw error;
    await unmarkUnfinished(write);
    throw signal.aborted ? new BackupError('Stopped; the database is empty, as it was before.') : error;
  }
  for (const { quotedName } of restored) await write.raw(`ANALYZE ${quotedName}`);
  return { ...verified, migrated: migrations.later.map(nameOf) };
}

/** SQLSTATE classes for invalid data, violated constraints and unknown names. */
const CONTENT_ERROR = /^(22|23|3F|42)/;

async function withContentErrors(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !CONTENT_ERROR.test(error.code ?? '')) throw error;
    const place = error.where ?? `SQLSTATE ${error.code}`;
    throw new BackupError(`PostgreSQL rejected the contents of ${file} (${place}). Use another backup.`, {
      cause: error,
    });
  }
}

async function planMigrations(
  file: string,
  { program, migrations }: BackupHeader,
  schemas: readonly MigratedSchema[],
) {
  const known = await knownMigrations(schemas);
  const names = Object.entries(migrations).flatMap(([schema, own]) => own.map((name) => `${schema}/${name}`));
  const unknown = names.find((name) => !known.some((one) => nameOf(one) === name));
  if (unknown !== undefined)
    throw new BackupError(
      `${file} was written by qal ${program} with the migration ${unknown}, which this program does not have. ` +
        'Restore with that version or a newer one.',
    );
  return {
    ofBackup: known.filter((one) => names.includes(nameOf(one))),
    later: known.filter((one) => !names.includes(nameOf(one))),
  };
}

/**
 * Throws a BackupError if another restore is running: this one would otherwise wait for the other one and then remove its mark.
 */
async function refuseOther(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    HOST_LOCKS.restore,
  ]);
  if (rows[0]?.locked !== true)
    throw new BackupError(
      'Another backup is being restored into this database, so this one was not restored.',
    );
}

/** Throws a BackupError if the database is not empty. */
async function markUnfinished(write: Knex, file: string): Promise<void> {
  await write.transaction(async (transaction) => {
    const table = await findAnyTable(connectionOf(transaction));
    if (table !== undefined)
      throw new BackupError(
        `The database is not empty: it has the table ${table}. Restore into a new data directory, or into a new database.`,
      );
    await transaction.raw(
      `CREATE SCHEMA IF NOT EXISTS migrations;
       DROP TABLE IF EXISTS ${UNFINISHED_RESTORE};
       CREATE TABLE ${UNFINISHED_RESTORE} (file text NOT NULL, begun_at timestamptz NOT NULL DEFAULT now())`,
    );
    await transaction.into(UNFINISHED_RESTORE).insert({ file: basename(file) });
  });
}

const unmarkUnfinished = (write: Knex): Promise<unknown> =>
  write.raw(`DROP TABLE IF EXISTS ${UNFINISHED_RESTORE}; DROP SCHEMA IF EXISTS migrations`);

/** Replaces rows inserted by migrations. Triggers are disabled, because they must not fire for restored rows. */
async function fillTables(client: PooledConnection, options: RestoreOptions): Promise<void> {
  const tables = await describeTables(client);
  const names = tables.map(({ quotedName }) => quotedName);
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  // Referenced tables come first. TRUNCATE would search PostgreSQL's whole cache for every table and index.
  for (const name of names.toReversed()) await client.query(`DELETE FROM ${name}`);
  const indexes = await dropIndexes(client, names);
  const checks = await dropUnvalidated(client, names);
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  const store: CopyOptions['store'] = (statement, rows) => copyFrom(client, statement, rows);
  await asLoader(client, schemas, names, () => copyTables(tables, { ...options, store }));
  for (const definition of [...indexes, ...checks]) await client.query(definition);
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
}

/** Drops all indexes that do not belong to constraints, because building them afterwards is faster. Returns their definitions. */
async function dropIndexes(client: Queryable, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
      WHERE i.indrelid = ANY($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

/** Drops the checks that apply to new rows only, because the backup may have older rows. Returns the statements that add them. */
async function dropUnvalidated(client: Queryable, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ alter: string; name: string; definition: string }>(
    `SELECT 'ALTER TABLE ' || conrelid::regclass AS alter, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
       FROM pg_constraint WHERE conrelid = ANY($1::regclass[]) AND contype = 'c' AND NOT convalidated`,
    [tables],
  );
  for (const { alter, name } of rows) await client.query(`${alter} DROP CONSTRAINT ${name}`);
  return rows.map(({ alter, name, definition }) => `${alter} ADD CONSTRAINT ${name} ${definition}`);
}

/**
 * If this role is a superuser, runs `work` as a role that can only insert. A role that is not a superuser has no rights beyond
 * its own tables.
 */
async function asLoader(
  client: Queryable,
  schemas: readonly string[],
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ yes: boolean }>(
    'SELECT rolsuper AS yes FROM pg_roles WHERE rolname = current_user',
  );
  if (rows[0]?.yes !== true) return work();
  const role = escapeIdentifier(`qal_restore_${randomUUID()}`);
  await client.query(`CREATE ROLE ${role};
    GRANT USAGE ON SCHEMA ${schemas.map(escapeIdentifier).join(', ')} TO ${role};
    GRANT INSERT ON ${tables.join(', ')} TO ${role};
    SET LOCAL ROLE ${role}`);
  await work();
  await client.query(`RESET ROLE; DROP OWNED BY ${role}; DROP ROLE ${role}`);
}
