// Records that contain a visitor's name only by coincidence (as a key, as a keyword of the query language, or as another kind of
// value) are kept.
import { importRows } from '../../../extension/data/import/import-rows';
import { mentionsOf } from '../../../extension/data/removal/mentions';
import { removeData } from '../../../extension/data/removal/remove-data';
import { filtersSchema } from '../../../extension/pages/dashboard/requested-dashboard';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite } from '../import/import-setup';

const database = useTestDatabase();
const clock = () => new Date((AT + 1000) * 1000);
beforeEach(async () => {
  for (const table of ['query_record', 'saved_query', 'segment', 'note'])
    await database.write(`analytics.${table}`).delete();
});

const erase = (site: string, originalId: string) =>
  removeData(
    { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' },
    { kind: 'visitor', originalId },
  );

const WORDS = ['desc', 'page', 'value', 'values', 'url', 'allpv', 'filter', 'SP', 'original_id', '7'];

const query = (original_id: unknown) => ({
  make: {
    page: {
      from: ['allpv'],
      keep: ['allpv.url'],
      filter: { device_type: 'SP', url: { contains: 'value' }, pv: 7, 'allpv.original_id': original_id },
      calc: { value: { of: 'COUNT(allpv.pv_id)', filter: { reader_id: { gt: { column: 'page' } } } } },
    },
  },
  result: { use: 'page', sort: [{ column: 'value', direction: 'desc' }], limit: 7 },
});

test('saved queries are kept unless a condition contains the name', async () => {
  const site = await newSite(database.write);
  const save = (name: string, body: object) => ({
    user_id: 1,
    login: 'kim',
    version: 'latest',
    shared: false,
    changed_at: clock(),
    name,
    body: JSON.stringify(body),
  });
  await database
    .write('analytics.saved_query')
    .insert([
      save('page', query('ben')),
      save('all', query({ in: ['anna', ...WORDS] })),
      save('one', query('anna')),
      save('wrapped', { qal: query({ any: 'anna' }) }),
    ]);
  const saved = () => database.write('analytics.saved_query').orderBy('saved_query_id').pluck('name');
  await erase(site, 'anna');
  expect(await saved()).toEqual(['page']);
  for (const word of WORDS) await erase(site, word);
  expect(await saved()).toEqual(['page']);
});

test('query records are found by any of their text fields', async () => {
  const site = await newSite(database.write);
  const succeeded = {
    asked_at: clock(),
    user_id: 1,
    login: 'kim',
    version: 'latest',
    milliseconds: 1,
    status: 200,
    tracking_id: site,
    body: '',
  };
  const failed = { ...succeeded, status: 400, error_code: 'E_UNKNOWN_COLUMN' };
  await database.write('analytics.query_record').insert([
    { ...succeeded, body: JSON.stringify(query('ben')), view: 'page' },
    { ...failed, error_at: 'make.page.filter', error_message: 'There is no annabel.' },
    { ...succeeded, query: JSON.stringify(query('anna')) },
    { ...failed, error_at: 'make.anna.filter' },
    { ...failed, error_at: 'make.anna[0]' },
    { ...failed, error_at: 'make["anna"]' },
    { ...failed, error_message: 'There is no column "anna".' },
    { ...failed, body: '{"where":[{"column":"original_id","value":"anna"}]}' },
    { ...failed, body: '{"filter":{"original_id":"anna"' },
    { ...succeeded, view: 'anna' },
  ]);
  await erase(site, 'anna');
  expect(
    await database.write('analytics.query_record').orderBy('query_id').select('view', 'error_at'),
  ).toEqual([
    { view: 'page', error_at: null },
    { view: null, error_at: 'make.page.filter' },
  ]);
});

test('segments remain valid, and only values of event parameters are replaced', async () => {
  const site = await newSite(database.write);
  const { site_id } = await database.write('analytics.site').where('tracking_id', site).first('site_id');
  const filters = (value: string | number) => [
    { dimension: 'page', not: false, values: ['anna', 'values', null] },
    { dimension: 'device', not: true, values: ['SP'] },
    {
      dimension: 'parameter',
      not: false,
      values: [`["login", "user", ${JSON.stringify(value)}]`, '["buy","plan","x"]'],
    },
  ];
  await database.write('analytics.segment').insert(
    ['anna', 4711].map((value, index) => ({
      site_id,
      user_id: 1,
      login: 'kim',
      name: `s${index}`,
      filters: JSON.stringify(filters(value)),
      shared: true,
    })),
  );
  for (const name of [...WORDS, 'parameter', 'dimension', 'user', 'login', 'anna', '4711'])
    await erase(site, name);
  const [page, device, parameter] = filters('erased visitor');
  const left = await database.write('analytics.segment').orderBy('name').pluck('filters');
  const expected = (value: string | number) => [
    page,
    device,
    { ...parameter, values: [JSON.stringify(['login', 'user', value]), '["buy","plan","x"]'] },
  ];
  expect(left).toEqual([expected('erased visitor'), expected(Number.MIN_SAFE_INTEGER)]);
  expect(filtersSchema.safeParse(left[0]).success).toBe(true);
});

test('rejected rows in the database are found by a value, or by words in an unparsed line', async () => {
  const site = await newSite(database.write);
  const { importId } = await importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows: [{ url: 'https://example.com/', access_time: AT }],
  });
  const rejected = [
    ['url', '"https://example.com/anna"'],
    ['pv_id', '12'],
    [null, '"annabel 12 GET /"'],
    ['original_id', '"anna"'],
    ['reader_id', '12'],
    ['reader_id', '"12"'],
    [null, '"1.2.3.4 - anna GET /"'],
    [null, `"1.2.3.4 - anna GET /${'x'.repeat(150)}...`],
  ];
  await database.write('analytics.import_rejection').insert(
    rejected.map(([column_name, value], line) => ({
      import_id: importId,
      line,
      column_name,
      value,
      reason: 'wrong',
    })),
  );
  await erase(site, 'anna');
  await removeData(
    { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' },
    { kind: 'visitor', readerId: 12 },
  );
  const lines = await database
    .write('analytics.import_rejection')
    .where('import_id', importId)
    .orderBy('line')
    .pluck('line');
  expect(lines.map(Number)).toEqual([0, 1, 2]);
});

test('if several names match, the longest one is replaced', () => {
  const { without } = mentionsOf(manifest, {
    readerIds: [],
    names: ['eve', 'eve.smith@example.org'],
    earlierNames: [],
  });
  expect(without('eve.smith@example.org and eve', 'X')).toBe('X and X');
});

test('in notes, only a name or a long number is replaced, as a whole word and regardless of case', async () => {
  const site = await newSite(database.write);
  const { site_id } = await database.write('analytics.site').where('tracking_id', site).first('site_id');
  const other = await newSite(database.write);
  const { site_id: otherId } = await database
    .write('analytics.site')
    .where('tracking_id', other)
    .first('site_id');
  const note = (text: string, of = site_id) => ({ site_id: of, day: '2026-05-02', text });
  const notes = () => database.write('analytics.note').orderBy('note_id').pluck('text');
  await database
    .write('analytics.note')
    .insert([
      note('Anna@Example.org wrote, anna@example.org again'),
      note('Joanna@example.org, anna@example.organic'),
      note('anna@example.org', otherId),
      note('7 % more, 12345678 views'),
    ]);
  const revisions = () => database.write('analytics.note').orderBy('note_id').pluck('revision');
  const before = await revisions();
  for (const name of ['anna@example.org', '7', '12345678', 'views$&']) await erase(site, name);
  expect(await notes()).toEqual([
    'erased visitor wrote, erased visitor again',
    'Joanna@example.org, anna@example.organic',
    'anna@example.org',
    '7 % more, erased visitor views',
  ]);
  // A note that was opened before the erasure cannot be saved afterwards.
  const after = await revisions();
  expect(after.map((revision, index) => revision > before[index])).toEqual([true, false, false, true]);
});
