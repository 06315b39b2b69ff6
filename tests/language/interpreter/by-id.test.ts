// Random queries on text columns in dimension tables. A long run also omits the passes that replace text with ids, one at a time
// and all together.
import { tries } from '../../support/long-run';
import { compareQueries, inLongRun, without } from './compare-with-interpreter';
import { byIdQuery } from './random/by-id-query';

const SEED = 20_261_129;
const QUERIES = tries(60, 200);
const PASSES = ['text-filters-to-ids', 'top-before-lookups'];
const WAYS = inLongRun(...PASSES.map((name) => without(name)), without(...PASSES, 'group-by-id'));

test('the program returns the same answers as the interpreter, with or without each pass', async () => {
  const options = { seed: SEED, count: QUERIES, queries: byIdQuery };
  const fired = await compareQueries({ ...options, ways: WAYS, counted: without() });
  // These passes fire in many of the queries.
  expect(fired.get('text-filters-to-ids')).toBeGreaterThan(QUERIES / 4);
  expect(fired.get('top-before-lookups')).toBeGreaterThan(QUERIES / 10);
});
