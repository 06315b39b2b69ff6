// CSV files with other column names, imported on the command line: the error contains the command that imports them.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createKnownPlaces } from '../../../extension/data/import/derive/known-places';
import { readPairs } from '../../../extension/data/import/read-pairs';
import { completeRecords, mapOf } from '../../../extension/data/import/suggest-columns';
import { countryDatabase } from '../../support/country-database';
import { runCommand } from '../../support/run-command';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { newSite } from './import-setup';

const database = useTestDatabase();
const folder = useFolder();

test('the error contains the command that maps the columns, and that command imports the file', async () => {
  const site = await newSite(database.write);
  const file = join(folder, 'visits.csv');
  await writeFile(
    file,
    'Time;Page;Mood\n2026-05-01T09:30:00Z;https://shop.example/a;good\n2026-05-01T09:31:00Z;https://shop.example/b;bad\n',
  );
  const failed = await runCommand({ database }, ['import', 'allpv', file, '--site', site]);
  expect(failed.code).toBe(1);
  const map = 'Time=access_time,Page=url,Mood=-';
  expect(failed.err).toContain(`qal import allpv ${file} --site ${site} --map ${map} --delimiter ';'`);
  const options = ['--site', site, '--map', map, '--delimiter', ';'];
  const { code, out } = await runCommand({ database }, ['import', 'allpv', file, ...options]);
  expect(code).toBe(0);
  expect(out).toMatch(/added {6}2\n/);
});

test('the suggested command fits a file that begins with a byte order mark', async () => {
  const site = await newSite(database.write);
  const file = join(folder, 'excel.csv');
  await writeFile(file, '\uFEFFTime;Page\r\n2026-05-01T09:30:00Z;https://shop.example/a\r\n');
  const failed = await runCommand({ database }, ['import', 'allpv', file, '--site', site]);
  expect(failed.err).toContain(`--site ${site} --map Time=access_time,Page=url --delimiter ';'`);
});

test('a named pipe is read only once, even if its columns have other names', async () => {
  const site = await newSite(database.write);
  const pipe = join(folder, 'pipe.csv');
  execFileSync('mkfifo', [pipe]);
  const [failed] = await Promise.all([
    runCommand({ database }, ['import', 'allpv', pipe, '--site', site]),
    writeFile(pipe, 'Time,Page\n2026-05-01T09:30:00Z,https://shop.example/a\n'),
  ]);
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('column Time') });
  expect(failed.err).not.toContain('--map');
});

test('an error that is not about columns does not suggest a --map command', async () => {
  const file = join(folder, 'views.csv');
  await writeFile(file, 'access_time,url\nnoon,https://shop.example/a\n');
  const site = await newSite(database.write);
  const { code, err } = await runCommand({ database }, ['import', 'allpv', file, '--site', site]);
  expect(code).toBe(1);
  expect(err).not.toContain('--map');
});

test('a comma in a column name is preserved', () => {
  const columns = [
    { name: 'Duration, s', to: 'browse_sec' },
    { name: 'url', to: 'url' },
  ];
  expect(mapOf(columns)).toBe('Duration\\, s=browse_sec');
  expect([...readPairs(mapOf(columns))]).toEqual([['Duration, s', 'browse_sec']]);
});

test.each([
  ['a,b\n1,2\n3', 'a,b\n1,2\n'],
  ['a,b\n1,"x\ny"\n2,"x\n', 'a,b\n1,"x\ny"\n'],
  ['a,b', 'a,b'],
  ['a,b\n"x\n\n\n', 'a,b\n'],
])('the beginning %j is shortened to its complete records', (text, whole) => {
  expect(completeRecords(text)).toBe(whole);
});

test('an uploaded country database is used by all imports, unless a setting names another one', async () => {
  const places = createKnownPlaces({ dataDir: folder, geoip: undefined });
  expect([await places.since(), await places.open()]).toEqual([undefined, undefined]);
  const upload = (bytes: Buffer | string) => places.store(Readable.from([Buffer.from(bytes)]), 1);
  await upload(countryDatabase({ '203.0.113.0/24': 'DE' }));
  expect((await places.open())?.('203.0.113.7')).toMatchObject({ country_code: 'DE' });
  await expect(upload('not a database')).rejects.toThrow('cannot be used as a country database');
  expect((await places.open())?.('203.0.113.7')).toMatchObject({ country_code: 'DE' });
  const whole = countryDatabase({ '0.0.0.0/1': 'DE' });
  // This copy lacks some of the fields of a record.
  const damaged = Buffer.concat([
    whole.subarray(0, whole.indexOf('country')),
    whole.subarray(whole.indexOf('\xab\xcd\xef', 'latin1')),
  ]);
  await expect(upload(damaged)).rejects.toThrow('The file cannot be used as a country database');
  await expect(upload(Buffer.alloc(2 ** 20 + 1))).rejects.toThrow('larger than 1 MB (QAL_IMPORT_MB)');
  await Promise.all([
    upload(countryDatabase({ '203.0.113.0/24': 'FR' })),
    upload('not a database').catch(() => undefined),
  ]);
  expect((await places.open())?.('203.0.113.7')).toMatchObject({ country_code: 'FR' });
  expect(await readdir(folder)).toEqual(['geoip.mmdb']);
  const other = join(folder, 'other.mmdb');
  await writeFile(other, countryDatabase({ '203.0.113.0/24': 'AT' }));
  const named = (geoip: string) => createKnownPlaces({ dataDir: folder, geoip }).open();
  expect((await named(other))?.('203.0.113.7')).toMatchObject({ country_code: 'AT' });
  await expect(named(join(folder, 'none.mmdb'))).rejects.toThrow('none.mmdb');
});

test('imports share a country database until its file changes, and leftovers of an interrupted upload are removed', async () => {
  const places = createKnownPlaces({ dataDir: folder, geoip: undefined });
  const path = join(folder, 'geoip.mmdb');
  await writeFile(path, countryDatabase({ '203.0.113.0/24': 'DE' }));
  const first = await places.open();
  expect(await places.open()).toBe(first);
  await writeFile(path, 'not a database');
  await expect(places.open()).rejects.toThrow('cannot be used as a country database');
  await writeFile(path, countryDatabase({ '203.0.113.0/24': 'FR' }));
  expect((await places.open())?.('203.0.113.7')).toMatchObject({ country_code: 'FR' });
  await writeFile(`${path}.${randomUUID()}`, 'half');
  await writeFile(`${path}.old`, 'kept by someone');
  await places.removeUnfinished();
  expect(await readdir(folder)).toEqual(['geoip.mmdb', 'geoip.mmdb.old']);
});

test('a country database can be uploaded before the data folder exists', async () => {
  const places = createKnownPlaces({ dataDir: join(folder, 'data'), geoip: undefined });
  await places.removeUnfinished();
  await places.store(Readable.from([countryDatabase({ '203.0.113.0/24': 'DE' })]), 1);
  expect((await places.open())?.('203.0.113.7')).toMatchObject({ country_code: 'DE' });
});

test('--map does not choose between two fields for the same column', async () => {
  const site = await newSite(database.write);
  const file = join(folder, 'twice.ndjson');
  await writeFile(
    file,
    '{"url":"https://a/","created":"2026-05-01T09:30:00Z","access_time":"2026-05-02T09:30:00Z"}',
  );
  const importAs = (map: string) =>
    runCommand({ database }, ['import', 'allpv', file, '--site', site, '--map', map]);
  expect(await importAs('created=access_time')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'Line 1, column access_time: occurs twice, because another field is mapped to it; to leave out the field, map it to -',
    ),
  });
  expect(await importAs('created=title,access_time=title')).toMatchObject({
    code: 1,
    err: 'created and access_time would both be imported as title\n',
  });
  expect(await importAs('created=access_time,access_time=-')).toMatchObject({ code: 0 });
});
