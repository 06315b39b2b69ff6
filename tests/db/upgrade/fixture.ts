// The data in the fixture, and a later import into the same site.
import type { Knex } from 'knex';
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../../manifests/reader/manifest';
import { RARE_ROWS } from '../every-table';

const SITE = 'demo';
export const manifest = loadManifest();
export const clock = () => new Date('2026-05-02T00:00:00Z');

const AT = Date.parse('2026-05-01T10:00:00Z') / 1000;

const view = (seconds: number, path: string, more: object = {}) => ({
  url: `https://example.com${path}`,
  access_time: AT + seconds,
  title: `Title of ${path}`,
  original_id: `visitor ${seconds % 3}`,
  ...more,
});

const load = (write: Knex, material: string, rows: readonly object[]) =>
  importRows(write, manifest, { material, site: SITE, rows, clock });

export async function fillFixture(write: Knex): Promise<void> {
  const goals = [{ id: 1, name: 'Order', type: 'gtype_page', condition: { url: '/thanks', match: 'exact' } }];
  await applySites(write, {
    sites: [{ tracking_id: SITE, domain: 'example.com', name: 'Demo', timezone: 'Asia/Tokyo', goals }],
  });
  await load(write, 'allpv', [
    view(0, '/', { referrer: 'https://search.example/', utm_source: 'news', utm_medium: 'mail', pv_id: 1 }),
    view(60, '/a?b=1', { country_code: 'DE', pv_id: 2 }),
    view(120, '/thanks', {
      browser: 'Firefox',
      os: 'Linux',
      device_type: 'PC',
      pv_id: 3,
    }),
    view(4_000, '/', { utm_campaign: 'spring', utm_content: 'text', pv_id: 4 }),
  ]);
  // The second view changes the visitor's name.
  await load(write, 'allpv', [
    view(5_000, '/', { reader_id: 9, session_id: 9, pv_id: 7, language: 'de' }),
    view(5_001, '/', { reader_id: 9, session_id: 9, pv_id: 8 }),
  ]);
  await load(write, 'click_event', [
    { pv_id: 1, event_sec: 3, selector: 'a.buy' },
    { pv_id: 5, event_sec: 4, selector: 'a.waits' },
  ]);
  await load(write, 'datalayer_event', [
    { pv_id: 3, access_time: AT + 125, event_name: 'purchase', params: { value: 12.5 } },
  ]);
  await load(write, 'gsc', [
    {
      date: '2026-05-01',
      url: 'https://example.com/',
      keyword: 'tea',
      search_type: 1,
      clicks: 2,
      impressions: 9,
      position: 1.5,
    },
  ]);
  await load(write, 'page_version', [
    {
      url: 'https://example.com/',
      version_id: 1,
      version_no: 1,
      device_type: 'PC',
      update_date: '2026-05-01',
    },
  ]);
  const people = { date: '2026-05-01', sessions: 2, active_users: 1 };
  await load(write, 'ga4_age_gender', [{ ...people, age: 1, gender: 1 }]);
  await load(write, 'ga4_country', [{ ...people, country_code: 'DE' }]);
  await load(write, 'ga4_region', [{ ...people, region: 3 }]);
  await insertRare(write, (table) => !NEWER_TABLES.has(table));
}

async function insertRare(write: Knex, isWanted: (table: string) => boolean): Promise<void> {
  for (const [table, row] of Object.entries(RARE_ROWS)) if (isWanted(table)) await write(table).insert(row);
}

/** Tables that no fixture contains yet. Their rows are inserted after the upgrade. */
const NEWER_TABLES: ReadonlySet<string> = new Set([
  'analytics.channel_rules',
  'analytics.funnel',
  'analytics.segment',
  'analytics.note',
  'analytics.report',
  'analytics.report_test',
  'analytics.erasure',
  'analytics.erased_digest',
  'analytics.rejected_file',
  'analytics.stored_day',
  'analytics.stored_month',
  'host.alarm',
  'host.job',
  'host.second_factor',
  'host.recovery_code',
]);

/** Corrects a view, adds a view that a click is waiting for, and adds a view between stored ones. Returns the import's id. */
export async function continueFixture(write: Knex): Promise<number> {
  await insertRare(write, (table) => NEWER_TABLES.has(table));
  const { importId } = await load(write, 'allpv', [
    view(60, '/a?b=1', { country_code: 'FR', pv_id: 2 }),
    view(90, '/b', { pv_id: 5 }),
    view(30, '/c', { pv_id: 6 }),
  ]);
  return importId ?? 0;
}
