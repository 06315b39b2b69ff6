import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrate, rollbackAll } from '../../db/migrate';
import { MIGRATIONS } from '../../db/migrations/index';
import { createTestDatabase, type TestDatabase } from '../support/database';

const NAMES = MIGRATIONS.map((migration) => migration.name);
const FOLDER = join(__dirname, '..', '..', 'db', 'migrations');

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

test('a migrated database has nothing to do', async () => {
  expect(await migrate(database.write)).toEqual([]);
});

test('down takes everything back, up makes it again and lets the reader read', async () => {
  await rollbackAll(database.write);
  const { rows } = await database.write.raw(
    "SELECT nspname FROM pg_namespace WHERE nspname IN ('host', 'analytics')",
  );
  expect(rows).toEqual([]);
  expect(await migrate(database.write)).toEqual(NAMES);
  const devices = await database.read.raw('SELECT device_type FROM analytics.device ORDER BY device_id');
  expect(devices.rows).toEqual([{ device_type: 'PC' }, { device_type: 'tablet' }, { device_type: 'SP' }]);
});

test('two that migrate at the same moment do not meet', async () => {
  await rollbackAll(database.write);
  const outcomes = await Promise.all([migrate(database.write), migrate(database.write)]);
  expect(outcomes.map((names) => names.length).sort()).toEqual([0, NAMES.length]);
});

test('a database that a newer version migrated is refused by the name of the migration', async () => {
  await database.write.withSchema('migrations').table('applied').insert({ name: '9999-later', batch: 9 });
  await expect(migrate(database.write)).rejects.toThrow('9999-later');
});

test('every migration file is listed, and imports nothing of ours', () => {
  const files = readdirSync(FOLDER).filter((name) => name !== 'index.ts');
  expect(files.map((name) => name.replace(/\.ts$/, '')).sort()).toEqual(NAMES);
  for (const file of files) {
    const imports = [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/(?:from|require\()\s*'([^']+)'/g)];
    expect(imports.map((found) => found[1])).toEqual(['knex']);
  }
});
