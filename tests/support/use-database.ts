// One test database for a test file, or for a describe(), from its first test to its last.
import { createTestDatabase, type TestDatabase } from './database';
import type { Filling } from './test-server';

/** Call it before other hooks; the database exists from the next beforeAll() on. */
export function useTestDatabase(filling?: Filling): TestDatabase {
  let opened: TestDatabase | undefined;
  beforeAll(async () => {
    opened = await createTestDatabase(filling);
  });
  afterAll(() => opened?.drop());
  const current = (): TestDatabase => {
    if (opened === undefined) throw new Error('The test database is there from beforeAll() on.');
    return opened;
  };
  return {
    get read() {
      return current().read;
    },
    get write() {
      return current().write;
    },
    get readerRole() {
      return current().readerRole;
    },
    get url() {
      return current().url;
    },
    get readUrl() {
      return current().readUrl;
    },
    drop: () => current().drop(),
  };
}
