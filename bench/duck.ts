// DuckDB beside our database: a sorted native file with a copy of our tables, and statements with a time limit.
// The only place that needs the package @duckdb/node-api.
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** Tables, the order of their rows, and the columns that a user would copy. */
const TABLES: Readonly<Record<string, { readonly order: string; readonly columns: string }>> = {
  page_view: {
    order: 'site_id, "at", pv_id',
    columns: `at page_id site_id device_id session_id reader_id pv irritation_click_count pv_id source_id country_id
      medium_id campaign_id os_id browser_id language_id browse_sec`,
  },
  click: {
    order: 'site_id, "at", click_id',
    columns: 'at view_at selector_id site_id click_id pv_id session_id page_id event_sec',
  },
  search_day: {
    order: 'site_id, day',
    columns: 'day page_id query_id site_id search_type clicks impressions position_x100',
  },
  page: { order: 'site_id, page_id', columns: 'site_id page_id url title' },
  source: { order: 'site_id, source_id', columns: 'site_id source_id source_domain referrer utm_source' },
  selector: { order: 'site_id, selector_id', columns: 'site_id selector_id selector' },
  keyword: { order: 'site_id, query_id', columns: 'site_id query_id keyword' },
  country: { order: 'country_id', columns: 'country_id country_code' },
  browser: { order: 'browser_id', columns: 'browser_id browser' },
  device: { order: 'device_id', columns: 'device_id device_type' },
};

type Rows = readonly (readonly unknown[])[];

/** The part of the package that is used. */
interface DuckConnection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRows(): Rows }>;
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
  /** Rows as the driver gives them; undefined after the time limit. */
  run(sql: string, limitMs: number): Promise<Rows | undefined>;
  close(): void;
}

/** The package; throws an error that says how to install it. */
export async function loadDuck(): Promise<DuckModule> {
  // Not a dependency: 70 MB for this alone. As a string, so that the compiler does not look for it.
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

/** Opens the file in the directory with a thread for each core, after copying our tables into it where there is none. */
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

/** Fills the file, which has another name until it is complete; returns the seconds that it took. */
async function fillFile(write: Knex, directory: string, file: string, threads: number): Promise<number> {
  const { DuckDBInstance } = await loadDuck();
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  rmSync(`${unfinished}.wal`, { force: true });
  const started = performance.now();
  const instance = await DuckDBInstance.create(unfinished, { threads: String(threads) });
  const writer = await instance.connect();
  try {
    for (const name of Object.keys(TABLES))
      await fillTable(write, writer, name, join(directory, `${name}.csv`));
    await writer.run('CHECKPOINT');
  } finally {
    writer.closeSync();
    instance.closeSync();
  }
  renameSync(unfinished, file);
  return (performance.now() - started) / 1000;
}

async function fillTable(write: Knex, duck: DuckConnection, name: string, file: string): Promise<void> {
  const { order = '', columns = '' } = TABLES[name] ?? {};
  const names = columns.split(/\s+/);
  const { rows: types }: { rows: { column: string; type: string }[] } = await write.raw(
    `SELECT attname AS column, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = ?::regclass AND attname = ANY(?) ORDER BY array_position(?::text[], attname::text)`,
    [`analytics.${name}`, names, names],
  );
  const client: Client = await write.client.acquireConnection();
  try {
    const copy = `COPY (SELECT ${names.join(', ')} FROM analytics.${name}) TO STDOUT (FORMAT csv)`;
    await pipeline(client.query(copyTo(copy)), createWriteStream(file));
    await duck.run(
      `CREATE TABLE ${name} AS SELECT * FROM read_csv('${file}', header = false, auto_detect = false, delim = ',', quote = '"',
         escape = '"', nullstr = '', allow_quoted_nulls = false,
         columns = {${types.map(({ column, type }) => `'${column}': '${type}'`).join(', ')}}) ORDER BY ${order}`,
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
): Promise<Rows | undefined> {
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
