// Pass: groups of groups are made of the rows at once, where the inner ones are only added up.

// Proof: the inner groups part the rows, and the outer ones part the inner groups by what follows from the inner keys:
// so the rows of an outer group are exactly those of its inner groups. The sum of counts is the count of all of them, the
// sum of sums their sum, the least of the least the least; what is taken of keys is the same of any row of the group.
// Conditions between the two read keys alone, so that they keep or drop the rows of an inner group together.
import { columnsOf, columnsOfAggregate } from '../../types/columns-of';
import type { Aggregate, ComputedColumn, GroupNode, PlanNode } from '../../types/plan';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';
import { perSiteIn } from '../per-site';

export function mergeGroups(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => mergeGroups(input, context));
  if (mapped.kind !== 'group') return mapped;
  const steps = stepsTo(mapped.input, context);
  if (steps === undefined) return mapped;
  if (mapped.aggregates.some(({ column }) => column === null)) {
    context.because('The inner groups themselves are counted.');
    return mapped;
  }
  const aggregates = mapped.aggregates.map((aggregate) => overRows(aggregate, steps));
  if (!mapped.keys.every((key) => steps.ofKeys.has(key)) || !aggregates.every((it) => it !== undefined)) {
    context.because('More is asked of the inner groups than what their rows would add up to.');
    return mapped;
  }
  return { ...mapped, input: steps.rows, aggregates: aggregates.filter((it) => it !== undefined) };
}

/** What lies between two groups, put on the rows of the inner one. */
interface Steps {
  readonly rows: PlanNode;
  /** Columns that follow from the inner keys; they are the same on the rows. */
  readonly ofKeys: ReadonlySet<string>;
  /** The inner aggregates under every name that they have above. */
  readonly inner: ReadonlyMap<string, Aggregate>;
  /** What the inner group reads of its rows: no other column may take such a name. */
  readonly read: ReadonlySet<string>;
}

function stepsTo(node: PlanNode, context: PassContext): Steps | undefined {
  if (node.kind === 'group') return overGroup(node);
  if (node.kind === 'join') {
    const isOfGroups = [node.left, node.right].some((side) => stepsTo(side, context) !== undefined);
    if (isOfGroups) context.because('The inner groups are joined before.');
    return undefined;
  }
  if (node.kind === 'order' || node.kind === 'limit') {
    if (stepsTo(node.input, context) !== undefined) context.because('The inner groups are cut before.');
    return undefined;
  }
  if (node.kind !== 'extend' && node.kind !== 'filter') return undefined;
  const below = stepsTo(node.input, context);
  if (below === undefined) return undefined;
  if (node.kind === 'extend') {
    if (!node.columns.some(({ name }) => below.read.has(name))) return extended(below, node.columns, context);
    context.because('A column has the name of another one that the inner groups read.');
    return undefined;
  }
  if (node.conditions.every(({ column }) => below.ofKeys.has(column)))
    return { ...below, rows: { ...node, input: below.rows } };
  context.because('The inner groups are chosen by what was computed of them.');
  return undefined;
}

const overGroup = ({ input, keys, aggregates }: GroupNode): Steps => ({
  rows: input,
  ofKeys: new Set(keys),
  inner: new Map(aggregates.map((aggregate) => [aggregate.name, aggregate])),
  read: new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]),
});

/** Columns of keys move down; other names of aggregates are remembered; whatever else there is cannot be read. */
function extended(below: Steps, columns: readonly ComputedColumn[], { manifest }: PassContext): Steps {
  const isPerSite = perSiteIn(manifest);
  const moved = columns.filter(({ value }) =>
    columnsOf(value, isPerSite).every((column) => below.ofKeys.has(column)),
  );
  const names = new Set(columns.map(({ name }) => name));
  const renamed = columns.flatMap(({ name, value }): readonly (readonly [string, Aggregate])[] => {
    const aggregate = value.kind === 'column' ? below.inner.get(value.column) : undefined;
    return aggregate === undefined ? [] : [[name, aggregate]];
  });
  return {
    rows: moved.length === 0 ? below.rows : { kind: 'extend', input: below.rows, columns: moved },
    ofKeys: new Set([
      ...[...below.ofKeys].filter((name) => !names.has(name)),
      ...moved.map(({ name }) => name),
    ]),
    inner: new Map([...[...below.inner].filter(([name]) => !names.has(name)), ...renamed]),
    read: below.read,
  };
}

/** The outer aggregate as one over the rows; undefined where it asks for something else. */
function overRows(outer: Aggregate, { ofKeys, inner }: Steps): Aggregate | undefined {
  const { function: name, column } = outer;
  if (column === null) return undefined;
  if (ofKeys.has(column)) {
    const isSameOfAny = name === 'MIN' || name === 'MAX' || name === 'COUNTUNIQUE';
    return isSameOfAny && outer.within.every((field) => ofKeys.has(field)) ? outer : undefined;
  }
  const counted = inner.get(column);
  if (counted === undefined) return undefined;
  const isSum = name === 'SUM' && (counted.function === 'SUM' || counted.function === 'COUNT');
  const isExtreme = (name === 'MIN' || name === 'MAX') && name === counted.function;
  return isSum || isExtreme ? { ...counted, name: outer.name } : undefined;
}
