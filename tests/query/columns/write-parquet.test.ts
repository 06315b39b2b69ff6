// Parquet files that are requested at the same time are written one after another, because each needs the memory of a DuckDB instance.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeParquet } from '../../../extension/query/columns/write-parquet';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

test('one DuckDB instance is open at a time, and the next one starts even if one fails', async () => {
  let open = 0;
  let most = 0;
  const create = DuckDBInstance.create.bind(DuckDBInstance);
  jest.spyOn(DuckDBInstance, 'create').mockImplementation(async (...given) => {
    open += 1;
    most = Math.max(most, open);
    const instance = await create(...given);
    const close = instance.closeSync.bind(instance);
    return Object.assign(instance, {
      closeSync() {
        open -= 1;
        close();
      },
    });
  });
  const write = async (name: string, cell: string) => {
    const csv = join(folder, `${name}.csv`);
    await writeFile(csv, `n\n${cell}\n`);
    const target = join(folder, `${name}.parquet`);
    await writeParquet(csv, [{ name: 'n', type: 'BIGINT' }], target);
    return (await stat(target)).size > 0;
  };
  const outcomes = await Promise.allSettled([
    write('a', '1'),
    write('b', 'x'),
    write('c', '3'),
    write('d', '4'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect({ open, most }).toEqual({ open: 0, most: 1 });
});
