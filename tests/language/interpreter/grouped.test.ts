// Random queries that group page views and clicks by dimension, over arbitrary ranges and over whole days.
import { tries } from '../../support/long-run';
import { AS_PLANNED, compareQueries, without } from './compare-with-interpreter';
import { groupedQuery } from './random/grouped-query';

const SEED = 20_261_122;
const QUERIES = tries(60, 200);

// conformance: beyond.rows-column-copy
test('the program returns the same answers as the interpreter', async () => {
  const fired = await compareQueries({
    seed: SEED,
    count: QUERIES,
    queries: groupedQuery,
    ways: AS_PLANNED,
    counted: without(),
  });
  expect(fired.get('group-by-id')).toBeGreaterThan(QUERIES / 10);
  expect(fired.get('unique-counts')).toBeGreaterThan(QUERIES / 20);
});
