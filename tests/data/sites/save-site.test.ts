// Saving a site is subject to the same checks as applying a sites file. Errors are listed by field.
import { Client } from 'pg';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { lockSites } from '../../../extension/data/storage/site-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { listSites, type SiteFacts } from '../../../extension/data/storage/sites/list-sites';
import { markOfSite, type SaveMode, saveSite } from '../../../extension/data/storage/sites/save-site';
import { isTimezone, readZoneNames } from '../../../extension/data/storage/sites/zone-name';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { usableZones } from '../../../extension/language/time/zones';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();

const form = (trackingId: string, more: Partial<SiteFacts> = {}): SiteFacts => ({
  trackingId,
  domain: `${trackingId}.example`,
  name: trackingId,
  timezone: 'Asia/Tokyo',
  isDefault: false,
  retentionDays: null,
  ...more,
});

const save = (site: SiteFacts, mode: SaveMode = 'add') => saveSite(database.write, site, mode);

const stored = async (trackingId: string) =>
  (await listSites(database.read, NO_WORKERS)).find((site) => site.trackingId === trackingId);

test('saving adds a site, or changes everything except its tracking id', async () => {
  expect(await save(form('shop', { name: 'Läden <b>"東京"</b> 🗼' }))).toEqual([]);
  expect(await stored('shop')).toMatchObject({ name: 'Läden <b>"東京"</b> 🗼', timezone: 'Asia/Tokyo' });
  const changed = form('shop', { name: 'Shop', domain: 'new.example', timezone: 'UTC' });
  expect(await save(changed, 'change')).toEqual([]);
  expect(await stored('shop')).toMatchObject({ name: 'Shop', domain: 'new.example', timezone: 'UTC' });
});

test('a change keeps the goals, and raises the data version unless nothing changes', async () => {
  const goal = { id: 3, name: 'Deep', type: 'scroll_depth', condition: 90 };
  const { trackingId: tracking_id, domain, name, timezone } = form('goals');
  await applySites(database.write, { sites: [{ tracking_id, domain, name, timezone, goals: [goal] }] });
  const version = async () =>
    (
      await database.write.raw(
        "SELECT data_version FROM analytics.site_version JOIN analytics.site USING (site_id) WHERE tracking_id = 'goals'",
      )
    ).rows[0].data_version;
  const before = await version();
  await save(form('goals'), 'change');
  expect(await version()).toBe(before);
  await save(form('goals', { name: 'Ziele' }), 'change');
  expect(await version()).toBe(before + 2);
  expect(await stored('goals')).toMatchObject({ name: 'Ziele', goals: 1 });
});

test('adding or changing a site can move the default', async () => {
  const defaults = async () =>
    (await listSites(database.read, NO_WORKERS))
      .filter((site) => site.isDefault)
      .map((site) => site.trackingId);
  await save(form('first', { isDefault: true }));
  await save(form('second', { isDefault: true }));
  expect(await defaults()).toEqual(['second']);
  await save(form('first', { isDefault: true }), 'change');
  expect(await defaults()).toEqual(['first']);
});

test('all errors are listed by field', async () => {
  const faults = await save(form('a b', { domain: '', name: 'x'.repeat(201), timezone: 'JST' }));
  expect(faults).toEqual([
    { path: 'tracking_id', message: 'must consist of letters, digits, _ and -' },
    { path: 'domain', message: 'must not be empty' },
    { path: 'name', message: 'must be at most 200 characters long' },
    {
      path: 'timezone',
      message: 'must be the full name of a time zone such as Europe/Berlin, or UTC',
    },
  ]);
  expect(await stored('a b')).toBeUndefined();
});

test('a tracking id that is taken or unknown is an error in that field', async () => {
  await save(form('taken', { name: 'Before' }));
  expect(await save(form('taken', { name: 'After' }))).toEqual([
    { path: 'tracking_id', message: 'site taken already exists' },
  ]);
  expect(await stored('taken')).toMatchObject({ name: 'Before' });
  expect(await save(form('nowhere'), 'change')).toEqual([
    { path: 'tracking_id', message: 'there is no site nowhere' },
  ]);
  expect(await stored('nowhere')).toBeUndefined();
});

test('if two users add the same site at the same time, one gets an error', async () => {
  const results = await Promise.all([save(form('race')), save(form('race'))]);
  expect(results.flat()).toEqual([{ path: 'tracking_id', message: 'site race already exists' }]);
});

test('saving waits only a few seconds for another change to sites', async () => {
  await inTransaction(database.write, async (client) => {
    await lockSites(client);
    expect(await save(form('late'))).toEqual([
      { path: '', message: expect.stringContaining('Someone else is changing the sites') },
    ]);
  });
  expect(await save(form('late'))).toEqual([]);
});

describe('a time zone', () => {
  test('is stored in the spelling that queries use', async () => {
    for (const [typed, kept] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['ASIA/kolkata', 'Asia/Kolkata'],
      ['asia/calcutta', 'Asia/Calcutta'],
      ['utc', 'UTC'],
      ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
    ] as const) {
      const mode = (await stored('zone')) === undefined ? 'add' : 'change';
      expect([typed, await save(form('zone', { timezone: typed }), mode)]).toEqual([typed, []]);
      expect((await stored('zone'))?.timezone).toBe(kept);
    }
    const { trackingId: tracking_id, domain, name } = form('zone');
    await applySites(database.write, { sites: [{ tracking_id, domain, name, timezone: 'asia/tokyo' }] });
    expect((await stored('zone'))?.timezone).toBe('Asia/Tokyo');
  });

  test('is looked up once for all sites in a file', async () => {
    const query = jest.spyOn(Client.prototype, 'query');
    const sites = ['Europe/Paris', 'asia/tokyo', 'UTC'].map((timezone, index) => ({
      tracking_id: `zone-${index}`,
      domain: 'zones.example',
      name: 'Zones',
      timezone,
    }));
    await applySites(database.write, { sites });
    const statements = query.mock.calls.map(([statement]) => JSON.stringify(statement));
    query.mockRestore();
    expect(statements.filter((text) => text.includes('pg_timezone_names'))).toHaveLength(1);
    expect((await stored('zone-1'))?.timezone).toBe('Asia/Tokyo');
  });

  test('that can be saved can be used in queries', async () => {
    const names = await database.write.from('pg_timezone_names').pluck<string[]>('name');
    const usable = usableZones(names);
    const typed = [...new Set([...names, ...Intl.supportedValuesOf('timeZone')])];
    const zoneName = await inTransaction(database.write, (client) => readZoneNames(client, typed));
    const kept = typed.filter(isTimezone).flatMap((one) => zoneName(one.toLowerCase()) ?? []);
    expect(kept.length).toBeGreaterThan(400);
    expect(kept.filter((name) => !usable.has(name))).toEqual([]);
  });
});

test('the default can be moved but not removed', async () => {
  await save(form('main', { isDefault: true }));
  expect(await save(form('main', { name: 'Main' }), 'change')).toEqual([
    { path: 'default', message: 'one site must be the default; make another site the default first' },
  ]);
  expect(await stored('main')).toMatchObject({ name: 'main', isDefault: true });
});

test('a change is not saved if another user changed the site in the meantime', async () => {
  await save(form('both'));
  const mark = markOfSite(form('both'));
  expect(await saveSite(database.write, form('both', { name: 'First' }), 'change', mark)).toEqual([]);
  const second = await saveSite(database.write, form('both', { name: 'Second' }), 'change', mark);
  expect(second).toMatchObject({ stored: { name: 'First' } });
  expect((await stored('both'))?.name).toBe('First');
});

test('a site cannot be changed during an import, and the error explains why', async () => {
  await save(form('busy'));
  const faults = await inTransaction(database.write, async (client) => {
    await client.query(
      `INSERT INTO analytics.ga4_country (site_id, month, country_code, sessions, active_users)
       SELECT site_id, '2026-05-01', 'JP', 1, 1 FROM analytics.site WHERE tracking_id = 'busy'`,
    );
    return save(form('busy', { name: 'Another name' }), 'change');
  });
  expect(faults).toEqual([{ path: '', message: expect.stringContaining('being imported') }]);
  expect(await stored('busy')).toMatchObject({ name: 'busy' });
});
