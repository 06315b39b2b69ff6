// Exported files survive a power failure: each file is synced before it is renamed, and its folder afterwards.
import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { exportSite } from '../../../extension/data/export/export-site';
import { importRows } from '../../../extension/data/import/import-rows';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { manifest, newSite, row } from '../import/import-setup';

const mockSynced: string[] = [];
jest.mock('../../../db/sync-to-disk', () => ({
  ...jest.requireActual<object>('../../../db/sync-to-disk'),
  syncPath: async (path: string) => void mockSynced.push(path),
}));

const database = useTestDatabase();
const folder = useFolder();

test.each(['ndjson', 'parquet'] as const)('each exported %s file is synced', async (format) => {
  const site = await newSite(database.write);
  await importRows(database.write, manifest, { material: 'allpv', site, rows: [row(1)] });
  mockSynced.length = 0;
  await exportSite({
    write: database.write,
    manifest,
    site,
    folder,
    format,
    signal: new AbortController().signal,
    writeParquet,
    onProgress: () => {},
  });
  const files = readdirSync(folder).toSorted();
  expect(files).toHaveLength(2);
  expect(mockSynced.map((path) => (dirname(path) === folder ? basename(path) : 'folder'))).toEqual(
    files.flatMap((file) => [expect.stringMatching(`^${file}.*[.]part$`), 'folder']),
  );
});
