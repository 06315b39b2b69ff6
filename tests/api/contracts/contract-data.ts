// Test data for the contract tests: three sites, a few views, goals of every type, searches, and events. Some events are
// intentionally corrupt, in ways that no importer would produce.
import type { Knex } from 'knex';
import { applyTestSites, importTestRows, type TestSite } from '../../support/host-data';
import type { Filling } from '../../support/test-server';

const SITES: readonly TestSite[] = [
  {
    tracking_id: 'shop',
    domain: 'shop.example',
    name: 'Shop',
    timezone: 'Asia/Tokyo',
    default: true,
    goals: [
      {
        id: 1,
        name: 'Thanks',
        type: 'gtype_page',
        condition: { url: 'https://shop.example/thanks', match: 'exact' },
      },
      { id: 2, name: 'Buy', type: 'gtype_click', condition: { selector: '#buy' } },
      { id: 3, name: 'Purchase', type: 'gtype_event', condition: { event: 'purchase', plan: 'pro' } },
      { id: 4, name: 'Cart', type: 'url_match', condition: '/cart' },
      { id: 5, name: 'Call', type: 'click', condition: 'a.tel' },
      { id: 6, name: 'Read', type: 'scroll_depth', condition: 80 },
    ],
  },
  { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' },
  { tracking_id: 'quiet', domain: 'quiet.example', name: 'Quiet', timezone: 'America/New_York' },
];

/** [pv_id, time, url]. Each view is in a separate visit. */
const VIEWS: Readonly<Record<string, readonly (readonly [number, string, string])[]>> = {
  shop: [
    [1, '2026-05-01T00:00:00+09:00', '/'],
    [2, '2026-05-01T00:00:30+09:00', '/a'],
    [3, '2026-05-01T09:00:00+09:00', '/a'],
    [4, '2026-05-02T23:59:59+09:00', '/b'],
    [5, '2026-05-02T23:59:59+09:00', '/c'],
    [6, '2026-05-31T23:59:59+09:00', '/d'],
    [7, '2026-06-01T00:00:00+09:00', '/'],
  ],
  blog: [
    [1, '2026-05-01T00:00:00+09:00', '/'],
    [2, '2026-10-25T00:30:00+00:00', '/post'],
    [3, '2026-10-25T01:30:00+00:00', '/post'],
  ],
};

/** A site's id, as SQL. */
export const siteId = (site: string) => `(SELECT site_id FROM analytics.site WHERE tracking_id = '${site}')`;

const event = (site: string, id: number, name: string, observed: unknown) =>
  `(${siteId(site)}, ${id}, '${name}', '${JSON.stringify(observed)}', md5('${name}')::uuid)`;

const EVENTS = [
  event('shop', 1, 'purchase', {
    value: 'number',
    currency: 'string',
    'item-id': 'string',
    url: 'string',
    page_id: 'number',
  }),
  event('shop', 2, 'gtm.js', {}),
  event('shop', 3, 'broken', ['value']),
  event('shop', 4, 'strange', { value: 'boolean' }),
  event('shop', 5, 'bare', {}),
  event('blog', 1, 'purchase', { value: 'string', plan: 'number' }),
];

export const CLOCK = () => new Date('2026-11-21T00:00:00Z');

/** The sites, views, searches and events. */
export const CONTRACT_DATA: Filling = { name: 'contracts', fill: loadContractData };

async function loadContractData(write: Knex): Promise<void> {
  const load = (material: string, site: string, rows: readonly object[]) =>
    importTestRows(write, { material, site, rows, clock: CLOCK });
  await applyTestSites(write, SITES);
  for (const [site, views] of Object.entries(VIEWS)) {
    const rows = views.map(([pv_id, access_time, url]) => ({
      pv_id,
      session_id: pv_id,
      reader_id: pv_id,
      access_time,
      url,
    }));
    await load('allpv', site, rows);
  }
  const shoes = { url: '/a', keyword: 'shoes', search_type: 'web' };
  await load('gsc', 'shop', [
    { ...shoes, date: '2026-05-01', clicks: 1, impressions: 30, position: 4.5 },
    { ...shoes, date: '2026-05-03', clicks: 2, impressions: 10, position: 1.5 },
    { ...shoes, date: '2026-06-01', clicks: 9, impressions: 90, position: 1 },
  ]);
  await write.raw(
    `INSERT INTO analytics.event_name (site_id, event_name_id, event_name, observed, text_key) VALUES ${EVENTS.join(', ')}`,
  );
}
