import { createTestDatabase, type EMPTY, type TestDatabase } from './database';
import type { Filling } from './test-server';

/** Creates a test database for a test file or a describe(). Call this before other hooks. */
export function useTestDatabase(filling?: Filling | typeof EMPTY): TestDatabase {
  let opened: TestDatabase | undefined;
  beforeAll(async () => {
    opened = await createTestDatabase(filling);
  });
  afterAll(() => opened?.drop());
  const current = (): TestDatabase => {
    if (opened === undefined) throw new Error('The test database is created in beforeAll().');
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
