// Statements on the column file cannot access other files or URLs. Closing the file releases it.
import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ColumnFile, openColumnFile } from '../../../extension/query/columns/column-file';
import { throwawayFolder } from '../../support/throwaway-postgres';

let folder: string;
let file: ColumnFile;
beforeAll(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-columns-'));
  file = await openColumnFile({
    folder: join(folder, 'copy'),
    memoryMb: 64,
    tempMb: 64,
    threads: 1,
  });
});
afterAll(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

// attack: statements-column-copy-read
test('no statement can read a different file or a URL', async () => {
  const secret = join(folder, 'secret.csv');
  const link = join(file.exchangeFolder, '..', 'link.csv');
  await writeFile(secret, 'secret\n1\n');
  await symlink(secret, link);
  let calls = 0;
  const server = createServer((_request, response) => {
    calls += 1;
    response.end('secret\n1\n');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const refused = [
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM read_text('${link}')`,
    `SELECT * FROM read_text('${file.exchangeFolder}/../../secret.csv')`,
    `SELECT * FROM glob('${folder}/*')`,
    `SELECT * FROM read_csv('http://127.0.0.1:${port}/x.csv')`,
    `SELECT getenv('PATH')`,
    `ATTACH '${join(folder, 'other.duckdb')}'`,
    `COPY (SELECT 1) TO '${join(folder, 'written.csv')}'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET enable_external_access = true',
    `SET allowed_directories = ['/']`,
    `PRAGMA enable_external_access`,
  ];
  for (const text of refused)
    expect([
      text,
      await file.read({ text }).then(
        () => 'done',
        () => 'refused',
      ),
    ]).toEqual([text, 'refused']);
  server.close();
  expect(calls).toBe(0);
});

test('statements and streams leave no listeners on their signal', async () => {
  const { signal } = new AbortController();
  await file.read({ text: 'SELECT 1' }, signal);
  await expect(file.read({ text: 'SELECT x' }, signal)).rejects.toThrow('x');
  for await (const _ of file.batches({ text: 'FROM range(5000)' }, signal));
  const left = file.batches({ text: 'FROM range(5000)' }, signal);
  await left.next();
  await left.return();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

/** Opens the file in another process. Returns `open`, or the message of the error. */
const openElsewhere = (path: string) =>
  execFileSync(
    process.execPath,
    [
      '-e',
      `require('@duckdb/node-api').DuckDBInstance.create(process.argv[1]).then(
         (it) => { it.closeSync(); console.log('open') }, (error) => console.log(error.message))`,
      path,
    ],
    { encoding: 'utf8' },
  );

const ROWS = { text: `SELECT range AS a, 'a text of some length ' || range AS b FROM range(300000)` };
const FAILING = { text: `SELECT CASE WHEN range = 200000 THEN error('no') END AS a FROM range(300000)` };

test.each<[string, (read: ColumnFile, gone: AbortController) => Promise<unknown>]>([
  [
    'was partly read',
    async (read) => {
      const rows = read.batches(ROWS);
      await rows.next();
      return rows;
    },
  ],
  [
    'was closed early',
    async (read) => {
      const rows = read.batches(ROWS);
      await rows.next();
      return [rows, await rows.return()];
    },
  ],
  [
    'was read to its end',
    async (read) => {
      const rows = read.batches(ROWS);
      for await (const _ of rows);
      return rows;
    },
  ],
  [
    'failed',
    async (read) => {
      const rows = read.batches(FAILING);
      const readAll = async () => {
        for await (const _ of rows);
      };
      await expect(readAll()).rejects.toThrow();
      return rows;
    },
  ],
  [
    'is being read',
    async (read) => {
      const rows = read.batches(ROWS);
      await rows.next();
      return [rows, rows.next().catch((error) => error)];
    },
  ],
  [
    'is being started',
    async (read) => {
      const rows = read.batches(ROWS);
      return [rows, rows.next().catch((error) => error)];
    },
  ],
  [
    'is aborted while it starts',
    async (read, gone) => {
      const rows = read.batches(ROWS, gone.signal);
      const first = rows.next();
      setImmediate(() => gone.abort(new Error('gone')));
      return [rows, await first.catch((error) => error)];
    },
  ],
  [
    'follows a read that kept its snapshot',
    async (read) => {
      await read.read({ text: 'SELECT 1' }, undefined, { keys: [], async check() {} });
      const rows = read.batches(ROWS, undefined, { keys: [], async check() {} });
      await rows.next();
      return rows;
    },
  ],
])('a file whose stream %s is released when the file is closed', async (_title, start) => {
  const own = await mkdtemp(join(folder, 'own-'));
  const read = await openColumnFile({ folder: own, memoryMb: 64, tempMb: 64, threads: 2 });
  // Kept in a variable, because garbage collection would also release the file.
  const kept = [await start(read, new AbortController())];
  await read.close();
  expect(openElsewhere(join(own, 'columns.duckdb'))).toBe('open\n');
  expect(kept).toHaveLength(1);
});

test('only eight connections stay open after more were needed at the same time', async () => {
  const connect = jest.spyOn(DuckDBInstance.prototype, 'connect');
  const close = jest.spyOn(DuckDBConnection.prototype, 'closeSync');
  const streams = Array.from({ length: 12 }, () => file.batches({ text: 'SELECT 1' }));
  for (const stream of streams) expect(await stream.next()).toMatchObject({ value: [[1]] });
  for (const stream of streams) expect(await stream.next()).toMatchObject({ done: true });
  expect(connect.mock.calls.length).toBeGreaterThan(8);
  expect(close.mock.calls).toHaveLength(4);
});

test('a snapshot that was in use during a commit is not used again', async () => {
  const own = await mkdtemp(join(folder, 'own-'));
  const filled = await openColumnFile({ folder: own, memoryMb: 64, tempMb: 64, threads: 1 });
  const COUNT = { text: 'SELECT count(*) FROM t' };
  const insert = () => filled.write((run) => run({ text: 'INSERT INTO t VALUES (1)' }));
  await filled.write((run) => run({ text: 'CREATE TABLE t (n INTEGER)' }));
  const readChecked = (during: () => Promise<unknown>) =>
    filled.read(COUNT, undefined, {
      keys: [''],
      async check(run) {
        await run(COUNT);
        await during();
      },
    });
  expect(await readChecked(insert)).toEqual([[0]]);
  expect(await readChecked(insert)).toEqual([[1]]);
  expect(await filled.read(COUNT)).toEqual([[2]]);
  expect(await readChecked(async () => {})).toEqual([[2]]);
  await filled.close();
});

test('a kept snapshot does not keep deleted rows in the file', async () => {
  const own = await mkdtemp(join(folder, 'own-'));
  const filled = await openColumnFile({ folder: own, memoryMb: 64, tempMb: 64, threads: 1 });
  const count = () =>
    filled.read({ text: 'SELECT count(*) FROM t' }, undefined, { keys: [], async check() {} });
  await filled.write((run) => run({ text: 'CREATE TABLE t AS SELECT hash(range) AS h FROM range(200000)' }));
  await filled.read({ text: 'CHECKPOINT' });
  const bytes = await filled.bytes();
  expect(await Promise.all([count(), count()])).toEqual([[[200_000]], [[200_000]]]);
  for (let round = 1; round <= 5; round++) {
    await filled.write(async (run) => {
      await run({ text: 'DELETE FROM t' });
      return run({ text: `INSERT INTO t SELECT hash(range + ${round}) FROM range(200000)` });
    });
    expect(await count()).toEqual([[200_000]]);
    await filled.read({ text: 'CHECKPOINT' });
  }
  expect(await filled.bytes()).toBeLessThan(4 * bytes);
  await filled.close();
});
