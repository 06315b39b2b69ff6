// The commands qal imports, sites remove, data delete, visitors erase and audit.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { runCommand } from '../../support/run-command';
import type { TestInput } from '../../support/test-terminal';
import { useTestDatabase } from '../../support/use-database';
import { manifest } from '../import/import-setup';

const database = useTestDatabase();
beforeAll(async () => {
  const site = {
    tracking_id: 'shop',
    domain: 'x.example',
    name: 'Shop',
    timezone: 'Asia/Tokyo',
    default: true,
  };
  await applySites(database.write, { sites: [site] });
  // 14:00 UTC is 23:00 in Tokyo.
  const rows = [
    '2026-05-01T14:00:00Z',
    '2026-05-01T15:00:00Z',
    '2026-05-02T14:59:59Z',
    '2026-05-02T15:00:00Z',
  ];
  await importRows(database.write, manifest, {
    material: 'allpv',
    site: 'shop',
    rows: rows.map((access_time, index) => ({
      pv_id: index + 1,
      access_time,
      url: 'https://x.example/',
      original_id: `visitor ${index}`,
    })),
  });
});

const run = (args: readonly string[], input?: TestInput) => runCommand({ database }, args, input);
const views = () =>
  database
    .write('analytics.page_view')
    .orderBy('pv_id')
    .pluck('pv_id')
    .then((ids) => ids.map(Number));

describe('qal imports', () => {
  const shown = (out: string) => out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
  const load = (rows: readonly object[]) =>
    importRows(database.write, manifest, { material: 'allpv', site: 'shop', rows, source: 'views.csv' });
  const at = (pv_id: number, more: object = {}) => ({
    pv_id,
    access_time: '2026-05-01T14:00:00Z',
    url: 'https://x.example/',
    ...more,
  });

  test('list and show what was imported, and undo it once', async () => {
    const { importId = 0 } = await load([at(1, { title: 'New' }), at(9)]);
    expect(shown((await run(['imports', 'list', '--site', 'shop'])).out)[1]).toMatch(
      new RegExp(`^${importId} | .* | shop | allpv | views.csv | local | done | 1 | 1$`),
    );
    expect(shown((await run(['imports', 'show', String(importId)])).out)).toEqual(
      expect.arrayContaining(['source | views.csv', 'can be undone | yes', 'added | 1', 'updated | 1']),
    );
    const { write } = database;
    await write('analytics.import_run').update({ source: '\u001b[2Jx\nshop', source_name: '\u009b' });
    for (const args of [['list'], ['show', String(importId)]])
      expect((await run(['imports', ...args])).out).toMatch(/^[^\p{Cc}]*\\u001b\[2Jx\\u000ashop/mu);
    const undo = ['imports', 'undo', String(importId)];
    expect(await run(undo)).toEqual({
      code: 2,
      out: '',
      err:
        'Undoing removes 1 row of allpv and restores the earlier values of 1 row. ' +
        'There is no terminal to confirm this on; add --yes.\n',
    });
    expect(await run([...undo, '--yes'])).toEqual({
      code: 0,
      out: '',
      err: `Import ${importId} is undone. Removed: 1 allpv. Restored: 1 row.\n`,
    });
    expect(await views()).toEqual([1, 2, 3, 4]);
    expect(await run([...undo, '--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('was already undone on'),
    });
    for (const [row, changes] of [
      [at(9), 'removes 1 row of allpv'],
      [at(1, { title: 'Newer' }), 'restores the earlier values of 1 row of allpv'],
      [at(1, { title: 'Newer' }), 'changes no rows of allpv'],
    ] as const) {
      const { importId: next } = await load([row]);
      expect((await run(['imports', 'undo', String(next)])).err).toContain(`Undoing ${changes}. `);
    }
    expect(shown((await run(['imports', 'show', String(importId)])).out)).toContainEqual(
      expect.stringMatching(/^undone \| .* by local$/),
    );
    expect(shown((await run(['audit'])).out)[1]).toContain(
      `import ${importId}, undone | 1 allpv; 1 restored`,
    );
    const [, , , listed] = (await run(['imports', 'list', '--site', 'shop'])).out.split('\n');
    expect(await run(['imports', 'undo', listed?.split(' ')[0] ?? '', '--yes'])).toMatchObject({ code: 0 });
    expect(await views()).toEqual([1, 2, 3, 4]);
    await database.write('analytics.removal').delete();
  });

  test('an import that does not exist is reported', async () => {
    for (const number of ['999999', 'x'])
      expect(await run(['imports', 'show', number])).toMatchObject({
        code: 1,
        err: `There is no import ${number}; "qal imports list" lists all imports.\n`,
      });
    expect(await run(['imports', 'undo', '999999', '--yes'])).toMatchObject({
      code: 1,
      err: 'There is no import 999999.\n',
    });
  });

  test('the list can be continued where the previous page ended', async () => {
    await database.write.raw(
      `INSERT INTO analytics.import_run (site_id, material, source, started_at, finished_at, rows_read, rows_added, rows_unchanged, rows_rejected)
       SELECT site_id, 'allpv', 'many', now(), now(), 0, 0, 0, 0 FROM analytics.site, generate_series(1, 50)`,
    );
    const { out, err } = await run(['imports', 'list']);
    const last = shown(out).at(-2)?.split(' | ')[0];
    expect([shown(out).length, err]).toEqual([52, `Older imports: qal imports list --before ${last}\n`]);
    expect((await run(['imports', 'list', '--before', String(last)])).out).toContain('views.csv');
    expect((await run(['imports', 'list', '--site', 'none'])).err).toBe('No imports found.\n');
  });
});

const days = ['data', 'delete', '--site', 'shop', '--from', '2026-05-02', '--to', '2026-05-02'];

test('without a terminal or --yes, only the question is printed', async () => {
  expect(await run(days)).toEqual({
    code: 2,
    out: '',
    err:
      'The rows of site shop from 2026-05-02 to 2026-05-02 would be removed permanently: 2 allpv. ' +
      'There is no terminal to confirm this on; add --yes.\n',
  });
  expect(await views()).toEqual([1, 2, 3, 4]);
});

test('rows that were added after the question are not removed; the command asks again', async () => {
  const at = '2026-05-05T10:00:00Z';
  const add = (pv_id: number) =>
    importRows(database.write, manifest, {
      material: 'allpv',
      site: 'shop',
      rows: [{ pv_id, access_time: at, url: 'https://x.example/' }],
    });
  await add(11);
  async function* answers() {
    await add(12);
    yield 'yes\n';
    yield 'yes\n';
  }
  const question = (rows: number) =>
    `The rows of site shop from 2026-05-05 to 2026-05-05 would be removed permanently: ${rows} allpv. Type yes to continue: `;
  expect(
    await run(['data', 'delete', '--site', 'shop', '--from', '2026-05-05', '--to', '2026-05-05'], answers()),
  ).toEqual({
    code: 0,
    out: '',
    err: `${question(1)}Rows were added or removed after they were counted, so nothing was removed.\n${question(2)}Removed: 2 allpv.\n`,
  });
  expect(await views()).toEqual([1, 2, 3, 4]);
  await database.write('analytics.removal').delete();
});

test("data delete removes days in the site's time zone", async () => {
  expect(await run([...days, '--yes'])).toEqual({ code: 0, out: '', err: 'Removed: 2 allpv.\n' });
  expect(await views()).toEqual([1, 4]);
  expect(await run([...days, '--yes'])).toMatchObject({
    code: 0,
    err: 'No rows match; nothing was removed.\n',
  });
});

test.each([
  ['an invalid day', ['--from', '2026-02-30', '--to', '2026-05-02'], /It must be a date such as 2026-05-01/],
  [
    'days in the wrong order',
    ['--from', '2026-05-02', '--to', '2026-05-01'],
    /--from 2026-05-02 is after --to 2026-05-01/,
  ],
  [
    'a dataset without its own rows',
    ['--from', '2026-05-01', '--to', '2026-05-01', '--material', 'goal_N'],
    /--material goal_N has no rows to remove; name one of allpv, click_event/,
  ],
])('%s is rejected', async (_label, more, message) => {
  const { code, err } = await run(['data', 'delete', '--site', 'shop', '--yes', ...more]);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

test('visitors erase accepts either id', async () => {
  const erase = ['visitors', 'erase', '--site', 'shop', '--yes'];
  expect(await run(erase)).toMatchObject({
    code: 2,
    err: 'Identify the visitor by --original-id or --reader-id.\n',
  });
  expect(await run([...erase, '--reader-id', '4000000000000099'])).toMatchObject({
    code: 1,
    err: 'There is no such visitor on this site.\n',
  });
  expect(await run([...erase, '--original-id', 'nobody'])).toMatchObject({
    code: 0,
    err: 'Removed: none.\n',
  });
  expect(await run([...erase, '--original-id', 'visitor 0'])).toMatchObject({
    code: 0,
    err: 'Removed: 1 allpv.\n',
  });
  expect(await run([...erase, '--original-id', 'visitor 0'])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Removed: none\.\nThis visitor was already erased on \d{4}-\d\d-\d\d\.\n$/),
  });
  expect(await views()).toEqual([4]);
});

test('sites remove removes a site, and audit lists all removals', async () => {
  expect(await run(['sites', 'remove', 'none', '--yes'])).toMatchObject({
    code: 1,
    err: 'There is no site none; it may already have been removed.\n',
  });
  expect(await run(['sites', 'remove', 'shop', '--yes'])).toMatchObject({
    code: 0,
    err: 'Removed: 1 allpv.\n',
  });
  expect(await views()).toEqual([]);
  const { out } = await run(['audit']);
  expect(out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'REMOVED AT | BY | SITE | WHAT | ROWS',
    '2026-05-01 10:00:00 | local | shop | the site | 1 allpv',
    '2026-05-01 10:00:00 | local | shop | a visitor | none',
    '2026-05-01 10:00:00 | local | shop | a visitor | 1 allpv',
    '2026-05-01 10:00:00 | local | shop | a visitor | none',
    '2026-05-01 10:00:00 | local | shop | all rows from 2026-05-02 to 2026-05-02 | 2 allpv',
    '',
  ]);
  await database.write.raw(
    `INSERT INTO analytics.removal (removed_at, login, kind, tracking_id, removed)
     SELECT now(), 'server', 'retention', 'shop', '{}' FROM generate_series(1, 2000)`,
  );
  expect((await run(['audit'])).out.trimEnd().split('\n')).toHaveLength(1 + 5 + 2000);
});
