// DuckDB for comparison: a sorted native file with a copy of our tables, and statements with a time limit.
import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Knex } from 'knex';
import { copyTo } from '../db/run-copy';
import { poolOf } from '../db/write-pool';

/** Tables with the order of their rows and the columns that a user would copy. */
const TABLES: Readonly<Record<string, { readonly order: string; readonly columns: string }>> = {
  page_view: {
    order: 'site_id, "at", pv_id',
    columns: `at page_id site_id device_id session_id reader_id pv irritation_click_count pv_id source_id country_id
      medium_id campaign_id os_id browser_id language_id browse_sec next_page_id speed_msec`,
  },
  click: {
    order: 'site_id, "at", click_id',
    columns: 'at view_at selector_id site_id click_id pv_id session_id page_id event_sec page_y_pct',
  },
  search_day: {
    order: 'site_id, day',
    columns: 'day page_id query_id site_id search_type clicks impressions position_x100',
  },
  page: { order: 'site_id, page_id', columns: 'site_id page_id url title text_key' },
  source: { order: 'site_id, source_id', columns: 'site_id source_id source_domain referrer utm_source' },
  medium: { order: 'site_id, medium_id', columns: 'site_id medium_id utm_medium' },
  selector: { order: 'site_id, selector_id', columns: 'site_id selector_id selector' },
  keyword: { order: 'site_id, query_id', columns: 'site_id query_id keyword' },
  country: { order: 'country_id', columns: 'country_id country_code' },
  browser: { order: 'browser_id', columns: 'browser_id browser' },
  os: { order: 'os_id', columns: 'os_id os' },
  language: { order: 'language_id', columns: 'language_id language' },
  device: { order: 'device_id', columns: 'device_id device_type' },
};

type Rows = readonly (readonly unknown[])[];

export interface Duck {
  readonly version: string;
  readonly threads: number;
  readonly fileMegabytes: number;
  /** Returns the rows as the driver represents them, or undefined if the time limit is exceeded. */
  run(sql: string, limitMs: number): Promise<Rows | undefined>;
  close(): void;
}

/** Opens the file in the directory, with one thread per core. If the file does not exist, creates it from our tables first. */
export async function openDuck(write: Knex, directory: string): Promise<Duck> {
  const file = join(directory, 'bench.duckdb');
  const threads = availableParallelism();
  if (!existsSync(file)) await fillFile(write, directory, file, threads);
  const instance = await DuckDBInstance.create(file, { threads: String(threads) });
  const connection = await instance.connect();
  const answer = await connection.runAndReadAll('SELECT version()');
  return {
    version: String(answer.getRows()[0]?.[0]),
    threads,
    fileMegabytes: statSync(file).size / 1e6,
    run: (sql, limitMs) => runWithin(connection, sql, limitMs),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Fills the file, which has a temporary name until it is complete. */
async function fillFile(write: Knex, directory: string, file: string, threads: number): Promise<void> {
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  rmSync(`${unfinished}.wal`, { force: true });
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
}

async function fillTable(write: Knex, duck: DuckDBConnection, name: string, file: string): Promise<void> {
  const { order = '', columns = '' } = TABLES[name] ?? {};
  const names = columns.split(/\s+/);
  const { rows: types }: { rows: { column: string; type: string }[] } = await write.raw(
    `SELECT attname AS column, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = ?::regclass AND attname = ANY(?) ORDER BY array_position(?::text[], attname::text)`,
    [`analytics.${name}`, names, names],
  );
  const client = await poolOf(write).acquire();
  try {
    const copy = `COPY (SELECT ${names.join(', ')} FROM analytics.${name}) TO STDOUT (FORMAT csv)`;
    await copyTo(client, copy, (rows) => pipeline(rows, createWriteStream(file)));
    await duck.run(
      `CREATE TABLE ${name} AS SELECT * FROM read_csv('${file}', header = false, auto_detect = false, delim = ',', quote = '"',
         escape = '"', nullstr = '', allow_quoted_nulls = false,
         columns = {${types.map(({ column, type }) => `'${column}': '${type}'`).join(', ')}}) ORDER BY ${order}`,
    );
  } finally {
    client.release();
    rmSync(file, { force: true });
  }
}

async function runWithin(
  connection: DuckDBConnection,
  sql: string,
  limitMs: number,
): Promise<Rows | undefined> {
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    connection.interrupt();
  }, limitMs);
  try {
    const answer = await connection.runAndReadAll(sql);
    return answer.getRows();
  } catch (error) {
    if (timedOut) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
