// The dashboard as HTTP answers it: which site and which days are shown, and that each of its queries is a public one.
import { type DashboardPanel, dashboardPanels } from '../../../extension/admin/dashboard-queries';
import { daysUntil, readRange } from '../../../extension/admin/dashboard-range';
import { logInAs } from '../../support/page-client';
import { startTestHost, type TestHost } from '../../support/test-host';

const NOW = new Date('2026-11-20T20:00:00Z');
const HOSTILE = `<script>alert("x")</script>'& Läden 東京`;
const QUERY = '/wp-json/qa-platform/query?version=latest&envelope=result';

describe('the range of days', () => {
  test.each([
    ['by default the 30 whole days before today', {}, 'UTC', '2026-10-21', '2026-11-19'],
    ['it is tomorrow in Tokyo already', { last: '7' }, 'Asia/Tokyo', '2026-11-14', '2026-11-20'],
    ['it is still today in Honolulu', { last: '7' }, 'Pacific/Honolulu', '2026-11-13', '2026-11-19'],
    ['90 days', { last: '90' }, 'UTC', '2026-08-22', '2026-11-19'],
    ['both ends belong to it', { from: '2026-02-28', to: '2026-02-28' }, 'UTC', '2026-02-28', '2026-02-28'],
  ])('%s', (_title, asked, zone, first, last) => {
    const read = readRange(asked, NOW, zone);
    expect(read.faults).toEqual({});
    expect(read.range).toEqual({ first, last });
  });

  test.each([
    [{ from: '2026-02-30', to: '2026-03-01' }, ['from']],
    [{ from: 'x', to: '' }, ['from', 'to']],
    [{ from: '2026-11-02', to: '2026-11-01' }, ['to']],
    [{ from: '1900-01-01', to: '2026-11-01' }, ['from']],
    [{ from: '0001-12-31', to: '0002-01-02' }, ['from']],
    [{ from: '9998-12-31', to: '9999-12-31' }, ['to']],
    [{ from: '9999-12-31', to: '9999-12-31' }, ['from', 'to']],
    [{ last: '8' }, ['last']],
    [{ last: '' }, ['last']],
  ])('%j is a fault at %j, and the default days are shown', (asked, fields) => {
    const read = readRange(asked, NOW, 'UTC');
    expect(Object.keys(read.faults)).toEqual(fields);
    expect(read.range).toEqual({ first: '2026-10-21', last: '2026-11-19' });
  });
});

test.each([
  ['0002-01-01', '0002-01-01'],
  ['9998-12-31', '9998-12-31'],
])('%s can be asked', (from, to) => {
  expect(readRange({ from, to }, NOW, 'UTC')).toMatchObject({ range: { first: from, last: to }, faults: {} });
});

test('days stay within what can be asked', () => {
  expect(daysUntil('9999-12-31', 2)).toEqual({ first: '9998-12-30', last: '9998-12-31' });
  expect(daysUntil('0001-01-05', 30)).toEqual({ first: '0002-01-01', last: '0002-01-01' });
});

test('the day after the last one is the end, over months, years and leap days', () => {
  const endOf = (last: string) =>
    JSON.stringify(dashboardPanels({ trackingId: 'x', timezone: 'UTC' }, { first: last, last })[0]?.query);
  expect(endOf('2026-12-31')).toContain('"end":"2027-01-01T00:00:00"');
  expect(endOf('2028-02-28')).toContain('"end":"2028-02-29T00:00:00"');
});

describe('the page', () => {
  let host: TestHost;
  const view = (access_time: number, more: object = {}) => ({
    url: 'https://shop.example/',
    title: HOSTILE,
    access_time,
    ...more,
  });
  const at = (text: string) => Date.parse(text) / 1000;

  beforeAll(async () => {
    const timezone = 'Asia/Tokyo';
    host = await startTestHost({
      clock: () => NOW,
      sites: [
        { tracking_id: 'shop', domain: 'shop.example', name: HOSTILE, timezone, default: true },
        { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' },
        { tracking_id: 'old', domain: 'old.example', name: 'Old', timezone: 'Europe/Berlin' },
      ],
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['blog'] },
        { login: 'nil', role: 'analyst' },
      ],
    });
    await host.importRows('allpv', 'shop', [
      // 00:30 of November 1 in Tokyo, and 23:30 of the same day.
      view(at('2026-10-31T15:30:00Z'), { session_id: 1, reader_id: 1, pv: 1, device_type: 'SP' }),
      view(at('2026-10-31T15:31:00Z'), { session_id: 1, reader_id: 1, pv: 2, device_type: 'SP' }),
      view(at('2026-11-01T14:30:00Z'), { session_id: 2, reader_id: 1, pv: 1, device_type: 'PC' }),
      view(at('2026-11-01T15:30:00Z'), { session_id: 3, reader_id: 2, pv: 1, device_type: 'PC' }),
    ]);
    await host.importRows('allpv', 'old', [view(at('2024-03-31T12:00:00Z'))]);
  });
  afterAll(() => host.stop());

  const panels = () =>
    dashboardPanels(
      { trackingId: 'shop', timezone: 'Asia/Tokyo' },
      { first: '2026-11-01', last: '2026-11-01' },
    );
  const askFor = async ({ query }: DashboardPanel) =>
    (await host.request('POST', QUERY, { user: 'ann', body: query })).body;

  test('the public route answers its queries, by days of the site', async () => {
    const answers = await Promise.all(
      panels().map(async (panel) => {
        const { columns, rows } = (await askFor(panel)).result;
        return [panel.id, columns, rows];
      }),
    );
    expect(answers).toEqual([
      ['views', ['views'], [[3]]],
      ['sessions', ['sessions'], [[2]]],
      ['readers', ['readers'], [[1]]],
      ['days', ['access_date', 'views', 'sessions', 'readers'], [['2026-11-01', 3, 2, 1]]],
      ['pages', ['title', 'url', 'views'], [[HOSTILE, 'https://shop.example/', 3]]],
      ['sources', ['source_domain', 'sessions'], [[null, 2]]],
      ['countries', ['country_code', 'sessions'], [[null, 2]]],
      [
        'devices',
        ['device_type', 'sessions'],
        [
          ['PC', 1],
          ['SP', 1],
        ],
      ],
    ]);
  });

  test('each count has the column name that its panel gives it', async () => {
    for (const panel of panels()) {
      const { columns } = (await askFor(panel)).result;
      expect(columns).toEqual(expect.arrayContaining(panel.counts.map(({ column }) => column)));
    }
  });

  test('it shows the last 30 days of the default site in its time zone', async () => {
    const page = await (await logInAs(host, 'ann')).get('/wp-admin/dashboard');
    expect(page.status).toBe(200);
    expect(page.text).toContain(
      '2026-10-22 to 2026-11-20, in the time zone of the site, Asia/Tokyo (yours is UTC)',
    );
    expect(page.text).toContain('Data from 2026-11-01 to 2026-11-02.');
  });

  test('site names are text, in the page and in its links', async () => {
    const page = await (await logInAs(host, 'ann')).get('/wp-admin/dashboard');
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('Läden 東京');
  });

  test('an analyst only sees granted sites', async () => {
    const bob = await logInAs(host, 'bob');
    const page = await bob.get('/wp-admin/dashboard');
    expect(page.text).toContain('Blog (blog.example)');
    expect(page.text).not.toContain('shop.example');
    expect((await bob.get('/wp-admin/dashboard?site=shop')).status).toBe(404);
    expect((await bob.get('/wp-admin/dashboard?site=nowhere')).status).toBe(404);
  });

  test('a person without sites is told what to do', async () => {
    const page = await (await logInAs(host, 'nil')).get('/wp-admin/dashboard');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Ask an administrator to grant you one.');
  });

  test('days without data come with a link to days with data', async () => {
    const ann = await logInAs(host, 'ann');
    const page = await ann.get('/wp-admin/dashboard?site=old');
    const link = /href="([^"]+)">Show the newest days/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(new URL(link, host.url).search).toBe('?site=old&from=2024-03-02&to=2024-03-31');
    expect((await ann.get(link)).text).not.toContain('Show the newest days');
    const empty = await ann.get('/wp-admin/dashboard?site=blog');
    expect(empty.text).toContain('This site has no page views yet.');
  });

  test('an impossible date is a fault at its field, and the typed values stay', async () => {
    const ann = await logInAs(host, 'ann');
    const page = await ann.get('/wp-admin/dashboard?site=shop&from=2026-02-30&to=2026-03-01');
    expect(page.status).toBe(400);
    expect(page.text).toContain('value="2026-02-30" aria-invalid="true"');
    expect(page.text).toContain('Enter a date such as 2026-11-01.');
  });

  test('panels whose feature is switched off are left out, with a sentence, and a link for people who may switch it on', async () => {
    const features = host.database.write.withSchema('analytics').from('feature_switch');
    const feature = 'sort';
    await features.clone().insert({ feature, enabled: false, changed_at: new Date() });
    try {
      const page = (await (await logInAs(host, 'ann')).get('/wp-admin/dashboard')).text;
      expect(page).toContain(
        'Not shown: Top pages, Sources, Countries, Devices. The feature sort is switched off',
      );
      expect([...page.matchAll(/id="panel-(\w+)"/g)].map(([, id]) => id)).toEqual([
        'views',
        'sessions',
        'readers',
        'days',
      ]);
      expect(page).toContain('<a href="/wp-admin/features">Features</a>');
      const analyst = (await (await logInAs(host, 'bob')).get('/wp-admin/dashboard')).text;
      expect(analyst).toContain('Not shown: Top pages');
      expect(analyst).not.toContain('/wp-admin/features');
      for (const panel of panels().filter(({ needs }) => !needs.includes(feature)))
        expect((await askFor(panel)).ok).toBe(true);
    } finally {
      await features.clone().where({ feature }).delete();
    }
  });

  test('every panel has a link that opens its query in the playground', async () => {
    const page = await (await logInAs(host, 'ann')).get('/wp-admin/dashboard?site=blog');
    const links = [...page.text.matchAll(/href="\/wp-admin\/playground#([^"]+)"/g)];
    const queries = links.map(([, text = '']) => JSON.parse(decodeURIComponent(text)));
    expect(queries).toHaveLength(8);
    for (const { qal } of queries) {
      expect(qal.tracking_id).toBe('blog');
      expect(qal.time.tz).toBe('Europe/Berlin');
    }
  });
});
