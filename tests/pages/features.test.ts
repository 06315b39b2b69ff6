// The "Features" page over HTTP: the table of features with their switches, and the effect on the API.
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const HOSTILE = '<script>alert("x")</script>';

let host: TestHost;
let admin: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'a.example', name: 'Shop', timezone: 'UTC', default: true }],
    users: [
      { login: 'admin', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
    clock: () => new Date('2026-05-01T20:00:00Z'),
  });
  admin = await logInAs(host, 'admin');
});
afterAll(() => host.stop());
beforeEach(() => host.database.write('analytics.feature_switch').delete());

const rowOf = async (feature: string): Promise<string | undefined> => {
  const { text } = await admin.get('/wp-admin/features');
  return [...text.matchAll(/<tr>([\s\S]*?)<\/tr>/g)]
    .map((match) =>
      (match[1] ?? '')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((row) => row.startsWith(`${feature} `));
};

const turn = (feature: string, state: 'on' | 'off') =>
  state === 'on'
    ? admin.post('/wp-admin/features', { feature, turn: state })
    : admin.post(`/wp-admin/features/${feature}/off`, {});

const ask = () =>
  host.request('POST', '/wp-json/qa-platform/query', {
    user: 'ana',
    body: {
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }],
      time: { start: '2026-01-01T00:00:00', end: '2026-02-01T00:00:00', tz: 'UTC' },
      make: { v: { from: ['allpv'], filter: { pv: { eq: 1 } }, keep: ['allpv.url'] } },
      result: { use: 'v' },
    },
  });

test('every feature has a description, a date and a switch', async () => {
  expect(await rowOf('filter')).toBe('filter The filter clause of a view. 2025-10-20 on Switch off');
  expect(await rowOf('sample')).toBe('sample Answers from a sample of the rows. off not in this version');
});

test('the API rejects a feature that is switched off, from the next request on', async () => {
  expect(await ask()).toMatchObject({ status: 200 });
  const off = await turn('filter', 'off');
  expect(off).toMatchObject({ status: 303, headers: { location: '/wp-admin/features' } });
  expect((await admin.follow(off)).text).toContain('filter is off.');
  expect(await rowOf('filter')).toMatch(/ 2025-10-20 off 1 May 2026, 20:00 Switch on$/);
  expect((await ask()).text).toContain('E_FEATURE_DISABLED');
  await turn('filter', 'on');
  expect(await rowOf('filter')).toMatch(/ on Switch off$/);
  expect(await ask()).toMatchObject({ status: 200 });
});

test('a feature that this version does not have cannot be switched on, and neither can one with an unknown name', async () => {
  const refused = await turn('sample', 'on');
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('sample cannot be switched on: this version does not have it.');
  expect((await turn('filtr', 'off')).text).toContain('There is no feature filtr. Did you mean filter?');
  const hostile = await turn(HOSTILE, 'on');
  expect(hostile.status).toBe(400);
  expect(hostile.text).not.toContain('<script>alert');
  expect((await admin.post('/wp-admin/features', { feature: 'filter', turn: 'off' })).status).toBe(400);
  expect(await host.database.write('analytics.feature_switch').select()).toEqual([]);
});

test('switching a feature off must be confirmed on a separate page, and opening that page changes nothing', async () => {
  const { status, text } = await admin.get('/wp-admin/features/filter/off');
  expect(status).toBe(200);
  expect(text).toContain('Switch off filter?');
  expect(text).toContain(
    'The filter clause of a view. From the next request on, queries that use it are rejected',
  );
  expect(await rowOf('filter')).toMatch(/ on Switch off$/);
  for (const unknown of ['filter/on', 'filter', 'sample/off', 'filtr/off'])
    expect((await admin.get(`/wp-admin/features/${unknown}`)).status).toBe(404);
});

test('a feature that is always on has no switch', async () => {
  const turned = await turn('guide_local_source', 'off');
  expect(turned.status).toBe(400);
  expect(turned.text).toContain('guide_local_source has no switch: it is always on.');
  expect(await rowOf('guide_local_source')).toMatch(/ 2026-05-11 on always on$/);
});

test('a switch with an unknown name is shown without a button', async () => {
  await host.database.write('analytics.feature_switch').insert({
    feature: HOSTILE,
    enabled: false,
    changed_at: new Date('2026-05-01T20:00:00Z'),
  });
  expect(await rowOf('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;')).toContain(
    'Not a feature of this version: its switch has no effect. unknown 1 May 2026',
  );
});

test('analysts cannot open the page', async () => {
  const analyst = await logInAs(host, 'ana');
  expect((await analyst.get('/wp-admin/features')).status).toBe(403);
  expect((await analyst.post('/wp-admin/features/filter/off', {})).status).toBe(403);
  expect(await rowOf('filter')).toContain('on Switch off');
});
