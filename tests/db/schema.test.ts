import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSchema } from '../../docs/describe-schema';
import { changedMigrations, migrationChecksums } from '../../docs/migration-checksums';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { SCHEMAS } from '../support/test-server';

const NAMES = SCHEMAS.map(({ schema }) => schema);

const FILE = readFileSync(join(__dirname, '..', '..', 'db', 'schema.sql'), 'utf8');

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await database.drop();
});

const withoutHeader = (text: string) => text.slice(text.indexOf('CREATE SCHEMA'));

test('db/schema.sql matches the migrations (otherwise: make schema)', async () => {
  expect(await describeSchema(database.write, NAMES)).toBe(withoutHeader(FILE));
});

test('db/schema.sql creates the same tables', async () => {
  await database.write.raw('DROP SCHEMA host, analytics CASCADE');
  await database.write.raw(FILE.replaceAll('?', '\\?'));
  expect(await describeSchema(database.write, NAMES)).toBe(withoutHeader(FILE));
});

test('no table is unlogged, because PostgreSQL cannot recover if it crashes right after rolling back the creation of one', async () => {
  const { rows } = await database.write.raw(`SELECT relname FROM pg_class WHERE relpersistence = 'u'`);
  expect(rows).toEqual([]);
});

test('recorded migrations do not change: db/migrations.sha256 has all checksums (otherwise: make schema)', async () => {
  const recorded = readFileSync(join(__dirname, '..', '..', 'db', 'migrations.sha256'), 'utf8');
  const current = await migrationChecksums(SCHEMAS);
  expect(changedMigrations(recorded, current)).toEqual([]);
  expect(recorded).toBe(current);
  const [first = '', second = ''] = recorded.split('\n');
  const edited = current.replace(
    first,
    first.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  );
  expect(changedMigrations(recorded, edited)).toEqual([
    'The migration host/0001-tables.sql was changed or removed, but databases may have applied it: restore the file, and add a new migration.',
  ]);
  expect(changedMigrations(recorded, current.replace(`${second}\n`, ''))).toHaveLength(1);
  expect(changedMigrations(`${first}\n${second}\n`, current)).toEqual([]);
});
