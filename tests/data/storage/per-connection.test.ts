import { importRows } from '../../../extension/data/import/import-rows';
import { perConnection } from '../../../extension/data/rows/per-connection';
import { loadTableLayout } from '../../../extension/data/rows/table-layout';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { showingSite } from '../../../extension/data/storage/planner';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest } from '../import/import-setup';

const database = useTestDatabase();

test('a lookup runs once per connection, and again if it failed', () =>
  inTransaction(database.write, async (client) => {
    const answers = [Promise.reject(new Error('canceled')), Promise.resolve('found')];
    const find = perConnection(() => answers.shift());
    await expect(find(client)).rejects.toThrow('canceled');
    expect(await find(client)).toBe('found');
    expect(await find(client)).toBe('found');
  }));

test('the columns of a table are read once per connection, even to a Citus cluster', () =>
  inTransaction(database.write, async (client) => {
    const sent = jest.spyOn(client, 'query');
    for (const table of ['click', 'event', 'click']) await loadTableLayout(showingSite(client), table);
    expect(sent).toHaveBeenCalledTimes(1);
    sent.mockRestore();
  }));

test('a table that does not exist has no layout', () =>
  inTransaction(database.write, (client) =>
    expect(loadTableLayout(client, 'nope')).rejects.toThrow('There is no table analytics.nope.'),
  ));

test('imports succeed on a connection that is older than a column of page views', async () => {
  const { write } = database;
  await write.raw(
    "INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES ('shop', 'shop.example', 'Shop', 'UTC')",
  );
  const load = (visits: readonly number[]) =>
    importRows(write, manifest, {
      material: 'allpv',
      site: 'shop',
      rows: visits.map((visit) => ({ pv_id: visit, session_id: visit, url: '/', access_time: AT + visit })),
    });
  await load([1, 2]);
  await write.raw('ALTER TABLE analytics.page_view ADD later integer');
  expect(await load([2, 3])).toMatchObject({ added: 1, unchanged: 1 });
});
