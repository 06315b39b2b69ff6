// Counts how many steps of a funnel each visit takes in order. Reads the page views that match any step once, instead of joining
// the visits with the page views of one step after another.

// Proof: the innermost groups hold the lowest `pv` among each visit's page views of the first step. Each join with the page views
// of another step keeps all visits. The groups above the join keep the numbers found so far and add the lowest `pv` that is
// greater than the last of them, or null if no such page view exists or the last number is null. So a visit has a number for
// exactly the steps that it takes. Visit ids and `pv` are never null. If a step only tests text values of one dimension, a page
// view matches if its dimension row passes, so each dimension row is tested once for all such steps. Tests that a missing value
// passes are excluded.
import type {
  ColumnCondition,
  ComputedColumn,
  GroupNode,
  Lookup,
  PassedTests,
  PlanCondition,
  PlanNode,
} from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { extended, filtered } from '../build-nodes';
import type { Pass } from '../pass';
import { definitionOf, storedFieldOf } from '../plan-facts';

/** The fields that hold a page view's visit, and its number within the visit. */
const KEY = 'session_id';
const AT = 'pv';

/** A column with a value for each visit that takes the first step. */
const VISIT = 'steps.visit';
const MATCHED = 'steps.matched';
const TAKEN = 'steps.taken';

/** A bit for each step and the 32 bits of `pv` fit into one 64-bit number. */
const MAX_STEPS = 30;

export const stepsInOrder: Pass = {
  name: 'steps-in-order',
  only: 'columns',
  rewrites: {
    group(group, { because }) {
      const { input, keys, aggregates } = group;
      if (keys.length > 0 || !aggregates.every((it) => it.function === 'COUNT')) return undefined;
      const chain = chainOf(input);
      if (chain === undefined || chain.steps.length === 1) return undefined;
      const { steps, numbers } = chain;
      if (!aggregates.every(({ column }) => column === null || numbers.has(column)))
        return because('Something other than the steps is counted.');
      if (steps.length > MAX_STEPS) return because(`There are more than ${MAX_STEPS} steps.`);
      if (!steps.every(isViewColumn))
        return because('The steps are not ordered by the number of a view in its visit.');
      const taken: PlanNode = {
        kind: 'steps',
        inputs: matchingRows(steps),
        key: KEY,
        at: AT,
        matched: MATCHED,
        count: steps.length,
        taken: TAKEN,
      };
      const counted = aggregates.map((it) => (it.column === null ? { ...it, column: VISIT } : it));
      const columns = [[VISIT, 1] as const, ...numbers].map(numberIfTaken);
      return { ...group, input: extended(taken, columns), aggregates: counted };
    },
  },
};

/** The rows that match a step, with the columns that hold their visit and number. */
interface Step {
  readonly rows: PlanNode;
  readonly key: string;
  readonly at: string;
}

/** Groups by visit with the numbers of the first page views that match the steps in order. */
interface Chain {
  readonly key: string;
  readonly steps: readonly Step[];
  /** Maps each column to the step whose number it has, starting at 1. */
  readonly numbers: ReadonlyMap<string, number>;
}

const isViewColumn = ({ rows, key, at }: Step): boolean =>
  storedFieldOf(key, rows) === KEY && storedFieldOf(at, rows) === AT;

function chainOf(node: PlanNode): Chain | undefined {
  if (node.kind !== 'group' || !node.aggregates.every((it) => it.function === 'MIN')) return undefined;
  const [key, ...others] = node.keys;
  if (key === undefined || others.length > 0) return undefined;
  return laterStep(node, key) ?? firstStep(node, key);
}

function firstStep({ input, aggregates }: GroupNode, key: string): Chain | undefined {
  const [number, ...others] = aggregates;
  if (number === undefined || number.column === null || others.length > 0) return undefined;
  const step = { rows: input, key, at: number.column };
  return { key, steps: [step], numbers: new Map([[number.name, 1]]) };
}

function laterStep({ input, aggregates }: GroupNode, key: string): Chain | undefined {
  if (input.kind !== 'extend' || input.input.kind !== 'join') return undefined;
  const join = input.input;
  const [pair, ...pairs] = join.on;
  const [later, ...others] = input.columns;
  if (join.mode !== 'keep-left' || pair?.left !== key || pairs.length > 0) return undefined;
  const before = chainOf(join.left);
  if (before?.key !== key || later === undefined || others.length > 0) return undefined;
  const at = join.columns.find((joined) => joined.fill === null && isLater(later, joined.name, before));
  const known = new Map([...before.numbers, [later.name, before.steps.length + 1]]);
  const numbers = aggregates.flatMap(({ name, column }) => {
    const number = known.get(column ?? '');
    return number === undefined ? [] : [[name, number] as const];
  });
  if (at === undefined || numbers.length < aggregates.length) return undefined;
  const step = { rows: join.right, key: pair.right, at: at.column };
  return { key, steps: [...before.steps, step], numbers: new Map(numbers) };
}

/** Whether the column is the joined number if that is greater than the number of the previous step, and null otherwise. */
function isLater({ value }: ComputedColumn, joined: string, { steps, numbers }: Chain): boolean {
  if (value.kind !== 'where' || value.column !== joined || value.otherwise !== undefined) return false;
  const [condition, ...others] = value.conditions;
  if (condition === undefined || !('other' in condition) || others.length > 0) return false;
  const { column, operator, other } = condition;
  return column === joined && operator === 'gt' && numbers.get(other) === steps.length;
}

const numberIfTaken = ([name, step]: readonly [string, number]): ComputedColumn => ({
  name,
  value: {
    kind: 'where',
    column: TAKEN,
    conditions: [{ column: TAKEN, type: 'int', test: { operator: 'gte', value: step } }],
  },
});

/** The rows that match any step. Steps that test the same dimension of the same rows share an input. */
function matchingRows(steps: readonly Step[]): readonly PlanNode[] {
  const tested = steps.map(({ rows }, index) => ({ bits: 2 ** index, found: testedRows(rows) }));
  const [begin] = steps;
  // Visits that do not take the first step take no steps. If the first step does not share its rows with other steps, its visits
  // are found first, and only their page views are read.
  const ofVisits = (left: PlanNode, key: string): PlanNode => {
    if (begin === undefined || tested[0]?.found !== undefined) return left;
    const right: PlanNode = { kind: 'group', input: begin.rows, keys: [begin.key], aggregates: [] };
    return { kind: 'join', left, right, on: [{ left: key, right: begin.key }], mode: 'drop', columns: [] };
  };
  const shared = Map.groupBy(
    tested.flatMap(({ bits, found }) => (found === undefined ? [] : [{ ...found, bits }])),
    ({ scan, of }) => JSON.stringify([scan, of]),
  );
  const ofDimensions = [...shared.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const tests = same.map(({ bits, all }) => ({ bits, all }));
    const matched = { name: MATCHED, value: { kind: 'passed-tests', ...first.of, tests } } as const;
    const isMatched: PlanCondition = { column: MATCHED, type: 'int', test: { operator: 'gt', value: 0 } };
    return [filtered(extended(ofVisits(first.scan, KEY), [matched]), [isMatched])];
  });
  const others = steps.flatMap(({ rows, key, at }, index) =>
    tested[index]?.found === undefined
      ? [
          extended(index === 0 ? rows : ofVisits(rows, key), [
            { name: KEY, value: { kind: 'column', column: key } },
            { name: AT, value: { kind: 'column', column: at } },
            { name: MATCHED, value: { kind: 'computed', value: { kind: 'constant', value: 2 ** index } } },
          ]),
        ]
      : [],
  );
  return [...ofDimensions, ...others];
}

interface TestedRows {
  readonly scan: PlanNode;
  readonly of: Omit<PassedTests, 'kind' | 'tests'>;
  readonly all: PassedTests['tests'][number]['all'];
}

/** Undefined unless the rows come from a scan and are only filtered by tests on one dimension. */
function testedRows(rows: PlanNode): TestedRows | undefined {
  const { steps, base } = rowSteps(rows);
  if (base.kind !== 'scan') return undefined;
  const tests = steps.flatMap((step) =>
    step.kind === 'extend' ? [] : step.conditions.map((condition) => testOf(condition, step.input)),
  );
  const known = tests.filter((test) => test !== undefined);
  const [first] = known;
  if (first === undefined || known.length < tests.length) return undefined;
  const { dimension, key, perSite, siteId } = first.lookup;
  if (!known.every(({ lookup }) => lookup.key === key)) return undefined;
  const all = known.map(({ lookup: { field, bit }, type, test }) => ({ field, bit, type, test }));
  return { scan: base, of: { dimension, key, perSite, siteId }, all };
}

/** The operators of tests that a missing value does not pass. */
const FAILED_WITHOUT_VALUE: ReadonlySet<string> = new Set(['eq', 'in', 'contains', 'prefix', 'suffix']);

function testOf(
  condition: PlanCondition,
  input: PlanNode,
): (Omit<ColumnCondition, 'column'> & { readonly lookup: Lookup }) | undefined {
  if (!('test' in condition) || !FAILED_WITHOUT_VALUE.has(condition.test.operator)) return undefined;
  const { column, type, test } = condition;
  const lookup = definitionOf(column, input);
  return lookup?.kind === 'lookup' ? { lookup, type, test } : undefined;
}
