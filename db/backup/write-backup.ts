import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, lstat, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, type Gzip } from 'node:zlib';
import type { Knex } from 'knex';
import type { PooledConnection, Queryable } from '../connection-pool';
import { codeOf } from '../embedded/errors';
import type { BackupQuestion } from '../migrate';
import { copyTo } from '../run-copy';
import { syncPath } from '../sync-to-disk';
import { connectionOf } from '../write-pool';
import {
  answersTo,
  type BackupEnd,
  BackupError,
  type BackupHeader,
  describeTables,
  END_OF_ROWS,
  FORMAT,
  findAnyTable,
  KIND,
  type TableToCopy,
} from './backup-format';
import { checkRestorable } from './copy-tables';

interface BackupOptions {
  readonly write: Knex;
  readonly file: string;
  readonly program: string;
  /** Requires a database with the latest schema. */
  readonly questions?: readonly BackupQuestion[];
  readonly clock: () => Date;
  readonly signal: AbortSignal;
  onProgress?(table: string, bytes: number): void;
}

/** Makes PostgreSQL write every value exactly, regardless of the server's settings. */
const EXACT = `SET LOCAL DateStyle = 'ISO'; SET LOCAL TimeZone = 'UTC'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL statement_timeout = 0`;

/** Three times as fast as the default level; the files are a tenth larger. */
const COMPRESSION = 2;

/**
 * Writes all tables from one snapshot. Only the file's owner can read it. The file has a temporary name until it is on disk and
 * verified. Throws a BackupError if the file already exists or the database has none of this program's tables.
 */
export async function writeBackup(options: BackupOptions) {
  const { write, file, signal } = options;
  await refuseExisting(file);
  const unfinished = `${file}.${randomUUID()}.part`;
  try {
    const rows = await write.transaction(
      async (transaction) => {
        const client = connectionOf(transaction);
        // Each table's pipeline leaves listeners on the stream, and Node would warn about their number.
        const text = createGzip({ level: COMPRESSION }).setMaxListeners(0);
        const target = createWriteStream(unfinished, { flags: 'wx', mode: 0o600 });
        const stored = pipeline(text, target, { signal });
        stored.catch(() => {});
        const counts = await writeText(text, client, options).catch((error) => {
          text.destroy(error);
          return [];
        });
        text.end();
        await stored;
        return counts;
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    );
    await syncPath(unfinished);
    await readAgain(unfinished, options, rows);
    await renameFinished(unfinished, file);
    await syncPath(dirname(file));
    const { size } = await stat(file);
    return { bytes: size, tables: rows.length, rows: rows.reduce((sum, count) => sum + count, 0) };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw signal.aborted ? new BackupError('Stopped; no backup was written.') : error;
  }
}

/** Throws unless the file contains the rows that PostgreSQL sent. */
async function readAgain(
  unfinished: string,
  { write, file, signal }: BackupOptions,
  rows: readonly number[],
): Promise<void> {
  const wrong = `The data read back from ${file} differs from what was written, so the backup was discarded. Check the disk.`;
  const found = await checkRestorable({ write, file: unfinished, signal }).catch((error: unknown) => {
    throw error instanceof BackupError ? new BackupError(wrong, { cause: error }) : error;
  });
  if (found.join() !== rows.join()) throw new BackupError(wrong);
}

/** Records the backup for the health check. Fails if the database is read-only or has an older schema. */
export async function recordBackup(
  write: Knex,
  { madeAt, bytes }: { madeAt: Date; bytes: number },
): Promise<void> {
  await write.into('host.backup').insert({ made_at: madeAt, bytes }).onConflict('made_at').merge();
}

/** Unlike a rename, a link never replaces a file that has appeared in the meantime. Some file systems do not support links. */
export async function renameFinished(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (error) {
    await refuseExisting(file);
    if (!NO_LINKS.has(codeOf(error) ?? '')) throw error;
    return rename(unfinished, file);
  }
  await rm(unfinished);
}

const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

async function refuseExisting(file: string): Promise<void> {
  // lstat also finds a file that this account cannot open; renaming would replace it.
  const isFree = await lstat(file).then(
    () => false,
    () => true,
  );
  if (isFree) return;
  throw new BackupError(`${file} already exists; choose a new name, for example one with the date.`);
}

async function writeText(
  text: Gzip,
  client: PooledConnection,
  options: BackupOptions,
): Promise<readonly number[]> {
  const { signal, onProgress } = options;
  const hash = createHash('sha256');
  const writeLine = (line: Buffer): void => {
    hash.update(line);
    text.write(line);
  };
  const { rows: found } = await client.query<{ none: boolean }>(
    "SELECT to_regclass('migrations.applied_file') IS NULL AS none",
  );
  if (found[0]?.none === true) {
    const table = await findAnyTable(client);
    throw new BackupError(
      table === undefined
        ? 'The database is still empty; there is nothing to back up.'
        : `The database has the table ${table}, but none of this program's tables, so no backup was written. Check DATABASE_URL; pg_dump backs up other tables.`,
    );
  }
  await client.query(EXACT);
  writeLine(lineOf(await describeDatabase(client, options)));
  const counts: number[] = [];
  let copied = 0;
  for (const table of await describeTables(client)) {
    const { schema, name, columns } = table;
    writeLine(lineOf({ schema, table: name, columns }));
    const rows = await copyTo(client, copyStatement(table), (bytes) => {
      bytes.on('data', (piece: Buffer) => {
        hash.update(piece);
        copied += piece.length;
        onProgress?.(`${schema}.${name}`, copied);
      });
      return pipeline(bytes, text, { end: false, signal });
    });
    counts.push(rows);
    writeLine(Buffer.from(`${END_OF_ROWS}\n`));
  }
  const end: BackupEnd = { rows: counts, sha256: hash.digest('hex') };
  text.write(lineOf(end));
  return counts;
}

const lineOf = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

const copyStatement = ({ quotedName, quotedColumns }: TableToCopy): string =>
  `COPY (SELECT ${quotedColumns.join(', ')} FROM ${quotedName}) TO STDOUT`;

async function describeDatabase(
  client: Queryable,
  { program, clock, questions = [] }: BackupOptions,
): Promise<BackupHeader> {
  const { rows: applied } = await client.query<{ schema: string; names: string[] }>(
    `SELECT schema, array_agg(name ORDER BY name) AS names FROM migrations.applied_file GROUP BY schema ORDER BY min(applied_at)`,
  );
  const { rows: sequences } = await client.query<BackupHeader['sequences'][number]>(
    `SELECT schemaname AS schema, sequencename AS name, coalesce(last_value, start_value)::text AS last,
            last_value IS NOT NULL AS "isCalled"
       FROM pg_sequences WHERE schemaname IN (SELECT schema FROM migrations.applied_file) ORDER BY 1, 2`,
  );
  const { rows: server } = await client.query<{ version: string }>(
    `SELECT current_setting('server_version') AS version`,
  );
  return {
    file: KIND,
    format: FORMAT,
    program,
    postgresql: server[0]?.version ?? '',
    createdAt: clock().toISOString(),
    migrations: Object.fromEntries(applied.map(({ schema, names }) => [schema, names])),
    sequences,
    answers: await answersTo(client, questions),
  };
}
