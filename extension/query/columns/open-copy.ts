// Opens the copy. If its file has different tables or cannot be read, it is replaced.
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Clock, Log } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { forCopy } from '../../data/storage/in-transaction';
import { type ColumnFile, type ColumnFileOptions, openColumnFile } from './column-file';
import { ColumnFileError, CopyCrashed } from './column-file-error';
import { type CopiedTable, describeCopiedTables, isShared } from './copied-tables';
import { createTables } from './copy-rows';
import { checkCrashes, isMarkedWrong, removeCopy, removeCrashedCopy } from './crash-marks';
import { type KeptCounts, openCounts } from './open-counts';
import type { SiteCopy } from './refresh-site';
import { countsTables, createCounts } from './unique-counts';
import { viewValues } from './view-values';
import { visitFacts } from './visit-facts';

export interface OpenCopy {
  readonly file: ColumnFile;
  readonly tables: readonly CopiedTable[];
  /** The known digests of shared tables. */
  readonly shared: Map<string, string>;
  readonly counts: KeptCounts;
  readonly sites: readonly SiteCopy[];
}

export interface OpenCopyOptions extends ColumnFileOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly log: Log;
  readonly clock: Clock;
  /** A site with fewer page views is counted in one piece. */
  readonly smallSiteRows?: number | undefined;
}

const FORMAT = 9;

const siteRow = z.tuple([z.number(), z.string(), z.number(), z.number()]);

/** Throws whatever openColumnFile throws, and errors from the file system and PostgreSQL. */
export async function openCopy(options: OpenCopyOptions): Promise<OpenCopy> {
  const tables = await forCopy(options.write, (client) => describeCopiedTables(client, options.manifest));
  await checkCrashes(options.folder);
  const counts = countsTables(options.manifest);
  const facts = visitFacts(options.manifest);
  const values = viewValues(options.manifest);
  const layout = JSON.stringify({ format: FORMAT, tables, counts, facts, values });
  const copyIn = async (file: ColumnFile, sites: readonly SiteCopy[]): Promise<OpenCopy> => ({
    file,
    tables,
    shared: new Map(),
    sites,
    counts: await openCounts(file, { tables: counts, facts, values }, options.log, options.smallSiteRows),
  });
  try {
    const found = await openFileFor(options, async (file) => {
      if (await isMarkedWrong(options.folder)) return undefined;
      const sites = await knownSites(file, layout).catch(() => undefined);
      return sites && copyIn(file, sites);
    });
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof CopyCrashed) {
      options.log.warn({ err: error }, `${error.message} The copy may be damaged and is discarded.`);
      await removeCrashedCopy(options.folder, options.clock());
    } else if (!(error instanceof ColumnFileError)) throw error;
  }
  await removeCopy(options.folder);
  return openFileFor(options, async (file) => {
    await createCopy(file, [...createTables(tables, values), ...createCounts(counts)], layout);
    return copyIn(file, []);
  });
}

/** Opens the file, and closes it if `find` returns undefined or fails. */
async function openFileFor<T extends OpenCopy | undefined>(
  options: OpenCopyOptions,
  find: (file: ColumnFile) => Promise<T>,
): Promise<T> {
  const file = await openColumnFile(options);
  let copy: T | undefined;
  try {
    copy = await find(file);
    return copy;
  } finally {
    if (copy === undefined) await file.close();
  }
}

/** Returns undefined if the copy has a different layout. Throws if the file is not a copy. */
async function knownSites(file: ColumnFile, layout: string): Promise<readonly SiteCopy[] | undefined> {
  const [[found] = []] = await file.read({ text: 'SELECT layout FROM meta' });
  if (found !== layout) return undefined;
  const rows = await file.read({ text: 'SELECT site_id, version, number, copied_at FROM copied_site' });
  return rows.map((row) => {
    const [siteId, version, number, copiedAt] = siteRow.parse(row);
    return { siteId, version, number, copiedAt };
  });
}

const createCopy = (file: ColumnFile, tables: readonly string[], layout: string): Promise<void> =>
  file.write(async (run) => {
    const statements = [
      'CREATE TABLE meta (layout VARCHAR)',
      'CREATE TABLE copied_site (site_id SMALLINT, version VARCHAR, number BIGINT, copied_at DOUBLE)',
      'CREATE SCHEMA analytics',
      ...tables,
    ];
    await run({ text: statements.join(';') });
    await run({ text: 'INSERT INTO meta VALUES ($1)', bindings: [layout] });
  });

export async function countRows({ file, tables }: OpenCopy): Promise<number> {
  const counts = tables.map(({ name }) => `SELECT count(*) AS rows FROM analytics.${name}`);
  const [[rows] = []] = await file.read({ text: `SELECT sum(rows) FROM (${counts.join(' UNION ALL ')})` });
  return Number(rows);
}

/** Does not count the shared tables. */
export async function countRowsBySite({ file, tables }: OpenCopy): Promise<ReadonlyMap<number, number>> {
  const counts = tables
    .filter((table) => !isShared(table))
    .map(({ name }) => `SELECT site_id, count(*) AS rows FROM analytics.${name} GROUP BY site_id`);
  const text = `SELECT site_id, sum(rows)::BIGINT FROM (${counts.join(' UNION ALL ')}) GROUP BY site_id`;
  return new Map(siteRows.parse(await file.read({ text })));
}

const siteRows = z.array(z.tuple([z.number(), z.number()]));

/** The size of the file without its free blocks. */
export async function usedBytes({ file }: OpenCopy): Promise<number> {
  const text = 'SELECT used_blocks * block_size FROM pragma_database_size()';
  const [[bytes] = []] = await file.read({ text });
  return Number(bytes);
}
