// Imports store strings before it is known which rows will be stored. A removal deletes all strings that no row refers to and no undo
// can restore.
import { Readable } from 'node:stream';
import type { ClientBase } from 'pg';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { removeOldRows } from '../../../extension/data/removal/old-rows';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { type Removed, removeData } from '../../../extension/data/removal/remove-data';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { unusedValues } from '../../../extension/data/storage/unused-values';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, row } from '../import/import-setup';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');
const DAY = 86_400;

const load = async (
  site: string,
  material: string,
  rows: readonly object[],
  more: Partial<ImportOptions> = {},
): Promise<number> =>
  (await importRows(database.write, manifest, { material, site, rows, ...more })).importId ?? 0;

const remove = (trackingId: string, removed: Removed) =>
  removeData({ host: removalHost(database, clock), manifest, trackingId, login: 'ann' }, removed);
/** Erases a visitor without rows. */
const eraseNobody = (site: string) => remove(site, { kind: 'visitor', originalId: 'nobody' });

/** The string tables in which a site has a string that contains "secret". */
async function tablesWithSecret(site: string): Promise<readonly string[]> {
  const { rows: tables }: { rows: { name: string }[] } = await database.write.raw(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'analytics' AND column_name IN ('site_id', 'text_key')
      GROUP BY 1 HAVING count(*) = 2 ORDER BY 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.write.raw(
      `SELECT FROM analytics.?? t JOIN analytics.site s USING (site_id) WHERE s.tracking_id = ? AND position('secret' IN to_jsonb(t)::text) > 0`,
      [name, site],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

const stored = row(1, { pv_id: 'a', reader_id: 'b', session_id: 'c', utm_source: 'news', title: 'First' });
const named = (word: string) => ({
  ...stored,
  reader_id: undefined,
  original_id: word,
  session_id: word,
  url: `https://example.com/${word}`,
  title: word,
  referrer: `https://${word}.example/`,
  utm_medium: word,
  utm_campaign: word,
  utm_content: word,
  city: word,
});
const secret = named('secret');
const OF_VIEW = [
  'campaign',
  'content',
  'given_id',
  'location',
  'medium',
  'page',
  'page_state',
  'reader',
  'source',
];
/** The stored row's reader_id identifies the visitor. */
const OF_STORED = OF_VIEW.map((table) => (table === 'reader' ? 'reader_state' : table));
const SKIP = { onError: 'skip' } as const;
const version = {
  version_id: 1,
  url: 'https://example.com/1',
  device_type: 'PC',
  version_no: 1,
  update_date: '2026-01-01',
};

const logged = (referrer: string): string =>
  `192.0.2.7 - - [02/Mar/2026:09:15:00 +0000] "GET /tea?utm_source=secret HTTP/1.1" 200 5 "${referrer}" "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"\n`;

/** What happens to the secret row, and the tables in which an import leaves its strings. */
const WAYS: readonly (readonly [string, readonly string[], (site: string) => Promise<unknown>])[] = [
  ['contradicts another row of the file', OF_VIEW, (site) => load(site, 'allpv', [stored, secret], SKIP)],
  [
    'contradicts a stored row',
    OF_STORED,
    async (site) => {
      await load(site, 'allpv', [stored]);
      await load(site, 'allpv', [secret], { ...SKIP, onConflict: 'refuse' });
    },
  ],
  [
    'is ignored in favor of a stored row',
    OF_STORED,
    async (site) => {
      await load(site, 'allpv', [stored]);
      await load(site, 'allpv', [secret], { onConflict: 'keep' });
    },
  ],
  [
    'is replaced by a later row of its batch',
    OF_VIEW,
    (site) => load(site, 'allpv', [secret, named('other')], { duplicates: 'last' }),
  ],
  [
    'is replaced by a row of a later batch',
    OF_VIEW.filter((table) => table !== 'reader'),
    (site) =>
      load(site, 'allpv', [secret, named('other')], {
        duplicates: 'last',
        limits: { ...IMPORT_LIMITS, batchRows: 1 },
      }),
  ],
  [
    'is a version with the number of another one',
    ['given_id'],
    (site) => load(site, 'page_version', [version, { ...version, version_id: 'secret' }], SKIP),
  ],
  [
    'is a click outside the visit of its page view',
    ['given_id'],
    async (site) => {
      await load(site, 'allpv', [stored]);
      const click = { pv_id: 'a', session_id: 'secret', event_sec: 1, selector: '#secret' };
      await load(site, 'click_event', [click], SKIP);
    },
  ],
];

test.each(WAYS)(
  'the strings of a row that %s are deleted when a visitor is erased',
  async (_way, tables, leave) => {
    const site = await newSite(database.write);
    await leave(site);
    expect(await tablesWithSecret(site)).toEqual(tables);
    await eraseNobody(site);
    expect(await tablesWithSecret(site)).toEqual([]);
  },
);

const OLD = (AT - 300 * DAY) * 1000;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const { signal } = new AbortController();

test.each([
  ['days are removed', (site: string) => remove(site, { kind: 'days', from: day(OLD), to: day(OLD) })],
  [
    'retention removes a visit',
    async (site: string) => {
      await database.write('analytics.site').where({ tracking_id: site }).update({ retention_days: 200 });
      await removeOldVisits(
        { write: database.write, manifest, log: createMemoryLog().log, clock: () => new Date(AT * 1000) },
        signal,
      );
    },
  ],
  [
    'retention removes rows of other datasets',
    () =>
      removeOldRows(
        { write: database.write, manifest, log: createMemoryLog().log, clock: () => new Date(AT * 1000) },
        [{ material: 'gsc', days: 200 }],
        signal,
      ),
  ],
] as const)('the strings of a rejected row are deleted when %s', async (_when, removeOld) => {
  const site = await newSite(database.write);
  await load(site, 'allpv', [stored, secret, row(2, { access_time: OLD / 1000 })], SKIP);
  await load(site, 'gsc', [
    {
      date: day(OLD),
      url: 'https://example.com/1',
      keyword: 'tea',
      search_type: 'web',
      clicks: 1,
      impressions: 1,
      position: 1,
    },
  ]);
  expect(await tablesWithSecret(site)).toEqual(OF_VIEW);
  await removeOld(site);
  expect(await tablesWithSecret(site)).toEqual([]);
});

test('the strings of a corrected row are deleted when the day of the uncorrected row is removed', async () => {
  const site = await newSite(database.write);
  await load(site, 'allpv', [{ ...named('secret'), access_time: OLD / 1000 }]);
  await load(site, 'allpv', [named('other')]);
  await remove(site, { kind: 'days', from: day(OLD), to: day(OLD) });
  expect(await tablesWithSecret(site)).toEqual([]);
});

test('the source that only one of two merged lines contains is deleted when a visitor is erased', async () => {
  for (const referrers of [
    ['-', 'https://www.bing.com/'],
    ['https://www.bing.com/', '-'],
  ]) {
    const site = await newSite(database.write);
    await importFile({
      write: database.write,
      manifest,
      material: 'allpv',
      site,
      source: 'access.log',
      format: 'combined',
      clock,
      input: Readable.from([Buffer.from(referrers.map(logged).join(''))]),
      onError: 'stop',
    });
    const sources = async () => (await siteContents(database.write, site)).source;
    expect(await sources()).toHaveLength(2);
    await eraseNobody(site);
    expect(await sources()).toMatchObject([{ utm_source: 'secret', referrer: 'https://www.bing.com/' }]);
  }
});

test('strings that rows refer to, or that an undo can restore, are kept', async () => {
  const [site, expected] = [await newSite(database.write), await newSite(database.write)];
  for (const one of [site, expected]) {
    await load(one, 'allpv', [secret, row(2, { original_id: 'ann', pv_id: 2 })]);
    await load(one, 'click_event', [{ pv_id: 'a', event_sec: 1, selector: '#secret' }]);
    await load(one, 'datalayer_event', [
      { pv_id: 'a', access_time: AT + 2, event_name: 'buy', params: { size: 1 } },
      { reader_id: 'waiting', access_time: AT + 2, event_name: 'wait' },
    ]);
    await load(one, 'page_version', [{ ...version, version_id: 'v' }]);
  }
  const contents = () => siteContents(database.write, site);
  const before = await contents();
  await eraseNobody(site);
  expect(await contents()).toEqual(before);
  const correction = await load(site, 'allpv', [named('other')]);
  await eraseNobody(site);
  await undoImport({ write: database.write, manifest, importId: correction, login: 'ann', clock });
  const visitor = [row(1, { pv_id: 3, reader_id: 'waiting' })];
  for (const one of [site, expected]) await load(one, 'allpv', visitor);
  expect(await contents()).toEqual(await siteContents(database.write, expected));
  expect(
    await database
      .write('analytics.event')
      .join('analytics.site', 'site.site_id', 'event.site_id')
      .where({ tracking_id: site }),
  ).toHaveLength(2);
});

test('finding unused strings reads each row a few times, even if the planner has no statistics about the site', async () => {
  const VIEWS = 3000;
  await database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)');
  const site = await newSite(database.write);
  const rows = Array.from({ length: VIEWS }, (_, index) =>
    row(index, { title: `Page ${index}`, utm_source: `source ${index}`, original_id: `visitor ${index}` }),
  );
  await load(site, 'allpv', rows);
  await inTransaction(database.write, async (client) => {
    await (await unusedValues(client, await idOf(site))).dropAll();
    expect((await countsOf(client)).rows).toBeLessThan(40 * VIEWS);
  });
});

test('the strings of many views that an undo removed are found in a few scans', async () => {
  const site = await newSite(database.write);
  const visits = Array.from({ length: 20_000 }, (_, index) => {
    const place = (index * 7919) % 3000;
    const ids = { session_id: (index >> 2) + 1, reader_id: (index >> 3) + 1 };
    return row(index, { ...ids, url: `https://example.com/${place}`, utm_source: `source ${place}` });
  });
  await load(site, 'allpv', visits);
  const siteId = await idOf(site);
  await inTransaction(database.write, async (client) => {
    const unused = await unusedValues(client, siteId);
    // The planner still has the earlier statistics.
    const gone = 'DELETE FROM analytics.page_view WHERE site_id = $1 RETURNING *';
    await client.query(`WITH gone AS (${gone}) ${unused.noting('page_view', 'gone t')}`, [siteId]);
    await unused.drop();
    expect((await countsOf(client)).scans).toBeLessThan(100);
    const left = await client.query('SELECT FROM analytics.page WHERE site_id = $1', [siteId]);
    expect(left.rowCount).toBe(0);
  });
});

const idOf = async (site: string): Promise<number> =>
  (await database.write('analytics.site').where({ tracking_id: site }).first('site_id')).site_id;

/** How many rows of page views this transaction has read, in how many scans. */
async function countsOf(client: ClientBase): Promise<{ readonly rows: number; readonly scans: number }> {
  const { rows } = await client.query(
    `SELECT (seq_tup_read + idx_tup_fetch)::integer AS rows, (seq_scan + idx_scan)::integer AS scans
       FROM pg_stat_xact_all_tables WHERE relid = 'analytics.page_view'::regclass`,
  );
  return rows[0];
}
