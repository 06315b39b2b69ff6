// Owns the plan of a group that is answered from kept counts: blocks, and the rows beside them, merged by one group.
// Every branch gives out the same columns; what it does not count is 0 there. The arrays of counts hold numbers of 32 bits:
// as long as the other branches do so too, their sums need no decimals.
import { type Aggregate, type Expression, type PlanNode, type ScanNode, SITE_FIELD } from '../../types/plan';
import type { RollupNode } from '../../types/rollup-node';
import { merged, mergedGroup } from '../merge-aggregates';
import type { Span } from './blocks';
import type { CountedValues } from './counted-values';
import { ALL_ROWS, rowsOfKind } from './kept-measures';
import type { AskedGroup, Match } from './match-group';
import { overFields, overRows } from './row-chain';
import type { Edges, SplitSites } from './split-sites';

const ROWS = 'kept.rows';
const OCCURS = 'kept.occurs';

/** What a part of the answer calls its own number. */
const kept = (name: string): string => `${name}:kept`;

/** A group with the same rows as the one that was asked. */
export function keptAnswer(asked: AskedGroup, match: Match, split: SplitSites): PlanNode {
  const { group } = asked;
  const counts = match.parts.map(({ partial }) => partial);
  const values = match.uniques.map(({ aggregate }) => aggregate);
  const names = [...counts, ...values].map(({ name }) => kept(name));
  const countsRows = counts.length > 0 || values.length === 0;
  const ofEdges = split.edges.flatMap(({ siteIds, spans }) => spans.map((span) => ({ siteIds, span })));
  const branches = [
    ...(countsRows ? [countedRows(asked, match, split)] : []),
    ...match.uniques.map((unique) => countedValues(unique, asked, match, split)),
    ...split.others.map((rows) => readRows(rows, [...counts, ...values], asked)),
    ...(countsRows ? ofEdges.map((rows) => readRows(rows, counts.map(narrow), asked)) : []),
    ...match.uniques.flatMap((unique) =>
      split.edges.map((edges) => unseenValues(unique, edges, asked, match)),
    ),
  ].map(({ rows, gives }) => withZeros(rows, names, gives));
  const [only, ...others] = branches;
  const input: PlanNode =
    only !== undefined && others.length === 0
      ? only
      : { kind: 'union', inputs: branches, columns: [...group.keys, ...names] };
  return mergedGroup(group, input, [
    ...counts.map((partial) => ({ ...merged(partial), column: kept(partial.name) })),
    ...values.map(({ name }) => sumOfCounts(name)),
  ]);
}

/** The same where it counts rows of some days: no site has more of them than 32 bits can tell. */
const narrow = (aggregate: Aggregate): Aggregate =>
  aggregate.function === 'COUNT' || aggregate.type === 'flag' ? { ...aggregate, isNarrow: true } : aggregate;

const sumOfCounts = (name: string): Aggregate => ({
  name,
  function: 'SUM',
  column: kept(name),
  type: 'int',
  within: [],
});

/** Rows, and the numbers among their columns. */
interface Branch {
  readonly rows: PlanNode;
  readonly gives: readonly string[];
}

const ZERO: Expression = { kind: 'computed', value: { kind: 'constant', value: 0 } };

function withZeros(rows: PlanNode, names: readonly string[], gives: readonly string[]): PlanNode {
  const missing = names.filter((name) => !gives.includes(name));
  if (missing.length === 0) return rows;
  return { kind: 'extend', input: rows, columns: missing.map((name) => ({ name, value: ZERO })) };
}

/** The blocks' counts of rows, without keys that have none of the asked kind. */
function countedRows(asked: AskedGroup, match: Match, split: SplitSites): Branch {
  const { parts, rows, dimension } = match;
  const measures = parts.map(({ partial, array }) => ({ name: kept(partial.name), array }));
  const counter = rows ?? (measures.length === 0 ? rowsOfKind(ALL_ROWS, asked.rollups) : undefined);
  const known = measures.find(({ array }) => array === counter);
  const leaf: PlanNode = {
    ...leafOf(asked, match, split),
    counted: null,
    measures:
      counter === undefined || known !== undefined ? measures : [...measures, { name: ROWS, array: counter }],
  };
  const placed: PlanNode =
    rows === null
      ? leaf
      : {
          kind: 'filter',
          input: leaf,
          conditions: [{ column: known?.name ?? ROWS, type: 'int', test: { operator: 'gt', value: 0 } }],
        };
  return {
    rows: overFields(asked.chain, placed, dimension.keys, asked.manifest),
    gives: measures.map(({ name }) => name),
  };
}

/** The blocks' counts of different values of a field. */
function countedValues(
  { aggregate, code }: CountedValues,
  asked: AskedGroup,
  match: Match,
  split: SplitSites,
): Branch {
  const name = kept(aggregate.name);
  const leaf: PlanNode = {
    ...leafOf(asked, match, split),
    counted: code,
    measures: [{ name, array: 'counts' }],
  };
  return { rows: overFields(asked.chain, leaf, match.dimension.keys, asked.manifest), gives: [name] };
}

const leafOf = (
  { chain }: AskedGroup,
  { dimension: { code, keys }, period }: Match,
  { versions, blocks }: SplitSites,
): Omit<RollupNode, 'counted' | 'measures'> => ({
  kind: 'rollup',
  material: chain.scan.material,
  dimension: { code, keys },
  sites: versions,
  blocks,
  period: period === null ? null : { column: period.column, type: period.type },
});

const scanIn = ({ chain, bounds }: AskedGroup, siteIds: readonly number[], span: Span): ScanNode => ({
  ...chain.scan,
  siteIds,
  bounds: { ...bounds, ...span },
});

/** The same aggregates over rows of a part of the range. */
function readRows(
  { siteIds, span }: { readonly siteIds: readonly number[]; readonly span: Span },
  aggregates: readonly Aggregate[],
  asked: AskedGroup,
): Branch {
  const own = aggregates.map((aggregate) => ({ ...aggregate, name: kept(aggregate.name) }));
  const input = overRows(asked.chain, scanIn(asked, siteIds, span));
  return { rows: { ...asked.group, input, aggregates: own }, gives: own.map(({ name }) => name) };
}

/** Different values beside the whole days of a period that have their key on none of these days. */
function unseenValues(
  { aggregate, field }: CountedValues,
  { siteIds, spans, counted }: Edges,
  asked: AskedGroup,
  { dimension: { keys }, period }: Match,
): Branch {
  const { group, chain, bounds, manifest } = asked;
  const { material } = chain.scan;
  const fields = [field, ...keys, SITE_FIELD];
  const scans = spans.map((span) => scanIn(asked, siteIds, span));
  const [only, ...others] = scans;
  const rows: PlanNode =
    only !== undefined && others.length === 0
      ? only
      : { kind: 'union', inputs: scans, columns: [...fields, bounds.field] };
  const dated: PlanNode =
    period === null
      ? rows
      : { kind: 'extend', input: rows, columns: [{ name: period.column, value: period.value }] };
  const pairs: PlanNode = {
    kind: 'group',
    input: dated,
    keys: period === null ? fields : [...fields, period.column],
    aggregates: [],
  };
  const occurs: Expression = {
    kind: 'occurs',
    material,
    bounds: { ...bounds, ...counted },
    key: field,
    others: keys,
  };
  const unseen: PlanNode = {
    kind: 'filter',
    input: { kind: 'extend', input: pairs, columns: [{ name: OCCURS, value: occurs }] },
    conditions: [{ column: OCCURS, type: 'int', test: { operator: 'eq', value: 0 } }],
  };
  const name = kept(aggregate.name);
  const count: Aggregate = narrow({ name, function: 'COUNT', column: null, type: 'int', within: [] });
  const input = overFields(chain, unseen, keys, manifest);
  return { rows: { ...group, input, aggregates: [count] }, gives: [name] };
}
