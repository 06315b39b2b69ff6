// Saving and removing a goal with its conversions, and counting what a condition matches.

import { importRows } from '../../../extension/data/import/import-rows';
import { type CountOptions, countGoal } from '../../../extension/data/storage/goals/count-goal';
import { countConversions, listGoals } from '../../../extension/data/storage/goals/list-goals';
import { removeGoal, saveGoal } from '../../../extension/data/storage/goals/save-goal';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { lockSiteData } from '../../../extension/data/storage/site-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { permittedSites } from '../../../extension/data/storage/sites/list-sites';
import { saveSite } from '../../../extension/data/storage/sites/save-site';
import { loadManifest } from '../../../manifests/reader/manifest';
import { createTestDatabase, MAX_CONNECTIONS, type TestDatabase } from '../../support/database';
import { until } from '../../support/until';

const SITE = 'shop';
const ORIGIN = 'https://shop.example';
const AT = 1_770_000_000;
const LAST_DAY = '2026-02-02';
const NEVER_ABORTED: CountOptions = { signal: new AbortController().signal };

let database: TestDatabase;
let siteId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  await saveSite(
    database.write,
    {
      trackingId: SITE,
      domain: 'shop.example',
      name: 'Shop',
      timezone: 'UTC',
      isDefault: true,
      retentionDays: null,
    },
    'add',
  );
  const [site] = await permittedSites(database.read, [SITE]);
  siteId = site?.siteId ?? 0;
  const view = (pv_id: number, session_id: number, path: string, depth_position = 10) => ({
    pv_id,
    session_id,
    url: ORIGIN + path,
    access_time: AT + pv_id,
    depth_position,
  });
  const views = [
    view(1, 1, '/'),
    view(2, 1, '/ありがとう/', 95),
    view(3, 2, '/ありがとう/'),
    view(4, 3, '/Straße?q="<script>"', 95),
    view(5, 1, '/ありがとう/'),
  ];
  const click = (pv_id: number, selector: string, event_sec = 1) => ({ pv_id, event_sec, selector });
  const load = (material: string, rows: readonly object[]) =>
    importRows(database.write, loadManifest(), { material, site: SITE, rows });
  await load('allpv', views);
  await load('click_event', [click(1, '#buy'), click(1, '#buy', 2), click(4, '#buy'), click(4, '#other')]);
  await load('datalayer_event', [
    { pv_id: 3, access_time: AT + 10, event_name: 'purchase', params: { value: 10, currency: '€' } },
    { pv_id: 4, access_time: AT + 10, event_name: 'purchase', params: { value: 11, currency: '€' } },
  ]);
});
afterAll(() => database.drop());

const goals = async () => {
  const conversionsOf = await countConversions(database.read, siteId, { ...NEVER_ABORTED, seconds: 5 });
  return (await listGoals(database.read, siteId)).map(
    (goal) => `${goal.id} ${goal.name}: ${conversionsOf(goal)}`,
  );
};

const save = (goal: unknown, mode: 'add' | 'change' = 'add') => saveGoal(database.write, SITE, goal, mode);

const count = (type: string, condition: unknown) =>
  countGoal(database.read, SITE, { type, condition }, NEVER_ABORTED);

const thanks = {
  id: 1,
  name: 'Danke <b>',
  type: 'gtype_page',
  condition: { url: 'ありがとう', match: 'contains' },
};

afterEach(async () => {
  for (const { id } of await listGoals(database.read, siteId)) await removeGoal(database.write, SITE, id);
});

const version = async (): Promise<number> =>
  (await database.write.raw('SELECT data_version FROM analytics.site_version')).rows[0].data_version;

describe('saving', () => {
  test('a goal is added, changed and removed with its conversions, and each change raises the data version', async () => {
    const before = await version();
    expect(await save(thanks)).toEqual([]);
    expect(await goals()).toEqual(['1 Danke <b>: 2']);
    const deep = { id: 1, name: 'Deep', type: 'scroll_depth', condition: '90' };
    expect(await save(deep, 'change')).toEqual([]);
    expect(await goals()).toEqual(['1 Deep: 2']);
    expect(await save({ ...deep, condition: '96' }, 'change')).toEqual([]);
    expect(await goals()).toEqual(['1 Deep: 0']);
    expect(await save({ ...deep, condition: '96' }, 'change')).toEqual([]);
    expect(await version()).toBe(before + 3);
    expect(await removeGoal(database.write, SITE, 1)).toEqual([]);
    expect(await goals()).toEqual([]);
    expect(await version()).toBe(before + 4);
    const left = await database.write.raw('SELECT count(*) AS rows FROM analytics.conversion');
    expect(left.rows).toEqual([{ rows: 0 }]);
  });

  test('errors are listed by field, and nothing is saved', async () => {
    const regex = (url: string) => ({ ...thanks, condition: { url, match: 'regex' } });
    expect(await save({ ...thanks, id: 11, name: '' })).toEqual([
      { path: 'id', message: 'must be 1 to 10' },
      { path: 'name', message: 'must not be empty' },
    ]);
    expect(await save({ ...thanks, type: 'visit' })).toEqual([
      { path: 'type', message: expect.stringContaining('must be one of gtype_page') },
    ]);
    expect(await save(regex('('))).toEqual([
      { path: 'condition.url', message: expect.stringContaining('must be a regular expression') },
    ]);
    // PostgreSQL does not support more than 255 repetitions, so only the database finds this error.
    expect(await save(regex('a{300}'))).toEqual([
      {
        path: 'condition.url',
        message: expect.stringContaining('regular expression that PostgreSQL accepts'),
      },
    ]);
    expect(await goals()).toEqual([]);
  });

  test('a new goal does not overwrite an existing one, a goal that does not exist cannot be changed, and removing it does nothing', async () => {
    await save(thanks);
    expect(await save({ ...thanks, name: 'Other' })).toEqual([
      { path: 'id', message: 'goal 1 already exists' },
    ]);
    expect(await save({ ...thanks, id: 2 }, 'change')).toEqual([
      { path: 'id', message: 'there is no goal 2' },
    ]);
    expect(await removeGoal(database.write, SITE, 2)).toEqual([]);
    expect(await goals()).toEqual(['1 Danke <b>: 2']);
    expect(await saveGoal(database.write, 'nowhere', thanks, 'add')).toEqual([
      { path: '', message: 'There is no site nowhere.' },
    ]);
  });

  test("the names of a site's goals must not look the same", async () => {
    await save(thanks);
    const message = 'goal 1 already has this name; choose another';
    for (const name of ['Danke <b>', ' DANKE <B> ', 'ｄanke <b>'])
      expect(await save({ ...thanks, id: 2, name })).toEqual([{ path: 'name', message }]);
    expect(await save({ ...thanks, id: 2, name: 'Danke' })).toEqual([]);
    const again = { ...thanks, id: 2, name: 'danke <b>' };
    expect(await save(again, 'change')).toEqual([{ path: 'name', message }]);
    expect(await save({ ...thanks, name: 'DANKE <b>' }, 'change')).toEqual([]);
  });

  test('saving is rejected during an import, and works afterwards', async () => {
    await inTransaction(database.write, async (client) => {
      await lockSiteData(client, SITE);
      expect(await save(thanks)).toEqual([{ path: '', message: expect.stringContaining('being imported') }]);
    });
    expect(await save(thanks)).toEqual([]);
  });
});

describe('counting', () => {
  test.each([
    ['gtype_page', { url: 'ありがとう', match: 'contains' }, 3, 2],
    ['gtype_page', { url: '/Straße\\?q="<script>"$', match: 'regex' }, 1, 1],
    ['gtype_page', { url: ORIGIN, match: 'exact' }, 1, 1],
    ['gtype_page', { url: `${ORIGIN}/`, match: 'prefix' }, 5, 3],
    ['url_match', 'nowhere', 0, 0],
    ['scroll_depth', '90', 2, 2],
    ['gtype_click', { selector: '#buy' }, 2, 2],
    ['gtype_click', { selector: '#buy', page: ORIGIN }, 1, 1],
    ['click', '#other', 1, 1],
    ['gtype_event', { event: 'purchase' }, 2, 2],
    ['gtype_event', { event: 'purchase', value: 10, currency: '€' }, 1, 1],
  ])('%s %j: views and sessions, with each view counted once', async (type, condition, views, sessions) => {
    expect(await count(type, condition)).toEqual({ kind: 'counted', lastDay: LAST_DAY, views, sessions });
    expect(await save({ id: 5, name: 'Same', type, condition })).toEqual([]);
    expect(await goals()).toEqual([`5 Same: ${sessions}`]);
  });

  test('only the 30 local days up to the last view are counted; without views, nothing is counted', async () => {
    const other = { tracking_id: 'tokyo', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo' };
    await applySites(database.write, { sites: [other] });
    const countInTokyo = () => countGoal(database.read, 'tokyo', thanks, NEVER_ABORTED);
    expect(await countInTokyo()).toEqual({ kind: 'no-views' });
    const views = ['2026-03-02T14:59:59Z', '2026-03-02T15:00:00Z', '2026-04-01T14:59:59Z'].map(
      (at, index) => ({
        url: `${ORIGIN}/ありがとう`,
        session_id: index + 1,
        access_time: Date.parse(at) / 1000,
      }),
    );
    await importRows(database.write, loadManifest(), { material: 'allpv', site: 'tokyo', rows: views });
    expect(await countInTokyo()).toEqual({ kind: 'counted', lastDay: '2026-04-01', views: 2, sessions: 2 });
  });

  test('errors in a condition are listed by field', async () => {
    expect(await count('gtype_page', { url: 'a{300}', match: 'regex' })).toEqual({
      kind: 'faults',
      faults: [{ path: 'condition.url', message: expect.stringContaining('that PostgreSQL accepts') }],
    });
    expect(await count('gtype_click', { selector: '' })).toEqual({
      kind: 'faults',
      faults: [{ path: 'condition.selector', message: 'must not be empty' }],
    });
  });

  test('an unknown site is reported', async () => {
    expect(await countGoal(database.read, 'nowhere', thanks, NEVER_ABORTED)).toEqual({ kind: 'no-site' });
  });

  test('a count that takes too long is reported, and its settings on the connection are reset', async () => {
    await inTransaction(database.write, async (client) => {
      // A lock on the table delays every count.
      await client.query('LOCK TABLE analytics.page_view IN ACCESS EXCLUSIVE MODE');
      const options = { ...NEVER_ABORTED, seconds: 0.1 };
      expect(await countGoal(database.read, SITE, thanks, options)).toEqual({
        kind: 'too-long',
        seconds: 0.1,
      });
    });
    expect(await count('url_match', 'ありがとう')).toMatchObject({ kind: 'counted', views: 3 });
    expect(await database.read.query({ text: 'SHOW statement_timeout' })).toEqual([
      { statement_timeout: '5min' },
    ]);
  });

  test('a count can time out or be aborted while it waits for a connection', async () => {
    const { read } = database;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = Array.from({ length: MAX_CONNECTIONS }, () =>
      read.withConnection({ ...NEVER_ABORTED, seconds: 5 }, () => released),
    );
    try {
      const soon = countGoal(database.read, SITE, thanks, { ...NEVER_ABORTED, seconds: 0.1 });
      expect(await soon).toEqual({ kind: 'too-long', seconds: 0.1 });
      const caller = new AbortController();
      const counting = countGoal(database.read, SITE, thanks, { signal: caller.signal, seconds: 60 });
      caller.abort(new Error('gone'));
      await expect(counting).rejects.toThrow('gone');
    } finally {
      release();
      await Promise.all(held);
    }
    expect(await count('url_match', 'ありがとう')).toMatchObject({ kind: 'counted', views: 3 });
  });

  test('the database cancels an aborted count', async () => {
    const caller = new AbortController();
    await inTransaction(database.write, async (client) => {
      await client.query('LOCK TABLE analytics.page_view IN ACCESS EXCLUSIVE MODE');
      const counting = countGoal(database.read, SITE, thanks, { signal: caller.signal, seconds: 60 });
      const outcome = expect(counting).rejects.toThrow('gone');
      const waitingLocks = () =>
        client.query(
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'analytics.page_view'::regclass
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
      await until(async () => (await waitingLocks()).rowCount !== 0);
      caller.abort(new Error('gone'));
      await outcome;
      expect((await waitingLocks()).rowCount).toBe(0);
    });
  });
});
