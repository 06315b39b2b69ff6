// Compares the program with the interpreter on random valid queries over unusual data. A long run plans them in every way.
import fc from 'fast-check';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import { IS_LONG_RUN, tries } from '../../support/long-run';
import { createContext } from '../query-setup';
import { AS_PLANNED, compareWithInterpreter, EVERY_WAY, expected } from './compare-with-interpreter';
import { loadData } from './load-data';
import { randomData } from './random/random-data';
import { EVERYTHING, randomQuery } from './random/random-query';
import { samplesOf } from './random/random-values';

const SEED = 20_261_121;
const DATA_SETS = tries(1, 2);
const QUERIES = tries(60, 100);
const WAYS = IS_LONG_RUN ? EVERY_WAY : AS_PLANNED;

// conformance: view.order-without-sort, calc.order-total-repeatable, calc.view-joined-any, calc.result-offset
// conformance: calc.time-view, calc.sort-then, beyond.median-percentile-numbers, beyond.calcs-calls-numbers
test.each(Array.from({ length: DATA_SETS }, (_, index) => SEED + index))(
  'the program returns the same answers as the interpreter, with data and queries for seed %i',
  async (seed) => {
    const tables = randomData(seed);
    const database = await createTestDatabase();
    let columns: TestColumns | undefined;
    try {
      await loadData(database.write, tables);
      columns = await openTestColumns(database, { isCounted: true });
      const context = await createContext(database, { columns });
      await fc.assert(
        fc.asyncProperty(randomQuery(tables, samplesOf(tables), EVERYTHING), async (query) => {
          const answer = expected(query, tables);
          fc.pre(answer !== null);
          if (answer !== null) await compareWithInterpreter(query, answer, tables, context, WAYS);
        }),
        { seed, numRuns: QUERIES },
      );
    } finally {
      await columns?.stop();
      await database.drop();
    }
  },
);
