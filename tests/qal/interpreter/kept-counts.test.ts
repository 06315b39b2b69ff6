// Random queries that kept counts answer, with the counts and without, against the interpreter.
import fc from 'fast-check';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createTestDatabase } from '../../support/database';
import { createContext } from '../query-setup';
import { expected, holdAgainst, WITH_AND_WITHOUT_COUNTS } from './hold-against';
import { keepCounts, loadData } from './load-data';
import { keptQuery } from './random/kept-query';
import { randomData } from './random/random-data';
import { samplesOf } from './random/random-values';

const SEED = 20_261_122;
const QUERIES = 150;

test.each([
  [SEED, [1, 2, 3]],
  [SEED + 1, [1, 2]],
  [SEED + 2, [1]],
])(
  'data and queries of seed %i, counts of sites %j',
  async (seed, counted) => {
    const tables = randomData(seed);
    const database = await createTestDatabase();
    let columns: TestColumns | undefined;
    let fired = 0;
    try {
      await loadData(database.write, tables);
      await keepCounts(database.write, counted);
      columns = await openTestColumns(database);
      const context = await createContext(database, { columns });
      await fc.assert(
        fc.asyncProperty(keptQuery(tables, samplesOf(tables)), async (query) => {
          const answer = expected(query, tables);
          fc.pre(answer !== null);
          if (answer === null) return;
          const passes = await holdAgainst(query, answer, tables, context, WITH_AND_WITHOUT_COUNTS);
          if (passes.has('read-rollups')) fired += 1;
        }),
        { seed, numRuns: QUERIES },
      );
    } finally {
      await columns?.stop();
      await database.drop();
    }
    expect(fired).toBeGreaterThan(QUERIES / 4);
  },
  120_000,
);
