// Opens the copy's file with the tables that it must have; one of other tables, or one that cannot be read, is made anew.

import type { Knex } from 'knex';
import { z } from 'zod';
import type { Manifest } from '../../manifests/reader/manifest';
import { inTransaction } from '../storage/in-transaction';
import {
  type ColumnFile,
  type ColumnFileOptions,
  ColumnsUnavailable,
  openColumnFile,
  removeColumnFile,
} from './column-file';
import { CONVERSION_VIEW, type CopiedTable, describeCopiedTables } from './copied-tables';
import { createTables } from './copy-rows';
import type { SiteCopy } from './refresh-site';

export interface OpenCopy {
  readonly file: ColumnFile;
  readonly tables: readonly CopiedTable[];
  /** What it had when it was opened. */
  readonly sites: readonly SiteCopy[];
}

export interface OpenCopyOptions extends ColumnFileOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
}

/** Raised when the program writes another copy from the same tables. */
const FORMAT = 1;

const siteRow = z.tuple([z.number(), z.number(), z.string(), z.number()]);

/** Opens or makes the copy. Throws ColumnsUnavailable where that cannot work here. */
export async function openCopy(options: OpenCopyOptions): Promise<OpenCopy> {
  const tables = await inTransaction(options.write, (client) =>
    describeCopiedTables(client, options.manifest),
  );
  const layout = JSON.stringify({ format: FORMAT, tables });
  try {
    const file = await openColumnFile(options);
    const sites = await knownSites(file, layout).catch(() => undefined);
    if (sites !== undefined) return { file, tables, sites };
    file.close();
  } catch (error) {
    if (error instanceof ColumnsUnavailable) throw error;
  }
  await removeColumnFile(options.folder);
  const file = await openColumnFile(options);
  await createCopy(file, tables, layout);
  return { file, tables, sites: [] };
}

/** The sites of a copy with this layout; undefined for another layout. Throws for a file that is none of ours. */
async function knownSites(file: ColumnFile, layout: string): Promise<readonly SiteCopy[] | undefined> {
  const [[found] = []] = await file.read({ text: 'SELECT layout FROM meta' });
  if (found !== layout) return undefined;
  const rows = await file.read({
    text: 'SELECT site_id, data_version, snapshot, copied_at FROM copied_site',
  });
  return rows.map((row) => {
    const [siteId, version, snapshot, copiedAt] = siteRow.parse(row);
    return { siteId, version, snapshot, copiedAt };
  });
}

const createCopy = (file: ColumnFile, tables: readonly CopiedTable[], layout: string): Promise<void> =>
  file.write(async (run) => {
    const statements = [
      'CREATE TABLE meta (layout VARCHAR)',
      'CREATE TABLE copied_site (site_id SMALLINT, data_version BIGINT, snapshot VARCHAR, copied_at DOUBLE)',
      'CREATE SCHEMA analytics',
      ...createTables(tables),
      // As in PostgreSQL: the page view of each conversion, with its goal.
      `CREATE VIEW analytics.${CONVERSION_VIEW} AS SELECT page_view.*, goal_no
         FROM analytics.conversion JOIN analytics.page_view USING (site_id, pv_id, session_id, "at")`,
    ];
    for (const text of statements) await run({ text });
    await run({ text: 'INSERT INTO meta VALUES ($1)', bindings: [layout] });
  });
