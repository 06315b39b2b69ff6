import { perConnection } from '../../../extension/data/rows/per-connection';
import { loadTableLayout } from '../../../extension/data/rows/table-layout';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { showingSite } from '../../../extension/data/storage/planner';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();

test('a look-up runs once per connection, and again if it failed', () =>
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
