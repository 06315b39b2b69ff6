import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { migrate } from '../../db/migrate';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { SCHEMAS } from '../support/test-server';

const ALL = SCHEMAS.flatMap(({ schema, migrations }) =>
  readdirSync(migrations)
    .sort()
    .map((file) => `${schema}/${basename(file, '.sql')}`),
);

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

const migrateAll = () => migrate(database.write, SCHEMAS, database.readerRole);

const dropAll = () => database.write.raw('DROP SCHEMA host, analytics, migrations CASCADE');

test('a migrated database needs no further migrations', async () => {
  expect(await migrateAll()).toEqual([]);
});

test("an empty database gets every schema, and the reader may read only the extensions' schemas", async () => {
  await dropAll();
  expect(await migrateAll()).toEqual(ALL);
  const devices = await database.read.query({
    text: 'SELECT device_type FROM analytics.device ORDER BY device_id',
  });
  expect(devices).toEqual([{ device_type: 'PC' }, { device_type: 'tablet' }, { device_type: 'SP' }]);
  await expect(database.read.query({ text: 'SELECT FROM host.users' })).rejects.toThrow('permission denied');
});

test('concurrent migrations run one after the other', async () => {
  await dropAll();
  const outcomes = await Promise.all([migrateAll(), migrateAll()]);
  expect(outcomes.map((names) => names.length).sort()).toEqual([0, ALL.length]);
});

// conformance: beyond.newer-program-says
test('rejects a database that a newer version migrated, and names the migration', async () => {
  await database.write.from('migrations.applied_file').insert({ schema: 'analytics', name: '9999-later' });
  await expect(migrateAll()).rejects.toThrow('analytics/9999-later');
});

test('keeps the tables of an extension that the program no longer has', async () => {
  const hostOnly = SCHEMAS.filter(({ schema }) => schema === 'host');
  expect(await migrate(database.write, hostOnly, database.readerRole)).toEqual([]);
  expect(await database.read.query({ text: 'SELECT FROM analytics.device' })).toHaveLength(3);
});

describe('a folder of migrations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
    await writeFile(
      join(folder, '0001-tables.sql'),
      `CREATE SCHEMA toys; CREATE TABLE toys.toy (name text);`,
    );
  });
  afterEach(() => rm(folder, { recursive: true }));

  const migrateToys = () =>
    migrate(database.write, [{ schema: 'toys', migrations: folder, readable: true }], database.readerRole);

  test('is applied in name order, each file once, and the reader may read what later files create', async () => {
    expect(await migrateToys()).toEqual(['toys/0001-tables']);
    await writeFile(join(folder, '0003-last.sql'), "INSERT INTO toys.toy SELECT 'last?' FROM toys.box");
    await writeFile(join(folder, '0002-box.sql'), 'CREATE TABLE toys.box AS SELECT 1 AS size');
    await writeFile(join(folder, 'README.md'), 'no migration');
    expect(await migrateToys()).toEqual(['toys/0002-box', 'toys/0003-last']);
    expect(await database.read.query({ text: 'SELECT name, size FROM toys.toy, toys.box' })).toEqual([
      { name: 'last?', size: 1 },
    ]);
  });

  test('is sent one statement at a time, no matter how semicolons are quoted', async () => {
    const texts = `-- A comment; it's no statement.
      CREATE TABLE toys."odd;name" (text text DEFAULT 'it''s; "quoted"');
      CREATE FUNCTION toys.one() RETURNS int LANGUAGE plpgsql AS $body$ BEGIN PERFORM '$$;'; RETURN 1; END $body$;
      INSERT INTO toys."odd;name" DEFAULT VALUES; -- the end;
    `;
    await writeFile(join(folder, '0002-quoted.sql'), texts);
    const sent: string[] = [];
    database.write.client.on('query', ({ sql }: { sql: string }) => void sent.push(sql));
    await migrateToys();
    expect(sent.filter((sql) => sql.includes('odd;name'))).toHaveLength(2);
    const { rows } = await database.write.raw('SELECT text, toys.one() FROM toys."odd;name"');
    expect(rows).toEqual([{ text: `it's; "quoted"`, one: 1 }]);
  });

  // conformance: beyond.newer-program-says
  test('is announced for a database in use, but not for a new or up-to-date one', async () => {
    const announced: (readonly string[])[] = [];
    const onUpgrade = async (pending: readonly string[]) => void announced.push(pending);
    const toys = [{ schema: 'toys', migrations: folder, readable: true }];
    await dropAll();
    await migrate(database.write, toys, database.readerRole, { onUpgrade });
    await migrate(database.write, toys, database.readerRole, { onUpgrade });
    expect(announced).toEqual([]);
    await writeFile(join(folder, '0002-box.sql'), 'CREATE TABLE toys.box (size integer)');
    await migrate(database.write, toys, database.readerRole, { onUpgrade });
    expect(announced).toEqual([['toys/0002-box']]);
  });

  test('leaves no changes if it fails', async () => {
    await writeFile(join(folder, '0002-wrong.sql'), 'CREATE TABLE nowhere.box ()');
    await expect(migrateToys()).rejects.toThrow('nowhere');
    await rm(join(folder, '0002-wrong.sql'));
    expect(await migrateToys()).toEqual(['toys/0001-tables']);
  });
});
