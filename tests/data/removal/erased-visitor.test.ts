// After an erasure, no text in the database identifies the visitor, no matter who wrote it.

import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeData } from '../../../extension/data/removal/remove-data';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, row } from '../import/import-setup';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();

const load = (site: string, material: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

/** The fields in the analytics schema that contain this text, as `table.field`. */
async function fieldsWith(text: string): Promise<readonly string[]> {
  const { rows } = await database.write.raw(
    `SELECT c.table_name AS table, c.column_name AS field FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'analytics' AND t.table_type = 'BASE TABLE'
        AND c.data_type IN ('text', 'jsonb', 'character varying', 'ARRAY') ORDER BY 1, 2`,
  );
  const found: string[] = [];
  for (const { table, field } of rows) {
    const { rows: result } = await database.write.raw(
      'SELECT count(*) > 0 AS contains FROM analytics.?? WHERE position(? IN ??::text) > 0',
      [table, text, field],
    );
    if (result[0].contains) found.push(`${table}.${field}`);
  }
  return found;
}

/**
 * A site on which a visitor's name is stored everywhere, even in the earlier values of corrected rows. A view was moved from
 * this visitor to another one.
 */
async function filled(name: string): Promise<string> {
  const site = await newSite(database.write);
  const mine = (index: number, more: object = {}) =>
    row(index, {
      pv_id: `${name} view ${index}`,
      session_id: `${name} visit`,
      reader_id: `${name} key`,
      ...more,
    });
  await load(site, 'allpv', [
    mine(1, {
      original_id: `${name} early`,
      title: `Account of ${name}`,
      referrer: `https://r.example/${name}`,
    }),
    mine(2, { original_id: name, url: `https://example.com/${name}`, utm_campaign: name }),
    row(3, { pv_id: 'other', reader_id: 'other', original_id: 'other' }),
    row(4, { pv_id: 'moved', reader_id: `${name} key`, original_id: name }),
  ]);
  await load(site, 'click_event', [
    { pv_id: `${name} view 1`, event_sec: 1, selector: `#${name}`, element_text: name, to_url: `/${name}` },
  ]);
  await load(site, 'datalayer_event', [
    { pv_id: `${name} view 1`, access_time: row(1).access_time, event_name: 'buy', params: { by: name } },
  ]);
  // Corrections keep the earlier values.
  await load(site, 'allpv', [
    mine(1, { title: 'Account', original_id: name }),
    row(4, { pv_id: 'moved', reader_id: 'other', original_id: 'other' }),
  ]);
  await load(site, 'allpv', [{ ...row(9), os: 7, original_id: name, pv_id: 'bad', device_type: name }], {
    onError: 'skip',
  });
  await load(site, 'allpv', [{ ...row(9), url: name, original_id: name }]).catch(() => undefined);
  const query = {
    asked_at: new Date(0),
    user_id: 1,
    login: 'ann',
    version: 'latest',
    milliseconds: 1,
    status: 200,
  };
  await database.write('analytics.query_record').insert([
    { ...query, body: JSON.stringify({ original_id: name }) },
    { ...query, body: '{"filter":1}', error_message: `There is no ${JSON.stringify(name)}.` },
  ]);
  return site;
}

const clock = () => new Date('2026-06-01T00:00:00Z');

test.each([
  ['their latest name', 'zzname-1', 'zzname-1'],
  ['an earlier name', 'zzname-2', 'zzname-2 early'],
  ['their reader_id, which was text in files', 'zzname-3', 'zzname-3 key'],
  // conformance: beyond.erased-visitor-no
])('nothing is left of a visitor who is erased by %s', async (_label, name, originalId) => {
  const elsewhere = await newSite(database.write);
  await load(elsewhere, 'allpv', [row(1, { pv_id: 'same number' })]);
  const trackingId = await filled(name);
  expect(await fieldsWith(name)).toEqual(
    expect.arrayContaining([
      'given_id.given',
      'import_rejection.value',
      'page.url',
      'reader_state.original_id',
    ]),
  );
  const options = { host: removalHost(database, clock), manifest, trackingId, login: 'ann' };
  await removeData(options, { kind: 'visitor', originalId });
  expect(await fieldsWith(name)).toEqual([]);
  expect(await givenIds(trackingId)).toEqual(['moved', 'other']);
  expect(await givenIds(elsewhere)).toEqual(['same number']);
});

/** The textual ids of a site's views. */
const givenIds = (trackingId: string) =>
  database.write
    .from('analytics.given_id')
    .join('analytics.site', 'site.site_id', 'given_id.site_id')
    .where({ tracking_id: trackingId, kind: 'pv_id' })
    .orderBy('given')
    .pluck<string[]>('given');

test('a visitor with the name that the erased visitor had before a correction is kept, and undoing the correction does not restore the erased visitor', async () => {
  const site = await newSite(database.write);
  const other = row(2, { pv_id: 2, original_id: 'other' });
  await load(site, 'allpv', [row(1, { pv_id: 1, reader_id: 7, original_id: 'other' }), other]);
  const { importId = 0 } = await load(site, 'allpv', [row(1, { pv_id: 1, original_id: 'mine' })]);
  const options = { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' };
  await removeData(options, { kind: 'visitor', originalId: 'mine' });
  await undoImport({ ...options, write: database.write, clock, importId });
  const expected = await newSite(database.write);
  await load(expected, 'allpv', [other]);
  expect(await siteContents(database.write, site)).toEqual(await siteContents(database.write, expected));
});

test('only records of the same site that contain the whole name, or its beginning if it was shortened, are erased', async () => {
  const site = await newSite(database.write);
  const other = await newSite(database.write);
  const long = `Zoë ${'z'.repeat(300)}`;
  await load(site, 'allpv', [
    row(1, { pv_id: 1, reader_id: 90_007, original_id: '7' }),
    row(2, { pv_id: 2, reader_id: 90_007, original_id: long }),
    row(3, { pv_id: 3, reader_id: 170, original_id: '17' }),
  ]);
  const queryRecord = (tracking_id: string | null, body: object | string, more: object = {}) => ({
    asked_at: new Date(0),
    user_id: 1,
    login: 'kim',
    version: 'latest',
    milliseconds: 1,
    status: 200,
    tracking_id,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...more,
  });
  const seven = (value: unknown) => ({ filter: { original_id: { eq: value } } });
  const erased = [
    queryRecord(site, seven('7')),
    queryRecord(site, seven(7)),
    queryRecord('all', seven('7')),
    queryRecord(null, seven('7')),
    queryRecord(site, { filter: { reader_id: { in: [1, 90_007] } } }),
    queryRecord(site, '{"filter":{"original_id":"Zo\\u00eb \\u007a"}', {
      error_message: `${JSON.stringify(long).slice(0, 117)}...`,
    }),
    queryRecord(site, '', { view: `${long.slice(0, 200)}...` }),
    queryRecord(site, '', { view: '7' }),
  ];
  const kept = [
    queryRecord(other, seven('7')),
    queryRecord(other, { filter: { reader_id: 90_007 } }),
    queryRecord(site, seven('17')),
    queryRecord(site, { filter: { original_id: { in: ['70', '-7', '7.5', 7.5] } } }),
    queryRecord(site, { result: { limit: 7 } }),
    queryRecord(site, { filter: { reader_id: 1 }, x: 'page 7', limit: 900_075 }),
    queryRecord(site, '', { error_message: 'At most 7 views are allowed, not "Zoë is lo...".' }),
  ];
  await database.write('analytics.query_record').delete();
  await database.write('analytics.query_record').insert([...erased, ...kept]);
  const options = { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' };
  await removeData(options, { kind: 'visitor', originalId: '7' });
  const left = await database
    .write('analytics.query_record')
    .select('body', 'view', 'tracking_id')
    .orderBy('query_id');
  expect(left).toEqual(kept.map(({ body, tracking_id }) => ({ body, tracking_id, view: null })));
});

test('saved queries that contain the number elsewhere are kept, and so are rejected rows with a different number, or with the same number in another column', async () => {
  const site = await newSite(database.write);
  await load(site, 'allpv', [row(1, { pv_id: 1, original_id: '7' })]);
  const rejected = [
    { ...row(2), os: 7, device_type: '7' },
    { ...row(3), device_type: '77' },
    { ...row(4), original_id: 7, 'user-7': 7 },
  ];
  await load(site, 'allpv', [row(5), ...rejected], { onError: 'skip' });
  const save = (name: string, body: object) => ({
    user_id: 1,
    login: 'kim',
    version: 'latest',
    shared: false,
    changed_at: new Date(0),
    name,
    body: JSON.stringify(body),
  });
  await database
    .write('analytics.saved_query')
    .insert([
      save(`${site} erased`, { tracking_id: site, filter: { original_id: '7' } }),
      save(`${site} limit`, { tracking_id: site, result: { limit: 7 } }),
      save(`${site} other`, { tracking_id: 'other', filter: { original_id: '7' } }),
    ]);
  const options = { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' };
  await removeData(options, { kind: 'visitor', originalId: '7' });
  const saved = await database
    .write('analytics.saved_query')
    .where('name', 'like', `${site} %`)
    .pluck('name')
    .orderBy('name');
  expect(saved).toEqual([`${site} limit`, `${site} other`]);
  const { rows } = await database.write.raw(
    `SELECT r.value FROM analytics.import_rejection r JOIN analytics.import_run USING (import_id)
       JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY line`,
    [site],
  );
  expect(rows).toEqual([{ value: '"7"' }, { value: '"77"' }]);
});
