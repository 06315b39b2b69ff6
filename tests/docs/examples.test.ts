// Every query in our pages runs against the demo site and finds something; what the how-to imports can be imported.
import { Readable } from 'node:stream';
import { load } from 'js-yaml';
import { loadDemo } from '../../db/demo/load-demo';
import { importFile } from '../../db/import/import-file';
import type { Format } from '../../db/import/read-rows';
import { applySites } from '../../db/sites/apply-sites';
import { installedContracts } from '../../extension/contracts/choose-contract';
import { usableZones } from '../../extension/qal/time/zones';
import type { QueryContext } from '../../extension/qal/types/query-context';
import { runQuery } from '../../extension/run-query';
import { loadManifest } from '../../manifests/reader/manifest';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { blocksOf, markdownPages } from './fenced-blocks';

/** The pages' dates lie in the 90 days before. */
const NOW = new Date('2026-11-20T12:00:00Z');

const manifest = loadManifest();
const contract = installedContracts(manifest).at(-1);
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await loadDemo(database.write, { now: NOW, views: 20_000, onProgress: () => undefined });
}, 60_000);
afterAll(() => database.drop());

function contextOf(read: TestDatabase['read']): QueryContext {
  if (contract === undefined) throw new Error('no contract is installed');
  return {
    contract,
    manifest,
    sites: 'all',
    database: read,
    zones: usableZones(['Europe/Berlin', 'Asia/Tokyo']),
    timeoutSeconds: 30,
    signal: new AbortController().signal,
    alwaysCount: false,
  };
}

const queries = markdownPages().flatMap((page) => blocksOf(page, 'json'));

test('the guide shows every clause', () => {
  const shown = queries.map((block) => block.text).join('\n');
  for (const clause of [
    'filter',
    'calc',
    'add',
    'sort',
    'top',
    'limit',
    'count_only',
    'access_date',
    '"all"',
  ]) {
    expect(shown).toContain(clause);
  }
});

test.each(queries.map((block) => [block.place, block.text]))('%s finds something', async (_, text) => {
  const result = await runQuery(text, contextOf(database.read));
  expect(result.count ?? result.rows.length).toBeGreaterThan(0);
  for (const row of result.rows) expect(row).toHaveLength(result.columns.length);
});

test('a daily trend has a row for each day', async () => {
  const trend = queries.find((block) => block.text.includes('allpv.access_date'));
  const result = await runQuery(trend?.text ?? '', contextOf(database.read));
  expect(result.rows).toHaveLength(28);
  expect(result.rows[0]?.[0]).toBe('2026-10-19');
});

test.each(['ndjson', 'csv'] as const)(
  'the %s of the how-to can be imported, and again',
  async (format: Format) => {
    const page = 'docs/how-to/import.md';
    await applySites(
      database.write,
      load(blocksOf(page, 'yaml')[0]?.text.replace('default: true', 'default: false') ?? ''),
    );
    const text = blocksOf(page, format)[0]?.text ?? '';
    const rows = text.trim().split('\n').length - (format === 'csv' ? 1 : 0);
    const once = () =>
      importFile({
        write: database.write,
        manifest,
        material: 'allpv',
        site: 'shop',
        input: Readable.from([Buffer.from(text)]),
        format,
        source: page,
        onError: 'stop',
        clock: () => NOW,
      });
    expect(await once()).toMatchObject({ read: rows, added: rows, rejected: 0 });
    expect(await once()).toMatchObject({ read: rows, added: 0, unchanged: rows });
  },
);
