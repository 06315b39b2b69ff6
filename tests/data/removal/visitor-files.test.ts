// Erasing a visitor from files: only the rows of that visitor on that site are erased, no matter what else the files contain.
// Files that cannot be written are reported. A removed site's rows are also removed from files.
import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importRows } from '../../../extension/data/import/import-rows';
import { keepErasures } from '../../../extension/data/removal/erasures';
import { removeData } from '../../../extension/data/removal/remove-data';
import {
  differencesFolder,
  noteRejectedFile,
  rejectedFolder,
} from '../../../extension/data/removal/visitor-files';
import { memoryLedger, removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { AT, manifest, newSite } from '../import/import-setup';

const database = useTestDatabase();
const clock = () => new Date((AT + 1000) * 1000);

const folder = useFolder();
beforeEach(async () => {
  await mkdir(rejectedFolder(folder));
});

const erase = (site: string, visitor: { originalId: string } | { readerId: number }) =>
  removeData(
    { host: removalHost(database, clock, { dataDir: folder }), manifest, trackingId: site, login: 'ann' },
    { kind: 'visitor', ...visitor },
  );

const rejected = (row: unknown, line = 1) =>
  JSON.stringify({ line, column: null, value: null, reason: 'wrong', row });

/** Writes a file of rejected rows, and registers it if it belongs to a site. */
async function writeRejected(name: string, lines: readonly string[], site?: string): Promise<string> {
  const path = join(rejectedFolder(folder), name);
  await writeFile(path, lines.map((line) => `${line}\n`).join(''));
  if (site !== undefined) await noteRejectedFile(database.write, site, path, clock());
  return path;
}

const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);

test('a name is found as a whole value in a row, and as whole words in a line that could not be parsed', async () => {
  const site = await newSite(database.write);
  const kept = [
    rejected({ url: 'https://x/?page=1', pv_id: 1, line: 2 }, 1),
    rejected({ original_id: '11', url: 'https://x/1' }),
    rejected('GET /11'),
  ];
  const erased = [
    rejected({ user_id: 1 }),
    rejected({ original_id: '1' }),
    rejected({ params: { customer: ['1'] } }),
    rejected(['1', 'https://x/']),
    rejected('GET /?user=1'),
    '{"row": 1',
  ];
  const path = await writeRejected('one.rejected.ndjson', [...kept, ...erased], site);
  await erase(site, { originalId: '1' });
  expect(await linesOf(path)).toEqual(kept);
});

test('a reader_id is erased from rejected rows, but not where the number means something else', async () => {
  const site = await newSite(database.write);
  const kept = [rejected({ reader_id: 112 }), rejected({ pv_id: 12 }), rejected('12 May')];
  const path = await writeRejected(
    'one.rejected.ndjson',
    [...kept, rejected({ reader_id: 12 }), rejected({ reader_id: '12' }), rejected('{"reader_id": 12,')],
    site,
  );
  await erase(site, { readerId: 12 });
  expect(await linesOf(path)).toEqual(kept);
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)('a file keeps its owner if root erases rows from it', async () => {
  const site = await newSite(database.write);
  const lines = [rejected({ original_id: 'anna' }), rejected({ original_id: 'ben' })];
  const path = await writeRejected('of-other-account.rejected.ndjson', lines, site);
  await chown(path, 1, 1);
  await erase(site, { originalId: 'anna' });
  expect([await linesOf(path), (await stat(path)).uid]).toEqual([[lines[1]], 1]);
});

test("other sites' files are not changed", async () => {
  const [site, other] = [await newSite(database.write), await newSite(database.write)];
  const lines = [rejected({ original_id: 'anna' }), rejected({ original_id: 'ben' })];
  const theirs = await writeRejected('other.rejected.ndjson', lines, other);
  const unknown = await writeRejected('unknown.rejected.ndjson', lines);
  const running = await writeRejected('running.rejected.ndjson.part', lines);
  const killed = await writeRejected(`killed.rejected.ndjson.${site}.part`, lines);
  const killedBefore = await writeRejected('killed.rejected.ndjson.part', lines);
  await noteRejectedFile(database.write, site, join(folder, 'rejected', 'killed.rejected.ndjson'), clock());
  await erase(site, { originalId: 'anna' });
  expect([await linesOf(theirs), await linesOf(running)]).toEqual([lines, lines]);
  for (const path of [unknown, killed, killedBefore]) expect(await linesOf(path)).toEqual([lines[1]]);
});

test("a removed site's rejected rows and answers are removed from files, but not what other sites or users wrote", async () => {
  const [site, other] = [await newSite(database.write), await newSite(database.write)];
  const lines = [rejected({ original_id: 'anna' }), rejected('nonsense', 2)];
  const own = await writeRejected('own.rejected.ndjson', lines, site);
  const killed = await writeRejected(`killed.rejected.ndjson.${site}.part`, lines);
  await noteRejectedFile(database.write, site, join(folder, 'rejected', 'killed.rejected.ndjson'), clock());
  const replaced = await writeRejected('replaced.rejected.ndjson', [...lines, 'by a user'], site);
  const shared = await writeRejected('shared.rejected.ndjson', lines, site);
  await noteRejectedFile(database.write, other, shared, clock());
  const kept = [
    shared,
    await writeRejected('other.rejected.ndjson', lines, other),
    await writeRejected('unknown.rejected.ndjson', lines),
  ];
  await mkdir(differencesFolder(folder));
  const [siteId, otherId] = await database
    .write('analytics.site')
    .whereIn('tracking_id', [site, other])
    .orderBy('site_id')
    .pluck('site_id');
  for (const [name, ids] of Object.entries({ both: [siteId, otherId], other: [otherId] }))
    await writeFile(
      join(differencesFolder(folder), `${name}.json`),
      JSON.stringify({ states: ids.map((id) => ({ siteId: id, version: 'x' })), rows: {} }),
    );
  const host = removalHost(database, clock, { dataDir: folder });
  const { faults } = await removeData({ host, manifest, trackingId: site, login: 'ann' }, { kind: 'site' });
  expect(faults).toEqual([]);
  for (const path of [own, killed]) await expect(readFile(path)).rejects.toThrow('ENOENT');
  expect(await linesOf(replaced)).toEqual(['by a user']);
  for (const path of kept) expect(await linesOf(path)).toEqual(lines);
  expect(await readdir(differencesFolder(folder))).toEqual(['other.json']);
});

test.each(['\u2028', '\u2029', '\0', '\r'])('a line with %j is not changed', async (character) => {
  const site = await newSite(database.write);
  const title = `{"title":"a${character}b","original_id":`;
  const kept = [`{"row":${title}"ben"}}`, `a${character}b`];
  const path = await writeRejected('one.rejected.ndjson', [`{"row":${title}"anna"}}`, 'anna', ...kept], site);
  await erase(site, { originalId: 'anna' });
  expect(await linesOf(path)).toEqual(kept);
});

test('deeply nested rows are also searched', async () => {
  const site = await newSite(database.write);
  const nested = (name: string) => `{"row":${'['.repeat(40_000)}"${name}"${']'.repeat(40_000)}}`;
  const path = await writeRejected('one.rejected.ndjson', [nested('anna'), nested('ben')], site);
  await erase(site, { originalId: 'anna' });
  expect(await linesOf(path)).toEqual([nested('ben')]);
});

test('a file that cannot be written is reported, but does not stop the erasure in other files', async () => {
  const site = await newSite(database.write);
  const lines = [rejected({ original_id: 'anna' }), rejected({ original_id: 'ben' })];
  const bad = await writeRejected('bad.rejected.ndjson', lines, site);
  await mkdir(`${bad}.erasing`);
  const good = await writeRejected('good.rejected.ndjson', lines, site);
  const { faults } = await erase(site, { originalId: 'anna' });
  expect(faults.map(({ path }) => path)).toEqual([bad]);
  expect(faults[0]?.error.message).toMatch(/EISDIR/);
  expect([await linesOf(bad), await linesOf(good)]).toEqual([lines, [lines[1]]]);
  expect((await readdir(rejectedFolder(folder))).filter((name) => name.endsWith('.erasing'))).toHaveLength(1);
});

test('a file that cannot be written does not stop an erasure from being repeated', async () => {
  const site = await newSite(database.write);
  const ledger = memoryLedger();
  const options = { manifest, trackingId: site, login: 'ann' };

  const rows = [{ url: 'https://example.com/', access_time: AT, original_id: 'anna' }];
  const load = () => importRows(database.write, manifest, { material: 'allpv', site, rows });
  await load();
  await removeData(
    { ...options, host: removalHost(database, clock, { dataDir: folder, ledger }) },
    { kind: 'visitor', originalId: 'anna' },
  );
  // Simulates restoring an older backup.
  await database.write('analytics.erasure').delete();
  await load();
  const bad = await writeRejected('bad.rejected.ndjson', [rejected({ original_id: 'anna' }), '\0'], site);
  await mkdir(`${bad}.erasing`);
  const host = removalHost(database, clock, { dataDir: folder, ledger });
  expect(await keepErasures(host)).toBe(true);
  expect(
    await database
      .write('analytics.page_view')
      .join('analytics.site', 'site.site_id', 'page_view.site_id')
      .where('tracking_id', site),
  ).toEqual([]);
});
