// Transactions on a small pool: imports into many sites take turns without deadlocks, and failures are reported.

import { openDatabase } from '../../../db/connect';
import { importRows } from '../../../extension/data/import/import-rows';
import { forCopy, inTransaction } from '../../../extension/data/storage/in-transaction';
import { poolOf } from '../../../host-shim/extension-api';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();

test('imports into more sites than the pool has connections all finish', async () => {
  const sites: string[] = [];
  while (sites.length < 2 * poolOf(database.write).size) sites.push(await newSite(database.write));
  await Promise.all(
    sites.map((site) =>
      importRows(database.write, manifest, {
        material: 'allpv',
        site,
        rows: [{ url: 'https://example.com/', access_time: 1_770_000_000, os: `system of ${site}` }],
      }),
    ),
  );
  for (const site of sites) {
    expect(await storedViews(database.write, site)).toMatchObject([{ os: `system of ${site}` }]);
  }
});

test.each([2, 3])(
  'with DB_POOL_MAX %i, an import does not wait until the columnar copy is filled',
  async (poolMax) => {
    const { url } = database;
    const small = await openDatabase({ urls: [url], dataDir: '', poolMax, onPoolError: () => {} });
    let endFill = () => {};
    try {
      const site = await newSite(small.write);
      let fill: Promise<void> | undefined;
      await new Promise<void>((resolve) => {
        fill = forCopy(small.write, async (client) => {
          await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
          await client.query('SELECT count(*) FROM analytics.page_view');
          const ended = new Promise<void>((end) => {
            endFill = end;
          });
          resolve();
          await ended;
        });
      });
      await Promise.all(
        [1, 2].map((view) =>
          importRows(small.write, manifest, {
            material: 'allpv',
            site,
            wait: true,
            rows: [{ pv_id: view, url: 'https://example.com/', access_time: 1_770_000_000 }],
          }),
        ),
      );
      expect(await storedViews(small.write, site)).toHaveLength(2);
      endFill();
      await fill;
    } finally {
      endFill();
      await small.stop();
    }
  },
);

test('transactions leave enough connections for their work and the copy, and a failed one releases its slot', async () => {
  const max = Math.floor((poolOf(database.write).size - 1) / 2);
  let held = 0;
  let maxHeld = 0;
  let isFull = () => {};
  const full = new Promise<void>((resolve) => {
    isFull = resolve;
  });
  const work = Array.from({ length: 4 * max }, (_, index) =>
    inTransaction(database.write, async (client) => {
      held += 1;
      maxHeld = Math.max(maxHeld, held);
      if (held === max) isFull();
      await full;
      await database.write.raw('SELECT 1');
      held -= 1;
      if (index % 2 === 0) await client.query('SELECT FROM nowhere');
    }),
  );
  const ended = await Promise.allSettled(work);
  expect(maxHeld).toBe(max);
  expect(ended.map((one) => one.status)).toEqual(
    ended.map((_, index) => (index % 2 === 0 ? 'rejected' : 'fulfilled')),
  );
});

test('the first failure is reported even if the connection is lost, and the pool keeps working', async () => {
  let lost = 0;
  const work = inTransaction(database.write, async (client) => {
    const answer = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    lost = answer.rows[0]?.pid ?? 0;
    Object.assign(client, { query: () => Promise.reject(new Error('the connection is gone')) });
    throw new Error('the first failure');
  });
  await expect(work).rejects.toThrow('the first failure');
  const pids = await Promise.all(
    Array.from({ length: poolOf(database.write).size }, () =>
      database.write.raw('SELECT pg_backend_pid() AS pid, pg_sleep(0)'),
    ),
  );
  expect(pids.map(({ rows }) => rows[0].pid)).not.toContain(lost);
});
