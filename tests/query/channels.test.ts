// The channel of a visit in both engines: examples for the shipped rules, all kinds of values, which are compared with the
// interpreter, and changed rules.
import { importRows } from '../../extension/data/import/import-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../extension/language/parse/read-document';
import { createResultCache } from '../../extension/query/result-cache/result-cache';
import {
  CLICK_IDS,
  MEDIA,
  SOURCE_DOMAINS,
  SOURCE_NAMES,
} from '../language/interpreter/random/awkward-values';
import { channelOf } from '../language/interpreter/reading/channels';
import { createContext, manifest } from '../language/query-setup';
import { countingOnlyBy, openTestColumns } from '../support/columns';
import { runWhole } from '../support/run-whole';
import { useTestDatabase } from '../support/use-database';

const database = useTestDatabase();

const site = (tracking_id: string, more: object = {}) => ({
  tracking_id,
  domain: `${tracking_id}.example`,
  name: tracking_id,
  timezone: 'UTC',
  ...more,
});

type Traffic = readonly [
  domain: string | null,
  source: string | null,
  medium: string | null,
  click: string | null,
];

const load = (tracking_id: string, visits: readonly Traffic[]) =>
  importRows(database.write, manifest, {
    material: 'allpv',
    site: tracking_id,
    rows: visits.map(([source_domain, utm_source, utm_medium, click_id_name], index) => ({
      pv_id: index + 1,
      session_id: index + 1,
      reader_id: index + 1,
      url: '/',
      access_time: '2026-05-10T00:00:00Z',
      source_domain,
      utm_source,
      utm_medium,
      click_id_name,
    })),
  });

const bodyOf = (tracking_id: string, view: object) =>
  JSON.stringify({
    tracking_id,
    materials: [{ name: 'allpv' }],
    make: { v: { from: ['allpv'], ...view } },
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
    result: { use: 'v', limit: 50_000 },
  });

/** The channel of each visit, in order. Both engines must return the same channels, and the columnar copy must count them. */
async function channelsOf(tracking_id: string): Promise<readonly unknown[]> {
  const document = readDocument(bodyOf(tracking_id, { keep: ['allpv.pv_id', 'allpv.channel'] }));
  const calc = { visitors: 'COUNTUNIQUE(allpv.reader_id)', visits: 'COUNTUNIQUE(allpv.session_id)' };
  const byChannel = readDocument(bodyOf(tracking_id, { keep: ['allpv.channel'], calc }));
  const columns = await openTestColumns(database, { isCounted: true, manifest: countingOnlyBy() });
  try {
    const rows = await runWhole(document, await createContext(database));
    const copied = await runWhole(document, await createContext(database, { columns }));
    expect([copied.answeredBy.engine, copied.rows]).toEqual(['columns', rows.rows]);
    const channels = rows.rows.map(([, channel]) => channel);
    const counted = await runWhole(byChannel, await createContext(database, { columns }));
    const wanted = Object.entries(Object.groupBy(channels, String)).map(([channel, all = []]) => [
      channel,
      all.length,
      all.length,
    ]);
    expect(counted.rows.toSorted()).toEqual(wanted.toSorted());
    return channels;
  } finally {
    await columns.stop();
  }
}

const EXAMPLES: readonly (readonly [string, Traffic])[] = [
  ['Direct', [null, null, null, null]],
  ['Direct', [null, '(direct)', '(none)', null]],
  ['Organic Search', ['google.com', null, null, null]],
  ['Organic Search', ['WWW.Google.CO.JP', null, 'organic', null]],
  ['Organic Search', ['a.b.google.de', null, null, null]],
  ['Referral', ['a.b.c.google.de', null, null, null]],
  ['Referral', ['notgoogle.com', null, null, null]],
  ['Referral', ['docs.google.com', null, null, null]],
  ['Email', ['mail.google.com', null, null, null]],
  ['Email', ['google.com', 'spring', 'Email', null]],
  ['Paid Search', ['google.com', 'google', 'cpc', null]],
  ['Paid Search', ['google.com', null, null, 'gclid']],
  ['Paid Social', [null, 'facebook', 'paid_social', 'fbclid']],
  ['Paid Social', [null, null, null, 'ttclid']],
  ['Organic Social', ['l.facebook.com', null, null, 'fbclid']],
  ['Organic Social', ['t.co', null, null, null]],
  ['Paid Video', [null, 'youtube', 'cpv', null]],
  ['Paid Shopping', ['amazon.de', null, 'cpc', null]],
  ['Organic Shopping', ['google.com', 'shop', null, 'srsltid']],
  ['Organic Video', ['youtube.com', null, null, null]],
  ['Display', [null, 'network', 'banner', null]],
  ['Paid Other', [null, 'network', 'ppc', null]],
  ['Cross-network', ['google.com', 'google', 'cross-network', 'gclid']],
  ['Affiliates', [null, 'partner', 'affiliate', null]],
  ['Audio', [null, 'show', 'podcast', null]],
  ['SMS', [null, 'sms', null, null]],
  ['Mobile Push', [null, 'app', 'web push', null]],
  ['Unassigned', [null, 'newspaper', null, null]],
  ['Unassigned', [null, null, 'new', null]],
];

// conformance: beyond.channels
test('the shipped rules assign the expected channels', async () => {
  await applySites(database.write, { sites: [site('shipped')] });
  await load(
    'shipped',
    EXAMPLES.map(([, visit]) => visit),
  );
  expect(await channelsOf('shipped')).toEqual(EXAMPLES.map(([channel]) => channel));
});

const PARTNERS = {
  lists: { partners: ['Example.com', 'google.de'] },
  rules: [{ channel: "Partner's", source: ['@partners'], medium: [null, 'x*', '*EW'] }],
  otherwise: 'Other',
};

// The columnar copy stores which of the shipped rules may match.
test.each([
  ['the shipped rules', 'plain', undefined],
  ['custom rules', 'ruled', PARTNERS],
])(
  'every kind of source with every kind of medium gets the right channel, with %s',
  async (_title, trackingId, rules) => {
    const sources = [null, ...SOURCE_DOMAINS].flatMap((domain, index) =>
      [null, SOURCE_NAMES[index % SOURCE_NAMES.length] ?? null].map((source) => [domain, source] as const),
    );
    const visits = sources.flatMap(([domain, source], index) =>
      [null, ...MEDIA].flatMap((medium, place) =>
        [null, CLICK_IDS[(index + place) % CLICK_IDS.length] ?? null].map(
          (click): Traffic => [...([domain === '' ? null : domain, source] as const), medium, click],
        ),
      ),
    );
    await applySites(database.write, { sites: [site(trackingId, { channels: rules })] });
    await load(trackingId, visits);
    const wanted = visits.map(([domain, source, medium, click_id]) =>
      channelOf({ source: source ?? domain, medium, click_id }, rules),
    );
    expect(new Set(wanted).size).toBeGreaterThan(15);
    expect(await channelsOf(trackingId)).toEqual(wanted);
  },
);

test('a cached result is not used after the rules have changed', async () => {
  const cache = createResultCache(2 ** 20);
  const channels = { defaults: false, rules: [{ channel: 'New', source: [null] }], otherwise: 'Old' };
  await applySites(database.write, { sites: [site('changing')] });
  await load('changing', [[null, null, null, null]]);
  const body = bodyOf('changing', { keep: ['allpv.channel'] });
  const ask = async () => {
    const { rows, cached } = await runWhole(readDocument(body), await createContext(database), cache);
    return [rows, cached];
  };
  expect(await ask()).toEqual([[['Direct']], false]);
  expect(await ask()).toEqual([[['Direct']], true]);
  await applySites(database.write, { sites: [site('changing', { channels })] });
  expect(await ask()).toEqual([[['New']], false]);
  await applySites(database.write, { sites: [site('changing', { channels: { ...channels, rules: [] } })] });
  expect(await ask()).toEqual([[['Old']], false]);
});

test('no cached result is used after the rules have changed, even if an import that changed no rows has added a string', async () => {
  const cache = createResultCache(2 ** 20);
  await applySites(database.write, { sites: [site('kept')] });
  await load('kept', [[null, null, null, null]]);
  const view = { keep: ['allpv.channel'] };
  const ask = async (page: object) => {
    const body = { ...JSON.parse(bodyOf('kept', view)), result: { use: 'v', ...page } };
    return runWhole(readDocument(JSON.stringify(body)), await createContext(database), cache);
  };
  const first = await ask({ offset: 0 });
  await importRows(database.write, manifest, {
    material: 'allpv',
    site: 'kept',
    rows: [{ pv_id: 1, session_id: 1, reader_id: 1, url: '/other', access_time: '2026-05-10T00:00:00Z' }],
    onConflict: 'keep',
  });
  const channels = { defaults: false, rules: [], otherwise: 'Other' };
  await applySites(database.write, { sites: [site('kept', { channels })] });
  expect(await ask({ offset: 0 })).toMatchObject({ rows: [['Other']], cached: false });
  const next = ask({ offset: 1, data_version: first.page?.dataVersion });
  await expect(next).rejects.toMatchObject({ code: 'E_DATA_CHANGED' });
});
