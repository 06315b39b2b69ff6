// Retention removes whole visits that are older than their site's retention period, in batches, oldest first. Visits longer
// than a day are cut.
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { listRemovals } from '../../../extension/data/removal/removal-record';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { createMemoryLog } from '../../support/memory-log';
import { useTestDatabase } from '../../support/use-database';
import { manifest } from '../import/import-setup';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();

const INFO = 30;
const HOUR = 3600;
/** Midnight in Berlin; the next day has 23 hours. */
const START = Date.UTC(2026, 2, 27, 23) / 1000;
/** The time at which a site that keeps 10 days of data removes everything before the given day. */
const keepFrom = (day: string) => new Date(Date.parse(`${day}T12:00:00Z`) + 10 * 24 * HOUR * 1000);

let sites = 0;
async function newSite(): Promise<string> {
  sites += 1;
  const site = {
    tracking_id: `kept${sites}`,
    domain: 'x.example',
    name: 'Kept',
    timezone: 'Europe/Berlin',
    retention_days: 10,
    goals: [{ id: 1, name: 'Page', type: 'gtype_page', condition: { url: '/goal', match: 'contains' } }],
  };
  await applySites(database.write, { sites: [site] });
  return site.tracking_id;
}

const load = (site: string, material: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

const view = (pv_id: number, hours: number, more: object = {}) => ({
  pv_id,
  access_time: START + hours * HOUR,
  url: `https://x.example/${pv_id}`,
  ...more,
});

async function removeOld(
  now: Date,
  { rowsAtOnce, signal = new AbortController().signal }: { rowsAtOnce?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const { log, logged } = createMemoryLog();
  await removeOldVisits(
    { write: database.write, manifest, log, clock: () => now, ...(rowsAtOnce && { rowsAtOnce }) },
    signal,
  );
  expect(logged.filter(({ level }) => level !== INFO)).toEqual([]);
}

const contents = (site: string) => siteContents(database.write, site);
const viewsOf = async (site: string) => (await contents(site)).page_view ?? [];

// conformance: beyond.visits-kept-number
test('retention removes whole visits that ended before the retention period, and does not change the others', async () => {
  const site = await newSite();
  // The second visit continues after midnight. The third is by a returning visitor.
  await load(site, 'allpv', [
    view(1, 1, { original_id: 'a' }),
    view(2, 23.9, { original_id: 'b' }),
    view(3, 24.1, { original_id: 'b' }),
    view(4, 30, { original_id: 'a' }),
  ]);
  await load(site, 'click_event', [{ pv_id: 1, event_sec: 1, selector: '#a' }]);
  const before = await contents(site);
  await removeOld(keepFrom('2026-03-28'));
  expect(await contents(site)).toEqual(before);
  await removeOld(keepFrom('2026-03-29'));
  const after = await contents(site);
  const withoutIds = ({ session_id, reader_id, ...rest }: Readonly<Record<string, unknown>>) => rest;
  expect(after.page_view?.map(withoutIds)).toEqual(before.page_view?.slice(1).map(withoutIds));
  expect(after.click).toEqual([]);
  expect(after.selector).toEqual([]);
  const [record] = await listRemovals(database.read, [site], 1);
  expect(record).toMatchObject({
    login: 'server',
    kind: 'retention',
    firstDay: '2026-03-28',
    lastDay: '2026-03-28',
    removed: { allpv: 1, click_event: 1 },
  });
  await removeOld(keepFrom('2026-03-30'));
  expect(await viewsOf(site)).toEqual([]);
});

test('if retention fails for a site, the old visits of other sites are still removed', async () => {
  const [broken, other] = [await newSite(), await newSite()];
  for (const site of [broken, other]) await load(site, 'allpv', [view(1, 1)]);
  const setZone = (timezone: string) =>
    database.write('analytics.site').where({ tracking_id: broken }).update({ timezone });
  await setZone('Europe/Nowhere');
  await expect(removeOld(keepFrom('2026-03-29'))).rejects.toThrow('Invalid time zone');
  await setZone('Europe/Berlin');
  expect(await viewsOf(other)).toEqual([]);
  expect(await viewsOf(broken)).toHaveLength(1);
});

test('a visit of more than 24 hours is cut at midnight, and the rest keeps its numbering, traffic and visitor', async () => {
  const site = await newSite();
  const mine = (more: object = {}) => ({ session_id: 5, reader_id: 7, ...more });
  const rows = [
    view(1, 1, mine({ 'view.utm_source': 'news', url: 'https://x.example/goal' })),
    view(2, 20, mine({ 'view.utm_source': 'other' })),
    view(3, 25, mine({ url: 'https://x.example/goal/2' })),
    view(4, 26, mine()),
    // A visit of exactly 24 hours is kept whole, even across midnight.
    view(5, 10, { session_id: 6, reader_id: 8 }),
    view(6, 34, { session_id: 6, reader_id: 8 }),
  ];
  await load(site, 'allpv', rows);
  await load(site, 'datalayer_event', [
    { pv_id: 1, access_time: START + HOUR + 1, event_name: 'old' },
    { pv_id: 3, access_time: START + 25 * HOUR + 1, event_name: 'new' },
  ]);
  const before = await viewsOf(site);
  await removeOld(keepFrom('2026-03-29'));
  const comparable = (views: Awaited<ReturnType<typeof viewsOf>>) =>
    views
      .filter(({ pv_id }) => Number(pv_id) > 2)
      .map(({ given_pv, given_is_newuser, is_visit_traffic, given_prev_page_id, ...rest }) => rest);
  expect(comparable(await viewsOf(site))).toEqual(comparable(before));
  expect((await viewsOf(site)).map(({ pv_id }) => pv_id).sort()).toEqual([3, 4, 5, 6]);
  expect((await contents(site)).event?.map(({ event_name_id }) => event_name_id)).toEqual(['new']);
  expect((await contents(site)).conversion).toMatchObject([{ pv_id: 3 }]);
  // A later import derives the visit again.
  await load(site, 'allpv', [view(9, 27, mine())]);
  const later = await viewsOf(site);
  const byId = (id: number) => later.find(({ pv_id }) => pv_id === id);
  expect(byId(3)).toMatchObject({ pv: 3, prev_page_id: 'https://x.example/2', is_newuser: true });
  expect(byId(3)?.source_id).toContain('news');
  expect(byId(4)).toMatchObject({
    pv: 4,
    is_last: false,
    next_page_id: 'https://x.example/9',
    is_newuser: true,
  });
  // Both visits ended before this day, so nothing is left of them.
  await removeOld(keepFrom('2026-03-31'));
  expect(await viewsOf(site)).toEqual([]);
});

test('if a visit id is used for years, views more than a day older than the limit are removed', async () => {
  const site = await newSite();
  const days = Array.from({ length: 6 }, (_, day) =>
    view(day + 1, day * 24 + 12, { session_id: 'forever', reader_id: 1 }),
  );
  await load(site, 'allpv', [...days, view(7, 200, { session_id: 'forever', reader_id: 1 })]);
  await removeOld(keepFrom('2026-04-01'));
  expect((await viewsOf(site)).map(({ pv_id, pv }) => [pv_id, pv]).sort()).toEqual([
    [5, 5],
    [6, 6],
    [7, 7],
  ]);
  await removeOld(keepFrom('2026-04-03'), { rowsAtOnce: 1 });
  expect((await viewsOf(site)).map(({ pv_id, pv }) => [pv_id, pv])).toEqual([[7, 7]]);
});

describe('batches', () => {
  test('may span any number of days: a stray view from 1995 does not add a transaction for each day since then', async () => {
    const site = await newSite();
    await load(site, 'allpv', [
      view(1, 0, { access_time: Date.UTC(1995, 0, 1) / 1000 }),
      view(2, 1),
      view(3, 26),
    ]);
    await removeOld(keepFrom('2026-03-29'));
    const removals = await listRemovals(database.read, [site], 10);
    expect(removals.map(({ firstDay, lastDay, removed }) => ({ firstDay, lastDay, removed }))).toEqual([
      { firstDay: '1995-01-01', lastDay: '2026-03-28', removed: { allpv: 2 } },
    ]);
  });

  test('have a limited number of views, start with the oldest, and consist of whole days if these are small enough', async () => {
    const site = await newSite();
    await load(
      site,
      'allpv',
      // Four days with one view each, a day with five, and two views in the same second.
      [1, 25, 49, 73, 97, 97, 98, 99, 100].map((hours, index) => view(index + 1, hours)),
    );
    await removeOld(keepFrom('2026-04-02'), { rowsAtOnce: 3 });
    const removals = await listRemovals(database.read, [site], 10);
    expect(
      removals.map(({ firstDay, lastDay, removed }) => [firstDay, lastDay, removed.allpv]).reverse(),
    ).toEqual([
      ['2026-03-28', '2026-03-30', 3],
      ['2026-03-31', '2026-03-31', 1],
      ['2026-04-01', '2026-04-01', 3],
      ['2026-04-01', '2026-04-01', 2],
    ]);
    expect(await viewsOf(site)).toEqual([]);
  });

  test('of any size give the same result, and an import can lock the site between two batches', async () => {
    const at = [1, 2, 9, 25, 26, 30, 46, 48, 49, 50, 72, 73];
    const rows = at.map((hours, index) =>
      view(index + 1, hours, {
        session_id: (index % 3) + 1,
        original_id: `v${index % 4}`,
        'view.utm_source': `s${index}`,
      }),
    );
    const more = [view(20, 74, { session_id: 9 })];
    const removedWith = async (rowsAtOnce: number) => {
      const site = await newSite();
      await load(site, 'allpv', rows);
      const stopping = new AbortController();
      const { log } = createMemoryLog();
      const options = { write: database.write, manifest, rowsAtOnce, clock: () => keepFrom('2026-03-31') };
      log.info = () => stopping.abort();
      await removeOldVisits({ ...options, log }, stopping.signal);
      expect(await listRemovals(database.read, [site], 10)).toHaveLength(1);
      await load(site, 'allpv', more);
      await removeOld(keepFrom('2026-03-31'), { rowsAtOnce });
      expect((await viewsOf(site)).map(({ pv_id }) => pv_id).sort()).toEqual([11, 12, 20]);
      return contents(site);
    };
    const whole = await removedWith(1000);
    for (const rowsAtOnce of [1, 2, 3, 5]) expect(await removedWith(rowsAtOnce)).toEqual(whole);
  });
});

test('a visitor whose first visit was removed is not new, even if their visits are derived again', async () => {
  const site = await newSite();
  await load(site, 'allpv', [
    view(10, 1, { original_id: 'a' }),
    view(300, 30, { original_id: 'a' }),
    view(310, 31, { original_id: 'b' }),
    view(600, 60, { original_id: 'b' }),
  ]);
  await removeOld(keepFrom('2026-03-29'));
  await load(site, 'allpv', [view(302, 30.2, { original_id: 'a' }), view(309, 30.9, { original_id: 'b' })]);
  const seen = async () =>
    (await viewsOf(site)).map(({ page_id, pv, is_newuser }) => [page_id, pv, is_newuser]);
  expect(await seen()).toEqual([
    ['https://x.example/300', 1, false],
    ['https://x.example/302', 2, false],
    ['https://x.example/309', 1, true],
    ['https://x.example/310', 2, true],
    ['https://x.example/600', 1, false],
  ]);
  // Once the last view of a visitor is removed, nothing is known about them.
  await removeOld(keepFrom('2026-05-01'));
  expect(await viewsOf(site)).toEqual([]);
  expect(await database.write('analytics.visitor_first').select()).toEqual([]);
  await load(site, 'allpv', [view(611, 61.1, { original_id: 'a' })]);
  expect(await seen()).toEqual([['https://x.example/611', 1, true]]);
});

test('a cut visit gets the id of its first remaining view, and so do its clicks and conversions', async () => {
  const site = await newSite();
  const hours = Array.from({ length: 120 }, (_, index) => index * 0.4);
  await load(
    site,
    'allpv',
    hours.map((hour, index) => view(index + 1, hour, { reader_id: 7, url: 'https://x.example/goal' })),
  );
  await load(site, 'click_event', [{ pv_id: 120, event_sec: 1, selector: '#a' }]);
  await removeOld(keepFrom('2026-03-29'));
  const first = hours.findIndex((hour) => hour >= 24) + 1;
  for (const table of ['page_view', 'click', 'conversion']) {
    const { rows } = await database.write.raw(
      'SELECT DISTINCT session_id FROM analytics.?? JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
      [table, site],
    );
    expect([table, ...rows.map(({ session_id }: { session_id: unknown }) => Number(session_id))]).toEqual([
      table,
      5_000_000_000_000_000 + first,
    ]);
  }
});
