// Limits that apply to every statement, no matter how the query is written.

import type { RowBatches } from '../../extension/language/types/compiled-query';
import { readRows } from '../../extension/query/run/read-rows';
import { createContext } from '../language/query-setup';
import { useTestDatabase } from '../support/use-database';

const toEnd = async (rows: RowBatches) => {
  for await (const _ of rows);
};

const database = useTestDatabase();

test('a statement with more values than the protocol allows is rejected, not truncated', async () => {
  const context = await createContext(database);
  const bindings = Array.from({ length: 65_536 }, () => 1);
  await expect(readRows({ text: 'select 1', bindings }, 'v', context, toEnd)).rejects.toMatchObject({
    code: 'E_QUERY_TOO_LARGE',
    at: 'make.v',
  });
});

test('a statement gets the time that the other engine did not use, and the timeout error contains the full limit', async () => {
  const context = await createContext(database, { timeoutSeconds: 60, secondsSpent: 59 });
  const slow = { text: 'select count(*)::int from (select pg_sleep(30)) s', bindings: [] };
  await expect(readRows(slow, 'v', context, toEnd)).rejects.toMatchObject({
    code: 'E_TIMEOUT',
    details: { timeout_seconds: 60 },
  });
});
