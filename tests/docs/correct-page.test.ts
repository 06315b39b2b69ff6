// The commands in the how-to about correcting and removing data succeed in the order shown.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';
import { blocksOf } from './fenced-blocks';

const PAGE = 'docs/how-to/correct-and-remove.md';
const FILES = ['views.ndjson', 'corrected.ndjson'];
const ASKS = /^(imports undo|data delete|visitors erase|sites remove)/;
/** Commands with a generated id are skipped, because the page cannot contain the id. */
const isStatic = (line: string) => !line.includes('--reader-id');

const database = useTestDatabase();
const folder = useFolder({ perFile: true });
beforeAll(async () => {
  for (const [index, block] of blocksOf(PAGE, 'ndjson').entries())
    await writeFile(join(folder, FILES[index] ?? ''), block.text);
  await applySites(database.write, load(blocksOf(PAGE, 'yaml')[0]?.text ?? ''));
  const old = { tracking_id: 'old-shop', domain: 'old.example', name: 'Old', timezone: 'UTC' };
  await applySites(database.write, { sites: [old] });
});

const sources = async () =>
  await database
    .write('analytics.source')
    .whereNotNull('utm_source')
    .orderBy('utm_source')
    .pluck('utm_source');
const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  'import allpv --site shop corrected.ndjson': async () => expect(await sources()).toContain('newsletter'),
  'imports undo 2': async () => expect(await sources()).toEqual(['newsleter']),
};

test('each command succeeds, and the corrected value is first stored and then undone', async () => {
  const lines = blocksOf(PAGE, 'sh').flatMap(({ text }) => text.trim().split('\n'));
  const commands = lines.filter(isStatic).map((line) => line.replace('bin/qal ', '').replace(/ > .*/, ''));
  expect(commands).toEqual(expect.arrayContaining(Object.keys(CHECKS)));
  for (const command of commands) {
    const args = command.split(' ').map((word) => (FILES.includes(word) ? join(folder, word) : word));
    const { code, err } = await runCommand({ database }, [...args, ...(ASKS.test(command) ? ['--yes'] : [])]);
    expect({ command, code, err }).toEqual({ command, code: 0, err: expect.any(String) });
    await CHECKS[command]?.();
  }
});
