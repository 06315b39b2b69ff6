// The database's time zones are read when a query, a schema or a page first needs them.
import { loadAnalytics } from '../../extension/api/analytics';
import { removalHost } from '../support/removal-host';
import { runCommand } from '../support/run-command';
import { SETTINGS } from '../support/test-host';
import { useTestDatabase } from '../support/use-database';

const database = useTestDatabase();

/** Counts the reads of the zones from here on. The first `failures` reads fail. */
function countReads(failures = 0): () => number {
  const { query } = database.read;
  let reads = 0;
  jest.spyOn(database.read, 'query').mockImplementation(async (statement) => {
    if (!statement.text.includes('pg_timezone_names')) return query(statement);
    reads += 1;
    if (reads <= failures) throw new Error('no connection');
    return query(statement);
  });
  return () => reads;
}
afterEach(() => jest.restoreAllMocks());

const load = () =>
  loadAnalytics(
    removalHost(database, () => new Date()),
    SETTINGS,
  );

test('a command that runs no query does not read them', async () => {
  const reads = countReads();
  expect(await runCommand({ database }, ['imports', 'gaps'])).toMatchObject({ code: 0 });
  expect(reads()).toBe(0);
});

test('they are read once, even if they are needed twice at the same time', async () => {
  const reads = countReads();
  const { zones } = await load();
  const [first, second] = await Promise.all([zones(), zones()]);
  expect(first.has('Asia/Tokyo')).toBe(true);
  expect([second, await zones()]).toEqual([first, first]);
  expect(reads()).toBe(1);
});

test('if reading them fails, they are read again the next time', async () => {
  const reads = countReads(1);
  const { zones } = await load();
  await expect(zones()).rejects.toThrow('no connection');
  expect((await zones()).has('Asia/Tokyo')).toBe(true);
  expect(reads()).toBe(2);
});
