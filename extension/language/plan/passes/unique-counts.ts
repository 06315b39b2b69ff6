// Computes COUNTUNIQUE and COUNT from the columnar copy's unique counts instead of from every row.

// Proof: each count belongs to a key, a quarter hour, and the previous quarter hour in which the same values occurred. In a range
// of whole quarter hours, each value has exactly one quarter hour whose previous one is outside the range, so the number of these
// quarter hours is the number of distinct values. The same holds for each period of the range, since no period resumes after
// another has begun. Both numbers are sums of stored counts. A filter that reads only the key and the period keeps or drops all
// rows of a group. The key is a single stored field, so groups are not merged. The other aggregates are computed as before, for
// the same groups.
// COUNT is COUNTUNIQUE of the table's key. Each of its values occurs once, so these counts can be added in any periods of whole
// quarter hours.
// Hours and weekdays recur, but not if all quarter hours of a value are within 22 hours (142 hours for weekdays): if a clock
// change is at most one hour, their local hours are less than 24 hours apart, and their local dates less than 7 days apart. Local
// hours and dates never go back, since clocks go back only within a local hour.
import type { TimePart } from '../../../../manifests/reader/schema';
import { DAY_SECONDS } from '../../time/calendar';
import { localPeriods } from '../../time/local-periods';
import type { LocalClock } from '../../time/zone-offsets';
import { columnsOf } from '../../types/columns-of';
import { columnsOfFilter } from '../../types/filter-parts';
import { type Aggregate, type GroupNode, type PlanNode, SITE_FIELD } from '../../types/plan';
import type { ScanNode } from '../../types/scan-node';
import { QUARTER_HOUR, type UniqueCounts, type UniqueCountsNode } from '../../types/unique-counts';
import { rowSteps } from '../../types/walk-plan';
import { extended } from '../build-nodes';
import { isUniqueCount } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { definitionOf, PERIODS } from '../plan-facts';

const COUNT = 'count';
/** Queries that group by day rarely cover a longer range. */
const MAX_DAYS = 4_000;
const HOUR = 3_600;

/** The highest `spread` at which hours or weekdays cannot recur: how many of the SPREADS may have passed. */
const MAX_SPREAD: Partial<Record<TimePart, number>> = { hour: 0, weekday: 1 };

export const uniqueCounts: Pass = {
  name: 'unique-counts',
  only: 'columns',
  rewrites: {
    group(group, context) {
      const counted = group.aggregates.filter((it) => isUniqueCount(it) || isRowCount(it));
      if (counted.length === 0) return undefined;
      const { base: scan } = rowSteps(group.input);
      if (scan.kind !== 'scan')
        return context.because(
          scan.kind === 'group'
            ? 'Groups are counted instead of rows.'
            : 'The rows are joined, numbered or limited first.',
        );
      const grouping = groupingOf(group, scan, context);
      if (grouping === undefined) return undefined;
      const summed = counted.flatMap((aggregate) => {
        const input = countsOf(aggregate, group, grouping, scan, context);
        const sum: Aggregate = { ...aggregate, function: 'SUM', column: COUNT, type: 'int', within: [] };
        return input === undefined ? [] : [[aggregate, { ...group, input, aggregates: [sum] }] as const];
      });
      const needsRows = summed.length < group.aggregates.length;
      // If the rows are read anyway, counting them costs almost nothing.
      const sums = new Map(summed.filter(([aggregate]) => !needsRows || isUniqueCount(aggregate)));
      if (sums.size === 0) return undefined;
      const others = group.aggregates.filter((it) => !sums.has(it));
      return joinedGroups([
        ...(others.length === 0 ? [] : [{ ...group, aggregates: others }]),
        ...sums.values(),
      ]);
    },
  },
};

const isRowCount = (aggregate: Aggregate): boolean =>
  aggregate.function === 'COUNT' && aggregate.column === null;

type Grouping = Pick<UniqueCountsNode, 'periods' | 'start' | 'end'> & Pick<UniqueCounts, 'by'>;

/** The grouping of a scan's rows. If the counts do not support it, reports the reason. */
function groupingOf(
  { keys, input }: GroupNode,
  { bounds }: ScanNode,
  { because }: PassContext,
): Grouping | undefined {
  if (bounds.kind !== 'range') return undefined;
  const { start, end } = bounds;
  if (!isQuarterHour(start) || !isQuarterHour(end))
    return because('The range does not start and end on a quarter hour.');
  let by: string | null = null;
  const periods: UniqueCountsNode['periods'][number][] = [];
  for (const key of keys) {
    const definition = definitionOf(key, input);
    const field = definition === undefined ? key : definition.kind === 'column' ? definition.column : null;
    if (field === SITE_FIELD) continue;
    const part = definition?.kind === 'time-part' && definition.column === bounds.field ? definition : null;
    if (part !== null && part.clock !== null) {
      if (!part.clock.every(({ until, seconds }) => isQuarterHour(seconds) && isQuarterHour(until ?? 0)))
        return because('A clock change in the range is not on a quarter hour.');
      periods.push({ name: key, part: part.part, clock: part.clock });
    } else if (field !== null && by === null) by = field;
    else return because('Values are counted in advance by one stored field, and by periods.');
  }
  return { by, periods, start, end };
}

/** Whether no period resumes after another has begun. */
function isContiguous({ part, clock }: UniqueCountsNode['periods'][number], range: Range): boolean {
  const unit = PERIODS[part]?.unit;
  return unit === undefined
    ? changesOf(clock, range).every(isWithinHour)
    : localPeriods(range, clock, unit, MAX_DAYS) !== undefined;
}

type Range = Pick<UniqueCountsNode, 'start' | 'end'>;

/** The local times directly before and after each clock change in the range, and the time since the previous change. */
function changesOf(clock: LocalClock, { start, end }: Range) {
  return clock.flatMap(({ until, seconds }, index) => {
    const next = clock[index + 1];
    if (until === null || next === undefined || until <= start || until >= end) return [];
    const before = clock[index - 1]?.until ?? Number.NEGATIVE_INFINITY;
    return [{ from: until + seconds, to: until + next.seconds, since: until - before }];
  });
}

function isWithinHour({ from, to, since }: ReturnType<typeof changesOf>[number]): boolean {
  const isBack = to < from;
  const isOnly = since >= DAY_SECONDS;
  return isOnly && (isBack ? Math.floor(to / HOUR) === Math.floor((from - 1) / HOUR) : to - from <= HOUR);
}

const isQuarterHour = (seconds: number): boolean => seconds % QUARTER_HOUR === 0;

/** The counts to sum instead of counting rows or distinct values. If they are unavailable, reports the reason. */
function countsOf(
  aggregate: Aggregate,
  { input }: GroupNode,
  { by, ...range }: Grouping,
  { material, siteIds }: ScanNode,
  { manifest, countedUntil, countedSpread, because }: PassContext,
): PlanNode | undefined {
  const { column, within } = aggregate;
  const { uniqueCounts: counted, unique } = manifest.materials.get(material) ?? {};
  const definition = column === null ? undefined : definitionOf(column, input);
  const value = isRowCount(aggregate) ? unique : definition?.kind === 'column' ? definition.column : column;
  const keys = counted?.get(value ?? '');
  if (value == null || keys === undefined) return because('The values are not counted in advance.');
  if (by !== null && !keys.includes(by)) return because('The values are not counted in advance by this key.');
  if (siteIds.length > 1 && !isRowCount(aggregate) && !within.includes(SITE_FIELD))
    return because('A value on several sites counts only once, but is counted in advance for each site.');
  const counts: UniqueCounts = { material, value, by };
  if (countedUntil(counts, siteIds) < range.end)
    return because('The columnar copy has not yet counted the values of the whole range.');
  if (value !== unique) {
    const [period, another] = range.periods;
    if (another !== undefined) return because('Distinct values are counted in advance by one period only.');
    if (period !== undefined && !isContiguous(period, range))
      return because('A clock change in the range exceeds an hour or splits a period.');
    const maxSpread = period === undefined ? undefined : MAX_SPREAD[period.part];
    if (maxSpread !== undefined && countedSpread(counts, siteIds) > maxSpread)
      return because('Some values occur over so long a period that hours or weekdays recur.');
  }
  const rows: UniqueCountsNode = { kind: 'unique-counts', counts, siteIds, ...range };
  return withSteps(input, rows) ?? because('A filter reads a column other than the key.');
}

/** The counts, with the columns computed from them. Undefined if a filter reads any other column, or a name is ambiguous. */
function withSteps(input: PlanNode, counts: UniqueCountsNode): PlanNode | undefined {
  const { by } = counts.counts;
  const periods = counts.periods.map(({ name }) => name);
  const known = new Set([SITE_FIELD, ...(by === null ? [] : [by]), ...periods]);
  let rows: PlanNode = counts;
  for (const step of rowSteps(input).steps.toReversed()) {
    if (step.kind === 'filter') {
      if (!columnsOfFilter(step.conditions).every((column) => known.has(column))) return undefined;
      rows = { ...step, input: rows };
    } else {
      const others = step.columns.filter(({ name }) => !periods.includes(name));
      if (others.some(({ name }) => known.has(name))) return undefined;
      const columns = others.filter(({ value }) => columnsOf(value).every((column) => known.has(column)));
      for (const { name } of columns) known.add(name);
      rows = extended(rows, columns);
    }
  }
  return rows;
}

/** Joins groups with the same keys. */
export const joinedGroups = ([first, ...others]: readonly GroupNode[]): PlanNode | undefined =>
  others.reduce<PlanNode | undefined>(
    (left, right) =>
      left && {
        kind: 'join',
        left,
        right,
        mode: 'drop',
        nullsMatch: true,
        on: right.keys.map((key) => ({ left: key, right: key })),
        columns: right.aggregates.map(({ name }) => ({ name, column: name, type: 'int', fill: null })),
      },
    first,
  );
