// Compares every column of every material, in every function and across every join, with the interpreter. Excludes
// `query_record`, because its rows are not a site's data.

import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import { IS_LONG_RUN, tries } from '../../support/long-run';
import { createContext } from '../query-setup';
import { AS_PLANNED, compareWithInterpreter, expected } from './compare-with-interpreter';
import { loadData } from './load-data';
import { everyColumn } from './random/every-column';
import { randomData } from './random/random-data';

const SEED = 11;

test('the program returns the same answers as the interpreter for every column', async () => {
  const tables = randomData(SEED);
  const database = await createTestDatabase();
  let columns: TestColumns | undefined;
  try {
    await loadData(database.write, tables);
    columns = await openTestColumns(database, { isCounted: true });
    const context = await createContext(database, { columns });
    const queries = everyColumn(tables, IS_LONG_RUN);
    expect(queries.length).toBeGreaterThan(tries(100, 150));
    for (const query of queries) {
      const answer = expected(query, tables);
      if (answer !== null) await compareWithInterpreter(query, answer, tables, context, AS_PLANNED);
    }
  } finally {
    await columns?.stop();
    await database.drop();
  }
});
