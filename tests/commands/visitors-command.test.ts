// qal visitors export and erase, and how an erasure is repeated after an older backup is restored.
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importRows } from '../../extension/data/import/import-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { createTestDatabase, EMPTY, type TestDatabase } from '../support/database';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

const database = useTestDatabase();
const folder = useFolder({ perFile: true });
beforeAll(async () => {
  await applySites(database.write, {
    sites: [{ tracking_id: 'shop', domain: 'x.example', name: 'Shop', timezone: 'UTC' }],
  });
  await importRows(database.write, loadManifest(), {
    material: 'allpv',
    site: 'shop',
    rows: ['anna', 'anna', 'ben'].map((original_id, index) => ({
      pv_id: index + 1,
      access_time: '2026-04-01T10:00:00Z',
      url: `https://x.example/${index}`,
      original_id,
    })),
  });
});

const anna = ['--site', 'shop', '--original-id', 'anna'];
const viewsOf = async ({ write }: Pick<TestDatabase, 'write'>) =>
  (await write('analytics.page_view').orderBy('pv_id').pluck('pv_id')).map(Number);

test('an export is JSON on standard output', async () => {
  const { code, out, err } = await runCommand({ database }, ['visitors', 'export', ...anna]);
  expect([code, err]).toEqual([0, '']);
  const found = JSON.parse(out);
  expect(found).toMatchObject({ site: 'shop', exported_at: '2026-05-01T10:00:00.000Z', names: ['anna'] });
  expect(found.allpv.map(({ url }: { url: string }) => url)).toEqual([
    'https://x.example/0',
    'https://x.example/1',
  ]);
  expect(
    await runCommand({ database }, [
      'visitors',
      'export',
      '--site',
      'shop',
      '--reader-id',
      '4000000000000099',
    ]),
  ).toEqual({
    code: 1,
    out: '',
    err: 'There is no such visitor on this site.\n',
  });
  expect(await runCommand({ database }, ['visitors', 'export', '--site', 'shop'])).toMatchObject({ code: 2 });
});

// conformance: beyond.erased-stay-erased
test('after an older backup is restored, the very first command repeats the erasure', async () => {
  const [backups, dataDir] = ['backups', 'data'].map((name) => join(folder, name));
  for (const path of [backups, dataDir]) await mkdir(path ?? '');
  const file = join(backups ?? '', 'old.gz');
  const environment = { QAL_BACKUP_DIR: backups ?? '' };
  const here = { database, dataDir: dataDir ?? '', environment };
  expect((await runCommand(here, ['backup', file])).code).toBe(0);
  expect(await runCommand(here, ['visitors', 'erase', ...anna, '--yes'])).toMatchObject({ code: 0 });
  const ledgers = [dataDir, backups].map((path) => join(path ?? '', 'erasures.ndjson'));
  const [one, other] = await Promise.all(ledgers.map((path) => readFile(path, 'utf8')));
  expect([one, one?.includes('anna')]).toEqual([other, false]);
  expect((await stat(ledgers[0] ?? '')).mode & 0o777).toBe(0o600);

  const taken = { database, dataDir: join(folder, 'taken') };
  expect(await runCommand(taken, ['restore', file])).toMatchObject({ code: 1 });
  await expect(stat(taken.dataDir)).rejects.toThrow('ENOENT');

  // This is a different machine, whose settings do not name a backup folder.
  await withEmpty(async (target) => {
    const there = { database: target, dataDir: join(folder, 'new') };
    expect(await runCommand(there, ['restore', file])).toMatchObject({ code: 0 });
    expect(await viewsOf(target)).toEqual([1, 2, 3]);
    expect(JSON.parse((await runCommand(there, ['visitors', 'export', ...anna])).out)).toMatchObject({
      reader_ids: [],
      allpv: [],
    });
    expect(await viewsOf(target)).toEqual([3]);
    expect((await runCommand(there, ['audit'])).out).toMatch(/server +shop +a visitor +2 allpv/);
  });
  // An erasure whose line is deleted from the ledger, for example because it was a mistake, is not repeated.
  await writeFile(ledgers[1] ?? '', '');
  await withEmpty(async (target) => {
    const there = { database: target, dataDir: join(folder, 'back') };
    expect(await runCommand(there, ['restore', file])).toMatchObject({ code: 0 });
    expect(await runCommand(there, ['visitors', 'export', ...anna])).toMatchObject({ code: 0, err: '' });
    expect(await viewsOf(target)).toEqual([1, 2, 3]);
  });
});

async function withEmpty(work: (target: TestDatabase) => Promise<void>): Promise<void> {
  const target = await createTestDatabase(EMPTY);
  try {
    await work(target);
  } finally {
    await target.drop();
  }
}

test('a file that cannot be written is reported after everything else has been erased', async () => {
  const dataDir = join(folder, 'unwritable');
  const path = join(dataDir, 'rejected', 'log.rejected.ndjson');
  await mkdir(`${path}.erasing`, { recursive: true });
  await writeFile(path, '{"row":{"original_id":"ben"}}\n{"row":{"original_id":"eve"}}\n');
  const erase = ['visitors', 'erase', '--site', 'shop', '--original-id', 'ben', '--yes'];
  const { code, err } = await runCommand({ database, dataDir }, erase);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^Removed: 1 allpv\.\nNot erased in .*log\.rejected\.ndjson \(.*EISDIR/m),
  ]);
  expect(await viewsOf(database)).toEqual([]);
  await rm(`${path}.erasing`, { recursive: true });
  expect(await runCommand({ database, dataDir }, erase)).toMatchObject({
    code: 0,
    err: expect.stringContaining('Removed: none.'),
  });
  expect(await readFile(path, 'utf8')).toBe('{"row":{"original_id":"eve"}}\n');
});
