// What is kept counted follows a site's zone, is made anew on demand, and goes with its site; and the commands that show it.
import type { Knex } from 'knex';
import { loadDemo } from '../../extension/demo/load-demo';
import { rebuildSite } from '../../extension/rollups/rebuild-site';
import { inTransaction } from '../../extension/storage/in-transaction';
import { tryLockSite } from '../../extension/storage/site-locks';
import { saveSite } from '../../extension/storage/sites/save-site';
import { dataVersion } from '../import/import-setup';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { runCommand } from '../support/run-command';
import { expectedCells, storedCells } from './reference';
import { applySite, applyZone, importClicks, importViews, randomViews } from './rollup-data';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function expectKept(site: string): Promise<void> {
  const expected = await expectedCells(database.write, site);
  expect(Object.keys(expected).length).toBeGreaterThan(0);
  expect(await storedCells(database.write, site)).toEqual(expected);
}

async function filledSite(timezone = 'Europe/Berlin'): Promise<string> {
  const site = await applySite(database.write, timezone);
  const views = randomViews({ seed: 11, count: 80, from: '2026-03-24T00:00:00Z', days: 9 });
  await importViews(database.write, site, views);
  await importClicks(database.write, site, views, 12);
  return site;
}

interface State {
  readonly timezone: string;
  readonly longest_click: number;
  /** Another number once any block was written. */
  readonly written: number;
}

async function stateOf(site: string): Promise<State | undefined> {
  const answer: { rows: State[] } = await database.write.raw(
    `SELECT r.timezone, r.longest_click,
            (SELECT max(b.xmin::text::bigint)::float8 FROM analytics.rollup b WHERE b.site_id = r.site_id) AS written
       FROM analytics.rollup_state r JOIN analytics.site s USING (site_id) WHERE s.tracking_id = ?`,
    [site],
  );
  return answer.rows[0];
}

async function forget(site: string): Promise<void> {
  for (const table of ['rollup_state', 'rollup', 'rollup_unique']) {
    await database.write.raw(
      `DELETE FROM analytics.${table} WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
      [site],
    );
  }
}

/** Does something while the site's rows are being imported. */
const whileImporting = <T>(site: string, work: () => Promise<T>): Promise<T> =>
  inTransaction(database.write, async (client) => {
    const found = await client.query<{ id: number }>(
      'SELECT site_id AS id FROM analytics.site WHERE tracking_id = $1',
      [site],
    );
    expect(await tryLockSite(client, found.rows[0]?.id ?? 0)).toBe(true);
    return work();
  });

const form = (site: string, timezone: string) => ({
  trackingId: site,
  domain: 'x.example',
  name: site,
  timezone,
  isDefault: false,
});

test('another zone has other days', async () => {
  const site = await filledSite();
  const before = await storedCells(database.write, site);
  const version = await dataVersion(database.write, site);
  await applyZone(database.write, site, 'America/New_York');
  await expectKept(site);
  expect(await storedCells(database.write, site)).not.toEqual(before);
  expect(await stateOf(site)).toMatchObject({ timezone: 'America/New_York' });
  expect(await dataVersion(database.write, site)).toBe(version + 1);
  expect(await saveSite(database.write, form(site, 'Asia/Tokyo'), 'change')).toEqual([]);
  await expectKept(site);
});

test('another zone with the same days leaves the counts as they are', async () => {
  const site = await filledSite();
  const before = await stateOf(site);
  await applyZone(database.write, site, 'Europe/Paris');
  expect(await stateOf(site)).toEqual({ ...before, timezone: 'Europe/Paris' });
  await expectKept(site);
});

test('a zone cannot be changed in a form while rows are imported; other fields can', async () => {
  const site = await filledSite();
  const faults = await whileImporting(site, () =>
    saveSite(database.write, form(site, 'Asia/Tokyo'), 'change'),
  );
  expect(faults).toEqual([{ path: 'timezone', message: expect.stringContaining('being imported') }]);
  const named = { ...form(site, 'Europe/Berlin'), name: 'Another name' };
  expect(await whileImporting(site, () => saveSite(database.write, named, 'change'))).toEqual([]);
  await expectKept(site);
});

test('a zone whose clock is known otherwise by now is counted anew by the next import', async () => {
  const site = await filledSite();
  await database.write.raw(
    `UPDATE analytics.rollup_state SET clock = '[{"until": null, "seconds": 7200}]'
      WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
    [site],
  );
  const more = { seed: 13, count: 5, from: '2026-05-01T00:00:00Z', days: 1, firstId: 1000 };
  await importViews(database.write, site, randomViews(more));
  await expectKept(site);
});

test('the counts of a site without any are made on demand', async () => {
  const site = await filledSite();
  const before = await stateOf(site);
  const version = await dataVersion(database.write, site);
  await forget(site);
  expect(await whileImporting(site, () => rebuildSite(database.write, site, () => undefined))).toBe(false);
  const shares: number[] = [];
  expect(await rebuildSite(database.write, site, (share) => shares.push(share))).toBe(true);
  await expectKept(site);
  expect((await stateOf(site))?.longest_click).toBe(before?.longest_click);
  expect(shares.at(-1)).toBe(1);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(await dataVersion(database.write, site)).toBe(version + 1);
});

test('no click lies further behind its view than the counts say', async () => {
  const site = await filledSite();
  const answer: { rows: { seconds: number }[] } = await database.write.raw(
    'SELECT max(extract(epoch FROM at - view_at))::int AS seconds FROM analytics.click',
  );
  expect(answer.rows[0]?.seconds).toBeGreaterThan(60);
  expect((await stateOf(site))?.longest_click).toBe(answer.rows[0]?.seconds);
});

test('a site that is removed takes its counts with it', async () => {
  const site = await filledSite();
  await database.write.raw('DELETE FROM analytics.site WHERE tracking_id = ?', [site]);
  for (const table of ['rollup_state', 'rollup', 'rollup_unique']) {
    const left: unknown[] = await database.write.from(`analytics.${table}`).select('site_id');
    expect(left).toEqual([]);
  }
});

test('the demo site is counted', async () => {
  await loadDemo(database.write, {
    now: new Date('2026-11-20T12:00:00Z'),
    views: 150,
    onProgress: () => undefined,
  });
  await expectKept('demo');
});

describe('qal rollups', () => {
  const run = (args: readonly string[], signal?: AbortSignal, write: Knex = database.write) =>
    runCommand({ database: { ...database, write }, ...(signal && { signal }) }, ['rollups', ...args]);

  test('status tells which sites have counts, and fails where they do not fit', async () => {
    const [site, other, empty] = [
      await filledSite(),
      await filledSite(),
      await applySite(database.write, 'UTC'),
    ];
    await forget(other);
    const good = await run(['status']);
    expect(good).toMatchObject({ code: 0, err: '' });
    const lines = good.out.split('\n').map((line) => line.split(/ {2,}/));
    const rows = Number(lines[1]?.[5]);
    expect(rows).toBeGreaterThan(80);
    expect(lines.slice(0, 4)).toEqual([
      ['SITE', 'COUNTS', 'DAYS', 'BLOCKS', 'MB', 'ROWS', 'BUILT'],
      [
        site,
        'yes',
        expect.stringMatching(/^1\d$/),
        expect.stringMatching(/^\d+$/),
        expect.stringMatching(/^0\.\d$/),
        String(rows),
        expect.stringMatching(/^20\d\d-/),
      ],
      [other, 'none', '0', '0', '0.0', String(rows)],
      [empty, 'none', '0', '0', '0.0', '0'],
    ]);
    const one = await run(['status', '--site', other]);
    expect(one.out.split('\n').slice(1)).toEqual([expect.stringMatching(`^${other} `), '']);
    expect(await run(['status', '--site', 'nobody'])).toMatchObject({
      code: 1,
      err: 'There is no site nobody.\n',
    });
    await database.write.raw('DELETE FROM analytics.page_view WHERE pv_id = 1');
    expect(await run(['status'])).toMatchObject({
      code: 1,
      err: `The counts of ${site} do not fit the rows; make them anew with: qal rollups rebuild\n`,
    });
  });

  test('rebuild makes those of all sites, or of one', async () => {
    const [site, other] = [await filledSite(), await filledSite()];
    await forget(site);
    await forget(other);
    expect(await run(['rebuild', '--site', site])).toMatchObject({ code: 0, out: '' });
    await expectKept(site);
    expect(await stateOf(other)).toBeUndefined();
    const all = await run(['rebuild']);
    expect(all.err).toMatch(new RegExp(`^${site}: counted \\d+ rows.\n${other}: counted \\d+ rows.\n$`));
    await expectKept(other);
  });

  test('rebuild tells the planner of the sites that are done when it ends at another one', async () => {
    const [site, other] = [await filledSite(), await filledSite()];
    await forget(site);
    await forget(other);
    const told: string[] = [];
    const write = new Proxy(database.write, {
      get: (target, key) =>
        key === 'raw'
          ? (sql: string, bindings: string[] = []) => {
              if (sql.includes('ANALYZE')) told.push(sql);
              return target.raw(sql, bindings);
            }
          : Reflect.get(target, key),
    });
    await whileImporting(other, async () => {
      expect(await run(['rebuild'], undefined, write)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`Rows of ${other} are being imported`),
      });
    });
    await expectKept(site);
    expect(told).toEqual([expect.stringContaining('analytics.rollup')]);
  });

  test('rebuild has done its work though the planner could not be told', async () => {
    const site = await filledSite();
    await forget(site);
    const write = new Proxy(database.write, {
      get: (target, key) =>
        key === 'raw'
          ? (sql: string, bindings: string[] = []) =>
              sql.includes('ANALYZE') ? Promise.reject(new Error('no room')) : target.raw(sql, bindings)
          : Reflect.get(target, key),
    });
    expect(await run(['rebuild'], undefined, write)).toMatchObject({
      code: 0,
      err: expect.stringContaining('no room'),
    });
    await expectKept(site);
  });

  test('rebuild refuses what it cannot do, and can be stopped', async () => {
    const site = await filledSite();
    const before = await stateOf(site);
    expect(await run(['rebuild', '--site', 'nobody'])).toMatchObject({
      code: 1,
      err: 'There is no site nobody.\n',
    });
    const busy = await whileImporting(site, () => run(['rebuild']));
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('are being imported') });
    const stopped = await run(['rebuild'], AbortSignal.abort());
    expect(stopped).toMatchObject({ code: 1, err: `Stopped; the counts of ${site} are as they were.\n` });
    expect(await stateOf(site)).toEqual(before);
    await expectKept(site);
  });
});
