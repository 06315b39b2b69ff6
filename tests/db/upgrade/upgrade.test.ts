// Databases with earlier schemas behave like new ones with the same data. `write-fixture.ts` writes the fixtures.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { restoreBackup } from '../../../db/backup/restore-backup';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { createTestDatabase, EMPTY, type TestDatabase } from '../../support/database';
import { SCHEMAS } from '../../support/test-server';
import { everything } from '../every-table';
import { clock, continueFixture, fillFixture, manifest } from './fixture';

const FIXTURES = readdirSync(__dirname).filter((name) => name.endsWith('.gz'));

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.drop();
});

async function newDatabase(filling?: typeof EMPTY): Promise<TestDatabase> {
  const database = await createTestDatabase(filling);
  opened.push(database);
  return database;
}

/** Restores a file: applies the migrations in it, stores its rows, and then applies the later migrations. */
async function upgraded(file: string): Promise<Knex> {
  const { write, readerRole } = await newDatabase(EMPTY);
  const { signal } = new AbortController();
  await restoreBackup({
    write,
    file: join(__dirname, file),
    schemas: SCHEMAS,
    readerRole,
    signal,
    onProgress: () => {},
  });
  return write;
}

/** Numbers that only determine the order of waiting rows. */
const ORDER_OF_WAITING = /"(waiting_id|arrivals)": (\d+|\[[-\d, ]*\])/g;

/** The import that supplied a visitor's first time. Earlier schemas did not record it. */
const IMPORT_ID = /"import_id": \d+, /;

/** All rows, except those of tables with random values or transaction times. */
async function rowsOf(write: Knex) {
  const {
    'analytics.site_version': _version,
    'analytics.change': _change,
    'analytics.import_rules': _rules,
    'analytics.waiting_row': waiting = [],
    'analytics.visitor_first': firsts = [],
    ...rows
  } = await everything(write);
  return {
    ...rows,
    'analytics.waiting_row': waiting.map((row) => row.replaceAll(ORDER_OF_WAITING, '')),
    'analytics.visitor_first': firsts.map((row) => row.replace(IMPORT_ID, '')),
  };
}

test.each(FIXTURES)('a database upgraded from %s equals a new one', async (file) => {
  const old = await upgraded(file);
  const { write: fresh } = await newDatabase();
  await fillFixture(fresh);
  expect(await rowsOf(old)).toEqual(await rowsOf(fresh));
  const imports = await Promise.all([continueFixture(old), continueFixture(fresh)]);
  const rows = await rowsOf(old);
  expect(rows).toEqual(await rowsOf(fresh));
  expect(Object.entries(rows).flatMap(([table, { length }]) => (length === 0 ? [table] : []))).toEqual([]);
  for (const [index, write] of [old, fresh].entries())
    await undoImport({ write, manifest, importId: imports[index] ?? 0, login: 'ann', clock });
  expect(await rowsOf(old)).toEqual(await rowsOf(fresh));
});
