// A trial of decision 0030: the columnar copy built once as Parquet files and loaded by each server, and one very large site split into
// buckets by visitor. `node_modules/.bin/tsx bench/shared-copy.ts --views 1000000`
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Knex } from 'knex';
import { NO_WORKERS } from '../extension/data/storage/workers';
import { startColumns } from '../extension/query/columns/columns';
import { loadManifest, type Manifest } from '../manifests/reader/manifest';
import { startCluster } from './site-change/databases';
import { writeFiles } from './site-change/files';
import { importViews } from './site-change/import-views';

const TABLE = 'page_view';
const BUCKETS = 4;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
/** Execution times vary. The shortest is the best estimate of the work that a statement does. */
const REPEATS = 5;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { views: { type: 'string', default: '1000000' } } });
  const directory = mkdtempSync(join(tmpdir(), 'qal-shared-copy-'));
  const cluster = await startCluster(join(directory, 'database'));
  try {
    const write = await cluster.create('shared_copy');
    const { whole } = await writeFiles(directory, 'given', Number(values.views));
    await importViews(write, 'given', createReadStream(whole));
    const source = join(directory, 'columns');
    const fill = await seconds(() => fillFromDatabase(write, source));
    const first = await openDuck(join(source, 'columns.duckdb'));
    const [[rows = 0] = []] = await numbers(first, `SELECT count(*) FROM analytics.${TABLE}`);
    say('filled from PostgreSQL, all tables', rate(rows, fill));
    const published = await seconds(() => publish(write, first, join(directory, 'parquet')));
    const { files, bytes } = await manifestOf(write);
    say(
      `published as Parquet, ${files.length} files`,
      rate(rows, published),
      `${(bytes / rows).toFixed(1)} bytes per view`,
    );
    const second = await openDuck(join(directory, 'second.duckdb'));
    say(
      'loaded by a second server, checksums compared',
      rate(rows, await seconds(() => load(second, files))),
    );
    await compareBuckets(second, directory);
    second.closeSync();
    first.closeSync();
    await write.destroy();
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function fillFromDatabase(write: Knex, folder: string): Promise<void> {
  const columns = startColumns({
    write,
    folder,
    workers: NO_WORKERS,
    memoryMb: 2048,
    tempMb: 4096,
    threads: 2,
    log: QUIET,
    manifest: withoutCounts(loadManifest()),
    clock: () => new Date(),
    auditHours: 0,
  });
  await columns.refresh();
  await columns.stop();
}

/** Removes the precomputed unique counts, which would take most of the time. */
const withoutCounts = (manifest: Manifest): Manifest => ({
  ...manifest,
  materials: new Map(
    [...manifest.materials].map(([name, material]) => [name, { ...material, uniqueCounts: [] }] as const),
  ),
});

interface PublishedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Writes one immutable file for each site and month, and records each file with the site's data version in PostgreSQL. */
async function publish(write: Knex, duck: DuckDBConnection, folder: string): Promise<void> {
  mkdirSync(folder);
  await write.raw(
    `CREATE TABLE analytics.published_file (site_id smallint, table_name text, month text, data_version bigint, snapshot text,
       path text, sha256 text, bytes bigint, PRIMARY KEY (site_id, table_name, month, data_version))`,
  );
  const months = await numbers(
    duck,
    `SELECT DISTINCT site_id, "at" // 2629746 FROM analytics.${TABLE} ORDER BY ALL`,
  );
  for (const [site = 0, month = 0] of months) {
    const path = join(folder, `${site}-${TABLE}-${month}.parquet`);
    await duck.run(
      `COPY (FROM analytics.${TABLE} WHERE site_id = ${site} AND "at" // 2629746 = ${month} ORDER BY "at", pv_id)
         TO '${path}' (FORMAT parquet, COMPRESSION zstd)`,
    );
    await write.raw(
      `INSERT INTO analytics.published_file SELECT ?, ?, ?, data_version, pg_current_snapshot()::text, ?, ?, ?
         FROM analytics.site_version WHERE site_id = ?`,
      [site, TABLE, String(month), path, digestOf(path), statSync(path).size, site],
    );
  }
}

async function manifestOf(write: Knex): Promise<{ files: readonly PublishedFile[]; bytes: number }> {
  const { rows }: { rows: PublishedFile[] } = await write.raw(
    'SELECT path, sha256, bytes::float8 AS bytes FROM analytics.published_file ORDER BY path',
  );
  return { files: rows, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

async function load(duck: DuckDBConnection, files: readonly PublishedFile[]): Promise<void> {
  for (const { path, sha256 } of files)
    if (digestOf(path) !== sha256) throw new Error(`${path} does not match the published checksum.`);
  const paths = files.map(({ path }) => `'${path}'`).join(', ');
  await duck.run(`CREATE TABLE ${TABLE} AS FROM read_parquet([${paths}]) ORDER BY site_id, "at", pv_id`);
  await duck.run('CHECKPOINT');
}

const STATEMENTS = {
  'distinct visitors': 'SELECT count(DISTINCT reader_id) FROM page_view',
  'views per visit': 'SELECT sum(n), count(*) FROM (SELECT count(*) AS n FROM page_view GROUP BY session_id)',
};

/** Each bucket is a separate file, as if on a separate machine. The slowest bucket determines the total time. */
async function compareBuckets(whole: DuckDBConnection, directory: string): Promise<void> {
  const buckets: DuckDBConnection[] = [];
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const file = join(directory, `bucket-${bucket}.duckdb`);
    await whole.run(`ATTACH '${file}' AS target`);
    await whole.run(
      `CREATE TABLE target.${TABLE} AS FROM ${TABLE} WHERE hash(reader_id) % ${BUCKETS} = ${bucket} ORDER BY "at", pv_id`,
    );
    await whole.run('DETACH target');
    buckets.push(await openDuck(file));
  }
  for (const [name, text] of Object.entries(STATEMENTS)) {
    const [expected] = await numbers(whole, text);
    const found = await Promise.all(buckets.map((bucket) => numbers(bucket, text)));
    const sums = expected?.map((_, place) => found.reduce((sum, [row]) => sum + (row?.[place] ?? 0), 0));
    if (JSON.stringify(sums) !== JSON.stringify(expected))
      throw new Error(`The sums over the buckets differ from the results for the whole table: ${name}.`);
    const alone = await shortest(() => whole.run(text));
    const slowest = Math.max(...(await inTurn(buckets, (bucket) => shortest(() => bucket.run(text)))));
    say(
      `${name}: one file ${ms(alone)}, the slowest of ${BUCKETS} buckets ${ms(slowest)}`,
      `${(alone / slowest).toFixed(1)} times`,
    );
  }
  for (const bucket of buckets) bucket.closeSync();
}

async function inTurn<T>(
  items: readonly T[],
  work: (item: T) => Promise<number>,
): Promise<readonly number[]> {
  const results: number[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** With one thread, so that a bucket gets as much CPU as the whole table. */
async function openDuck(file: string): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(file, { threads: '1' });
  return instance.connect();
}

async function numbers(duck: DuckDBConnection, text: string): Promise<readonly (readonly number[])[]> {
  const answer = await duck.runAndReadAll(text);
  return answer.getRows().map((row) => row.map(Number));
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

async function shortest(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let repeat = 0; repeat < REPEATS; repeat += 1) times.push(await seconds(work));
  return Math.min(...times);
}

const ms = (taken: number): string => `${(taken * 1000).toFixed(1)} ms`;
const rate = (rows: number, taken: number): string =>
  `${taken.toFixed(1)} s, ${Math.round(rows / taken / 1000)},000 views per second`;
const say = (...parts: readonly string[]): void => void process.stdout.write(`${parts.join(': ')}\n`);

void main();
