// Owns DuckDB: a sorted native file filled from our PostgreSQL, and statements over it with a limit of time.
// The only place that needs the package @duckdb/node-api; without it the comparison ends in a sentence.
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type DuckTable, TABLES } from './duck-tables';

/** What is used of the package. */
interface DuckReader {
  getRows(): readonly (readonly unknown[])[];
}
interface DuckConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<DuckReader>;
  interrupt(): void;
  closeSync(): void;
}
interface DuckInstance {
  connect(): Promise<DuckConnection>;
  closeSync(): void;
}
interface DuckModule {
  readonly DuckDBInstance: {
    create(file: string, options: Readonly<Record<string, string>>): Promise<DuckInstance>;
  };
}

export interface Duck {
  readonly version: string;
  readonly threads: number;
  /** Undefined when the file was there from an earlier run. */
  readonly fillSeconds: number | undefined;
  readonly fileMegabytes: number;
  /** Rows as the driver gives them; undefined when the time was over. */
  run(sql: string, limitMs: number): Promise<readonly (readonly unknown[])[] | undefined>;
  close(): void;
}

/** The package, or an error that says how to have it. */
export async function loadDuck(): Promise<DuckModule> {
  // Not among the packages of this repository: 70 MB that only this needs. The compiler must not look for it.
  const name: string = '@duckdb/node-api';
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(
      'The comparison needs the package @duckdb/node-api, which cannot be loaded here: npm install --no-save @duckdb/node-api@1.5.6-r.1',
      { cause },
    );
  }
}

/** Opens the file of the directory with a thread for each core; where there is none our tables are copied into it. */
export async function openDuck(write: Knex, directory: string): Promise<Duck> {
  const { DuckDBInstance } = await loadDuck();
  const file = join(directory, 'bench.duckdb');
  const threads = availableParallelism();
  const fillSeconds = existsSync(file) ? undefined : await fillFile(write, directory, file, threads);
  const instance = await DuckDBInstance.create(file, { threads: String(threads) });
  const connection = await instance.connect();
  const answer = await connection.runAndReadAll('SELECT version()');
  return {
    version: String(answer.getRows()[0]?.[0]),
    threads,
    fillSeconds,
    fileMegabytes: statSync(file).size / 1e6,
    run: (sql, limitMs) => runWithin(connection, sql, limitMs),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Under another name until it is whole. Answers the seconds that it took. */
async function fillFile(write: Knex, directory: string, file: string, threads: number): Promise<number> {
  const { DuckDBInstance } = await loadDuck();
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  rmSync(`${unfinished}.wal`, { force: true });
  const started = performance.now();
  const instance = await DuckDBInstance.create(unfinished, { threads: String(threads) });
  const writer = await instance.connect();
  try {
    for (const table of TABLES) await fillTable(write, writer, table, join(directory, `${table.name}.csv`));
    await writer.run('CHECKPOINT');
  } finally {
    writer.closeSync();
    instance.closeSync();
  }
  renameSync(unfinished, file);
  return (performance.now() - started) / 1000;
}

async function fillTable(
  write: Knex,
  duck: DuckConnection,
  { name, order, columns }: DuckTable,
  file: string,
): Promise<void> {
  const names = Object.keys(columns).join(', ');
  const client: Client = await write.client.acquireConnection();
  try {
    const rows = client.query(copyTo(`COPY (SELECT ${names} FROM analytics.${name}) TO STDOUT (FORMAT csv)`));
    await pipeline(rows, createWriteStream(file));
    const types = Object.entries(columns).map(([column, type]) => `'${column}': '${type}'`);
    await duck.run(
      `CREATE TABLE ${name} AS SELECT * FROM read_csv('${file}', header = false, auto_detect = false, delim = ',', quote = '"',
         escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types.join(', ')}}) ORDER BY ${order}`,
    );
  } finally {
    write.client.releaseConnection(client);
    rmSync(file, { force: true });
  }
}

async function runWithin(
  connection: DuckConnection,
  sql: string,
  limitMs: number,
): Promise<readonly (readonly unknown[])[] | undefined> {
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    connection.interrupt();
  }, limitMs);
  try {
    const answer = await connection.runAndReadAll(sql);
    return answer.getRows();
  } catch (error) {
    if (over) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
