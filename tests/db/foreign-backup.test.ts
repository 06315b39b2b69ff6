// A backup from an untrusted source either fills our tables or is rejected. It cannot execute anything.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BackupError } from '../../db/backup/backup-format';
import { readBackup, verifyBackup } from '../../db/backup/read-backup';
import { restoreBackup } from '../../db/backup/restore-backup';
import { writeBackup } from '../../db/backup/write-backup';
import { type MigratedSchema, migrate } from '../../db/migrate';
import { createTestDatabase, EMPTY, type TestDatabase } from '../support/database';
import { runCommand } from '../support/run-command';
import { SCHEMAS } from '../support/test-server';
import { useTestDatabase } from '../support/use-database';
import { useFolder } from '../support/use-folder';

/** One schema is enough, and is created in a fifth of the time. */
const HOST = SCHEMAS.filter(({ schema }) => schema === 'host');
const source = useTestDatabase(EMPTY);
/** Stays empty, since each restore into it must fail without leaving anything behind. */
const untouched = useTestDatabase(EMPTY);
const signal = new AbortController().signal;
const onProgress = () => {};
const clock = () => new Date('2026-05-02T00:00:00Z');

const folder = useFolder({ perFile: true, inMemory: true });
let text: string;
beforeAll(async () => {
  await migrate(source.write, HOST, source.readerRole);
  await source.write('host.backup').insert({ made_at: clock(), bytes: 5 });
  text = gunzipSync(await readFile(await backUp(source))).toString('latin1');
});
const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});

let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `backup-${files}.gz`);
};

async function backUp({ write }: Pick<TestDatabase, 'write'>): Promise<string> {
  const file = newFile();
  await writeBackup({ write, file, program: '1.2.3', clock, signal, onProgress });
  return file;
}

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase(EMPTY);
  opened.push(database);
  return database;
}

const restore = ({ write, readerRole }: TestDatabase, file: string, schemas: readonly MigratedSchema[]) =>
  restoreBackup({ write, file, schemas, readerRole, signal, onProgress });

/** Writes a backup with this text and a matching checksum. */
async function fileOf(body: string, rows: readonly number[] = []): Promise<string> {
  const sha256 = createHash('sha256').update(body, 'latin1').digest('hex');
  const file = newFile();
  await writeFile(file, gzipSync(Buffer.from(`${body}${JSON.stringify({ rows, sha256 })}\n`, 'latin1')));
  return file;
}

const bodyOf = (whole: string) => whole.slice(0, whole.lastIndexOf('{"rows"'));
type Header = Record<string, unknown>;
function withHeader(change: (header: Header) => object): string {
  const end = text.indexOf('\n');
  return `${JSON.stringify(change(JSON.parse(text.slice(0, end))))}${bodyOf(text).slice(end)}`;
}
const withTable = (schema: string, table: string, columns: readonly string[], row: string) =>
  `${bodyOf(text)}${JSON.stringify({ schema, table, columns })}\n${row}\n\\.\n`;

const trigger = ['pg_catalog', 'pg_event_trigger', ['evtname', 'evtevent'], 'mine\tddl_command_end'] as const;
const sequence = (schema: string, name: string) => ({ schema, name, last: '1', isCalled: true });

// attack: forged-backup-rows-postgresql
describe('a forged backup is rejected, even by --verify:', () => {
  test.each<readonly [string, () => string, string]>([
    ['rows for the catalog', () => withTable(...trigger), 'it contains an unexpected line'],
    [
      'a header with the catalog as a schema',
      () => withHeader((header) => ({ ...header, migrations: { pg_catalog: ['0001-tables'] } })),
      'was not written by this program',
    ],
    [
      'rows for a schema that is missing from the header',
      () => withTable('public', 'other', ['name'], 'x'),
      'it contains unexpected rows for public.other',
    ],
    [
      'rows for the same table twice',
      () => withTable('host', 'backup', ['bytes'], 'other'),
      'it contains unexpected rows for host.backup',
    ],
    [
      'a name that is not an identifier',
      () => withTable('host', "extension\" (name) FROM PROGRAM 'id' --", ['name'], 'x'),
      'it contains an unexpected line',
    ],
    [
      'a column that is not an identifier',
      () => withTable('host', 'backup', ["name) FROM PROGRAM 'id' --"], 'x'),
      'it contains an unexpected line',
    ],
    ...([0, 0.5, -1] as const).map(
      (format) =>
        [
          `a backup in format ${format}`,
          () => withHeader((header) => ({ ...header, format })),
          'was not written by this program',
        ] as const,
    ),
    [
      'a version with a terminal escape sequence',
      () => withHeader((header) => ({ ...header, program: '\u001b]0;title\u0007' })),
      'was not written by this program',
    ],
    [
      'a version with an escape sequence, in a newer format',
      () => withHeader((header) => ({ ...header, format: 2, program: '\u001b[2J' })),
      'was not written by this program',
    ],
    [
      'no migrations',
      () => withHeader((header) => ({ ...header, migrations: { host: [], analytics: [] } })),
      'was not written by this program',
    ],
    [
      'an unknown key in the header',
      () => withHeader((header) => ({ ...header, more: 1 })),
      'was not written by this program',
    ],
    [
      'a sequence in another schema',
      () => withHeader((header) => ({ ...header, sequences: [sequence('public', 'other')] })),
      'was not written by this program',
    ],
  ])('%s', async (_label, body, message) => {
    const file = await fileOf(body());
    await expect(verifyBackup(file, signal)).rejects.toThrow(message);
    const { code, err } = await runCommand({ database: source }, ['backup', '--verify', file]);
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
    await expect(restore(untouched, file, HOST)).rejects.toThrow(message);
    const { rows } = await untouched.write.raw('SELECT evtname FROM pg_event_trigger');
    expect(rows).toEqual([]);
  });
});

test.each<readonly [string, () => string, string]>([
  [
    'a table',
    () => withTable('host', 'other', ['name'], 'x'),
    'has rows for host.other (name), which this program does not have',
  ],
  [
    'a column',
    () => bodyOf(text).replace('"table":"backup","columns":["made_at"', '"table":"backup","columns":["ctid"'),
    'has rows for host.backup (ctid, bytes',
  ],
  [
    'a sequence',
    () => withHeader((header) => ({ ...header, sequences: [sequence('host', 'other')] })),
    'has the sequence host.other, which this program does not have',
  ],
  [
    'a repeated sequence',
    () => withHeader(({ sequences, ...header }) => ({ ...header, sequences: [sequences, sequences].flat() })),
    'which this program does not have',
  ],
])('%s that differs from the catalog is rejected, leaving nothing behind', async (_label, body, message) => {
  await expect(restore(untouched, await fileOf(body()), HOST)).rejects.toThrow(message);
  const { rows } = await untouched.write.raw(
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public')",
  );
  expect(rows).toEqual([]);
});

const rowsOfBackup = (change: (row: string) => string) =>
  bodyOf(text).replace(
    /("table":"backup","columns":\["made_at","bytes"\]\}\n)(.*\n)/,
    (_all, line: string, row: string) => line + change(row),
  );
const withSequence = (last: string) =>
  withHeader((header) => ({
    ...header,
    sequences: [header.sequences].flat().map((one) => ({ ...Object(one), last })),
  }));

// Each backup has a valid checksum, which anyone can compute.
test.each<readonly [string, () => string, string]>([
  ['tables', () => text.slice(0, text.indexOf('\n') + 1), 'is incomplete: it lacks the table'],
  [
    'a column',
    () => rowsOfBackup(() => '5\n').replace('"columns":["made_at","bytes"]', '"columns":["bytes"]'),
    'is incomplete: it lacks the column host.backup.made_at',
  ],
  [
    'sequences',
    () => withHeader((header) => ({ ...header, sequences: [] })),
    'is incomplete: it lacks the sequence',
  ],
  [
    'the first migrations',
    () =>
      withHeader((header) => ({
        ...header,
        migrations: { ...Object(header.migrations), host: ['0089-links'] },
      })),
    'PostgreSQL rejected the contents of',
  ],
  ['valid values', () => rowsOfBackup(() => 'soon\t5\n'), 'column made_at: "soon"). Use another backup.'],
  ['unique keys', () => rowsOfBackup((row) => row + row), '(COPY backup, line 2). Use another backup.'],
  ['a valid sequence', () => withSequence('9999999999999999999'), 'PostgreSQL rejected the contents of'],
])(
  'a file without %s fails to restore with a clear error, and nothing from it is stored',
  async (_label, body, message) => {
    const failed = await restore(untouched, await fileOf(body()), HOST).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(BackupError);
    expect(String(failed)).toContain(message);
    const { rows } = await untouched.write.raw("SELECT nspname FROM pg_namespace WHERE nspname = 'host'");
    expect(rows).toEqual([]);
  },
);

// attack: forged-backup-rows-our
test('rows are loaded by a role without superuser rights, which is dropped afterwards', async () => {
  const dir = await mkdtemp(join(folder, 'toys-'));
  const toys = [{ schema: 'toys', migrations: dir, readable: false }];
  await writeFile(
    join(dir, '0001-tables.sql'),
    `CREATE SCHEMA toys;
     CREATE FUNCTION toys.is_plain() RETURNS boolean LANGUAGE sql AS
       'SELECT NOT rolsuper FROM pg_roles WHERE rolname = current_user';
     CREATE TABLE toys.box (name text PRIMARY KEY);
     CREATE TABLE toys.toy (name text CHECK (toys.is_plain()), box text REFERENCES toys.box);`,
  );
  const old = await emptyDatabase();
  await migrate(old.write, toys, old.readerRole);
  await old.write.raw(
    `CREATE OR REPLACE FUNCTION toys.is_plain() RETURNS boolean LANGUAGE sql AS 'SELECT true';
     INSERT INTO toys.box VALUES ('red'); INSERT INTO toys.toy VALUES ('bear', 'red')`,
  );
  const target = await emptyDatabase();
  await restore(target, await backUp(old), toys);
  expect(await target.write('toys.toy').select()).toEqual([{ name: 'bear', box: 'red' }]);
  await target.write.raw('ALTER TABLE toys.toy ADD COLUMN at timestamptz DEFAULT now()');
  const { rows } = await target.write.raw("SELECT rolname FROM pg_roles WHERE rolname ~ '^qal_restore_'");
  expect(rows).toEqual([]);
});

test('row counts that an early version wrote as 0 are corrected if the checksum matches', async () => {
  const file = await fileOf(bodyOf(text), [0, 0, 0]);
  const { tables } = await verifyBackup(file, signal);
  const rowsOf = (name: string) => tables.find(({ table }) => table === name)?.rows;
  expect(rowsOf('backup')).toBeGreaterThan(0);
  const target = await emptyDatabase();
  expect((await restore(target, file, HOST)).tables).toEqual(tables);
  expect(await target.write('host.backup').select()).toHaveLength(rowsOf('backup') ?? 0);
});

// attack: backup-few-kilobytes-row
test('rows of any length are processed in small pieces', async () => {
  const row = 'x'.repeat(32 * 2 ** 20);
  const file = await fileOf(withTable('host', 'later', ['name'], row));
  let longest = 0;
  let bytes = 0;
  for await (const part of readBackup(file, signal)) {
    if (part.kind === 'table') bytes = 0;
    if (part.kind !== 'rows') continue;
    longest = Math.max(longest, part.bytes.length);
    bytes += part.bytes.length;
  }
  expect(bytes).toBe(row.length + 1);
  expect(longest).toBeLessThan(2 ** 20);
});

test('the end of the rows is found no matter where the data is split', async () => {
  const PIECE = 256 * 1024;
  const [first = ''] = text.split('\n');
  const tables = ['user', 'site'].map((table) => JSON.stringify({ schema: 'host', table, columns: ['n'] }));
  const [full = '', empty = ''] = tables;
  // Splits near the end of the first table, then near the end of the second table, which has no rows.
  for (const before of [full.length, full.length + 3 + empty.length + 1])
    for (let more = -6; more <= 3; more += 1) {
      const row = 'x'.repeat(PIECE - first.length - before - 3 + more);
      const file = await fileOf([first, full, row, '\\.', empty, '\\.', ''].join('\n'));
      const found = (await verifyBackup(file, signal)).tables.map(({ table, rows }) => [table, rows]);
      expect([before, more, found]).toEqual([
        before,
        more,
        [
          ['user', 1],
          ['site', 0],
        ],
      ]);
    }
});
