// Random queries about visitors, with and without the counts of the columnar copy.
import { tries } from '../../support/long-run';
import { AS_PLANNED, compareQueries, type Way, without } from './compare-with-interpreter';
import { visitorQuery } from './random/visitor-query';

const SEED = 20_261_201;
const QUERIES = tries(150, 1_500);
const PASSES = ['unique-counts', 'repeat-counts'];
const WAYS: readonly Way[] = [
  ...AS_PLANNED,
  ...PASSES.map((name): Way => ({ ...without(name), onColumns: true })),
];

test('the program returns the same answers as the interpreter, with or without each pass', async () => {
  const fired = await compareQueries({
    seed: SEED,
    count: QUERIES,
    queries: visitorQuery,
    ways: WAYS,
    counted: without(),
  });
  for (const pass of PASSES) expect([pass, Number(fired.get(pass)) > QUERIES / 20]).toEqual([pass, true]);
});
