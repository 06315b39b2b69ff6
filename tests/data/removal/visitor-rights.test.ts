// Everything about a visitor can be exported and erased, wherever it is stored. It does not come back when an older backup is
// restored or a file is imported.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { restoreBackup } from '../../../db/backup/restore-backup';
import { writeBackup } from '../../../db/backup/write-backup';
import { exportVisitor } from '../../../extension/data/export/export-visitor';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { keepErasures } from '../../../extension/data/removal/erasures';
import { removeData } from '../../../extension/data/removal/remove-data';
import { differencesFolder, rejectedFolder } from '../../../extension/data/removal/visitor-files';
import { createTestDatabase, EMPTY } from '../../support/database';
import { memoryLedger, removalHost } from '../../support/removal-host';
import { SCHEMAS } from '../../support/test-server';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { AT, manifest, newSite, row } from '../import/import-setup';

const database = useTestDatabase();
/** Returns a time later than all rows. */
const clock = () => new Date((AT + 1000) * 1000);
const signal = new AbortController().signal;

const folder = useFolder({ perFile: true });

/** The fields that contain this text, as `schema.table.field`. */
async function fieldsWith(write: Knex, text: string): Promise<readonly string[]> {
  const { rows } = await write.raw(
    `SELECT c.table_schema AS schema, c.table_name AS table, c.column_name AS field FROM information_schema.columns c
       JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema IN ('analytics', 'host') AND t.table_type = 'BASE TABLE'
        AND c.data_type IN ('text', 'jsonb', 'ARRAY') ORDER BY 1, 2, 3`,
  );
  const found: string[] = [];
  for (const { schema, table, field } of rows) {
    const { rows: result } = await write.raw(
      'SELECT count(*) > 0 AS contains FROM ??.?? WHERE position(? IN ??::text) > 0',
      [schema, table, text, field],
    );
    if (result[0].contains) found.push(`${schema}.${table}.${field}`);
  }
  return found;
}

async function filesWith(path: string, text: string): Promise<readonly string[]> {
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_file, index) => texts[index]?.includes(text));
}

const importLog = (site: string, rows: readonly object[]) =>
  importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    format: 'ndjson',
    source: 'log',
    onError: 'stop',
    clock,
    input: Readable.from(rows.map((one) => `${JSON.stringify(one)}\n`)),
  });

const load = (site: string, material: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

/** The visitor's name is an IP address. */
const NAME = '203.0.113.77';
const EARLIER = `${NAME} early`;
const KEY = `${NAME} key`;
const mine = (index: number, more: object = {}) =>
  row(index, { pv_id: index, session_id: 500 + index, original_id: NAME, ...more });
const CLICK = { pv_id: 1, event_sec: 1, selector: '#buy', element_text: NAME };

async function plant(site: string, dataDir: string): Promise<string> {
  const { write } = database;
  const other = row(3, { pv_id: 3, original_id: 'other' });
  await load(site, 'allpv', [mine(1, { original_id: EARLIER, reader_id: KEY, title: NAME }), mine(2), other]);
  await load(site, 'click_event', [CLICK]);
  await load(site, 'datalayer_event', [
    { pv_id: 1, access_time: AT + 1, event_name: 'buy', params: { by: NAME } },
  ]);
  await load(site, 'allpv', [mine(1, { reader_id: KEY, title: 'Shop' })]);
  const waiting = { reader_id: KEY, access_time: AT + 90_000, selector: '#later', element_text: NAME };
  await load(site, 'click_event', [waiting]);
  await load(site, 'allpv', [row(9, { original_id: NAME, device_type: NAME })], { onError: 'skip' });
  await load(site, 'allpv', [row(9, { device_type: NAME })]).catch(() => undefined);
  const succeeded = {
    asked_at: clock(),
    user_id: 1,
    login: 'ann',
    version: 'latest',
    milliseconds: 1,
    status: 200,
  };
  const filter = JSON.stringify({ filter: { original_id: NAME } });
  await write('analytics.query_record').insert([
    { ...succeeded, tracking_id: site, body: filter },
    { ...succeeded, tracking_id: 'all', body: filter, query: filter },
    { ...succeeded, body: '{}', caller_address: NAME },
  ]);
  const body = JSON.stringify({ tracking_id: site, filter: { original_id: NAME } });
  const saved = { user_id: 1, login: 'ann', version: 'latest', shared: false, changed_at: clock() };
  await write('analytics.saved_query').insert({ ...saved, name: site, body });
  const { site_id } = await write('analytics.site').where('tracking_id', site).first('site_id');
  const filters = JSON.stringify([
    { dimension: 'parameter', not: false, values: [JSON.stringify(['login', 'user', NAME])] },
  ]);
  await write('analytics.note').insert({ site_id, day: '2026-05-02', text: `(${NAME}) complained: slow` });
  await write('analytics.segment').insert({
    site_id,
    user_id: 1,
    login: 'ann',
    name: 's',
    filters,
    shared: true,
  });
  await write('host.users')
    .insert({
      login: `ann-${site}`,
      display_name: 'Ann',
      role: 'analyst',
      password_hash: 'x',
      created_at: clock(),
    })
    .returning('user_id')
    .then(([{ user_id }]) =>
      write('host.application_passwords').insert({
        uuid: crypto.randomUUID(),
        user_id,
        name: 'key',
        secret_hash: 'x',
        created_at: clock(),
        last_ip: NAME,
        level: 'read',
      }),
    );
  await write('host.window_count').delete();
  await write('host.window_count').insert({ name: `login ${NAME}`, seconds: 60, count: 1, ends_at: clock() });
  await mkdir(differencesFolder(dataDir), { recursive: true });
  for (const [name, value] of [
    ['theirs', NAME],
    ['others', 'x'],
  ] as const) {
    const path = join(differencesFolder(dataDir), `${name}.json`);
    await writeFile(path, JSON.stringify({ rows: [{ original_id: value }] }, undefined, 2));
  }
  await mkdir(rejectedFolder(dataDir), { recursive: true });
  const lines = [
    { reason: 'wrong', row: { ip: '192.0.2.1' } },
    { reason: 'wrong', row: { ip: NAME } },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const elsewhere = join(dataDir, 'log.rejected.ndjson');
  for (const path of [join(rejectedFolder(dataDir), 'other.rejected.ndjson'), elsewhere])
    await writeFile(path, text);
  await write('analytics.rejected_file').insert({ site_id, path: elsewhere, written_at: clock() });
  return elsewhere;
}

const exported = async (site: string, host: ReturnType<typeof removalHost>, originalId = NAME) => {
  const texts: string[] = [];
  const write = async (text: string) => void texts.push(text);
  await exportVisitor({ host, manifest, trackingId: site, visitor: { originalId }, signal, write });
  return JSON.parse(texts.join(''));
};

// conformance: beyond.visitor-export
test('an export contains everything that an erasure removes, and nothing is left after the erasure', async () => {
  const site = await newSite(database.write);
  const elsewhere = await plant(site, folder);
  const host = removalHost(database, clock, { dataDir: folder });
  const found = await exported(site, host);
  const empty = Object.keys(found).filter((key) => found[key].length === 0);
  // The site has no goals, and no import corrected clicks or events.
  expect(empty).toEqual([
    'click_event_before_imports',
    'datalayer_event_before_imports',
    'conversions',
    'first_seen',
  ]);
  expect(found).toMatchObject({
    site,
    names: [NAME, KEY, EARLIER],
    allpv: [
      { pv_id: '1', title: 'Shop' },
      { pv_id: '2', original_id: NAME },
    ],
    allpv_before_imports: [{ pv_id: '1', original_id: EARLIER, title: NAME }],
    click_event: [{ element_text: NAME }],
    datalayer_event: [{ params: { by: NAME } }],
    waiting_rows: [{ facts: { element_text: NAME } }],
    caller_records: [{ last_ip: NAME }, { name: `login ${NAME}` }],
    files: [{ line: expect.any(String) }, { line: expect.any(String) }, { line: expect.any(String) }],
  });

  await removeData({ host, manifest, trackingId: site, login: 'ann' }, { kind: 'visitor', originalId: NAME });
  expect(await fieldsWith(database.write, NAME)).toEqual([]);
  expect(await filesWith(folder, NAME)).toEqual([]);
  expect(await readFile(elsewhere, 'utf8')).toContain('192.0.2.1');
  expect(await readdir(differencesFolder(folder))).toEqual(['others.json']);
  const { site: _site, exported_at, reader_ids, names, ...left } = await exported(site, host);
  expect([reader_ids, names, Object.values(left).flat()]).toEqual([[], [NAME], []]);
  const { text } = await database.write('analytics.note').first('text');
  expect(text).toBe('(erased visitor) complained: slow');
  const { filters } = await database.write('analytics.segment').first('filters');
  expect(filters).toEqual([
    { dimension: 'parameter', not: false, values: ['["login","user","erased visitor"]'] },
  ]);
});

test("a visitor's rows are only in that visitor's export", async () => {
  const site = await newSite(database.write);
  const nasty = `o'ther $1 \\ "x", {y}`;
  const named = (index: number, original_id: string) => row(index, { pv_id: index, original_id });
  await load(site, 'allpv', [named(11, 'plain'), named(12, nasty)]);
  const host = removalHost(database, clock);
  expect(await exported(site, host, 'plain')).toMatchObject({ allpv: [{ pv_id: '11' }] });
  expect(await exported(site, host, nasty)).toMatchObject({ allpv: [{ pv_id: '12' }] });
});

// conformance: beyond.erased-stay-erased
test('a visitor who was erased after a backup is erased again when the backup is restored', async () => {
  const site = await newSite(database.write);
  await plant(site, folder);
  const file = join(folder, 'backup.gz');
  const onProgress = () => {};
  await writeBackup({ write: database.write, file, program: '1.0.0', clock, signal, onProgress });
  const ledger = memoryLedger();
  const host = removalHost(database, clock, { dataDir: folder, ledger });
  await removeData({ host, manifest, trackingId: site, login: 'ann' }, { kind: 'visitor', originalId: NAME });
  expect((await ledger.read()).lines.join('')).not.toContain(NAME);

  const target = await createTestDatabase(EMPTY);
  try {
    const { write, readerRole } = target;
    await restoreBackup({ write, file, schemas: SCHEMAS, readerRole, signal, onProgress });
    expect(await fieldsWith(write, NAME)).not.toEqual([]);
    const restored = removalHost(target, clock, { ledger });
    expect(await keepErasures(restored)).toBe(true);
    expect(await fieldsWith(write, NAME)).toEqual([]);
    const views = write('analytics.page_view').join('analytics.site', 'site.site_id', 'page_view.site_id');
    expect(await views.where({ tracking_id: site }).pluck('pv_id')).toEqual([3]);
    expect(await keepErasures(restored)).toBe(false);
    const removals = await write('analytics.removal')
      .where({ tracking_id: site })
      .select('login', 'kind', 'removed');
    expect(removals).toEqual([
      { login: 'server', kind: 'visitor', removed: { allpv: 2, click_event: 2, datalayer_event: 1 } },
    ]);
  } finally {
    await target.drop();
  }
});

// conformance: beyond.erased-stay-erased
test('importing files does not restore rows from before an erasure', async () => {
  const site = await newSite(database.write);
  const later = AT + 5000;
  const views = [
    mine(1, { reader_id: 'key 7' }),
    mine(2, { original_id: undefined, reader_id: 'key 7' }),
    row(3, { pv_id: 3, original_id: 'other' }),
  ];
  const clicks = [CLICK, { ...CLICK, pv_id: 3 }];
  const stored = async () =>
    (
      await database
        .write('analytics.page_view')
        .join('analytics.site', 'site.site_id', 'page_view.site_id')
        .where({ tracking_id: site })
        .orderBy('pv_id')
        .pluck('pv_id')
    ).map(Number);
  await load(site, 'allpv', views);
  await load(site, 'click_event', clicks);
  const host = removalHost(database, clock);
  await removeData({ host, manifest, trackingId: site, login: 'ann' }, { kind: 'visitor', originalId: NAME });
  const again = await load(site, 'allpv', [...views, mine(4, { access_time: 'yesterday' })]);
  expect([again.unchanged, again.skipped]).toEqual([1, { 'rows of erased visitors': 3 }]);
  expect(await load(site, 'click_event', clicks)).toMatchObject({
    waiting: 0,
    skipped: { 'rows of erased visitors': 1 },
  });
  expect(await stored()).toEqual([3]);
  // The visit had no other visitor at the time; this file adds one.
  await load(site, 'allpv', [
    row(8, { pv_id: 8, session_id: 502, original_id: 'friend' }),
    row(9, { pv_id: 9, session_id: 502 }),
  ]);
  expect(await stored()).toEqual([3, 8]);
  // The visitor came back.
  await load(site, 'allpv', [mine(5, { access_time: later })]);
  expect(await stored()).toEqual([3, 5, 8]);
});

test('visitors are recognized by the address and browser in a log; numbers are not treated as names', async () => {
  const site = await newSite(database.write);
  const line = (index: number, ip: string) => row(index, { ip, user_agent: 'Mozilla/5.0' });
  const lines = [line(1, '198.51.100.1'), line(2, '198.51.100.2')];
  await importLog(site, lines);
  const [reader] = await database
    .write('analytics.page_view')
    .join('analytics.site', 'site.site_id', 'page_view.site_id')
    .where({ tracking_id: site })
    .orderBy('at')
    .pluck('reader_id');
  const host = removalHost(database, clock);
  await removeData(
    { host, manifest, trackingId: site, login: 'ann' },
    { kind: 'visitor', readerId: Number(reader) },
  );
  expect(await importLog(site, lines)).toMatchObject({
    unchanged: 1,
    skipped: { 'rows of erased visitors': 1 },
  });
  const named = await load(site, 'allpv', [row(3, { original_id: String(reader) })]);
  expect([named.added, named.skipped]).toEqual([1, {}]);
});
