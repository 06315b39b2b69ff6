// A column copy of a test's database, in a folder of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Columns, type ColumnsOptions, startColumns } from '../../extension/columns/columns';
import type { Log } from '../../host-shim/extension-api';
import { loadManifest } from '../../manifests/reader/manifest';
import type { TestDatabase } from './database';

const SILENT: Log = { info() {}, warn() {}, error() {} };

export interface TestColumns extends Columns {
  readonly folder: string;
}

/** Copies everything that the database has now; `refresh()` takes up later changes, `stop()` removes the copy. */
export async function openTestColumns(
  { write }: Pick<TestDatabase, 'write'>,
  options: Partial<ColumnsOptions> = {},
): Promise<TestColumns> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-columns-'));
  const columns = startColumns({
    ...{ folder, memoryMb: 256, threads: 2, write, manifest: loadManifest(), log: SILENT },
    ...options,
  });
  await columns.refresh();
  return {
    ...columns,
    folder,
    async stop() {
      await columns.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
