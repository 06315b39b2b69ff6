// Random queries that count: with and without the passes for groups and counts, against the interpreter.
import { AS_PLANNED, holdQueries, without } from './hold-against';
import { countingQuery } from './random/counting-query';

const SEED = 20_261_121;
const QUERIES = 200;
const PASSES = [
  'merge-groups',
  'drop-unread-joins',
  'aggregate-before-join',
  'group-by-id',
  'ungroup-single-rows',
  'distinct-first',
];
const WAYS = [...AS_PLANNED, ...PASSES.map((name) => without(name)), without(...PASSES)];

test('the program answers as the interpreter, whatever is rewritten', async () => {
  const asked = { seed: SEED, count: QUERIES, queries: countingQuery };
  const fired = await holdQueries({ ...asked, ways: WAYS, counted: without() });
  expect(PASSES.filter((name) => !fired.has(name))).toEqual([]);
});
