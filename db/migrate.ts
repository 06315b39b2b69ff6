// Migrations are SQL files, each of which is applied once, in name order. All pending ones run in one transaction under a lock: a
// killed run leaves nothing behind, and concurrent runs wait for each other.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { HOST_LOCKS } from './advisory-locks';
import { hasRelation, unknownRoles, unknownRolesMessage } from './citus';
import { codeOf } from './embedded/errors';
import { grantReading } from './roles';

export interface MigratedSchema {
  readonly schema: string;
  readonly migrations: string;
  readonly readable: boolean;
  /** The answers are written to backups, and compared when a backup is restored for a rehearsal. */
  readonly questions?: readonly BackupQuestion[] | undefined;
  /** Names of the files that a restore must copy from the backup's folder. */
  readonly ledgers?: readonly string[] | undefined;
}

/** `sql` returns rows with `site` and `answer`, both text. A question that changes needs a new name. */
export interface BackupQuestion {
  readonly name: string;
  readonly sql: string;
}

const RECORDS = 'migrations.applied_file';
const PREPARE = `
  CREATE SCHEMA IF NOT EXISTS migrations;
  CREATE TABLE IF NOT EXISTS ${RECORDS} (
    schema     text,
    name       text,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (schema, name)
  )`;

/** In a Citus cluster, these statements need every worker to respond, even with IF NOT EXISTS. */
async function prepare(trx: Knex): Promise<void> {
  if (!(await hasRelation(trx, RECORDS))) await trx.raw(PREPARE);
}

/** Marks a killed restore. Its transaction leaves nothing behind, but the database must not be mistaken for a new one. */
export const UNFINISHED_RESTORE = 'migrations.unfinished_restore';

interface MigrateOptions {
  /** Called before new migrations are applied to a database that already has some. */
  onUpgrade?(pending: readonly string[]): Promise<void>;
}

/**
 * Applies missing migrations, and grants the reader role its rights. Returns the applied migrations, such as `host/0001-tables`.
 * Throws if the database has an unknown migration or an unfinished restore.
 */
export function migrate(
  write: Knex,
  schemas: readonly MigratedSchema[],
  readerRole: string,
  { onUpgrade }: MigrateOptions = {},
): Promise<readonly string[]> {
  return write.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [HOST_LOCKS.migrations]);
    await prepare(trx);
    await refuseUnfinished(trx);
    const pending = await pendingMigrations(trx, schemas);
    const isNew = (await trx.from(RECORDS).first('name')) === undefined;
    const names = pending.map(nameOf);
    if (names.length > 0) await refuseUnknownRoles(trx, readerRole);
    // The backup before an upgrade can take a long time.
    await trx.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    if (!isNew && names.length > 0) await onUpgrade?.(names);
    await applyMigrations(trx, pending);
    for (const { schema, readable } of schemas) if (readable) await grantReading(trx, schema, readerRole);
    return names;
  });
}

interface Migration {
  readonly schema: string;
  readonly name: string;
  readonly file: string;
}

export const nameOf = ({ schema, name }: Migration): string => `${schema}/${name}`;

export async function knownMigrations(schemas: readonly MigratedSchema[]): Promise<readonly Migration[]> {
  const found: Migration[] = [];
  for (const { schema, migrations } of schemas) {
    const files = (await readdir(migrations)).filter((file) => file.endsWith('.sql')).sort();
    for (const file of files)
      found.push({ schema, name: file.replace('.sql', ''), file: join(migrations, file) });
  }
  return found;
}

export async function applyMigrations(trx: Knex, migrations: readonly Migration[]): Promise<void> {
  await prepare(trx);
  for (const { schema, name, file } of migrations) {
    const sql = await readFile(file, 'utf8');
    for (const statement of statementsOf(sql)) await trx.raw(statement.replaceAll('?', '\\?'));
    await trx.into(RECORDS).insert({ schema, name });
  }
}

/** Comments, strings, names and function bodies may contain semicolons. */
const STATEMENT = /(?:--[^\n]*|'[^']*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|[^;])+/g;

/** Sent one at a time, because Citus passes a request's whole text on to its workers, which reject multiple statements. */
const statementsOf = (sql: string): readonly string[] =>
  (sql.match(STATEMENT) ?? []).filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '');

async function pendingMigrations(
  trx: Knex,
  schemas: readonly MigratedSchema[],
): Promise<readonly Migration[]> {
  const { missing, unknown } = await compareMigrations(trx, schemas);
  const [newer] = unknown;
  if (newer !== undefined)
    throw new Error(
      `The database has the migration ${newer}, which this program does not have: a newer version applied it. ` +
        'Start that version, or use another database.',
    );
  return missing;
}

const NO_TABLE = '42P01';

/** The migrations that the database lacks, and the names of those that the folders lack. */
export async function compareMigrations(
  write: Knex,
  schemas: readonly MigratedSchema[],
): Promise<{ readonly missing: readonly Migration[]; readonly unknown: readonly string[] }> {
  const known = await knownMigrations(schemas);
  const recorded = await write
    .from(RECORDS)
    .whereIn(
      'schema',
      schemas.map(({ schema }) => schema),
    )
    .select<{ schema: string; name: string }[]>('schema', 'name')
    .orderBy(['schema', 'name'])
    .catch((error: unknown) => {
      if (codeOf(error) === NO_TABLE) return [];
      throw error;
    });
  const applied = new Set(recorded.map(({ schema, name }) => `${schema}/${name}`));
  const all = new Set(known.map(nameOf));
  return {
    missing: known.filter((one) => !applied.has(nameOf(one))),
    unknown: [...applied].filter((name) => !all.has(name)),
  };
}

async function refuseUnknownRoles(trx: Knex, readerRole: string): Promise<void> {
  const unknown = await unknownRoles(trx, readerRole);
  if (unknown.length > 0) throw new Error(unknownRolesMessage(unknown));
}

async function refuseUnfinished(trx: Knex): Promise<void> {
  if (!(await hasRelation(trx, UNFINISHED_RESTORE))) return;
  const { file, begun } = await trx
    .from(UNFINISHED_RESTORE)
    .first('file', trx.raw(`to_char(begun_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS begun`));
  throw new Error(
    `The restore of ${file}, started on ${begun} UTC, did not finish: this database is empty. ` +
      'Run qal restore again, or use another data directory or database.',
  );
}
