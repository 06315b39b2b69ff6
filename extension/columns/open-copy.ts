// Opens the copy's file with the tables that it must have; one of other tables, or one that cannot be read, is made anew.

import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import type { Log } from '../../host-shim/extension-api';
import type { Manifest } from '../../manifests/reader/manifest';
import { inTransaction } from '../storage/in-transaction';
import { type ColumnFile, type ColumnFileOptions, openColumnFile, removeColumnFile } from './column-file';
import { ColumnFileError } from './column-file-error';
import { CONVERSION_VIEW, type CopiedTable, describeCopiedTables, isShared } from './copied-tables';
import { createTables } from './copy-rows';
import type { SiteCopy } from './refresh-site';
import { countsTables, createCounts, type KeptCounts, openCounts } from './unique-counts';

export interface OpenCopy {
  readonly file: ColumnFile;
  readonly tables: readonly CopiedTable[];
  /** Digests of its shared tables, as far as they are known. */
  readonly shared: Map<string, string>;
  readonly counts: KeptCounts;
  /** Whether the tables that it copies are divided over the machines of a Citus. */
  readonly isDivided: boolean;
  /** What it had when it was opened. */
  readonly sites: readonly SiteCopy[];
}

export interface OpenCopyOptions extends ColumnFileOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly log: Log;
  /** A site of fewer page views is counted in one piece. */
  readonly smallSiteRows?: number | undefined;
}

/** Raised when the program writes another copy from the same tables. */
const FORMAT = 4;

const originRows = z.tuple([
  z.object({
    identity: z.string(),
    next_transaction: z.string().transform((text) => BigInt(text)),
    tells_system: z.boolean(),
    is_divided: z.boolean(),
  }),
]);
const systemRows = z.tuple([z.object({ system: z.string() })]);

/**
 * The database that the copy is made from. After a backup was restored, data versions come again with other data: then the
 * tables are others, or transactions are behind those that the copy knows.
 */
async function describeOrigin(client: ClientBase) {
  const { rows } = await client.query(
    `SELECT concat_ws('/', (SELECT oid FROM pg_database WHERE datname = current_database()),
                      'analytics.site'::regclass::oid, 'analytics.change'::regclass::oid) AS identity,
            pg_snapshot_xmax(pg_current_snapshot())::text AS next_transaction,
            has_function_privilege('pg_control_system()', 'EXECUTE') AS tells_system,
            analytics.is_divided() AS is_divided`,
  );
  const [origin] = originRows.parse(rows);
  // A managed PostgreSQL may keep its number to itself; then its address and the time of the first migration tell it.
  const system = await client.query(
    origin.tells_system
      ? 'SELECT system_identifier::text AS system FROM pg_control_system()'
      : `SELECT concat_ws('/', inet_server_addr(), inet_server_port(), min(applied_at)) AS system
           FROM migrations.applied_file`,
  );
  const [{ system: server }] = systemRows.parse(system.rows);
  return {
    identity: `${server}/${origin.identity}`,
    nextTransaction: origin.next_transaction,
    isDivided: origin.is_divided,
  };
}

/** The first transaction that a snapshot, `10:20:10,14`, knows nothing of. */
const snapshotEnd = (snapshot: string): bigint => BigInt(snapshot.split(':')[1] ?? 0);

const siteRow = z.tuple([z.number(), z.number(), z.string(), z.number(), z.string().nullable()]);

/** Opens or makes the copy. Throws as openColumnFile does, and what fails in the file system or in PostgreSQL. */
export async function openCopy(options: OpenCopyOptions): Promise<OpenCopy> {
  const { tables, origin } = await inTransaction(options.write, async (client) => ({
    tables: await describeCopiedTables(client, options.manifest),
    origin: await describeOrigin(client),
  }));
  const counts = countsTables(options.manifest);
  const layout = JSON.stringify({ format: FORMAT, origin: origin.identity, tables, counts });
  try {
    const file = await openColumnFile(options);
    const sites = await knownSites(file, layout).catch(() => undefined);
    if (
      sites?.every(
        // What a machine of several has seen is compared where the site is.
        ({ snapshot, machine }) => machine !== null || snapshotEnd(snapshot) <= origin.nextTransaction,
      )
    )
      return {
        file,
        tables,
        shared: new Map(),
        counts: await openCounts(file, counts, options.log, options.smallSiteRows),
        isDivided: origin.isDivided,
        sites,
      };
    await file.close();
  } catch (error) {
    if (!(error instanceof ColumnFileError)) throw error;
  }
  await removeColumnFile(options.folder);
  const file = await openColumnFile(options);
  await createCopy(file, [...createTables(tables), ...createCounts(counts)], layout);
  return {
    file,
    tables,
    shared: new Map(),
    counts: await openCounts(file, counts, options.log, options.smallSiteRows),
    isDivided: origin.isDivided,
    sites: [],
  };
}

/** The sites of a copy with this layout; undefined for another layout. Throws for a file that is none of ours. */
async function knownSites(file: ColumnFile, layout: string): Promise<readonly SiteCopy[] | undefined> {
  const [[found] = []] = await file.read({ text: 'SELECT layout FROM meta' });
  if (found !== layout) return undefined;
  const rows = await file.read({
    text: 'SELECT site_id, data_version, snapshot, copied_at, machine FROM copied_site',
  });
  return rows.map((row) => {
    const [siteId, version, snapshot, copiedAt, machine] = siteRow.parse(row);
    return { siteId, version, snapshot, copiedAt, machine };
  });
}

const createCopy = (file: ColumnFile, tables: readonly string[], layout: string): Promise<void> =>
  file.write(async (run) => {
    const statements = [
      'CREATE TABLE meta (layout VARCHAR)',
      'CREATE TABLE copied_site (site_id SMALLINT, data_version BIGINT, snapshot VARCHAR, copied_at DOUBLE, machine VARCHAR)',
      'CREATE SCHEMA analytics',
      ...tables,
      // As in PostgreSQL: the page view of each conversion, with its goal.
      `CREATE VIEW analytics.${CONVERSION_VIEW} AS SELECT page_view.*, goal_no
         FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, "at")`,
    ];
    for (const text of statements) await run({ text });
    await run({ text: 'INSERT INTO meta VALUES ($1)', bindings: [layout] });
  });

/** The rows of all copied tables. */
export async function countRows({ file, tables }: OpenCopy): Promise<number> {
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM analytics.${name})`);
  const [[rows] = []] = await file.read({ text: `SELECT ${counts.join(' + ')}` });
  return Number(rows);
}

/** The rows of each site in the tables that are not shared. */
export async function countRowsBySite({ file, tables }: OpenCopy): Promise<ReadonlyMap<number, number>> {
  const counts = tables
    .filter((table) => !isShared(table))
    .map(({ name }) => `SELECT site_id, count(*) AS rows FROM analytics.${name} GROUP BY site_id`);
  const text = `SELECT site_id, sum(rows)::BIGINT FROM (${counts.join(' UNION ALL ')}) GROUP BY site_id`;
  return new Map(siteRows.parse(await file.read({ text })));
}

const siteRows = z.array(z.tuple([z.number(), z.number()]));

/** What is in use of the file on disk. */
export async function usedBytes({ file }: OpenCopy): Promise<number> {
  const [[bytes] = []] = await file.read({
    text: 'SELECT used_blocks * block_size FROM pragma_database_size()',
  });
  return Number(bytes);
}
