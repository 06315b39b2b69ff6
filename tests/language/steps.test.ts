// Every phase consists of steps, between which the server answers other requests.
import { findShapeFaults, parseQuery } from '../../extension/language/parse/parse-query';
import { documentSteps } from '../../extension/language/parse/read-document';
import { PASSES, planQuery } from '../../extension/language/plan/plan-query';
import { findNameFaults, resolveQuery } from '../../extension/language/resolve/resolve-query';
import { compilePlan } from '../../extension/language/sql/compile-plan';
import { postgresql } from '../../extension/language/sql/dialects/postgresql';
import type { Steps } from '../../extension/language/types/steps';
import { bodyOf, CATALOGUE, SHOP } from './understood';

const VIEWS = 20;

/** Runs a phase to the end and counts its steps. */
function runCounting<Result>(steps: Steps<Result>): { readonly count: number; readonly result: Result } {
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { count, result: step.value };
  }
}

const bodyWith = (column: string): string => {
  const view = { from: ['allpv'], keep: [column], calc: { n: 'COUNT(allpv.pv_id)' } };
  const make = Object.fromEntries(Array.from({ length: VIEWS }, (_, index) => [`v${index}`, view]));
  return bodyOf({}, { make, result: { use: 'v0' } });
};

test('a valid query is read, parsed, resolved, planned and compiled in steps', () => {
  const document = runCounting(documentSteps(bodyWith('allpv.url')));
  const parsed = runCounting(parseQuery(document.result, CATALOGUE));
  const resolved = runCounting(resolveQuery(parsed.result.requested, SHOP, CATALOGUE));
  const { manifest } = CATALOGUE;
  const options = { manifest, engine: 'rows', alwaysCount: false } as const;
  const plan = runCounting(planQuery(resolved.result.resolved, options));
  const sql = runCounting(compilePlan(plan.result, { dialect: postgresql, storage: manifest }));
  expect(document.count).toBe(4);
  expect(parsed.count).toBeGreaterThan(VIEWS);
  expect(resolved.count).toBeGreaterThan(VIEWS);
  expect(plan.count).toBeGreaterThan(PASSES.filter(({ only = 'rows' }) => only === 'rows').length);
  expect(sql.count).toBe(3);
});

test('errors are found and explained in steps', () => {
  const document = runCounting(documentSteps(bodyWith('url'))).result;
  const found = runCounting(findShapeFaults(document, CATALOGUE));
  expect(found.result.faults).toHaveLength(VIEWS);
  expect(found.count).toBeGreaterThan(VIEWS);
  const { requested } = runCounting(
    parseQuery(runCounting(documentSteps(bodyWith('allpv.x'))).result, CATALOGUE),
  ).result;
  const named = runCounting(findNameFaults(requested, SHOP, CATALOGUE, new Set()));
  expect(named.result).toHaveLength(VIEWS);
  expect(named.count).toBeGreaterThan(VIEWS);
});
