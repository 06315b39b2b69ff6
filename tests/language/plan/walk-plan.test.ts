// Walking and rewriting a plan, independently of the passes.
import type { FilterNode, PlanNode } from '../../../extension/language/types/plan';
import { inputsOf, mapInputs, rewritePlan, rowSteps } from '../../../extension/language/types/walk-plan';

const scan = (material: string): PlanNode => ({
  kind: 'scan',
  material,
  siteIds: [1],
  bounds: { kind: 'always' },
});
const filter = (input: PlanNode): FilterNode => ({ kind: 'filter', input, conditions: [] });
const join: PlanNode = {
  kind: 'join',
  left: filter(scan('a')),
  right: scan('b'),
  on: [],
  mode: 'drop',
  columns: [],
};
const outer: PlanNode = { ...join, left: scan('a'), right: join };
const limit: PlanNode = { kind: 'limit', input: filter(outer), count: 1, countAs: null };

test('the left input comes before the right input', () =>
  expect(inputsOf(join).map(({ kind }) => kind)).toEqual(['filter', 'scan']));

test('a plan that no visitor changes is returned as the same object', () => {
  expect(mapInputs(limit, (input) => input)).toBe(limit);
  expect(rewritePlan(limit, {}, null)).toBe(limit);
  expect(rewritePlan(limit, { scan: (node) => node, filter: () => undefined }, null)).toBe(limit);
});

test('a visitor receives nodes of its kind, with their rewritten inputs and original ancestors', () => {
  const seen: string[] = [];
  const rewritten = rewritePlan(
    limit,
    {
      scan: (node, prefix) => ({ ...node, material: `${prefix}${node.material}` }),
      filter: (node, _prefix, above) => {
        seen.push(`${above.map(({ kind }) => kind).join(' ')}: ${JSON.stringify(node.input).slice(0, 60)}`);
        return node.input;
      },
    },
    'x',
  );
  expect(JSON.stringify(rewritten)).toContain('"left":{"kind":"scan","material":"xa"');
  expect(seen).toEqual([
    expect.stringContaining('limit filter join join: {"kind":"scan","material":"xa"'),
    expect.stringContaining('limit: {"kind":"join"'),
  ]);
});

test('only the changed branch is a new object', () => {
  const rewritten = rewritePlan(join, { filter: ({ input }) => input }, null);
  expect(rewritten).toMatchObject({ left: { material: 'a' } });
  expect(rewritten.kind === 'join' && rewritten.right).toBe(join.kind === 'join' && join.right);
});

test('row steps end at the first node that is not an extend or filter', () => {
  const { steps, base } = rowSteps(filter({ kind: 'extend', input: filter(join), columns: [] }));
  expect(steps.map(({ kind }) => kind)).toEqual(['filter', 'extend', 'filter']);
  expect(base).toBe(join);
});
