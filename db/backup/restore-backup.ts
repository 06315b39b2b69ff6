import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Knex } from 'knex';
import { DatabaseError, escapeIdentifier } from 'pg';
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
  type BackupTable,
  describeTables,
  findAnyTable,
  type TableToCopy,
} from './backup-format';
import { type BackupPart, readBackup, type VerifiedBackup, verifyBackup } from './read-backup';

interface RestoreOptions {
  readonly write: Knex;
  readonly file: string;
  readonly schemas: readonly MigratedSchema[];
  readonly readerRole: string;
  readonly signal: AbortSignal;
  onProgress(table: string, bytes: number): void;
}

/**
 * Restores into an empty database and migrates it. Nothing is written until the whole file is verified. A killed restore leaves the
 * database empty, and opening it reports that. Throws a BackupError.
 */
export async function restoreBackup(options: RestoreOptions): Promise<VerifiedBackup> {
  const { write, file, schemas, readerRole, signal } = options;
  const verified = await verifyBackup(file, signal);
  const migrations = await planMigrations(file, verified.header, schemas);
  await markUnfinished(write, file);
  try {
    await write.transaction(async (transaction) => {
      const client = connectionOf(transaction);
      await refusingContent(file, async () => {
        await applyMigrations(transaction, migrations.ofBackup);
        await fillTables(client, options);
        await setSequences(client, file, verified.header);
      });
      await applyMigrations(transaction, migrations.later);
      for (const { schema, readable } of schemas)
        if (readable) await grantReading(transaction, schema, readerRole);
      await client.query(`DROP TABLE ${UNFINISHED_RESTORE}`);
    });
  } catch (error) {
    await forgetUnfinished(write);
    throw signal.aborted ? new BackupError('Stopped; the database is empty, as it was before.') : error;
  }
  for (const { schema, table } of verified.tables) await write.raw('ANALYZE ??.??', [schema, table]);
  return verified;
}

/** SQLSTATE classes for data, constraints and names. */
const OF_CONTENT = /^(22|23|3F|42)/;

async function refusingContent(file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !OF_CONTENT.test(error.code ?? '')) throw error;
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

const forgetUnfinished = (write: Knex): Promise<unknown> =>
  write.raw(`DROP TABLE IF EXISTS ${UNFINISHED_RESTORE}; DROP SCHEMA IF EXISTS migrations`);

/** Replaces rows inserted by migrations. Triggers are off, because they must not act on restored rows. */
async function fillTables(client: PooledConnection, options: RestoreOptions): Promise<void> {
  const tables = await describeTables(client);
  const names = tables.map(({ quotedName }) => quotedName);
  for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${names.join(', ')}`);
  const indexes = await dropIndexes(client, names);
  const schemas = [...new Set(tables.map(({ schema }) => schema))];
  await asLoader(client, schemas, names, () => copyTables(client, tables, options));
  for (const definition of indexes) await client.query(definition);
  for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
}

/** Throws if the file lacks a table, whose rows would be lost silently. */
async function copyTables(
  client: PooledConnection,
  tables: readonly TableToCopy[],
  { file, signal, onProgress }: RestoreOptions,
): Promise<void> {
  const missing = new Map(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  const parts = readBackup(file, signal);
  let bytes = 0;
  for await (const part of parts) {
    if (part.kind !== 'table') continue;
    const name = `${part.table.schema}.${part.table.table}`;
    const read = { rows: 0 };
    const rows = rowsOf(parts, read, (count) => {
      bytes += count;
      onProgress(name, bytes);
    });
    const stored = await copyFrom(client, copyStatement(file, missing.get(name), part.table), rows);
    if (stored !== read.rows)
      throw new BackupError(
        `${file} has ${read.rows} rows for ${name}, but PostgreSQL stored ${stored} of them. Use another backup.`,
      );
    missing.delete(name);
  }
  const [lacking] = missing.keys();
  if (lacking !== undefined) throw lacks(file, `table ${lacking}`);
}

const lacks = (file: string, what: string): BackupError =>
  new BackupError(`${file} is incomplete: it does not have the ${what}. Use another backup.`);

/** The names come from the catalog, because the file is not trusted. */
function copyStatement(
  file: string,
  found: TableToCopy | undefined,
  { schema, table, columns }: BackupTable,
): string {
  const quoted = columns.map((name) => found?.quotedColumns[found.columns.indexOf(name)]);
  if (found === undefined || quoted.includes(undefined))
    throw new BackupError(
      `${file} has rows for ${schema}.${table} (${columns.join(', ')}), which this program does not have. Use another backup.`,
    );
  const lacking = found.columns.find((name) => !columns.includes(name));
  if (lacking !== undefined) throw lacks(file, `column ${schema}.${table}.${lacking}`);
  return `COPY ${found.quotedName} (${quoted.join(', ')}) FROM STDIN`;
}

/** The rows of the current table. Sets `read.rows` at its end. */
async function* rowsOf(
  parts: AsyncGenerator<BackupPart>,
  read: { rows: number },
  onBytes: (count: number) => void,
): AsyncGenerator<Buffer> {
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done === true) return;
    if (part.kind === 'tableEnd') {
      read.rows = part.rows;
      return;
    }
    if (part.kind !== 'rows') continue;
    onBytes(part.bytes.length);
    yield part.bytes;
  }
}

/** Drops indexes that do not belong to constraints: building them later is faster. Returns their definitions. */
async function dropIndexes(client: Queryable, tables: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
      WHERE i.indrelid = ANY($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

async function setSequences(client: Queryable, file: string, { sequences }: BackupHeader): Promise<void> {
  const { rows: ours } = await client.query<{ name: string; quotedName: string }>(
    `SELECT schemaname || '.' || sequencename AS name, format('%I.%I', schemaname, sequencename) AS "quotedName"
       FROM pg_sequences WHERE schemaname IN (SELECT schema FROM migrations.applied_file)`,
  );
  const missing = new Map(ours.map(({ name, quotedName }) => [name, quotedName]));
  for (const { schema, name, last, isCalled } of sequences) {
    const quotedName = missing.get(`${schema}.${name}`);
    if (quotedName === undefined)
      throw new BackupError(
        `${file} has the sequence ${schema}.${name}, which this program does not have. Use another backup.`,
      );
    await client.query('SELECT setval($1::regclass, $2, $3)', [quotedName, last, isCalled]);
    missing.delete(`${schema}.${name}`);
  }
  const [lacking] = missing.keys();
  if (lacking !== undefined) throw lacks(file, `sequence ${lacking}`);
}

/** Runs `work` as a role that can only insert. Only superusers need it: other owners have no rights beyond their tables. */
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
