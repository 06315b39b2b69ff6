// What no statement may have, however the query was written.
import { readRows } from '../../extension/qal/run/read-rows';
import { useTestDatabase } from '../support/use-database';
import { createContext } from './query-setup';

const database = useTestDatabase();

test('more values than the protocol can count are refused, not cut', async () => {
  const context = await createContext(database);
  const bindings = Array.from({ length: 65_536 }, () => 1);
  await expect(readRows({ text: 'select 1', bindings }, 'v', context)).rejects.toMatchObject({
    code: 'E_QUERY_TOO_LARGE',
    at: 'make.v',
  });
});
