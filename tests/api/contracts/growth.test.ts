// Published contracts may only be extended: every promise in published/ must still be kept. A release adds new promises with
// freeze.ts; no promise is ever removed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadManifest } from '../../../manifests/reader/manifest';
import { brokenPromises, type Published, publishedForm } from './published';

const FOLDER = join(__dirname, 'published');
const manifest = loadManifest();
const copyOf = (version: string): Published =>
  JSON.parse(readFileSync(join(FOLDER, `${version}.json`), 'utf8'));

test('every contract is published, and every published contract exists', () => {
  const copies = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
  expect(copies.sort()).toEqual([...manifest.contracts.keys()].sort());
});

// conformance: version.version-changes-breaking, contracts.published-contracts-grow
test.each([...manifest.contracts])('%s still keeps its promises', (version, contract) => {
  expect(brokenPromises(copyOf(version), publishedForm(manifest, contract))).toEqual([]);
});

test('the published copies contain what the contracts promised at the time', () => {
  expect(copyOf('2025-10-20')).toMatchObject({
    materials: {
      allpv: { columns: { pv_id: 'id', is_newuser: 'flag' } },
      gsc: { columns: { clicks_sum: 'int' } },
    },
    limits: { max_inline_rows: 5000, max_rows: 50_000 },
  });
  expect(copyOf('2026-05-11')).toMatchObject({
    materials: { click_event: { columns: { selector: 'text' } }, gsc: { columns: { clicks: 'int' } } },
    enabled: { filter: '2025-10-20', calc_join_symmetric: '2026-05-11' },
  });
});

describe('the comparison', () => {
  const published = { columns: { url: 'text', pv: 'int' }, keys: ['pv_id'], limit: 5000 };

  test('accepts additions', () => {
    const now = {
      columns: { url: 'text', pv: 'int', os: 'text' },
      keys: ['page_id', 'pv_id'],
      limit: 5000,
      more: 1,
    };
    expect(brokenPromises(published, now)).toEqual([]);
  });

  test.each([
    ['a missing column', { columns: { url: 'text' } }, '/columns/pv is gone'],
    [
      'a column of a different type',
      { columns: { url: 'text', pv: 'num' } },
      '/columns/pv was int and is now num',
    ],
    ['a missing key', { keys: ['page_id'] }, '/keys lost pv_id'],
    ['a lower limit', { limit: 4999 }, '/limit was 5000 and is now 4999'],
    // conformance: contracts.published-contracts-grow
  ])('finds %s', (_, change, fault) => {
    expect(brokenPromises(published, { ...published, ...change })).toEqual([fault]);
  });
});
