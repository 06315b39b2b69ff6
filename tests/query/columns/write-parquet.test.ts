// Parquet files that are requested at the same time are written one after another, because each needs the memory of a separate
// DuckDB instance.
import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { throwawayFolder } from '../../support/throwaway-postgres';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-test-'));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(folder, { recursive: true });
});

test('only one DuckDB instance is open at a time, and the next one starts even if one fails', async () => {
  let open = 0;
  let maxOpen = 0;
  const create = DuckDBInstance.create.bind(DuckDBInstance);
  jest.spyOn(DuckDBInstance, 'create').mockImplementation(async (...args) => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    const instance = await create(...args);
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
    await writeParquet(csv, [{ name: 'n', type: 'BIGINT' }], target, new AbortController().signal);
    return (await stat(target)).size > 0;
  };
  const outcomes = await Promise.allSettled([
    write('a', '1'),
    write('b', 'x'),
    write('c', '3'),
    write('d', '4'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect({ open, maxOpen }).toEqual({ open: 0, maxOpen: 1 });
});

test('running and waiting conversions end as soon as their clients disconnect', async () => {
  const csv = join(folder, 'long.csv');
  await writeFile(csv, `n\n${'1\n'.repeat(2_000_000)}`);
  const clients = [new AbortController(), new AbortController()];
  const create = jest.spyOn(DuckDBInstance, 'create');
  const ended = clients.map(({ signal }, place) =>
    writeParquet(csv, [{ name: 'n', type: 'BIGINT' }], join(folder, `${place}.parquet`), signal),
  );
  const outcomes = Promise.allSettled(ended);
  // Waits until the first one has started. Only its DuckDB instance is open.
  while (create.mock.results.length === 0) await new Promise(setImmediate);
  for (const client of clients.toReversed()) client.abort(new Error('gone'));
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
  expect(create).toHaveBeenCalledTimes(1);
});

test('DuckDB buffers fewer rows at a time if a file has more columns', async () => {
  const columns = Array.from({ length: 250 }, (_, place) => ({
    name: `n${place}`,
    type: 'BIGINT' as const,
  }));
  const [csv, target] = [join(folder, 'wide.csv'), join(folder, 'wide.parquet')];
  await writeFile(
    csv,
    `${columns.map(({ name }) => name).join()}\n${`${Array(250).fill(1).join()}\n`.repeat(10_000)}`,
  );
  await writeParquet(csv, columns, target, new AbortController().signal);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(
    `SELECT max(row_group_num_rows)::INTEGER FROM parquet_metadata('${target}')`,
  );
  connection.closeSync();
  instance.closeSync();
  expect(found.getRows()[0]?.[0]).toBeLessThanOrEqual(4_096);
});

test('rows may be many megabytes long', async () => {
  const [csv, target] = [join(folder, 'long.csv'), join(folder, 'long.parquet')];
  const cell = '1,""\n'.repeat(2_500_000);
  await writeFile(csv, `n,text\r\n${`1,"${cell}"\r\n`.repeat(3)}2,\r\n`);
  const columns = [
    { name: 'n', type: 'BIGINT' },
    { name: 'text', type: 'VARCHAR' },
  ] as const;
  await writeParquet(csv, columns, target, new AbortController().signal);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(`SELECT n::INTEGER, strlen(text)::INTEGER FROM '${target}'`);
  connection.closeSync();
  instance.closeSync();
  expect(found.getRows()).toEqual([
    [1, 10_000_000],
    [1, 10_000_000],
    [1, 10_000_000],
    [2, null],
  ]);
});

test('many long rows are written in order, in row groups that fit into memory', async () => {
  const [csv, target] = [join(folder, 'many.csv'), join(folder, 'many.parquet')];
  const rows = 100_000;
  const padding = 'x'.repeat(1_500);
  await writeFile(csv, 'n,text\n');
  for (let first = 0; first < rows; first += 10_000)
    await appendFile(
      csv,
      Array.from({ length: 10_000 }, (_, place) => `${first + place},${first + place}${padding}\n`).join(''),
    );
  const columns = [
    { name: 'n', type: 'BIGINT' },
    { name: 'text', type: 'VARCHAR' },
  ] as const;
  await writeParquet(csv, columns, target, new AbortController().signal);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const found = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER, count(*) FILTER (WHERE n = file_row_number)::INTEGER
       FROM read_parquet('${target}', file_row_number = true)`,
  );
  connection.closeSync();
  instance.closeSync();
  expect(found.getRows()).toEqual([[rows, rows]]);
});
