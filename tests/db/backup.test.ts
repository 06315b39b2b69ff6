import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { verifyBackup } from '../../db/backup/read-backup';
import { restoreBackup } from '../../db/backup/restore-backup';
import { renameFinished, writeBackup } from '../../db/backup/write-backup';
import { type MigratedSchema, migrate } from '../../db/migrate';
import { loadDemo } from '../../extension/data/demo/load-demo';
import { createTestDatabase, EMPTY, type TestDatabase } from '../support/database';
import { useProgram } from '../support/program-process';
import { runCommand } from '../support/run-command';
import { onFirstServer } from '../support/second-server';
import { SCHEMAS } from '../support/test-server';
import { throwawayFolder } from '../support/throwaway-postgres';
import { until } from '../support/until';
import { everything, RARE_ROWS } from './every-table';

type Rows = Awaited<ReturnType<typeof everything>>;

const DEMO = {
  name: 'backup_demo',
  fill: async (write: Knex) => {
    await loadDemo(write, { now: new Date('2026-05-01T10:00:00Z'), views: 500, onProgress: () => {} });
  },
};
const NASTY = 'tab\there, line\nend, \\. and \\N, "quotes", \u{1F600}';

let folder: string;
let source: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-test-'));
  source = await createTestDatabase(DEMO);
});
afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true });
});

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase(EMPTY);
  opened.push(database);
  return database;
}

let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `backup-${files}.gz`);
};

const clock = () => new Date('2026-05-02T00:00:00Z');
const signal = new AbortController().signal;
const onProgress = () => {};
const backUp = async (write: Knex = source.write, more: Partial<Parameters<typeof writeBackup>[0]> = {}) => {
  const file = newFile();
  const summary = await writeBackup({ write, file, program: '1.2.3', clock, signal, onProgress, ...more });
  return { file, ...summary };
};
const restore = (
  { write, readerRole }: TestDatabase,
  file: string,
  schemas: readonly MigratedSchema[] = SCHEMAS,
) => restoreBackup({ write, file, schemas, readerRole, signal, onProgress });

const tablesOf = async (write: Knex): Promise<readonly string[]> => {
  const { rows } = await write.raw(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname !~ '^pg_|information_schema' ORDER BY 1`,
  );
  return rows.map(({ name }: { name: string }) => name);
};

describe('a restored database', () => {
  let database: TestDatabase;
  let target: TestDatabase;
  let written: Awaited<ReturnType<typeof backUp>>;
  let restored: Awaited<ReturnType<typeof restore>>;
  let rows: { readonly before: Rows; readonly after: Rows };
  beforeAll(async () => {
    database = await createTestDatabase(DEMO);
    const { write } = database;
    await write.raw('UPDATE analytics.page SET title = ? WHERE page_id = 1', [NASTY]);
    await write.raw('UPDATE analytics.page SET title = ? WHERE page_id = 2', ['\\.']);
    for (const [table, row] of Object.entries(RARE_ROWS)) await write(table).insert(row);
    const check = await write.raw(
      "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'click_at_check'",
    );
    await write.raw('ALTER TABLE analytics.click DROP CONSTRAINT click_at_check');
    await write('analytics.click').update({ at: '1969-12-31T23:00:00Z' }).limit(1);
    await write.raw(`ALTER TABLE analytics.click ADD CONSTRAINT click_at_check ${check.rows[0].definition}`);
    written = await backUp(write);
    target = await createTestDatabase(EMPTY);
    restored = await restore(target, written.file);
    rows = { before: await everything(write), after: await everything(target.write) };
  });
  afterAll(async () => {
    await database.drop();
    await target.drop();
  });

  // conformance: beyond.whole-installation-kept
  test('has every row of every table', () => {
    expect(restored.tables).toHaveLength(written.tables);
    expect(restored.tables.reduce((sum, table) => sum + table.rows, 0)).toBe(written.rows);
    // A new table needs a row in RARE_ROWS.
    expect(Object.keys(rows.before).filter((table) => rows.before[table]?.length === 0)).toEqual([]);
    expect(rows.after).toEqual(rows.before);
  });

  test('can be read by the reader role', async () => {
    expect(await target.read.query({ text: 'SELECT title FROM analytics.page WHERE page_id = 1' })).toEqual([
      { title: NASTY },
    ]);
  });

  // conformance: beyond.whole-installation-kept
  test('has every index, trigger and sequence', async () => {
    const schema = `SELECT indexdef AS text FROM pg_indexes WHERE schemaname IN ('host', 'analytics')
      UNION ALL SELECT concat(tgrelid::regclass, tgname, tgenabled) FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1`;
    expect((await target.write.raw(schema)).rows).toEqual((await database.write.raw(schema)).rows);
    const [added] = await target
      .write('analytics.site')
      .insert({ tracking_id: 'next', domain: 'n.example', name: 'N', timezone: 'UTC' })
      .returning(['site_id']);
    expect(added.site_id).toBe(2);
  });

  // conformance: beyond.whole-installation-kept
  test('may have rows that violate a newer check constraint, which still applies to later changes', async () => {
    const { write } = target;
    expect(await write('analytics.click').where('at', '<', '1970-01-01T00:00:00Z').first()).toBeDefined();
    const again = write('analytics.click').update({ at: '1969-12-31T23:00:00Z' });
    await expect(again).rejects.toThrow('click_at_check');
  });

  test('continues the version numbers, and each version has a new token', async () => {
    const { write } = target;
    const versionOfDemo = () =>
      write('analytics.site_version').where({ site_id: 1 }).first('data_version', 'token');
    const before = await versionOfDemo();
    await write('analytics.page_view').update({ speed_msec: 1 }).limit(1);
    const after = await versionOfDemo();
    expect(Number(after.data_version)).toBe(Number(before.data_version) + 1);
    const link = { table_name: 'site_version', data_version: after.data_version };
    expect(await write('analytics.change').where(link)).toMatchObject([
      { token: after.token, token_before: before.token },
    ]);
  });
});

// conformance: beyond.whole-installation-kept
test('a backup is a single snapshot that excludes concurrent writes', async () => {
  const database = await createTestDatabase(DEMO);
  opened.push(database);
  const before = await everything(database.write);
  let written: Promise<unknown> | undefined;
  const { file } = await backUp(database.write, {
    onProgress: () => {
      written ??= database
        .write('analytics.page_view')
        .delete()
        .then(() => database.write('analytics.site').delete());
    },
  });
  await written;
  expect(await database.write('analytics.site').select()).toEqual([]);
  const target = await emptyDatabase();
  await restore(target, file);
  expect(await everything(target.write)).toEqual(before);
});

// attack: symbolic-link-place-backup
test('only the owner can read the file, and an existing file is not replaced', async () => {
  const { file } = await backUp();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file);
  await expect(backUp(source.write, { file })).rejects.toThrow('already exists');
  expect(await readFile(file)).toEqual(text);
});

test('a dangling link is not replaced, because its name is taken', async () => {
  const link = join(folder, 'link.gz');
  await symlink(join(folder, 'unmounted', 'b.gz'), link);
  await expect(backUp(source.write, { file: link })).rejects.toThrow('already exists');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
});

test('an empty database cannot be backed up', async () => {
  const { write } = await emptyDatabase();
  await expect(backUp(write)).rejects.toThrow('The database is still empty; there is nothing to back up.');
});

test('a database that contains only a view from a PostgreSQL extension is treated as empty', async () => {
  const { write } = await emptyDatabase();
  await write.raw(
    'CREATE VIEW public.of_extension AS SELECT 1; ALTER EXTENSION plpgsql ADD VIEW public.of_extension',
  );
  await expect(backUp(write)).rejects.toThrow('The database is still empty; there is nothing to back up.');
  await write.raw('ALTER EXTENSION plpgsql DROP VIEW public.of_extension');
  await expect(backUp(write)).rejects.toThrow('The database has the table public.of_extension');
});

test("a database with another program's tables is not reported as empty", async () => {
  const { write } = await emptyDatabase();
  await write.raw('CREATE TABLE public.orders (id integer)');
  await expect(backUp(write)).rejects.toThrow(
    "The database has the table public.orders, but none of this program's tables, so no backup was written. Check DATABASE_URL; pg_dump backs up other tables.",
  );
});

test('of two concurrent backups with the same name, only one is written, and it is complete', async () => {
  const dir = join(folder, 'twice');
  await mkdir(dir);
  const file = join(dir, 'b.gz');
  let second: Promise<unknown> | undefined;
  const first = backUp(source.write, {
    file,
    onProgress: () => {
      second ??= backUp(source.write, { file });
    },
  });
  const outcomes = await Promise.allSettled([first, first.catch(() => {}).then(() => second)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((one) => one.status === 'rejected')?.reason.message).toMatch(/already exists/);
  expect(await readdir(dir)).toEqual(['b.gz']);
  expect((await verifyBackup(file, signal)).tables.length).toBeGreaterThan(10);
});

test('if two backups finish with the same name, one gets it, and the other fails', async () => {
  const dir = join(folder, 'names');
  await mkdir(dir);
  const file = join(dir, 'b.gz');
  const named = ['one', 'other'].map(async (text) => {
    const unfinished = join(dir, `${text}.part`);
    await writeFile(unfinished, text);
    await renameFinished(unfinished, file);
    return text;
  });
  const outcomes = await Promise.allSettled(named);
  const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  expect(won).toEqual([await readFile(file, 'utf8')]);
  expect(outcomes.find((one) => one.status === 'rejected')?.reason.message).toMatch(/already exists/);
});

test('a backup that reads back differently is not kept', async () => {
  const dir = join(folder, 'bad-disk');
  await mkdir(dir);
  const file = join(dir, 'b.gz');
  let damaged = false;
  const written = backUp(source.write, {
    file,
    onProgress: () => {
      const [unfinished = ''] = readdirSync(dir);
      const path = join(dir, unfinished);
      if (damaged || statSync(path).size < 100) return;
      damaged = true;
      const handle = openSync(path, 'r+');
      writeSync(handle, Buffer.alloc(20), 0, 20, 50);
      closeSync(handle);
    },
  });
  await expect(written).rejects.toThrow(
    `The data read back from ${file} differs from what was written, so the backup was discarded. Check the disk.`,
  );
  expect(damaged).toBe(true);
  expect(await readdir(dir)).toEqual([]);
});

test('a canceled backup leaves no file', async () => {
  const dir = join(folder, 'stopped');
  await mkdir(dir);
  const controller = new AbortController();
  const stopped = backUp(source.write, {
    file: join(dir, 'b.gz'),
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await expect(stopped).rejects.toThrow('Stopped; no backup was written.');
  expect(await readdir(dir)).toEqual([]);
});

// These files are rejected before anything is sent to the server, so its version does not matter.
onFirstServer('an incomplete or foreign backup is rejected, and the database stays empty:', () => {
  let whole: Buffer;
  let text: string;
  beforeAll(async () => {
    whole = await readFile((await backUp()).file);
    text = gunzipSync(whole).toString();
  });
  const changed = (change: (text: string) => string) => gzipSync(change(text));

  test.each<readonly [string, () => Buffer | string, RegExp]>([
    ['text', () => 'SELECT 1', /was not written by this program/],
    ['an empty file', () => '', /is damaged: its end is missing|is not a backup/],
    ['another gzip file', () => gzipSync('{"a": 1}\n'), /was not written by this program/],
    ['a truncated file', () => whole.subarray(0, whole.length - 20), /is damaged: its end is missing/],
    ['a file truncated after a few bytes', () => whole.subarray(0, 100), /is damaged: its end is missing/],
    ['a truncated body', () => changed((it) => it.slice(0, it.length / 2)), /is damaged: its end is missing/],
    [
      'a changed byte in the gzip stream',
      () => Buffer.from(whole.map((byte, index) => (index === whole.length >> 1 ? byte ^ 0xff : byte))),
      /is damaged/,
    ],
    ['a changed value', () => changed((it) => it.replace('Demo shop', 'Other one')), /checksum/],
    [
      'a missing row',
      () => changed((it) => it.replace(/(\{"schema":"analytics","table":"device".*\n).*\n/, '$1')),
      /checksum/,
    ],
    ['data after the end', () => changed((it) => `${it}more\n`), /continues after its end/],
    [
      'a newer format',
      () => changed((it) => it.replace('"format":1', '"format":2')),
      /written by qal 1\.2\.3, in a newer format that this program cannot read/,
    ],
    [
      'a newer program',
      () => {
        const later = text.replace('"0001-tables"', '"0001-tables","9999-later"');
        const body = later.slice(0, later.lastIndexOf('{"rows"'));
        const sha256 = createHash('sha256').update(body).digest('hex');
        return gzipSync(later.replace(/"sha256":"\w+"/, `"sha256":"${sha256}"`));
      },
      /with the migration \w+\/9999-later, which this program does not have/,
    ],
  ])('%s', async (_label, content, message) => {
    const file = newFile();
    await writeFile(file, content());
    const target = await emptyDatabase();
    await expect(restore(target, file)).rejects.toThrow(message);
    expect(await tablesOf(target.write)).toEqual([]);
  });

  test('a missing file', async () => {
    await expect(verifyBackup(join(folder, 'none.gz'), signal)).rejects.toThrow('There is no file');
  });

  test('a folder', async () => {
    await expect(verifyBackup(folder, signal)).rejects.toThrow('is a folder, not a file');
  });
});

test('a restore into a database with a table is rejected', async () => {
  const { file } = await backUp();
  const target = await createTestDatabase();
  opened.push(target);
  await expect(restore(target, file)).rejects.toThrow(
    /^The database is not empty: it has the table \w+\.\w+\./,
  );
});

// conformance: beyond.whole-installation-kept
test('a backup from an older version gets the missing migrations', async () => {
  const dir = await mkdtemp(join(folder, 'toys-'));
  const toys = [{ schema: 'toys', migrations: dir, readable: true }];
  await writeFile(join(dir, '0001-tables.sql'), 'CREATE SCHEMA toys; CREATE TABLE toys.toy (name text);');
  const old = await emptyDatabase();
  await migrate(old.write, toys, old.readerRole);
  await old.write.raw("INSERT INTO toys.toy VALUES ('bear')");
  const { file } = await backUp(old.write);
  await writeFile(join(dir, '0002-more.sql'), 'ALTER TABLE toys.toy ADD size integer NOT NULL DEFAULT 3;');
  const target = await emptyDatabase();
  await restore(target, file, toys);
  expect(await target.read.query({ text: 'SELECT name, size FROM toys.toy' })).toEqual([
    { name: 'bear', size: 3 },
  ]);
  expect(await migrate(target.write, toys, target.readerRole)).toEqual([]);
});

test('a later migration may drop a table in the backup', async () => {
  const dir = await mkdtemp(join(folder, 'toys-'));
  const toys = [{ schema: 'toys', migrations: dir, readable: true }];
  await writeFile(
    join(dir, '0001-tables.sql'),
    'CREATE SCHEMA toys; CREATE TABLE toys.toy (name text); CREATE TABLE toys.old (name text);',
  );
  const old = await emptyDatabase();
  await migrate(old.write, toys, old.readerRole);
  const { file } = await backUp(old.write);
  await writeFile(join(dir, '0002-drop.sql'), 'DROP TABLE toys.old;');
  const target = await emptyDatabase();
  expect(await restore(target, file, toys)).toMatchObject({ migrated: ['toys/0002-drop'] });
  expect(await tablesOf(target.write)).toEqual(['migrations.applied_file', 'toys.toy']);
});

test('of two restores into the same database, the second one fails, and the first one finishes', async () => {
  const { file } = await backUp();
  const { write, readerRole } = await emptyDatabase();
  let second: Promise<unknown> | undefined;
  const onFirstRows = () => {
    second ??= restoreBackup({ write, readerRole, file, schemas: SCHEMAS, signal }).catch((error) => error);
  };
  await restoreBackup({ write, readerRole, file, schemas: SCHEMAS, signal, onProgress: onFirstRows });
  expect(await second).toMatchObject({
    name: 'BackupError',
    message: 'Another backup is being restored into this database, so this one was not restored.',
  });
  expect(await everything(write)).toEqual(await everything(source.write));
});

test('referenced tables are restored first', async () => {
  const dir = await mkdtemp(join(folder, 'toys-'));
  const toys = [{ schema: 'toys', migrations: dir, readable: true }];
  await writeFile(
    join(dir, '0001-tables.sql'),
    `CREATE SCHEMA toys; CREATE TABLE toys.z (id integer PRIMARY KEY);
     CREATE TABLE toys.b (id integer PRIMARY KEY REFERENCES toys.z); CREATE TABLE toys.a (id integer REFERENCES toys.b);
     INSERT INTO toys.z VALUES (1); INSERT INTO toys.b VALUES (1); INSERT INTO toys.a VALUES (1)`,
  );
  const old = await emptyDatabase();
  await migrate(old.write, toys, old.readerRole);
  const { file } = await backUp(old.write);
  const target = await emptyDatabase();
  const { tables } = await restore(target, file, toys);
  expect(tables.map(({ table }) => table)).toEqual(['z', 'b', 'a']);
});

test('a canceled restore leaves an empty database', async () => {
  const { file } = await backUp();
  const { write, readerRole } = await emptyDatabase();
  const controller = new AbortController();
  const stopped = restoreBackup({
    write,
    readerRole,
    file,
    schemas: SCHEMAS,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  });
  await expect(stopped).rejects.toThrow('Stopped; the database is empty');
  expect(await tablesOf(write)).toEqual([]);
});

// Starts the whole program, for which the server's version does not matter.
onFirstServer('after kill -9', () => {
  const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));

  // conformance: beyond.whole-installation-kept
  test('a killed restore leaves an empty database, which is reported, and the restore can be repeated', async () => {
    const { file } = await backUp();
    const target = await emptyDatabase();
    const environment = { DATABASE_URL: target.url, DATA_DIR: join(folder, 'unused') };
    const killed = program.start(['restore', file], environment);
    await until(async () => {
      const found = await target.write.raw("SELECT to_regclass('migrations.unfinished_restore') AS mark");
      return found.rows[0].mark !== null;
    });
    // The restore drops this table last, so it is still running at this point.
    await target.write.transaction(async (transaction) => {
      await transaction.raw('SELECT FROM migrations.unfinished_restore');
      killed.child.kill('SIGKILL');
      await killed.ended;
    });
    expect(await tablesOf(target.write)).toEqual(['migrations.unfinished_restore']);
    const { code, err } = await program.run(['users', 'list'], environment);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^The restore of backup-\d+\.gz, started on .* did not finish: this database is empty\./,
    );
    await restore(target, file);
    expect(await everything(target.write)).toEqual(await everything(source.write));
  });
});

test('qal backup writes a file that qal backup --verify accepts and qal restore restores', async () => {
  const file = newFile();
  // A backup does not contain its own record.
  const before = await everything(source.write);
  const written = await runCommand({ database: source }, ['backup', file]);
  expect(written).toMatchObject({ code: 0, out: '' });
  expect(written.err).toMatch(/^Wrote .*: [\d,]+ rows from \d+ tables, [\d.]+ MB\. It contains secrets/m);
  const verified = await runCommand({ database: source }, ['backup', '--verify', file]);
  expect(verified).toMatchObject({ code: 0, err: '' });
  expect(verified.out).toMatch(
    /was written on 2026-05-01 10:00 UTC by qal \S+ from PostgreSQL \d.* It is complete\.\n$/,
  );
  const target = await emptyDatabase();
  const restored = await runCommand({ database: target }, ['restore', file]);
  expect(restored).toMatchObject({ code: 0, out: '' });
  expect(await everything(target.write)).toEqual(before);
  expect(await runCommand({ database: target }, ['restore', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('The database is not empty'),
  });
});
