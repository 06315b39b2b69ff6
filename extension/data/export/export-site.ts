// Exports a site to files: one per material, and one for the site with its goals. NDJSON and CSV files can be imported again.
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { copyTo, createFolder, syncPath } from '../../../host-shim/extension-api';
import type { Manifest, Material } from '../../../manifests/reader/manifest';
import type { ColumnType } from '../../../manifests/reader/schema';
import { instantsOf, type RemovedDays } from '../removal/removal-plan';
import { inTransaction } from '../storage/in-transaction';
import { readSiteEntry, siteYaml } from '../storage/sites/export-site-file';
import { storedMaterials } from '../storage/stored-materials';
import { AS_LINES, type ExportQuery, exportQuery, jsonOf } from './export-query';
import type { ExportFormat } from './row-reader';

export type ParquetType =
  | 'BIGINT'
  | 'INTEGER'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'VARCHAR'
  | 'TIMESTAMP'
  | 'TIMESTAMPTZ'
  | 'DATE';

interface ParquetColumn {
  readonly name: string;
  readonly type: ParquetType;
}

/** Converts a CSV file with a header to Parquet. */
export type WriteParquet = (
  csv: string,
  columns: readonly ParquetColumn[],
  target: string,
  signal: AbortSignal,
) => Promise<void>;

interface ExportOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly site: string;
  readonly folder: string;
  readonly format: ExportFormat;
  /** All materials and all days by default. */
  readonly material?: string | undefined;
  readonly days?: Pick<RemovedDays, 'from' | 'to'> | undefined;
  readonly signal: AbortSignal;
  readonly writeParquet: WriteParquet;
  onProgress(file: string, bytes: number): void;
}

interface ExportedFile {
  readonly file: string;
  readonly rows: number;
}

/** The message is a sentence for the user. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
}

/** File extensions; those of NDJSON and CSV make the importer store values unchanged. */
const STORED = { ndjson: 'stored.ndjson', csv: 'stored.csv', parquet: 'parquet' } as const;
const PARQUET_TYPES: Readonly<Record<ColumnType, ParquetType>> = {
  id: 'BIGINT',
  int: 'INTEGER',
  num: 'DOUBLE',
  flag: 'BOOLEAN',
  text: 'VARCHAR',
  datetime: 'TIMESTAMPTZ',
  date: 'DATE',
};
const SITE_FILE = 'site.yaml';

/**
 * Writes all files from one snapshot, each completely or not at all. Throws an ExportError, for example if a file already exists.
 */
export async function exportSite(options: ExportOptions): Promise<readonly ExportedFile[]> {
  const { write, manifest, folder, format, material: only, signal } = options;
  const materials = storedMaterials(manifest).filter(({ name }) => only === undefined || name === only);
  await createFolder(folder, 0o700);
  const nameOf = ({ name }: Material) => join(folder, `${name}.${STORED[format]}`);
  const siteFile = join(folder, SITE_FILE);
  for (const file of [siteFile, ...materials.map(nameOf)]) await refuseExisting(file);
  return inTransaction(write, async (client) => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const entry = await readSiteEntry(client, options.site);
    if (entry === undefined)
      throw new ExportError(`There is no site ${options.site}. "qal sites list" shows all sites.`);
    const { siteId, site } = entry;
    const days = options.days && { ...options.days, ...instantsOf(options.days, site.timezone) };
    const written: ExportedFile[] = [];
    for (const material of materials) {
      if (signal.aborted) throw new ExportError('Stopped. The files written so far are complete.');
      const query = exportQuery({ manifest, material, siteId, days, format });
      const file = nameOf(material);
      const rows = await writeRows(client, options, query, file);
      if (rows > 0) written.push({ file, rows });
    }
    await writeSite(siteFile, siteYaml([site]));
    return written;
  });
}

async function writeSite(file: string, text: string): Promise<void> {
  const unfinished = unfinishedName(file);
  try {
    await writeFile(unfinished, text, { flag: 'wx', mode: 0o600 });
    await putInPlace(unfinished, file);
  } finally {
    await rm(unfinished, { force: true });
  }
}

const unfinishedName = (file: string): string => `${file}.${randomUUID()}.part`;

/** Checks again that the file does not exist, because another export may have written it in the meantime. */
async function putInPlace(unfinished: string, file: string): Promise<void> {
  await syncPath(unfinished);
  await refuseExisting(file);
  await rename(unfinished, file);
  await syncPath(dirname(file));
}

async function refuseExisting(file: string): Promise<void> {
  // lstat also finds a broken link, which the rename would replace.
  const exists = await lstat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ExportError(`${file} already exists. Choose a new folder.`);
}

/** Returns the number of rows. If there are no rows, writes no file. */
async function writeRows(
  client: Client,
  { format, signal, onProgress, writeParquet }: ExportOptions,
  query: ExportQuery,
  file: string,
): Promise<number> {
  const copied = unfinishedName(file);
  const parquet = unfinishedName(file);
  let bytes = 0;
  try {
    const rows = await copyTo(client, copyStatement(query, format), (stream) => {
      stream.on('data', (piece: Buffer) => {
        bytes += piece.length;
        onProgress(file, bytes);
      });
      return pipeline(stream, createWriteStream(copied, { flags: 'wx', mode: 0o600 }), { signal });
    });
    if (rows === 0) return 0;
    if (format === 'parquet') {
      const columns = query.columns.map(({ name, type }) => ({ name, type: PARQUET_TYPES[type] }));
      await writeParquet(copied, columns, parquet, signal);
      await chmod(parquet, 0o600);
    }
    await putInPlace(format === 'parquet' ? parquet : copied, file);
    return rows;
  } catch (error) {
    throw signal.aborted ? new ExportError('Stopped. The files written so far are complete.') : error;
  } finally {
    await Promise.all([copied, parquet].map((unfinished) => rm(unfinished, { force: true })));
  }
}

const copyStatement = (query: ExportQuery, format: ExportFormat): string =>
  format === 'ndjson'
    ? `COPY (${jsonOf(query)}) TO STDOUT ${AS_LINES}`
    : `COPY (${query.text}) TO STDOUT (FORMAT csv, HEADER)`;
