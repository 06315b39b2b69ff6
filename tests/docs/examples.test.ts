// Every query in the docs returns rows for the demo site.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { readmeText } from '../../extension/api/guide/build-guide';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { readDocument } from '../../extension/language/parse/read-document';
import { usableZones } from '../../extension/language/time/zones';
import type { Contract } from '../../extension/language/types/contract';
import { NO_QUEUE, type QueryContext } from '../../extension/query/query-context';
import { loadManifest, MANIFEST_DIRECTORY } from '../../manifests/reader/manifest';
import { rethrow } from '../language/understood';
import type { TestDatabase } from '../support/database';
import { runWhole, testStore } from '../support/run-whole';
import { useTestDatabase } from '../support/use-database';
import { addDemoExtras } from './demo-extras';
import { type Block, blocksOf, markdownPages, wholeQuery } from './fenced-blocks';
import { TEN_QUESTIONS } from './ten-questions';

/** The dates in the docs are within the 90 days before this time. */
const NOW = new Date('2026-11-20T12:00:00Z');

const manifest = loadManifest();
const contracts = installedContracts(manifest);
const database = useTestDatabase();

beforeAll(async () => {
  await loadDemo(database.write, { now: NOW, views: 4_000, onProgress: () => undefined });
  await addDemoExtras(database.write);
});

/** The contract that a page describes: the one that its folder is named after, or the latest one. */
function contractOf(place: string): Contract {
  const named = contracts.find(({ version }) => place.startsWith(`manifests/guide/${version}/`));
  const contract = named ?? contracts.at(-1);
  if (contract === undefined) throw new Error('no contract is installed');
  return contract;
}

function contextOf(read: TestDatabase['read'], contract = contractOf('')): QueryContext {
  return {
    contract,
    manifest,
    sites: 'all',
    database: read,
    zones: usableZones(['Europe/Berlin', 'Asia/Tokyo']),
    timeoutSeconds: 30,
    queue: NO_QUEUE,
    signal: new AbortController().signal,
    alwaysCount: false,
    onHintFailure: rethrow,
    store: testStore(),
    maxAnswerBytes: Number.POSITIVE_INFINITY,
  };
}

const queries = markdownPages()
  .flatMap((page) => blocksOf(page, 'json'))
  .map((block) => ({ ...block, text: wholeQuery(block) }));

// conformance: goals.every-example-texts
test('there is a page with a query for each contract', () => {
  for (const contract of contracts) {
    expect(queries.filter(({ place }) => contractOf(place) === contract)).not.toEqual([]);
  }
});

test('the guide contains an example of every clause and every kind of material', () => {
  const shown = queries.map((block) => block.text).join('\n');
  for (const clause of [
    'filter',
    'join',
    'if not match',
    'goal_1',
    'is_goal_1',
    'events.',
    'gsc.',
    'summary_',
    'page_version',
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

const table = (blocks: readonly Block[]) => blocks.map(({ place, text }) => [place, text] as const);

// conformance: goals.every-example-texts
test.each(table(queries))('%s returns rows', async (place, text) => {
  const result = await runWhole(readDocument(text), contextOf(database.read, contractOf(place)));
  expect(result.count ?? result.rows.length).toBeGreaterThan(0);
  for (const row of result.rows) expect(row).toHaveLength(result.columns.length);
});

describe("using only the guide's README", () => {
  const contract = contractOf('');
  const instructions = readFileSync(join(MANIFEST_DIRECTORY, 'guide/README.md'), 'utf8');
  const guide = readmeText(instructions, { contract, manifest });

  // conformance: beyond.parts-guide-compact
  test.each(Object.entries(TEN_QUESTIONS))('one query answers: %s', async (question, make) => {
    const text = wholeQuery({ place: question, text: JSON.stringify(make) });
    const named = [...text.matchAll(/\b(?:allpv|gsc)\.([a-z_0-9]+)/g)].map(([, column]) => ` ${column}`);
    expect(named.filter((column) => !guide.includes(column))).toEqual([]);
    const result = await runWhole(readDocument(text), contextOf(database.read));
    expect(result.rows.length).toBeGreaterThan(0);
  });
});

test('a daily trend returns one row per day', async () => {
  const trend = queries.find((block) => block.text.includes('allpv.access_date'));
  const result = await runWhole(readDocument(trend?.text ?? ''), contextOf(database.read));
  expect(result.rows).toHaveLength(31);
  expect(result.rows[0]?.[0]).toBe('2026-10-01');
});
