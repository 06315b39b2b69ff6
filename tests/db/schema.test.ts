import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSchema } from '../../docs/describe-schema';
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

const withoutHead = (text: string) => text.slice(text.indexOf('CREATE SCHEMA'));

test('db/schema.sql matches the migrations (otherwise: make schema)', async () => {
  expect(await describeSchema(database.write, NAMES)).toBe(withoutHead(FILE));
});

test('db/schema.sql creates the same tables', async () => {
  await database.write.raw('DROP SCHEMA host, analytics CASCADE');
  await database.write.raw(FILE.replaceAll('?', '\\?'));
  expect(await describeSchema(database.write, NAMES)).toBe(withoutHead(FILE));
});

test('no table is unlogged: PostgreSQL does not start after a crash if the creation of one was just rolled back', async () => {
  const { rows } = await database.write.raw(`SELECT relname FROM pg_class WHERE relpersistence = 'u'`);
  expect(rows).toEqual([]);
});
