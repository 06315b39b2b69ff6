// Checking the sites in PostgreSQL reads only what has changed, no matter how many sites there are.

import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { presentSites } from '../../../extension/query/columns/present-sites';
import { SiteCopies } from '../../../extension/query/columns/refresh-site';
import { useTestDatabase } from '../../support/use-database';

const SITES = 5_000;
const database = useTestDatabase();
beforeAll(() =>
  database.write.raw(
    `INSERT INTO analytics.site (site_id, tracking_id, domain, name, timezone) OVERRIDING SYSTEM VALUE
     SELECT id, 'site' || id, 'site' || id || '.example', 'Site', 'UTC' FROM generate_series(1, ?::int) id`,
    [SITES],
  ),
);

const change = (siteId: number) =>
  database.write('analytics.site_version').where({ site_id: siteId }).increment('data_version');

/** Tracks the sites. `look` also returns how many rows PostgreSQL sent during the call. */
function follow() {
  let sent = 0;
  const write = new Proxy(database.write, {
    get: (target, name, receiver) =>
      name === 'raw'
        ? async (...args: Parameters<typeof target.raw>) => {
            const answer = await target.raw(...args);
            sent += answer.rows.length;
            return answer;
          }
        : Reflect.get(target, name, receiver),
  });
  const present = presentSites(write, NO_WORKERS);
  return {
    ...present,
    async look() {
      sent = 0;
      const changed = await present.look();
      return { changed: changed.toSorted((one, other) => one - other), rows: sent };
    },
  };
}

test('the first check returns all sites; later ones return the sites that have changed, and read few other rows', async () => {
  const sites = follow();
  expect((await sites.look()).changed).toHaveLength(SITES);
  expect(await sites.look()).toEqual({ changed: [], rows: 0 });
  const before = sites.get(7)?.version;
  await change(7);
  const { changed, rows } = await sites.look();
  expect(changed).toEqual([7]);
  expect(rows).toBeLessThanOrEqual(SITES / 200);
  expect(sites.get(7)).toEqual({ siteId: 7, trackingId: 'site7', version: expect.any(String) });
  expect(sites.get(7)?.version).not.toBe(before);
  expect(await sites.look()).toEqual({ changed: [], rows: 0 });
});

test('later checks include sites that are added or removed, even the last one in a bucket', async () => {
  const sites = follow();
  await sites.look();
  const alone = database.write('analytics.site').whereRaw('site_id % 256 = 9');
  const removed = await alone.clone().pluck('site_id');
  await alone.delete();
  await change(11);
  expect((await sites.look()).changed).toEqual([...removed, 11].toSorted((one, other) => one - other));
  expect(sites.get(9)).toBeUndefined();
  await database.write.raw(
    `INSERT INTO analytics.site (site_id, tracking_id, domain, name, timezone) OVERRIDING SYSTEM VALUE VALUES (9, 'again', 'a.example', 'A', 'UTC')`,
  );
  expect((await sites.look()).changed).toEqual([9]);
  expect(sites.get(9)?.trackingId).toBe('again');
});

test('the list of copies is a new array only after a change', () => {
  const copies = new SiteCopies();
  const copy = { siteId: 1, version: 'a', number: 1, copiedAt: 0 };
  const lists = [
    () => {},
    () => void copies.set(1, copy),
    () => void copies.set(1, { ...copy, version: 'b' }),
    () => void copies.delete(1),
    () => void copies.set(2, copy),
    () => copies.clear(),
  ].map((act) => {
    act();
    expect(copies.list()).toBe(copies.list());
    return copies.list();
  });
  expect(new Set(lists).size).toBe(lists.length);
  expect(lists.map((list) => list.length)).toEqual([0, 1, 1, 0, 1, 0]);
});
