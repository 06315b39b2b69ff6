// The file of rejected rows that the command writes: its contents, the older file that it replaces, and paths that cannot be
// written.
import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rejectedFile, unfinishedPath } from '../../../extension/data/import/rejected-rows';
import { runCommand } from '../../support/run-command';
import { useTestDatabase } from '../../support/use-database';
import { countViews, newSite } from './import-setup';

const database = useTestDatabase();
let folder: string;
let file: string;
let rejected: string;
let site: string;
beforeEach(async () => {
  site = await newSite(database.write);
  folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
  file = join(folder, 'views.ndjson');
  rejected = `${file}.rejected.ndjson`;
});
afterEach(() => rm(folder, { recursive: true }));

const good = '{"url":"https://a/","access_time":1770000001}';

async function importText(text: string, onError: 'stop' | 'skip', options: readonly string[] = []) {
  await writeFile(file, text);
  return importFrom(file, onError, '', options);
}

async function importFrom(
  source: string,
  onError: 'stop' | 'skip',
  input = '',
  options: readonly string[] = [],
) {
  const args = ['import', 'allpv', source, '--site', site, '--on-error', onError, ...options];
  return runCommand({ database, dataDir: join(folder, 'data') }, args, input);
}

test('each row is written unchanged, with its line, column and reason', async () => {
  const deep = `{"url":"https://a/","access_time":1,"title":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
  const done = await importText(
    `${good}\n{"url":"https://b/" , "colour":"red"}\r\nnonsense\n${deep}\n`,
    'skip',
  );
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining(`rejected   3  (see ${rejected})`) });
  const lines = (await readFile(rejected, 'utf8')).trimEnd().split('\n');
  expect(lines[0]).toMatch(
    /^{"line":2,"column":"colour","value":"red","reason":"allpv has no such column.*","row":{"url":"https:\/\/b\/" , "colour":"red"}}$/,
  );
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ line: 3, column: null, row: 'nonsense' });
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({ line: 4, row: deep });
});

test('an older file is removed only if skipping is allowed and no row was skipped', async () => {
  await writeFile(rejected, 'old');
  expect(await importText(good, 'stop')).toMatchObject({ code: 0 });
  expect(await readFile(rejected, 'utf8')).toBe('old');
  expect(await importText(`${good}\nnonsense`, 'stop')).toMatchObject({ code: 1 });
  expect(await readFile(rejected, 'utf8')).toBe('old');
  expect(await importText(good, 'skip')).toMatchObject({ code: 0 });
  await expect(readFile(rejected)).rejects.toThrow('ENOENT');
});

test('a --rejected path that cannot be written is reported in one sentence', async () => {
  await mkdir(unfinishedPath(rejected, site));
  const failed = await importText(`${good}\nnonsense`, 'skip', ['--rejected', rejected]);
  expect(failed).toMatchObject({ code: 1, out: '' });
  expect(failed.err).toMatch(
    /^The rejected rows cannot be written to .*; specify a writable file with --rejected/,
  );
});

test('rejected rows are never added to an imported file, even through another path to it', async () => {
  const [symbolic, hard] = [join(folder, 'symbolic'), join(folder, 'hard')];
  await writeFile(file, '');
  await symlink(file, symbolic);
  await link(file, hard);
  for (const named of [`${folder}//views.ndjson`, symbolic, hard])
    for (const more of [[], ['--follow'], ['--dry-run']])
      expect(await importText(`${good}\nnonsense`, 'skip', ['--rejected', named, ...more])).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--rejected ${named} is the imported file ${file};`),
      });
  expect(await readFile(file, 'utf8')).toBe(`${good}\nnonsense`);
  expect(await countViews(database.write, site)).toBe(0);
});

test('if the file cannot be put in place, the report says that the other rows were imported', async () => {
  await mkdir(rejected);
  const failed = await importText(`${good}\nnonsense`, 'skip');
  expect(failed).toMatchObject({ code: 1, out: '' });
  expect(failed.err).toMatch(
    /^The other rows were imported\. The rejected rows cannot be written to .*; specify a writable file with --rejected, and import again/,
  );
  expect(await countViews(database.write, site)).toBe(1);
  expect((await readdir(folder)).sort()).toEqual(['views.ndjson', 'views.ndjson.rejected.ndjson']);
});

test('files with rejected rows are not kept open', async () => {
  const row = { line: 1, column: null, value: null, reason: 'x', row: 'y' };
  const before = (await readdir('/dev/fd')).length;
  const files = Array.from({ length: 30 }, (_, index) =>
    rejectedFile(join(folder, `${index}.ndjson`), { site, replacesOld: false }),
  );
  for (const one of files) await one.add(row);
  expect((await readdir('/dev/fd')).length).toBeLessThan(before + files.length);
  for (const one of files) await one.keep();
});

test('rejected rows go to the data directory if the file cannot be created next to the imported one', async () => {
  await mkdir(unfinishedPath(rejected, site));
  const done = await importText(`${good}\nnonsense`, 'skip');
  const [name = ''] = await readdir(join(folder, 'data', 'rejected'));
  expect(name).toMatch(/^[0-9a-f]{8}-views\.ndjson\.rejected\.ndjson$/);
  const inData = join(folder, 'data', 'rejected', name);
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining(`rejected   1  (see ${inData})`) });
  expect(await readFile(inData, 'utf8')).toContain('"row":"nonsense"');
});

const isRoot = process.getuid?.() === 0;
(isRoot ? test : test.skip)(
  'rejected rows that root writes to the data directory belong to its owner',
  async () => {
    const data = join(folder, 'data');
    await mkdir(data);
    await chown(data, 1, 1);
    await mkdir(unfinishedPath(rejected, site));
    await importText(`${good}\nnonsense`, 'skip');
    await importText(`${good}\nnonsense`, 'skip', ['--rejected', join(data, 'named')]);
    const names = await readdir(data, { recursive: true });
    expect(await Promise.all(names.map(async (name) => (await stat(join(data, name))).uid))).toEqual([
      1, 1, 1,
    ]);
  },
);

test('if nothing is rejected, an older file is left in a read-only folder, but removed from the data directory', async () => {
  const inData = join(await mkdtemp(join(tmpdir(), 'qal-test-')), 'old');
  for (const path of [rejected, inData]) await writeFile(path, 'old');
  await chmod(folder, 0o555);
  if (isRoot) await chown(dirname(inData), 1, 1);
  if (isRoot) process.seteuid?.(1);
  try {
    await rejectedFile(rejected, { site, replacesOld: true, fallback: inData }).keep();
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(folder, 0o700);
  }
  expect(await readFile(rejected, 'utf8')).toBe('old');
  await expect(readFile(inData)).rejects.toThrow('ENOENT');
  await rm(dirname(inData), { recursive: true });
});

test('rejected rows of files with the same name in different folders go into separate files in the data directory', async () => {
  const files = ['a', 'b'].map((name) => join(folder, name, 'views.ndjson'));
  for (const path of files) {
    await mkdir(unfinishedPath(`${path}.rejected.ndjson`, site), { recursive: true });
    await writeFile(path, `${good}\nfrom ${path}`);
  }
  const args = ['import', 'allpv', ...files, '--site', site, '--on-error', 'skip'];
  expect(await runCommand({ database, dataDir: join(folder, 'data') }, args)).toMatchObject({ code: 0 });
  const inData = join(folder, 'data', 'rejected');
  const texts = await Promise.all(
    (await readdir(inData)).map((name) => readFile(join(inData, name), 'utf8')),
  );
  expect(texts.map((text) => JSON.parse(text).row).sort()).toEqual(files.map((path) => `from ${path}`));
});

test('the rejected rows of a file that is named twice are all written', async () => {
  await writeFile(file, `${good}\nnonsense`);
  const args = ['import', 'allpv', file, file, '--site', site, '--on-error', 'skip'];
  expect(await runCommand({ database, dataDir: join(folder, 'data') }, args)).toMatchObject({
    code: 0,
    err: '',
  });
  expect((await readFile(rejected, 'utf8')).trimEnd().split('\n')).toHaveLength(2);
});

test('the rejected rows of a file that is named in two ways, and of two pipes, are all written', async () => {
  const before = process.cwd();
  const pipes = ['one', 'two'].map((name) => join(folder, name));
  execFileSync('mkfifo', pipes);
  await writeFile(file, `${good}\nnonsense`);
  process.chdir(folder);
  try {
    const args = [
      'import',
      'allpv',
      file,
      `${folder}/./views.ndjson`,
      ...pipes,
      '--site',
      site,
      '--on-error',
      'skip',
    ];
    const [done] = await Promise.all([
      runCommand({ database, dataDir: join(folder, 'data') }, args),
      ...pipes.map((path) => writeFile(path, `${good}\nfrom ${path}`)),
    ]);
    expect(done).toMatchObject({ code: 0, err: '', out: expect.stringContaining('rejected   4') });
  } finally {
    process.chdir(before);
  }
  const rowsOf = async (path: string) =>
    (await readFile(path, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).row);
  expect(await rowsOf(rejected)).toEqual(['nonsense', 'nonsense']);
  expect(await rowsOf(join(folder, 'stdin.rejected.ndjson'))).toEqual(pipes.map((path) => `from ${path}`));
});

test('if a log is imported into two sites at the same time, its rejected rows are added to one file', async () => {
  const files = ['shop', 'blog'].map((site) =>
    rejectedFile(rejected, { site, replacesOld: false, continues: true }),
  );
  for (const [line, one] of files.entries())
    await one.add({ line, column: null, value: null, reason: 'x', row: 'y' });
  for (const one of files) await one.keep();
  const lines = (await readFile(rejected, 'utf8')).trimEnd().split('\n');
  expect(lines.map((text) => JSON.parse(text).line)).toEqual([0, 1]);
});

test('a dry run writes no file, lists the first rejected rows, and keeps the file of an earlier import', async () => {
  await writeFile(rejected, 'old');
  const bad = '{"url":"https://a/","access_time":"noon"}';
  const { code, out } = await importText(`${good}\n${bad}`, 'skip', ['--dry-run']);
  expect(code).toBe(0);
  expect(out).toMatch(/^rejected rows\n +line 2 +access_time "noon" /m);
  expect(out).toContain('rejected   1\n');
  expect(out).toContain('Nothing was written: this was a dry run.');
  expect(await readFile(rejected, 'utf8')).toBe('old');
  const clean = await importText(good, 'skip', ['--dry-run']);
  expect(clean.out).not.toContain('rejected rows');
  expect(await readFile(rejected, 'utf8')).toBe('old');
  const named = join(folder, 'named.ndjson');
  const written = await importText(`${good}\n${bad}`, 'skip', ['--dry-run', '--rejected', named]);
  expect(written.out).toContain('Nothing was imported: this was a dry run.');
  expect(await readFile(named, 'utf8')).toContain('"line":2');
});

test('a row that is repeated within a new file is not reported as already stored', async () => {
  const { out } = await importText(`${good}\n${good}`, 'stop');
  expect(out).toContain('added      1\nunchanged  1  (already stored, or repeated in the file)\n');
});

test('rejected rows from standard input and pipes are written to the working directory and kept', async () => {
  const before = process.cwd();
  const pipe = join(folder, 'pipe');
  const stdinFile = join(folder, 'stdin.rejected.ndjson');
  execFileSync('mkfifo', [pipe]);
  process.chdir(folder);
  try {
    expect(await importFrom('-', 'skip', `${good}\nfirst`)).toMatchObject({ code: 0 });
    expect(await readFile(stdinFile, 'utf8')).toContain('"row":"first"');
    expect(await importFrom('-', 'skip', good)).toMatchObject({ code: 0 });
    expect(await readFile(stdinFile, 'utf8')).toContain('"row":"first"');
    const [done] = await Promise.all([importFrom(pipe, 'skip'), writeFile(pipe, `${good}\nsecond`)]);
    expect(done).toMatchObject({ code: 0 });
    expect(await readFile(stdinFile, 'utf8')).toContain('"row":"second"');
  } finally {
    process.chdir(before);
  }
});
