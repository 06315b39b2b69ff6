// Owns DuckDB: a sorted native file filled from our PostgreSQL, and statements over it with a limit of time.
// The only place that needs the package @duckdb/node-api; without it the comparison ends in a sentence.
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';

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

interface DuckTable {
  readonly name: string;
  readonly order: string;
  readonly columns: Readonly<Record<string, string>>;
}

const ID = 'INTEGER';
const BIG = 'BIGINT';
const SMALL = 'SMALLINT';
const TIME = 'TIMESTAMPTZ';
const TEXT = 'VARCHAR';

/** What a user would carry over: rows with ids, and the tables of their texts. */
const TABLES: readonly DuckTable[] = [
  {
    name: 'page_view',
    order: 'site_id, "at", pv_id',
    columns: {
      at: TIME,
      page_id: ID,
      site_id: SMALL,
      device_id: SMALL,
      session_id: BIG,
      reader_id: BIG,
      pv: ID,
      irritation_click_count: ID,
      pv_id: BIG,
      source_id: ID,
      country_id: ID,
      medium_id: ID,
      campaign_id: ID,
      os_id: ID,
      browser_id: ID,
      language_id: ID,
      browse_sec: ID,
    },
  },
  {
    name: 'click',
    order: 'site_id, "at", click_id',
    columns: {
      at: TIME,
      view_at: TIME,
      selector_id: ID,
      site_id: SMALL,
      click_id: BIG,
      pv_id: BIG,
      session_id: BIG,
      page_id: ID,
      event_sec: ID,
    },
  },
  {
    name: 'search_day',
    order: 'site_id, day',
    columns: {
      day: 'DATE',
      page_id: ID,
      query_id: ID,
      site_id: SMALL,
      search_type: SMALL,
      clicks: ID,
      impressions: ID,
      position_x100: ID,
    },
  },
  {
    name: 'page',
    order: 'site_id, page_id',
    columns: { site_id: SMALL, page_id: ID, url: TEXT, title: TEXT },
  },
  {
    name: 'source',
    order: 'site_id, source_id',
    columns: { site_id: SMALL, source_id: ID, source_domain: TEXT, referrer: TEXT, utm_source: TEXT },
  },
  {
    name: 'selector',
    order: 'site_id, selector_id',
    columns: { site_id: SMALL, selector_id: ID, selector: TEXT },
  },
  {
    name: 'keyword',
    order: 'site_id, query_id',
    columns: { site_id: SMALL, query_id: ID, keyword: TEXT },
  },
  { name: 'country', order: 'country_id', columns: { country_id: ID, country_code: TEXT } },
  { name: 'device', order: 'device_id', columns: { device_id: SMALL, device_type: TEXT } },
];

export interface Duck {
  readonly version: string;
  readonly threads: number;
  readonly fillSeconds: number;
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

/** Copies our tables into a new file in the directory and opens it once, with a thread for each core. */
export async function openDuck(write: Knex, directory: string): Promise<Duck> {
  const { DuckDBInstance } = await loadDuck();
  const file = join(directory, 'bench.duckdb');
  const threads = availableParallelism();
  const started = performance.now();
  const filling = await DuckDBInstance.create(file, { threads: String(threads) });
  const writer = await filling.connect();
  for (const table of TABLES) await fillTable(write, writer, table, join(directory, `${table.name}.csv`));
  await writer.run('CHECKPOINT');
  writer.closeSync();
  filling.closeSync();
  const fillSeconds = (performance.now() - started) / 1000;

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
