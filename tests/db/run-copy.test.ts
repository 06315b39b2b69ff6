// A COPY is finished when PostgreSQL reports its row count. An abandoned COPY closes its connection.

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { verifyBackup } from '../../db/backup/read-backup';
import { writeBackup } from '../../db/backup/write-backup';
import type { PooledConnection } from '../../db/connection-pool';
import { copyFrom, copyTo } from '../../db/run-copy';
import { poolOf } from '../../db/write-pool';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { exportSite } from '../../extension/data/export/export-site';
import { writeParquet } from '../../extension/query/columns/write-parquet';
import { loadManifest } from '../../manifests/reader/manifest';
import { expectEqualTables, openTestColumns } from '../support/columns';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy';

const DEMO = {
  name: 'run_copy_demo',
  fill: async (write: Knex) => {
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 300, onProgress: () => {} });
  },
};
const signal = new AbortController().signal;
const onProgress = () => {};

let proxy: DatabaseProxy;
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  proxy = await openDatabaseProxy(undefined, { splitsCopies: true });
  database = await createTestDatabase(DEMO, proxy);
  folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
});
afterAll(async () => {
  await database.drop();
  await proxy.close();
  await rm(folder, { recursive: true });
});

async function withClient<T>(work: (client: PooledConnection) => Promise<T>): Promise<T> {
  const client = await poolOf(database.write).acquire();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

const drained = (bytes: Readable) => pipeline(bytes, new Writable({ write: (_piece, _, done) => done() }));
const rowsTo = (count: number) => `COPY (SELECT generate_series(1, ${count})) TO STDOUT`;
const isUsable = async (client: PooledConnection) =>
  (await client.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one === 1;

test.each([0, 1, 2, 1_000, 100_000])(
  '%i rows are counted by COPY ... TO, and the next statement works',
  (count) =>
    withClient(async (client) => {
      expect(await copyTo(client, rowsTo(count), drained)).toBe(count);
      expect(await isUsable(client)).toBe(true);
    }),
);

test.each([0, 1, 70_000])('COPY ... FROM returns a count of %i rows', (count) =>
  withClient(async (client) => {
    await client.query('CREATE TEMPORARY TABLE n (n integer)');
    const piece = Math.min(count, 100);
    const lines = Array.from({ length: count === 0 ? 0 : count / piece }, (_, index) =>
      Buffer.from(`${index}\n`.repeat(piece)),
    );
    expect(await copyFrom(client, 'COPY n FROM STDIN', lines)).toBe(count);
    expect((await client.query('SELECT count(*)::int AS n FROM n')).rows).toEqual([{ n: count }]);
    await client.query('DROP TABLE n');
  }),
);

test('a connection can be used again after PostgreSQL rejects a COPY', () =>
  withClient(async (client) => {
    await expect(copyTo(client, 'COPY (SELECT 1 / 0) TO STDOUT', drained)).rejects.toThrow(
      'division by zero',
    );
    const late = 'COPY (SELECT 1 / (90000 - n) FROM generate_series(1, 100000) n) TO STDOUT';
    await expect(copyTo(client, late, drained)).rejects.toThrow('division by zero');
    await client.query('CREATE TEMPORARY TABLE r (n integer)');
    await expect(copyFrom(client, 'COPY r FROM STDIN', [Buffer.from('x\n')])).rejects.toThrow(
      'invalid input',
    );
    expect(await isUsable(client)).toBe(true);
  }));

describe('an abandoned COPY closes its connection', () => {
  const full = () =>
    new Writable({ write: (_piece, _, done) => done(new Error('No space left on the device.')) });
  const LONG = rowsTo(50_000_000);
  const abandoned = (start: (client: PooledConnection) => Promise<number>, message: string) =>
    withClient(async (client) => {
      await client.query('BEGIN');
      await expect(start(client)).rejects.toThrow(message);
      await expect(client.query('ROLLBACK')).rejects.toThrow('Client was closed');
    });

  test('when the disk is full', () =>
    abandoned((client) => copyTo(client, LONG, (bytes) => pipeline(bytes, full())), 'No space left'));

  test('when it is aborted', () => {
    const controller = new AbortController();
    const stopping = (bytes: Readable) => {
      bytes.once('data', () => controller.abort());
      return pipeline(bytes, new Writable({ write: () => {} }), { signal: controller.signal });
    };
    return abandoned((client) => copyTo(client, LONG, stopping), 'aborted');
  });

  test('when its reader stops early', () =>
    abandoned(
      (client) => copyTo(client, LONG, (bytes) => once(bytes, 'readable')),
      'A COPY was not read to its end.',
    ));
});

test.each([0, 1, 100_000])(
  'a connection can be used again if the source of a COPY fails after %i rows',
  (count) =>
    withClient(async (client) => {
      function* failing() {
        const piece = Math.min(count, 100);
        for (let place = 0; place < count; place += piece) yield Buffer.from(`${place}\n`.repeat(piece));
        throw new Error('The file cannot be read.');
      }
      await client.query('CREATE TEMPORARY TABLE f (n integer)');
      await expect(copyFrom(client, 'COPY f FROM STDIN', failing())).rejects.toThrow(
        'The file cannot be read.',
      );
      expect((await client.query('SELECT * FROM f')).rows).toEqual([]);
      await client.query('DROP TABLE f');
    }),
);

test('a COPY fails if its connection breaks before CommandComplete', () =>
  withClient(async (client) => {
    const broken = copyTo(client, rowsTo(10), async (bytes) => {
      await drained(bytes);
      proxy.refuse();
    });
    await expect(broken).rejects.toThrow('Connection terminated unexpectedly');
    proxy.recover();
  }));

describe('when CommandComplete arrives in a later read,', () => {
  test('a backup contains its row counts', async () => {
    const file = join(folder, 'backup.gz');
    const clock = () => new Date('2026-05-02T00:00:00Z');
    await writeBackup({ write: database.write, file, program: '1.2.3', clock, signal, onProgress });
    const { tables } = await verifyBackup(file, signal);
    expect(tables.find(({ table }) => table === 'page_view')).toMatchObject({ rows: 300 });
  });

  test('an export keeps the files that it wrote', async () => {
    const files = await exportSite({
      write: database.write,
      manifest: loadManifest(),
      site: 'demo',
      format: 'ndjson',
      signal,
      writeParquet,
      onProgress,
      folder: join(folder, 'export'),
    });
    expect(files).toHaveLength(8);
    for (const { file, rows } of files)
      expect([file, (await readFile(file, 'utf8')).trimEnd().split('\n').length]).toEqual([file, rows]);
  });

  test('the columnar copy has every row', async () => {
    const columns = await openTestColumns(database);
    try {
      await expectEqualTables(database, columns);
    } finally {
      await columns.stop();
    }
  });
});
