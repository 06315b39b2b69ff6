// Random queries about visits, with and without the passes that make them read fewer rows.
import { tries } from '../../support/long-run';
import { AS_PLANNED, compareQueries, type Way, without } from './compare-with-interpreter';
import { visitQuery } from './random/visit-query';

const SEED = 20_261_129;
const QUERIES = tries(50, 600);
const PASSES = ['exclude-visits', 'one-row-per-visit'];
const WAYS: readonly Way[] = [
  ...AS_PLANNED,
  ...PASSES.map((name): Way => ({ ...without(name), onColumns: true })),
  without('exclude-visits'),
];

test('the program returns the same answers as the interpreter, with or without each pass', async () => {
  const fired = await compareQueries({
    seed: SEED,
    count: QUERIES,
    queries: visitQuery,
    ways: WAYS,
    counted: without(),
  });
  for (const pass of PASSES) expect([pass, Number(fired.get(pass)) > QUERIES / 20]).toEqual([pass, true]);
});
