// A connection keeps a checked snapshot only until the next commit.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as duckdb from '@duckdb/node-api';
import { connectionPool } from '../../../extension/query/columns/connection-pool';
import { runPrepared } from '../../../extension/query/columns/run-prepared';
import { throwawayFolder } from '../../support/throwaway-postgres';

let folder: string;
let instance: duckdb.DuckDBInstance;
let other: duckdb.DuckDBConnection;
beforeEach(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-pool-'));
  instance = await duckdb.DuckDBInstance.create(join(folder, 'columns.duckdb'), { threads: '1' });
  other = await instance.connect();
  await other.run('CREATE TABLE t AS SELECT hash(range) AS h FROM range(200000)');
  await other.run('CHECKPOINT');
});
afterEach(async () => {
  other.closeSync();
  instance.closeSync();
  await rm(folder, { recursive: true });
});

const { signal } = new AbortController();
const COUNT = { text: 'SELECT count(*)::INTEGER FROM t' };

/** Calls `onCommit` before the commit, which waits for it. */
async function poolWith(onCommit: () => Promise<void>) {
  const first = await instance.connect();
  const prepare = first.prepare.bind(first);
  first.prepare = async (text) => {
    if (text === 'COMMIT') await onCommit();
    return prepare(text);
  };
  return connectionPool(duckdb, instance, first);
}

async function usedBlocks(): Promise<number> {
  await other.run('CHECKPOINT');
  const reader = await other.runAndReadAll('SELECT used_blocks FROM pragma_database_size()');
  return Number(reader.getRows()[0]?.[0]);
}

test.each([
  ['begins before', 'ends during'],
  ['begins before', 'ends after'],
  ['begins during', 'ends during'],
  ['begins during', 'ends after'],
])('a read that %s a commit and %s it does not keep deleted rows in the file', async (begins, ends) => {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  let reading: Promise<unknown> | undefined;
  const begin = () => {
    reading = pool.withConnection(signal, { keys: [], async check() {} }, async (borrowed) => {
      const rows = await runPrepared(duckdb, borrowed, COUNT);
      begun.resolve();
      await ending.promise;
      return rows;
    });
    return begun.promise;
  };
  const end = () => {
    ending.resolve();
    return reading;
  };
  const pool = await poolWith(async () => {
    if (begins === 'begins during') await begin();
    if (ends === 'ends during') await end();
  });
  await pool.inTransaction(signal, async (borrowed) => {
    if (begins === 'begins before') await begin();
    await runPrepared(duckdb, borrowed, { text: 'DELETE FROM t' });
  });
  expect(await end()).toEqual([[200_000]]);
  expect(await usedBlocks()).toBeLessThan(3);
  pool.close();
});

test('after a failed statement, the snapshot is checked again', async () => {
  const pool = await poolWith(async () => {});
  let checks = 0;
  const check = async () => {
    checks += 1;
  };
  const read = (text: string) =>
    pool.withConnection(signal, { keys: ['a'], check }, (borrowed) =>
      runPrepared(duckdb, borrowed, { text }),
    );
  await expect(read("SELECT error('no') FROM t")).rejects.toThrow('no');
  expect(await read(COUNT.text)).toEqual([[200_000]]);
  expect(checks).toBe(2);
  pool.close();
});
