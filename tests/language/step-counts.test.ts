// The work that a request body causes, per step and in total.
import { QueryError } from '../../extension/language/errors/query-error';
import { findNotes } from '../../extension/language/notes/find-notes';
import { findShapeFaults, parseQuery } from '../../extension/language/parse/parse-query';
import { documentSteps } from '../../extension/language/parse/read-document';
import { planQuery } from '../../extension/language/plan/plan-query';
import { findNameFaults, resolveQuery } from '../../extension/language/resolve/resolve-query';
import { compilePlan } from '../../extension/language/sql/compile-plan';
import { finish, type Steps } from '../../extension/language/types/steps';
import { DIALECTS } from '../../extension/query/engines';
import { jsonInSteps } from '../../extension/query/explained';
import { resultKey } from '../../extension/query/result-cache/result-cache';
import { useWorkCounter } from '../support/count-work';
import { queryBodies } from '../torture/trials/loop/query-bodies';
import { CATALOGUE, SHOP } from './understood';

/** A few milliseconds of work. Reading the 260,000 characters of a body is counted as 1.8 million. */
const MAX_IN_A_STEP = 2_500_000;
const MAX_IN_TOTAL = 15_000_000;

const { manifest } = CATALOGUE;
const work = useWorkCounter();

/** The work of each group of `stepsPerGroup` steps. The first count includes what Jest did since the last one. */
async function workIn(begin: () => Steps<unknown>, stepsPerGroup: number): Promise<readonly number[]> {
  const counts: number[] = [];
  const steps = begin();
  let hasEnded = false;
  while (!hasEnded) {
    for (let step = 0; step < stepsPerGroup && !hasEnded; step += 1) hasEnded = steps.next().done === true;
    counts.push(await work());
  }
  return counts;
}

const bodies = queryBodies.map(([name, body]) => [name, body.replace('"site0001"', '"shop"')] as const);

/** A check, a query and its explanation, without the database. */
function* everything(body: string): Steps<void> {
  const document = yield* documentSteps(body);
  const checked = yield* findShapeFaults(document, CATALOGUE);
  if (checked.requested !== undefined)
    yield* findNameFaults(checked.requested, SHOP, CATALOGUE, checked.leftOut);
  const { requested, fault } = yield* parseQuery(document, CATALOGUE);
  const { resolved, faults } = yield* resolveQuery(requested, SHOP, CATALOGUE);
  if (fault !== null || faults.length > 0) return;
  yield* resultKey(resolved, { alwaysCount: false });
  for (const engine of ['rows', 'columns'] as const) {
    const plan = yield* planQuery(resolved, { manifest, engine, alwaysCount: false });
    const sql = yield* compilePlan(plan, { dialect: DIALECTS[engine], storage: manifest });
    if (engine === 'rows') yield* jsonInSteps({ requested, resolved, plan, sql });
  }
  yield* findNotes(requested, resolved.views, {
    contract: CATALOGUE.contract,
    manifest,
    withoutRows: new Set(),
    pageFlags: new Map(),
    channels: [],
  });
}

/** Ignores query errors, because most of the bodies are invalid. */
function* withoutError(steps: Steps<void>): Steps<void> {
  try {
    yield* steps;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
  }
}

test('the work of each step is counted', async () => {
  function* counting(...rounds: readonly number[]): Steps<number> {
    let sum = 0;
    for (const times of rounds) {
      for (let i = 0; i < times; i += 1) if (i % 2 === 0) sum += i;
      yield;
    }
    return sum;
  }
  const counts = await workIn(() => counting(100_000, 300_000, 0), 1);
  expect(counts).toHaveLength(4);
  expect(counts[0]).toBeGreaterThan(100_000);
  expect(counts[0]).toBeLessThan(300_000);
  expect(counts[1]).toBeGreaterThan(300_000);
  expect(Math.max(...counts.slice(2))).toBeLessThan(100_000);
});

test.each(bodies)('%s', async (_name, body) => {
  const begin = () => withoutError(everything(body));
  let counts = await workIn(begin, Number.POSITIVE_INFINITY);
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(MAX_IN_TOTAL);
  // Counting is slow, so smaller groups are counted only if the work of a group exceeds the limit.
  for (const stepsPerGroup of [100, 10, 1])
    if (Math.max(...counts) > MAX_IN_A_STEP) counts = await workIn(begin, stepsPerGroup);
  expect(Math.max(...counts)).toBeLessThan(MAX_IN_A_STEP);
});

test('long strings are not split into characters, since the counts would not include that work', () => {
  const { entries } = Object;
  const split: string[] = [];
  const spy = jest.spyOn(Object, 'entries').mockImplementation((value: object) => {
    if (typeof value === 'string') split.push(value);
    return entries(value);
  });
  for (const [name, body] of bodies) if (name.startsWith('a long')) finish(withoutError(everything(body)));
  spy.mockRestore();
  expect(split).toEqual([]);
});
