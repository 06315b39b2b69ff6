// The country database that imports share may be replaced, unreadable or damaged.
import { chmod, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createKnownPlaces } from '../../../extension/data/import/derive/known-places';
import { openPlaces } from '../../../extension/data/import/derive/place-of-address';
import { ImportError } from '../../../extension/data/import/import-error';
import { countryDatabase } from '../../support/country-database';
import { useFolder } from '../../support/use-folder';

const folder = useFolder();
let file: string;
beforeEach(async () => {
  await chmod(folder, 0o755);
  file = join(folder, 'countries.mmdb');
});

const countryOf = async (open: ReturnType<typeof createKnownPlaces>['open']) =>
  (await open())?.('203.0.113.7').country_code;
const write = (country: string) => writeFile(file, countryDatabase({ '203.0.113.0/24': country }));

const NOBODY = 65_534;

/** Runs a function while the process may not read the file. Drops root privileges, because root can read every file. */
async function forbidden<Result>(run: () => Promise<Result>): Promise<Result> {
  const isRoot = process.getuid?.() === 0;
  await chmod(file, isRoot ? 0o600 : 0);
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
    else await chmod(file, 0o600);
  }
}

test('a database that could not be opened is opened once it can be', async () => {
  await write('DE');
  const { open } = createKnownPlaces({ dataDir: folder, geoip: file });
  await forbidden(() => expect(open()).rejects.toThrow(/countries\.mmdb cannot be used .*EACCES/));
  expect(await countryOf(open)).toBe('DE');
});

test('a replaced database is reopened even if its size and time are the same; an unchanged one is not', async () => {
  await write('DE');
  const { open } = createKnownPlaces({ dataDir: folder, geoip: file });
  await utimes(file, 1_700_000_000, 1_700_000_000);
  expect(await countryOf(open)).toBe('DE');
  expect(await open()).toBe(await open());
  await write('AT');
  await utimes(file, 1_700_000_000, 1_700_000_000);
  expect(await countryOf(open)).toBe('AT');
  await writeFile(`${file}.new`, countryDatabase({ '203.0.113.0/24': 'CH' }));
  await rename(`${file}.new`, file);
  expect(await countryOf(open)).toBe('CH');
});

test('only a missing file is treated as no database', async () => {
  const none = createKnownPlaces({ dataDir: folder, geoip: undefined });
  expect([await none.open(), await none.since()]).toEqual([undefined, undefined]);
  await write('DE');
  const inFile = createKnownPlaces({ dataDir: file, geoip: undefined });
  await expect(inFile.open()).rejects.toThrow(ImportError);
  await expect(inFile.since()).rejects.toThrow('ENOTDIR');
  const named = createKnownPlaces({ dataDir: folder, geoip: join(folder, 'none.mmdb') });
  await expect(named.open()).rejects.toThrow(/none\.mmdb cannot be used as a country database \(ENOENT/);
});

test('an address that is not in the database has no location, and a damaged record is an error', async () => {
  const database = countryDatabase({ '32.0.0.0/8': 'ES', '203.0.113.0/24': 'DE', '203.0.114.0/24': 'AT' });
  await writeFile(file, database);
  const placeOf = await openPlaces(file);
  expect([placeOf('203.0.113.7').country_code, placeOf('203.0.114.7').country_code]).toEqual(['DE', 'AT']);
  for (const other of ['shop.example', '203.0.113.xxx', '', '2001:db8::1', '192.0.2.1'])
    expect(placeOf(other)).toEqual({});

  // A record begins with its type. A type above the highest valid one cannot be read.
  const bytes = Buffer.from(database);
  const record = bytes.indexOf('AT') - '_country_iso_code_'.length - 2;
  bytes.set([0, 255], record);
  await writeFile(file, bytes);
  const damaged = await openPlaces(file);
  expect(damaged('203.0.113.7').country_code).toBe('DE');
  expect(() => damaged('203.0.114.7')).toThrow(ImportError);
});
