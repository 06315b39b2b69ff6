// Computes COUNTUNIQUE from the unique counts of the column copy instead of from every row.

// Proof: a value of a key occurs in certain quarters of an hour, and the counts have the previous one for each of them. In a
// range of whole quarters, a value that occurs has exactly one quarter whose previous one is outside the range, so the number
// of those quarters is the number of distinct values. In a period of the range it is the quarter whose previous one is
// outside the period, since no period resumes after another has begun. Both numbers are sums over the rows of the counts.
// A filter that reads only the key and the period keeps or drops all rows of a group. The key is a single stored field, so
// groups are not merged. The other aggregates are computed as before, for the same groups.
import { localPeriods } from '../../time/local-periods';
import { columnsOf, columnsOfCondition } from '../../types/columns-of';
import { type Aggregate, type GroupNode, type PlanNode, type ScanNode, SITE_FIELD } from '../../types/plan';
import { QUARTER_HOUR, type UniqueCounts, type UniqueCountsNode } from '../../types/unique-counts';
import { rowSteps } from '../../types/walk-plan';
import { extended } from '../build-nodes';
import { isUniqueCount } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { definitionOf, localPeriodOf, scanBelow } from '../plan-facts';

const COUNT = 'count';
/** Longer ranges by day are rare. */
const MOST_DAYS = 4_000;

export const uniqueCounts: Pass = {
  name: 'unique-counts',
  only: 'columns',
  rewrites: {
    group(group, context) {
      if (!group.aggregates.some(isUniqueCount)) return undefined;
      const scan = scanBelow(group.input);
      if (scan === undefined) return context.because('The rows are joined or grouped before.');
      const grouping = groupingOf(group, scan, context);
      if (grouping === undefined) return undefined;
      const counted = new Map<Aggregate, PlanNode>();
      for (const aggregate of group.aggregates) {
        const rows = isUniqueCount(aggregate)
          ? countsOf(aggregate, group, grouping, scan, context)
          : undefined;
        if (rows !== undefined) counted.set(aggregate, rows);
      }
      if (counted.size === 0) return undefined;
      const others = group.aggregates.filter((aggregate) => !counted.has(aggregate));
      const sums = [...counted].map(
        ([{ name }, input]): GroupNode => ({
          ...{ kind: 'group', input, keys: group.keys },
          aggregates: [{ name, function: 'SUM', column: COUNT, type: 'int', within: [] }],
        }),
      );
      return joinedGroups(others.length === 0 ? sums : [{ ...group, aggregates: others }, ...sums]);
    },
  },
};

interface Grouping {
  readonly by: string | null;
  readonly period: UniqueCountsNode['period'];
  readonly start: number;
  readonly end: number;
}

/** The grouping of a scan's rows, if the counts support it; otherwise undefined, with the reason. */
function groupingOf(
  { keys, input }: GroupNode,
  { bounds }: ScanNode,
  { because }: PassContext,
): Grouping | undefined {
  if (bounds.kind !== 'range') return undefined;
  const { start, end } = bounds;
  if (!isQuarter(start) || !isQuarter(end))
    return because('The range does not begin and end at a quarter of an hour.');
  let by: string | null = null;
  let period: UniqueCountsNode['period'] = null;
  for (const key of keys) {
    const definition = definitionOf(key, input);
    const local = localPeriodOf(definition);
    const field = definition === undefined ? key : definition.kind === 'column' ? definition.column : null;
    if (field === SITE_FIELD) continue;
    if (local?.column === bounds.field && period === null) {
      const { clock, unit } = local;
      const isPlain = clock.every(({ until, seconds }) => isQuarter(seconds) && isQuarter(until ?? 0));
      if (!isPlain || localPeriods(bounds, clock, unit, MOST_DAYS) === undefined)
        return because('The clocks of the range go back across a midnight, or not by quarters of an hour.');
      period = { name: key, part: unit === 'day' ? 'date' : unit, clock };
    } else if (field !== null && by === null) by = field;
    else return because('Values are counted in advance by one stored field, and by day, week or month.');
  }
  return { by, period, start, end };
}

const isQuarter = (seconds: number): boolean => seconds % QUARTER_HOUR === 0;

/** The rows to sum instead of counting distinct values; if there are none, undefined, with the reason. */
function countsOf(
  { column, within }: Aggregate,
  { input }: GroupNode,
  { by, period, start, end }: Grouping,
  { material, siteIds }: ScanNode,
  { manifest, countedUntil, because }: PassContext,
): PlanNode | undefined {
  const definition = column === null ? undefined : definitionOf(column, input);
  const value = definition?.kind === 'column' ? definition.column : column;
  const keys = manifest.materials.get(material)?.uniqueCounts.get(value ?? '');
  if (value === null || keys === undefined) return because('Such values are not counted in advance.');
  if (by !== null && !keys.includes(by)) return because('The values are not counted in advance by this key.');
  if (siteIds.length > 1 && !within.includes(SITE_FIELD))
    return because('A value of several sites counts once, but is counted for each site.');
  const counts: UniqueCounts = { material, value, by };
  if (countedUntil(counts, siteIds) < end)
    return because('The column copy is still counting the values of the range.');
  const rows = { kind: 'unique-counts', counts, siteIds, start, end, period } as const;
  return withSteps(input, rows) ?? because('A filter reads more than the key.');
}

/** The counts with the columns computed from theirs; undefined if a filter reads others, or a name is ambiguous. */
function withSteps(input: PlanNode, counts: UniqueCountsNode): PlanNode | undefined {
  const { by } = counts.counts;
  const period = counts.period?.name;
  const known = new Set([
    SITE_FIELD,
    ...(by === null ? [] : [by]),
    ...(period === undefined ? [] : [period]),
  ]);
  let rows: PlanNode = counts;
  for (const step of rowSteps(input).steps.toReversed()) {
    if (step.kind === 'filter') {
      const read = step.conditions.flatMap(columnsOfCondition);
      if (step.dimensionFilters !== undefined || !read.every((column) => known.has(column))) return undefined;
      rows = { ...step, input: rows };
    } else {
      const others = step.columns.filter(({ name }) => name !== period);
      if (others.some(({ name }) => known.has(name))) return undefined;
      const columns = others.filter(({ value }) => columnsOf(value).every((column) => known.has(column)));
      for (const { name } of columns) known.add(name);
      rows = extended(rows, columns);
    }
  }
  return rows;
}

/** Joins groups with the same keys. */
const joinedGroups = (groups: readonly GroupNode[]): PlanNode | undefined => {
  const [first, ...others] = groups;
  return others.reduce<PlanNode | undefined>(
    (left, right) =>
      left && {
        kind: 'join',
        ...{ left, right, mode: 'drop', nullsMatch: true },
        on: right.keys.map((key) => ({ left: key, right: key })),
        columns: right.aggregates.map(({ name }) => ({ name, column: name, type: 'int', fill: null })),
      },
    first,
  );
};
