// After a removal, a site is as if the removed rows had never been imported. It is compared with a site that was filled without
// them.

import fc from 'fast-check';
import { importRows } from '../../../extension/data/import/import-rows';
import { listRemovals } from '../../../extension/data/removal/removal-record';
import { countRemoval, type Removed, removeData } from '../../../extension/data/removal/remove-data';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { tries } from '../../support/long-run';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { manifest } from '../import/import-setup';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');

const DAY = 86_400;
/** 2026-03-27T23:00:00Z, which is midnight in Berlin. The second day has 23 hours. */
const START = Date.UTC(2026, 2, 27, 23) / 1000;
const DAYS = ['2026-03-28', '2026-03-29', '2026-03-30'] as const;
const dayOf = (at: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date(at * 1000));

interface View {
  readonly pv_id: number;
  readonly access_time: number;
  readonly url: string;
  readonly original_id?: string;
  readonly session_id?: number;
  readonly utm_source: string;
  readonly pv?: number;
}
interface Click {
  readonly pv_id: number;
  readonly event_sec: number;
  readonly selector: string;
}
interface Event {
  readonly pv_id: number;
  readonly access_time: number;
  readonly event_name: string;
  readonly params: object;
}
interface Search {
  readonly date: string;
  readonly url: string;
  readonly keyword: string;
  readonly search_type: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}
interface Rows {
  readonly allpv: readonly View[];
  readonly click_event: readonly Click[];
  readonly datalayer_event: readonly Event[];
  readonly gsc: readonly Search[];
}

let sites = 0;
async function newSite(): Promise<string> {
  sites += 1;
  const tracking_id = `site${sites}`;
  const goals = [
    { id: 1, name: 'Page', type: 'gtype_page', condition: { url: '/2', match: 'contains' } },
    { id: 2, name: 'Click', type: 'gtype_click', condition: { selector: '#b' } },
    { id: 3, name: 'Event', type: 'gtype_event', condition: { event: 'buy', size: 2 } },
  ];
  const site = { tracking_id, domain: 'x.example', name: tracking_id, timezone: 'Europe/Berlin', goals };
  await applySites(database.write, { sites: [site] });
  return tracking_id;
}

async function filled(rows: Rows): Promise<string> {
  const site = await newSite();
  for (const [material, materialRows] of Object.entries(rows))
    if (materialRows.length > 0)
      await importRows(database.write, manifest, { material, site, rows: materialRows });
  return site;
}

const options = (trackingId: string, login = 'ann') => ({
  host: removalHost(database, clock),
  manifest,
  trackingId,
  login,
});
const remove = async (site: string, removed: Removed) => (await removeData(options(site), removed)).removed;

const contents = (site: string) => siteContents(database.write, site);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const rowsArbitrary: fc.Arbitrary<Rows> = fc
  .array(
    fc.record({
      /**
       * In the first six hours of each day. Times are multiples of 20 minutes apart, so some gaps are shorter and some longer
       * than the 30 minutes that end a session.
       */
      at: fc
        .tuple(fc.constantFrom(0, DAY, 2 * DAY - 3600), fc.integer({ min: -3, max: 6 }))
        .map(([midnight, step]) => START + midnight + step * 1200 + 600 + (step < 0 ? DAY / 4 : 0)),
      page: fc.integer({ min: 1, max: 4 }),
      reader: maybe(fc.integer({ min: 1, max: 3 })),
      session: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 4 }),
      pv: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 6 }),
      clicks: fc.array(
        fc.record({ after: fc.constantFrom(0, 5, 4000), selector: fc.constantFrom('#a', '#b') }),
        { maxLength: 2 },
      ),
      events: fc.array(
        fc.record({
          after: fc.constantFrom(1, 5000),
          name: fc.constantFrom('buy', 'see'),
          size: fc.constantFrom(2, 3, 'big'),
        }),
        { maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((drafts) => ({
    allpv: drafts.map(({ at, page, reader, session, pv }, index) => ({
      pv_id: index + 1,
      access_time: at,
      url: `https://x.example/${page}?${index}`,
      utm_source: `source ${page}`,
      ...(reader !== undefined && { original_id: `visitor ${reader}` }),
      ...(session !== undefined && { session_id: session }),
      ...(pv !== undefined && { pv }),
    })),
    click_event: drafts.flatMap(({ clicks }, index) =>
      clicks.map(({ after, selector }, i) => ({ pv_id: index + 1, event_sec: after + i, selector })),
    ),
    datalayer_event: drafts.flatMap(({ at, events }, index) =>
      events.map(({ after, name, size }, i) => ({
        pv_id: index + 1,
        access_time: at + after + i,
        event_name: name,
        params: { size },
      })),
    ),
    gsc: drafts.map(({ at, page }, index) => ({
      date: dayOf(at),
      url: `https://x.example/${page}`,
      keyword: `word ${index}`,
      search_type: 'web',
      clicks: 1,
      impressions: 2,
      position: 3,
    })),
  }));

/** The rows that remain after days are removed. */
function without(rows: Rows, from: string, to: string, material?: string): Rows {
  const isGone = (day: string) => day >= from && day <= to;
  const applies = (name: string) => material === undefined || material === name;
  const views = rows.allpv.filter(({ access_time: at }) => !(applies('allpv') && isGone(dayOf(at))));
  const kept = new Map(views.map((view) => [view.pv_id, view.access_time]));
  const hasView = ({ pv_id }: { readonly pv_id: number }) => kept.has(pv_id);
  return {
    allpv: views,
    click_event: rows.click_event
      .filter(hasView)
      .filter(
        ({ pv_id, event_sec }) =>
          !(applies('click_event') && isGone(dayOf((kept.get(pv_id) ?? 0) + event_sec))),
      ),
    datalayer_event: rows.datalayer_event
      .filter(hasView)
      .filter(({ access_time }) => !(applies('datalayer_event') && isGone(dayOf(access_time)))),
    gsc: rows.gsc.filter(({ date }) => !(applies('gsc') && isGone(date))),
  };
}

// conformance: beyond.days-sites-visitors
test('after days are removed, the site is as if it had been filled without them', async () => {
  const days = fc.tuple(fc.constantFrom(...DAYS), fc.constantFrom(...DAYS)).map((pair) => pair.toSorted());
  const materials = fc.constantFrom(undefined, undefined, 'allpv', 'click_event', 'datalayer_event', 'gsc');
  await fc.assert(
    fc.asyncProperty(rowsArbitrary, days, materials, async (rows, [from = '', to = ''], material) => {
      const site = await filled(rows);
      const removed = { kind: 'days', from, to, material } as const;
      const counted = await countRemoval(options(site), removed);
      expect(await remove(site, removed)).toEqual(counted.rows);
      expect(await contents(site)).toEqual(await contents(await filled(without(rows, from, to, material))));
    }),
    { seed: 20_261_122, numRuns: tries(5, 12) },
  );
});

test.each([
  ['all datasets', undefined],
  ['only events', 'datalayer_event'],
])(
  'after a day is removed from %s, the types of event parameters are those of the remaining events',
  async (_of, material) => {
    const [day] = DAYS;
    const view = (pv_id: number, access_time: number) => ({
      pv_id,
      access_time,
      url: `https://x.example/${pv_id}`,
      utm_source: 'x',
    });
    const event = (pv_id: number, at: number, size: unknown) => ({
      pv_id,
      access_time: at,
      event_name: 'buy',
      params: { size },
    });
    const rows: Rows = {
      allpv: [view(1, START), view(2, START + DAY)],
      click_event: [],
      datalayer_event: [event(1, START, 'big'), event(2, START + DAY, 2)],
      gsc: [],
    };
    const site = await filled(rows);
    await remove(site, { kind: 'days', from: day, to: day, material });
    expect((await contents(site)).event_name).toMatchObject([{ observed: { size: 'number' } }]);
  },
);

// conformance: beyond.days-sites-visitors
test('after a visitor is erased, the site is as if it had been filled without them', async () => {
  await fc.assert(
    fc.asyncProperty(rowsArbitrary, async (rows) => {
      const mine = new Set(
        rows.allpv.flatMap((view) => (view.original_id === 'visitor 1' ? view.pv_id : [])),
      );
      fc.pre(mine.size > 0);
      const site = await filled(rows);
      await remove(site, { kind: 'visitor', originalId: 'visitor 1' });
      const stays = ({ pv_id }: { readonly pv_id: number }) => !mine.has(pv_id);
      const others = {
        allpv: rows.allpv.filter(stays),
        click_event: rows.click_event.filter(stays),
        datalayer_event: rows.datalayer_event.filter(stays),
        gsc: rows.gsc,
      };
      expect(await contents(site)).toEqual(await contents(await filled(others)));
    }),
    { seed: 20_261_122, numRuns: tries(3, 6) },
  );
});

test('a session that loses its middle becomes two', async () => {
  const views = Array.from({ length: 60 }, (_, index) => ({
    pv_id: index + 1,
    access_time: START + DAY - 600 + index * 1500,
    url: `https://x.example/${index}`,
    utm_source: 'news',
    original_id: 'visitor 1',
  }));
  const rows = { allpv: views, click_event: [], datalayer_event: [], gsc: [] };
  const site = await filled(rows);
  await remove(site, { kind: 'days', from: DAYS[1], to: DAYS[1] });
  const left = await contents(site);
  expect(new Set(left.page_view?.map(({ session_id }) => session_id)).size).toBe(2);
  expect(left).toEqual(await contents(await filled(without(rows, DAYS[1], DAYS[1]))));
});

test('a visitor whose first visit is removed is new in the next one', async () => {
  const views = [0, DAY, 2 * DAY].map((after, index) => ({
    pv_id: index + 1,
    access_time: START + after + 3600,
    url: 'https://x.example/',
    utm_source: 'news',
    original_id: 'visitor 1',
  }));
  const rows = { allpv: views, click_event: [], datalayer_event: [], gsc: [] };
  const site = await filled(rows);
  await remove(site, { kind: 'days', from: DAYS[0], to: DAYS[0] });
  const { page_view } = await contents(site);
  expect(page_view?.map(({ is_newuser }) => is_newuser).toSorted()).toEqual([false, true]);
});

const ONE_VISIT: Rows = {
  allpv: [
    { pv_id: 1, access_time: START, url: 'https://x.example/1', utm_source: 'news', original_id: 'v"1' },
  ],
  click_event: [{ pv_id: 1, event_sec: 3, selector: '#b' }],
  datalayer_event: [{ pv_id: 1, access_time: START, event_name: 'buy', params: { size: 2 } }],
  gsc: [],
};

test('a removal raises the data version once, and records the changed days for columnar copies', async () => {
  const site = await filled(ONE_VISIT);
  const version = async () =>
    Number(
      (
        await database
          .write('analytics.site')
          .join('analytics.site_version', { 'site_version.site_id': 'site.site_id' })
          .where({ tracking_id: site })
          .first('data_version')
      ).data_version,
    );
  const before = await version();
  const ofSite = 'WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)';
  const [{ id }] = (
    await database.write.raw(`SELECT max(data_version) AS id FROM analytics.change ${ofSite}`, [site])
  ).rows;
  await remove(site, { kind: 'days', from: DAYS[0], to: DAYS[0] });
  expect(await version()).toBe(before + 1);
  const { rows } = await database.write.raw(
    `SELECT DISTINCT table_name AS name FROM analytics.change ${ofSite} AND data_version > ? ORDER BY 1`,
    [site, id],
  );
  expect(rows.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['click', 'conversion', 'event', 'page_view', 'reader']),
  );
});

// conformance: beyond.days-sites-visitors
test('the removal record shows who removed what and when, and how many rows, but nothing about a visitor', async () => {
  const site = await filled(ONE_VISIT);
  await remove(site, { kind: 'visitor', originalId: 'v"1' });
  const [newest] = await listRemovals(database.read, [site], 10);
  expect(newest).toEqual({
    at: clock(),
    login: 'ann',
    kind: 'visitor',
    trackingId: site,
    firstDay: null,
    lastDay: null,
    material: null,
    importId: null,
    restored: null,
    removed: { allpv: 1, click_event: 1, datalayer_event: 1 },
  });
  expect(JSON.stringify(newest)).not.toContain('v"1');
});

// conformance: beyond.days-sites-visitors
test('an erased visitor is not in any import or query record', async () => {
  const site = await filled(ONE_VISIT);
  const [{ reader_id: reader }] = await database
    .write('analytics.reader')
    .where({ original_id: 'v"1' })
    .select('reader_id');
  const [{ import_id }] = await database
    .write('analytics.import_run')
    .join('analytics.site', 'site.site_id', 'import_run.site_id')
    .where({ tracking_id: site })
    .select('import_id');
  const rejection = { import_id, column_name: 'url', reason: 'wrong' };
  await database.write('analytics.import_rejection').insert([
    { ...rejection, line: 1, value: 'customer v"1 was here' },
    { ...rejection, line: 2, value: 'someone else' },
  ]);
  const query = {
    asked_at: clock(),
    user_id: 1,
    login: 'ann',
    version: 'latest',
    milliseconds: 1,
    status: 200,
  };
  const bodies = [
    JSON.stringify({ filter: { original_id: 'v"1' } }),
    `{"filter":{"reader_id":${reader}}}`,
    `{"filter":{"reader_id":${reader}1}}`,
  ];
  await database.write('analytics.query_record').insert(bodies.map((body) => ({ ...query, body })));
  const limit = `{"limit":${reader}}`;
  await database.write('analytics.saved_query').insert(
    [...bodies, limit].map((body, at) => ({
      user_id: 1,
      login: 'ann',
      name: `Query ${at}`,
      version: 'latest',
      shared: false,
      changed_at: clock(),
      body,
    })),
  );
  await remove(site, { kind: 'visitor', readerId: Number(reader) });
  expect(await database.write('analytics.import_rejection').where({ import_id }).pluck('line')).toEqual([2]);
  expect(await database.write('analytics.query_record').pluck('body')).toEqual([bodies[2]]);
  const saved = database.write('analytics.saved_query').orderBy('name');
  expect(await saved.pluck('body')).toEqual([bodies[2], limit]);
});

test('a new visitor who gets the generated number of an erased one has no earlier erasure', async () => {
  const site = await newSite();
  const seen: number[] = [];
  for (const url of ['/a', '/b']) {
    await importRows(database.write, manifest, {
      material: 'allpv',
      site,
      rows: [{ access_time: START, url }],
    });
    const { reader_id: readerId } = await database
      .write('analytics.page_view')
      .join('analytics.site', 'analytics.site.site_id', 'analytics.page_view.site_id')
      .where('tracking_id', site)
      .first('reader_id');
    seen.push(readerId);
    const erased = await removeData(options(site), { kind: 'visitor', readerId });
    expect(erased).toMatchObject({ removed: { allpv: 1 }, erasedAt: undefined });
  }
  expect(seen[1]).toBe(seen[0]);
});

test('nothing is left of a removed site, and another site becomes the default', async () => {
  const other = await newSite();
  const site = await filled(ONE_VISIT);
  await importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows: [{ pv_id: 'a', access_time: START + DAY, url: '/a', reader_id: 5, original_id: 'ann' }],
  });
  await database.write('analytics.site').update({ is_default: false });
  await database.write('analytics.site').where({ tracking_id: site }).update({ is_default: true });
  const { site_id } = await database.write('analytics.site').where({ tracking_id: site }).first('site_id');
  const left = await contents(other);
  for (const name of ['reader', 'reader_state', 'given_id'])
    expect(await database.write(`analytics.${name}`).where({ site_id })).not.toEqual([]);
  expect(await remove(site, { kind: 'site' })).toEqual({ allpv: 2, click_event: 1, datalayer_event: 1 });
  const { rows: tables } = await database.write.raw(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'analytics' AND column_name = 'site_id'
        AND table_name NOT IN ('change', 'conversion_view')`,
  );
  for (const { name } of tables)
    expect([name, await database.write(`analytics.${name}`).where({ site_id }).select()]).toEqual([name, []]);
  expect(await database.write('analytics.site').where({ is_default: true }).pluck('site_id')).toHaveLength(1);
  expect(await contents(other)).toEqual(left);
});

test('nothing is removed while an import is running, or if the site or visitor does not exist', async () => {
  const site = await filled(ONE_VISIT);
  const { site_id } = await database.write('analytics.site').where({ tracking_id: site }).first('site_id');
  await database.write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, site_id]);
    await expect(remove(site, { kind: 'site' })).rejects.toThrow('are being imported or removed; try again');
  });
  await expect(remove('none', { kind: 'site' })).rejects.toThrow('There is no site none');
  await expect(remove(site, { kind: 'visitor', readerId: 4_000_000_000_000_099 })).rejects.toThrow(
    'There is no such visitor',
  );
});
