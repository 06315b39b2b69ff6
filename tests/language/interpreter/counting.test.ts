// Random queries that count, compared with the interpreter. A long run also omits the passes for groups and counts, one at a
// time and all together.
import { tries } from '../../support/long-run';
import { compareQueries, inLongRun, without } from './compare-with-interpreter';
import { countingQuery } from './random/counting-query';

const SEED = 20_261_121;
const QUERIES = tries(50, 200);
const PASSES = [
  'merge-groups',
  'drop-unread-joins',
  'aggregate-before-join',
  'group-by-id',
  'ungroup-single-rows',
  'distinct-first',
  'one-row-per-visit',
];
const WAYS = inLongRun(...PASSES.map((name) => without(name)), without(...PASSES));

test('the program returns the same answers as the interpreter, with or without each pass', async () => {
  const options = { seed: SEED, count: QUERIES, queries: countingQuery };
  const fired = await compareQueries({ ...options, ways: WAYS, counted: without() });
  expect(PASSES.filter((name) => !fired.has(name))).toEqual([]);
});
