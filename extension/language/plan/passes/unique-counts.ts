// Computes COUNTUNIQUE and COUNT from the columnar copy's unique counts instead of from every row.

// Proof: each count belongs to a combination of keys, a quarter hour, and the previous quarter hour in which the same values
// occurred. In a range of whole quarter hours, each value has exactly one quarter hour whose previous one is outside the range, so
// the number of these quarter hours is the number of distinct values. The same holds for each period of the range, since no period
// resumes after another has begun. Both numbers are sums of stored counts. A filter that reads only keys and periods keeps or drops
// all rows of a combination. The groups are by stored fields, and the filters fix each other key to one value, so no two
// combinations are in the same group. The other aggregates are computed as before, for the same groups.
// COUNT is COUNTUNIQUE of the table's key. Each of its values occurs once, so these counts can be added in any periods of whole
// quarter hours, and over any keys.
// Hours and weekdays recur, but not if all quarter hours of a value are within 22 hours (142 hours for weekdays): if a clock
// change is at most one hour, their local hours are less than 24 hours apart, and their local dates less than 7 days apart. Local
// hours and dates never go back, since clocks go back only within a local hour.
import type { TimePart } from '../../../../manifests/reader/schema';
import { DAY_SECONDS } from '../../time/calendar';
import { localPeriods } from '../../time/local-periods';
import type { LocalClock } from '../../time/zone-offsets';
import { eachOnce } from '../../types/columns-of';
import { type Aggregate, type GroupNode, type PlanNode, SITE_FIELD } from '../../types/plan';
import type { ScanNode } from '../../types/scan-node';
import { QUARTER_HOUR, type UniqueCountsNode } from '../../types/unique-counts';
import { rowSteps } from '../../types/walk-plan';
import { countedRows, type Grouping, summed } from '../counted-rows';
import { isUniqueCount } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { definitionOf, PERIODS } from '../plan-facts';

/** Queries that group by day rarely cover a longer range. */
const MAX_DAYS = 4_000;
const HOUR = 3_600;

/** The highest `spread`, which is the number of SPREADS that have passed, at which hours or weekdays cannot recur. */
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
      const found = counted.flatMap((aggregate) => {
        const input = countsOf(aggregate, group, grouping, scan, context);
        return input === undefined
          ? []
          : [[aggregate, summed({ ...group, aggregates: [aggregate] }, input)] as const];
      });
      const needsRows = found.length < group.aggregates.length;
      // If the rows are read anyway, counting them costs almost nothing.
      const sums = new Map(found.filter(([aggregate]) => !needsRows || isUniqueCount(aggregate)));
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

/** The grouping of a scan's rows. If the counts do not support it, reports the reason. */
export function groupingOf(
  { keys, input }: Pick<GroupNode, 'keys' | 'input'>,
  { bounds }: ScanNode,
  { because }: PassContext,
): Grouping | undefined {
  if (bounds.kind !== 'range') return undefined;
  const { start, end } = bounds;
  if (!isQuarterHour(start) || !isQuarterHour(end))
    return because('The range does not start and end on a quarter hour.');
  const fields: string[] = [];
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
    } else if (field !== null) fields.push(field);
    else return because('Values are counted in advance by stored fields and by periods.');
  }
  return { fields: eachOnce(fields), periods, start, end };
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
  group: GroupNode,
  grouping: Grouping,
  scan: ScanNode,
  context: PassContext,
): PlanNode | undefined {
  const { manifest, countedSpread, because } = context;
  const { column, within } = aggregate;
  const { material, siteIds } = scan;
  const { uniqueCounts: counted = [], unique } = manifest.materials.get(material) ?? {};
  const definition = column === null ? undefined : definitionOf(column, group.input);
  const value = isRowCount(aggregate) ? unique : definition?.kind === 'column' ? definition.column : column;
  if (value == null || !counted.some((it) => it.value === value))
    return because('The values are not counted in advance.');
  if (siteIds.length > 1 && !isRowCount(aggregate) && !within.includes(SITE_FIELD))
    return because(
      'A value on several sites is counted only once, but the values are counted in advance for each site.',
    );
  const found = countedRows({ value, repeatedIn: null }, grouping, group, scan, context);
  if (found !== undefined && value !== unique) {
    const [period, another] = grouping.periods;
    if (another !== undefined) return because('Distinct values are counted in advance by one period only.');
    if (period !== undefined && !isContiguous(period, grouping))
      return because('A clock change in the range exceeds an hour or splits a period.');
    const maxSpread = period === undefined ? undefined : MAX_SPREAD[period.part];
    if (maxSpread !== undefined && countedSpread(found.counts, siteIds) > maxSpread)
      return because('Some values occur over so long a period that hours or weekdays recur.');
  }
  return found?.rows;
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
