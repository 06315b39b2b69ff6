// The import command's errors about unsuitable files, formats and country databases.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openPlaces } from '../../../extension/data/import/derive/place-of-address';
import { countryDatabase } from '../../support/country-database';
import { runCommand } from '../../support/run-command';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { newSite } from './import-setup';

const database = useTestDatabase();
const folder = useFolder();

const createFile = async (name: string, content: string | Buffer): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

async function runImport(file: string, ...options: readonly string[]) {
  const site = await newSite(database.write);
  return runCommand({ database }, ['import', 'allpv', file, '--site', site, ...options]);
}

const LINE = '203.0.113.7 - - [02/Mar/2026:09:15:02 +0100] "GET /tea HTTP/1.1" 200 5 "-" "curl"\n';

test('the error for an invalid line explains how to import the other rows, and contains the file name as typed', async () => {
  const bad = await createFile('bad.log', `${LINE}nonsense\n`);
  expect((await runImport(bad)).err).toMatch(
    /^Line 2: does not match the format combined: .*\. To import the other rows anyway, use --on-error skip\.\n$/,
  );
  const indirect = join(folder, '..', bad.split('/').at(-2) ?? '', 'bad.log');
  const site = await newSite(database.write);
  const several = await runCommand({ database }, [
    'import',
    'allpv',
    `${folder}/../${folder.split('/').at(-1)}/bad.log`,
    indirect,
    '--site',
    site,
  ]);
  expect(several.err).toContain(`${folder}/../`);
});

test('the error for a wrong header does not suggest skipping rows, which would not help', async () => {
  const file = await createFile('mood.csv', 'url,access_time,mood\n/tea,2026-03-02T08:15:02Z,good\n');
  const { err } = await runImport(file);
  expect(err).toMatch(/^Line 1, column mood: allpv has no such column; .*\nIf this mapping is correct /);
  expect(err).not.toContain('--on-error');
});

test('if a field in a custom format is missing from the file, the error suggests the most similar one', async () => {
  const format = await createFile(
    'shop.yaml',
    'about: shop\nlayout: csv\nmaterials:\n  allpv:\n    columns:\n      access_time: whn\n      url: page\n',
  );
  const file = await createFile('views.csv', 'when,page\n2026-03-02T08:15:02Z,/tea\n');
  expect((await runImport(file, '--format', format)).err).toContain(
    'the header has no whn; the most similar name is when',
  );
});

test('the error for a misspelled layout in a format lists the valid ones', async () => {
  const format = await createFile(
    'shop.yaml',
    'about: shop\nlayout: cvs\nmaterials:\n  allpv:\n    columns: {url: page}\n',
  );
  const refused = await runImport(await createFile('views.csv', 'page\n/tea\n'), '--format', format);
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringMatching(/shop\.yaml: layout: .*"csv"\|"ndjson"/),
  });
});

describe('a country database', () => {
  const NETWORKS = { '1.0.0.0/8': 'AU', '203.0.113.0/24': 'DE' };
  test.each([
    ['from MaxMind', (code: string) => ({ country: { iso_code: code } })],
    ['with flat records', (code: string) => ({ country_code: code })],
  ])('%s contains the country of an address', async (_what, recordOf) => {
    const placeOf = await openPlaces(await createFile('c.mmdb', countryDatabase(NETWORKS, recordOf)));
    expect(['203.0.113.7', '1.2.3.4', '9.9.9.9', 'host.example'].map(placeOf)).toEqual([
      { country_code: 'DE' },
      { country_code: 'AU' },
      {},
      {},
    ]);
  });

  const IN_CITY = { country_code: 'DE', region: 'Bavaria', city: 'Munich' };
  test.each([
    [
      'from MaxMind',
      {
        country: { iso_code: 'DE' },
        city: { names: { de: 'München', en: 'Munich' } },
        subdivisions: [{ names: { en: 'Bavaria' } }, { names: { en: 'Upper Bavaria' } }],
      },
    ],
    ['with flat records', IN_CITY],
  ])('%s contains the region and the city of an address', async (_what, record) => {
    const file = await createFile(
      'c.mmdb',
      countryDatabase({ '203.0.113.0/24': 'DE' }, () => record),
    );
    expect((await openPlaces(file))('203.0.113.7')).toEqual(IN_CITY);
  });

  test('without country codes is rejected', async () => {
    const file = await createFile(
      'c.mmdb',
      countryDatabase(NETWORKS, (city) => ({ city })),
    );
    await expect(openPlaces(file)).rejects.toThrow('have neither country.iso_code nor country_code');
  });
});
