// The import examples work in the order shown: each command imports its file, and adds no rows when it is repeated.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { load } from 'js-yaml';
import { importFile } from '../../extension/data/import/import-together';
import { IMPORTABLE } from '../../extension/data/import/loaders';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../manifests/reader/manifest';
import { useTestDatabase } from '../support/use-database';
import { blocksOf } from './fenced-blocks';

const PAGE = 'docs/how-to/import.md';
const REFERENCE = 'docs/reference/import.md';
const manifest = loadManifest();

interface Example {
  readonly material: string;
  readonly format: string;
  readonly timezone?: string;
  readonly text: string;
}

/** The data blocks on the page, each with the command before it. */
function examplesOf(file: string): readonly Example[] {
  const found: Example[] = [];
  let command = '';
  const page = readFileSync(join(__dirname, '..', '..', file), 'utf8');
  for (const [, language = '', text = ''] of page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') command = text.split('\n').find((line) => line.includes(' import ')) ?? command;
    if (!['ndjson', 'csv', 'tsv'].includes(language)) continue;
    const timezone = /--timezone (\S+)/.exec(command)?.[1];
    found.push({
      material: / import (\S+)/.exec(command)?.[1] ?? '',
      format: language === 'tsv' ? 'qa-tsv' : language,
      ...(timezone === undefined ? {} : { timezone }),
      text,
    });
  }
  return found;
}

const examples = [PAGE, REFERENCE].flatMap(examplesOf);

const database = useTestDatabase();
beforeAll(async () => {
  await applySites(database.write, load(blocksOf(PAGE, 'yaml')[0]?.text ?? ''));
});

test('the page has an example for every material that can be imported', () => {
  expect([...new Set(examples.map((example) => example.material))].sort()).toEqual([...IMPORTABLE].sort());
});

test.each(examples.map((example) => [example.material, example.format, example] as const))(
  '%s as %s',
  async (_material, format, example) => {
    const rows = example.text.trim().split('\n').length - (format === 'ndjson' ? 0 : 1);
    const once = () =>
      importFile({
        write: database.write,
        manifest,
        site: 'shop',
        source: PAGE,
        onError: 'stop',
        clock: () => new Date(0),
        ...example,
        input: Readable.from([Buffer.from(example.text)]),
      });
    expect(await once()).toMatchObject({ read: rows, added: rows, rejected: 0 });
    expect(await once()).toMatchObject({ read: rows, added: 0, updated: 0, unchanged: rows });
  },
);

test('the data on the page contains conversions for the goals on the page', async () => {
  await applySites(database.write, load(blocksOf(PAGE, 'yaml')[1]?.text ?? ''));
  const answer = await database.write.raw(
    'SELECT DISTINCT goal_no FROM analytics.conversion ORDER BY goal_no',
  );
  expect(answer.rows.map((row: { goal_no: number }) => row.goal_no)).toEqual([1, 2, 3]);
});
