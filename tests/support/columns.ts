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
import type { TestDatabase } from './database';
import { throwawayFolder } from './throwaway-postgres';

const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface TestColumns extends Columns {
  readonly folder: string;
  /** Stops everything. Removes the copy unless `keep` is set. */
  stop(options?: { readonly keep: boolean }): Promise<void>;
}

export interface TestColumnsOptions extends Partial<ColumnsOptions> {
  /** Whether to count distinct values in advance, as a server does. This takes most of the time of a refresh. */
  readonly isCounted?: boolean;
}

function withoutCounts(manifest: Manifest): Manifest {
  const materials = [...manifest.materials].map(
    ([name, material]) => [name, { ...material, uniqueCounts: new Map() }] as const,
  );
  return { ...manifest, materials: new Map(materials) };
}

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
    manifest: isCounted ? loadManifest() : withoutCounts(loadManifest()),
    clock: () => new Date(),
    auditHours: 0,
    ...options,
  });

/** Copies the current data. `refresh()` copies later changes, and `stop()` removes the copy. */
export async function openTestColumns(
  database: Pick<TestDatabase, 'write'>,
  options: TestColumnsOptions = {},
): Promise<TestColumns> {
  const { folder = await mkdtemp(join(await throwawayFolder(), 'qal-columns-')) } = options;
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
    for (const table of await describeCopiedTables(client, loadManifest())) {
      const cells = (isCopy: boolean) => table.fields.map((field) => cellText(field, isCopy)).join(', ');
      const stored = await client.query<{ line: string }>(
        `SELECT concat_ws('|', ${cells(false)}) AS line FROM analytics.${table.name} ${
          // PostgreSQL still contains the rows of a site that was deleted manually.
          table.fields.some(({ name }) => name === 'site_id')
            ? 'WHERE site_id IN (SELECT site_id FROM analytics.site)'
            : ''
        }`,
      );
      const text = `SELECT concat_ws('|', ${cells(true)}) FROM analytics.${table.name}`;
      const outcome = await readCopy(columns, text);
      assert.ok('rows' in outcome, `${table.name}: ${JSON.stringify(outcome)}`);
      const copied = outcome.rows.map(([line]) => String(line));
      assert.deepEqual(copied.toSorted(), stored.rows.map(({ line }) => line).toSorted(), table.name);
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
