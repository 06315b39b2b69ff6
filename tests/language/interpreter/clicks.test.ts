// Random queries that join page views with clicks or events, with and without the pass that reads only the clicks.
import { tries } from '../../support/long-run';
import { AS_PLANNED, compareQueries, type Way, without } from './compare-with-interpreter';
import { clickQuery } from './random/click-query';

const SEED = 20_261_130;
const QUERIES = tries(60, 600);
const PASS = 'without-views';
const WAYS: readonly Way[] = [...AS_PLANNED, { ...without(PASS), onColumns: true }];

test('the program returns the same answers as the interpreter, with or without the pass', async () => {
  const fired = await compareQueries({
    seed: SEED,
    count: QUERIES,
    queries: clickQuery,
    ways: WAYS,
    counted: without(),
  });
  expect(Number(fired.get(PASS))).toBeGreaterThan(QUERIES / 5);
});
