// The guide's revision changes if and only if the caller's guide changes.
import yaml from 'js-yaml';
import { setSwitch } from '../../extension/api/features/feature-switches';
import { basicHeader, type TestHost } from '../support/test-host';
import { GUIDE, startContractHost } from './contracts/contract-host';

let now = new Date('2026-11-23T00:00:00Z');
let host: TestHost;
beforeAll(async () => {
  host = await startContractHost({ clock: () => now });
});
afterAll(() => host.stop());

const ask = (search = '', login = 'ann', headers: Record<string, string> = {}) =>
  host.request('GET', GUIDE + search, { user: host.credentials(login), headers });

const revisionOf = async (search?: string, login?: string): Promise<string> =>
  (await ask(search, login)).body.revision;

const ADDRESSES = ['', '?parts=compact', '?parts=sites', '?parts=features', '?parts=materials'];

test.each(ADDRESSES)('guide%s has the same revision while nothing changes', async (search) => {
  const before = await revisionOf(search);
  now = new Date(now.getTime() + 86_400_000);
  expect(before).toMatch(/^[0-9a-f]{32}$/);
  expect(await revisionOf(search)).toBe(before);
});

test.each(ADDRESSES)('If-None-Match for guide%s is answered with 304 and no body', async (search) => {
  const { headers } = await ask(search);
  for (const known of [String(headers.etag), `"another", ${headers.etag}`]) {
    const { status, text, headers: sent } = await ask(search, 'ann', { 'If-None-Match': known });
    expect([status, text, sent.etag]).toEqual([304, '', headers.etag]);
    expect(sent).not.toHaveProperty('content-type');
  }
  expect((await ask(search, 'ann', { 'If-None-Match': 'W/"another"' })).status).toBe(200);
});

const write = () => host.database.write.withSchema('analytics');
const SITE = { domain: 'new.example', name: 'New', timezone: 'UTC' };

const CHANGES: readonly (readonly [what: string, change: () => PromiseLike<unknown>])[] = [
  [
    'a feature is switched off',
    () => setSwitch(host.database.write, { feature: 'filter_any', enabled: false, changedAt: now }),
  ],
  [
    'a feature is switched on again',
    () => setSwitch(host.database.write, { feature: 'filter_any', enabled: true, changedAt: now }),
  ],
  [
    'a site is added',
    () =>
      write()
        .insert({ tracking_id: 'new', ...SITE })
        .into('site'),
  ],
  ['a site is renamed', () => write().from('site').where({ tracking_id: 'new' }).update('name', 'Newer')],
  ['a goal is renamed', () => write().from('goal').where({ goal_no: 1 }).update('name', 'Thank you')],
  ['a goal is removed', () => write().from('goal').where({ goal_no: 6 }).delete()],
  [
    'a site gets custom channel rules',
    () =>
      write()
        .insert({ site_id: FIRST_SITE(), rules: JSON.stringify(CHANNELS) })
        .into('channel_rules'),
  ],
  [
    "a site's channel rules change",
    () =>
      write()
        .from('channel_rules')
        .update('rules', JSON.stringify({ ...CHANNELS, otherwise: 'Other' })),
  ],
  [
    'an event is observed for the first time',
    () =>
      write()
        .insert({ ...EVENT, site_id: FIRST_SITE() })
        .into('event_name'),
  ],
];
const FIRST_SITE = () => host.database.write.raw('(SELECT min(site_id) FROM analytics.site)');
const CHANNELS = { rules: [{ channel: 'Partners', source: ['partner.example'] }] };
const EVENT = {
  event_name_id: 9_001,
  event_name: 'sign_up',
  observed: { plan: 'string' },
  text_key: '00000000-0000-0000-0000-000000009001',
};

// conformance: version.caches-keyed-api
test.each(CHANGES)('the revision changes when %s', async (_, change) => {
  const { headers } = await ask();
  await change();
  const { status, body } = await ask('', 'ann', { 'If-None-Match': String(headers.etag) });
  expect(status).toBe(200);
  expect(`W/"${body.revision}"`).not.toBe(headers.etag);
});

test('callers who see different sites get different revisions', async () => {
  expect(await revisionOf('', 'bob')).not.toBe(await revisionOf('', 'ann'));
});

test('a change to a site that the caller cannot see does not change the revision', async () => {
  const before = await revisionOf('', 'bob');
  await write().from('site').where({ tracking_id: 'blog' }).update('name', 'Journal');
  expect(await revisionOf('', 'bob')).toBe(before);
});

test('with Cache-Control: no-cache, the whole guide is returned', async () => {
  const { headers } = await ask();
  const answer = await fetch(host.url + GUIDE, {
    headers: {
      Authorization: basicHeader(host.credentials('ann')),
      'If-None-Match': String(headers.etag),
      'Cache-Control': 'no-cache',
    },
  });
  expect(answer.status).toBe(200);
});

test('the text about the materials is written once for each set of features', async () => {
  const showsColumns = async (enabled: boolean) => {
    await setSwitch(host.database.write, { feature: 'url_parts', enabled, changedAt: now });
    return JSON.stringify((await ask('?parts=materials')).body).includes('url_folder');
  };
  const inBoth = async () => [await showsColumns(false), await showsColumns(true)];
  expect(await inBoth()).toEqual([false, true]);
  const dump = jest.spyOn(yaml, 'dump');
  expect(await inBoth()).toEqual([false, true]);
  expect(dump).not.toHaveBeenCalled();
});
