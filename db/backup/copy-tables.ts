// Reads the rows and sequences in a backup, either to restore them or to check them without storing anything.
import type { Knex } from 'knex';
import type { Queryable } from '../connection-pool';
import { connectionOf } from '../write-pool';
import {
  BackupError,
  type BackupHeader,
  type BackupTable,
  describeTables,
  type TableToCopy,
} from './backup-format';
import { type BackupPart, linesIn, readBackup } from './read-backup';

export interface CopyOptions {
  readonly file: string;
  readonly signal: AbortSignal;
  onProgress?(table: string, bytes: number): void;
  onHeader?(header: BackupHeader): void;
  /** Returns how many rows were stored. */
  store(statement: string, rows: AsyncIterable<Buffer>): Promise<number>;
}

/** Throws if the file lacks a table, because that table's rows would be lost silently. */
export async function copyTables(
  tables: readonly TableToCopy[],
  { file, signal, onProgress, onHeader, store }: CopyOptions,
): Promise<void> {
  const missing = new Map(tables.map((table) => [`${table.schema}.${table.name}`, table]));
  const parts = readBackup(file, signal);
  let bytes = 0;
  for await (const part of parts) {
    if (part.kind === 'header') onHeader?.(part.header);
    if (part.kind !== 'table') continue;
    const name = `${part.table.schema}.${part.table.table}`;
    const read = { rows: 0 };
    const rows = rowsOf(parts, read, (count) => {
      bytes += count;
      onProgress?.(name, bytes);
    });
    const stored = await store(copyStatement(file, missing.get(name), part.table), rows);
    if (stored !== read.rows)
      throw new BackupError(
        `${file} has ${read.rows} rows for ${name}, but PostgreSQL stored ${stored} of them. Use another backup.`,
      );
    missing.delete(name);
  }
  const [missingName] = missing.keys();
  if (missingName !== undefined) throw incomplete(file, `table ${missingName}`);
}

const incomplete = (file: string, what: string): BackupError =>
  new BackupError(`${file} is incomplete: it lacks the ${what}. Use another backup.`);

/** Takes all names from the catalog, because the file is not trusted. */
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
  const missingName = found.columns.find((name) => !columns.includes(name));
  if (missingName !== undefined) throw incomplete(file, `column ${schema}.${table}.${missingName}`);
  return `COPY ${found.quotedName} (${quoted.join(', ')}) FROM STDIN`;
}

/** The current table's rows. Sets `read.rows` after the last one. */
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

/** This database's sequences, with their values from the file. */
export async function findSequences(client: Queryable, file: string, { sequences }: BackupHeader) {
  const { rows: ours } = await client.query<{ name: string; quotedName: string }>(
    `SELECT schemaname || '.' || sequencename AS name, format('%I.%I', schemaname, sequencename) AS "quotedName"
       FROM pg_sequences WHERE schemaname IN (SELECT schema FROM migrations.applied_file)`,
  );
  const missing = new Map(ours.map(({ name, quotedName }) => [name, quotedName]));
  const found: [string, BackupHeader['sequences'][number]][] = [];
  for (const sequence of sequences) {
    const { schema, name } = sequence;
    const quotedName = missing.get(`${schema}.${name}`);
    if (quotedName === undefined)
      throw new BackupError(
        `${file} has the sequence ${schema}.${name}, which this program does not have. Use another backup.`,
      );
    found.push([quotedName, sequence]);
    missing.delete(`${schema}.${name}`);
  }
  const [missingName] = missing.keys();
  if (missingName !== undefined) throw incomplete(file, `sequence ${missingName}`);
  return found;
}

/**
 * Does everything that a restore into this database's tables would do, but stores nothing. The file must be a backup of a
 * database with this schema. Returns the number of rows in each table. Throws a BackupError if the file cannot be restored.
 */
export async function checkRestorable({
  write,
  file,
  signal,
}: {
  readonly write: Knex;
  readonly file: string;
  readonly signal: AbortSignal;
}): Promise<readonly number[]> {
  const counts: number[] = [];
  let header: BackupHeader | undefined;
  await write.transaction(
    async (transaction) => {
      const client = connectionOf(transaction);
      await copyTables(await describeTables(client), {
        file,
        signal,
        onHeader(found) {
          header = found;
        },
        async store(_statement, rows) {
          let count = 0;
          for await (const bytes of rows) count += linesIn(bytes);
          counts.push(count);
          return count;
        },
      });
      if (header !== undefined) await findSequences(client, file, header);
    },
    { readOnly: true },
  );
  return counts;
}
