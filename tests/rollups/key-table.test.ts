// The table that rows are counted into, and the reading of many rows, where they could go wrong: growth and edges.

import { readIntegers } from '../../extension/rollups/integer-rows';
import { KeyTable, NONE } from '../../extension/rollups/key-table';
import { blockWriter } from '../../extension/rollups/write-blocks';
import { inTransaction } from '../../extension/storage/in-transaction';
import { useTestDatabase } from '../support/use-database';

test.each([2, 3, 4])('keys of %s integers keep their slots and sums while the table grows', (ints) => {
  const table = new KeyTable(ints, 2);
  const keys = Array.from({ length: 3000 }, (_, n) => [n % 50, NONE + (n % 7), n, -n] as const);
  const expected = new Map<string, number>();
  for (const [n, key] of keys.entries()) {
    const base = table.slot(...key) * 2;
    table.sums[base + 1] = (table.sums[base + 1] ?? 0) + n;
    const name = key.slice(0, ints).join();
    expected.set(name, (expected.get(name) ?? 0) + n);
  }
  expect(table.size).toBe(expected.size);
  for (const key of keys) {
    expect(table.has(...key)).toBe(true);
    expect(table.sums[table.slot(...key) * 2 + 1]).toBe(expected.get(key.slice(0, ints).join()));
  }
  expect(table.has(51, 0, 0, 0)).toBe(false);
  table.clear();
  expect([table.size, table.has(0, NONE, 0, 0), table.sums[table.slot(1, 1) * 2 + 1]]).toEqual([0, false, 0]);
});

describe('rows of integers', () => {
  const database = useTestDatabase();

  const read = (sql: string, width: number): Promise<readonly (readonly number[])[]> =>
    inTransaction(database.write, async (client) => {
      const rows: number[][] = [];
      await readIntegers(client, sql, width, (row) => rows.push([...row]));
      return rows;
    });

  test('of all types, with nulls', async () => {
    const sql = `SELECT 1::smallint, -2, 5000000000000003::bigint, true, NULL::integer, -4000000000000001::bigint`;
    expect(await read(sql, 6)).toEqual([[1, -2, 5e15 + 3, 1, NONE, -4e15 - 1, NONE]]);
  });

  test('none at all', async () => {
    expect(await read('SELECT 1 WHERE false', 1)).toEqual([]);
  });

  test('so many that they come in pieces', async () => {
    const rows = await read(
      'SELECT n, CASE WHEN n % 3 > 0 THEN n::bigint END FROM generate_series(1, 50000) n',
      2,
    );
    expect(rows).toHaveLength(50_000);
    expect(rows.every(([n = 0, m], place) => n === place + 1 && m === (n % 3 > 0 ? n : NONE))).toBe(true);
  });

  test('a query that fails halfway fails the reading, and the connection can go on', async () => {
    const failing = inTransaction(database.write, async (client) => {
      await client.query('SAVEPOINT before');
      const sql = 'SELECT 1 / (40000 - n)::integer FROM generate_series(1, 50000) n';
      await expect(readIntegers(client, sql, 1, () => undefined)).rejects.toThrow('division by zero');
      await client.query('ROLLBACK TO SAVEPOINT before');
      return (await client.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one;
    });
    expect(await failing).toBe(1);
  });

  test('what the reader of the rows throws ends the reading, and the transaction', async () => {
    const failing = inTransaction(database.write, (client) =>
      readIntegers(client, 'SELECT n FROM generate_series(1, 500000) n', 1, () => {
        throw new Error('enough');
      }),
    );
    await expect(failing).rejects.toThrow('enough');
    expect(await read('SELECT 7', 1)).toEqual([[7, NONE]]);
  });

  test('a sum that is too large is not stored, and says whose it is', async () => {
    const cells = new KeyTable(2, 1);
    cells.sums[cells.slot(1, NONE)] = 2 ** 31;
    const kind = { dimension: 1, counted: null, keys: 1 };
    const writing = inTransaction(database.write, async (client) => {
      const writer = blockWriter(client, 1, 'rollup', [{ name: 'row_count', type: 'integer' }]);
      await writer.put({ kind, level: 0, block: 1, cells });
      await writer.finish();
    });
    await expect(writing).rejects.toThrow('row_count of one key is 2147483648');
    expect(await read('SELECT 7', 1)).toEqual([[7, NONE]]);
  });
});
