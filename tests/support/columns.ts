// A columnar copy of a test database in a separate folder.
import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../extension/data/storage/in-transaction';
import { NO_WORKERS } from '../../extension/data/storage/workers';
import type { Row } from '../../extension/language/types/compiled-query';
import type { ColumnReader } from '../../extension/query/column-reader';
import { type Columns, type ColumnsOptions, startColumns } from '../../extension/query/columns/columns';
import { type CopiedTable, describeCopiedTables } from '../../extension/query/columns/copied-tables';
import type { Log } from '../../host-shim/extension-api';
import { loadManifest, type Manifest } from '../../manifests/reader/manifest';
import type { CountedField } from '../../manifests/reader/schema';
import type { TestDatabase } from './database';
import { throwawayFolder } from './throwaway-postgres';

type Counted = readonly CountedField[];

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface TestColumns extends Columns {
  readonly folder: string;
  /** Stops everything. Removes the copy unless `keep` is set. */
  stop(options?: { readonly keep: boolean }): Promise<void>;
}

export interface TestColumnsOptions extends Partial<ColumnsOptions> {
  /** Whether to count distinct values in advance, as a server does. This takes up most of a refresh. */
  readonly isCounted?: boolean;
}

function withCounts(manifest: Manifest, change: (counted: Counted) => Counted): Manifest {
  const materials = [...manifest.materials].map(
    ([name, material]) => [name, { ...material, uniqueCounts: change(material.uniqueCounts) }] as const,
  );
  return { ...manifest, materials: new Map(materials) };
}

/** The manifest with counts of distinct values in total and by these keys only. Every key adds time to each refresh. */
export const countingOnlyBy = (...keys: readonly string[]): Manifest =>
  withCounts(loadManifest(), (counted) => counted.filter(({ by }) => by.every((key) => keys.includes(key))));

/** The manifest without counts of distinct values. */
export const countingNothing = (): Manifest => withCounts(loadManifest(), () => []);

/** Starts a copy in a folder, as a server does. */
export const startTestColumns = (
  { write }: Pick<TestDatabase, 'write'>,
  { isCounted = false, ...options }: TestColumnsOptions & Pick<ColumnsOptions, 'folder'>,
): Columns =>
  startColumns({
    // Tests have so little data that several threads would only wait for each other.
    memoryMb: 1024,
    tempMb: 1024,
    threads: 1,
    write,
    workers: NO_WORKERS,
    log: SILENT,
    manifest: isCounted ? loadManifest() : countingNothing(),
    clock: () => new Date(),
    auditHours: 0,
    ...options,
  });

/** Copies the current data. `refresh()` copies later changes, and `stop()` removes the copy. */
export async function openTestColumns(
  database: Pick<TestDatabase, 'write'>,
  options: TestColumnsOptions = {},
): Promise<TestColumns> {
  const { folder = await mkdtemp(join(throwawayFolder(), 'qal-columns-')) } = options;
  const columns = startTestColumns(database, { ...options, folder });
  await columns.refresh();
  return {
    ...columns,
    folder,
    async stop({ keep } = { keep: false }) {
      await columns.stop();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the rows of a statement on the copy, or the reason why the copy did not answer. */
export async function readCopy(columns: ColumnReader, text: string) {
  const outcome = await columns.read({ text, bindings: [] }, [], new AbortController().signal);
  if ('gaveUp' in outcome) return outcome;
  const rows: Row[] = [];
  for await (const batch of outcome.rows) rows.push(...batch);
  return { rows };
}

/** Fails unless each table in the copy has the same rows as in PostgreSQL. */
export async function expectEqualTables(
  { write }: Pick<TestDatabase, 'write'>,
  columns: Columns,
): Promise<void> {
  await inTransaction(write, async (client) => {
    const tables = await describeCopiedTables(client, loadManifest());
    const linesOf = (isCopy: boolean) =>
      tables
        .map(({ name, fields }) => {
          const cells = fields.map((field) => cellText(field, isCopy)).join(', ');
          // PostgreSQL still contains the rows of a site that was deleted manually.
          const isPresent = !isCopy && fields.some((field) => field.name === 'site_id');
          const condition = isPresent ? 'WHERE site_id IN (SELECT site_id FROM analytics.site)' : '';
          return `SELECT '${name}', concat_ws('|', ${cells}) FROM analytics.${name} ${condition}`;
        })
        .join(' UNION ALL ');
    const stored = await client.query<[string, string]>({ text: linesOf(false), rowMode: 'array' });
    const outcome = await readCopy(columns, linesOf(true));
    assert.ok('rows' in outcome, JSON.stringify(outcome));
    const [copiedLines, storedLines] = [outcome.rows, stored.rows].map((rows) =>
      Map.groupBy(rows, ([table]) => table),
    );
    for (const { name } of tables) {
      const [copied, original] = [copiedLines, storedLines].map((lines) =>
        (lines?.get(name) ?? []).map(([, line]) => String(line)).toSorted(),
      );
      assert.deepEqual(copied, original, name);
    }
  });
}

function cellText({ name, kind, computed }: CopiedTable['fields'][number], isCopy: boolean): string {
  const text = (cell: string) => `coalesce((${cell})::text, 'null')`;
  switch (kind) {
    case 'timestamp with time zone':
      return text(isCopy ? `"${name}"` : `floor(extract(epoch FROM "${name}"))::bigint`);
    case 'jsonb':
      return text(isCopy ? `"${name}".json` : `"${name}"`);
    case 'double precision':
      return text(`round("${name}" * 1000000)::bigint`);
    case 'smallint':
    case 'integer':
    case 'bigint':
    case 'boolean':
    case 'text':
    case 'date':
      return text(isCopy ? `"${name}"` : (computed ?? `"${name}"`));
  }
}
