// Materials whose rows describe a query's whole range. They are computed instead of stored: their fields are the keys and
// aggregates of groups, which always keep sites separate.
import { daysWithin } from '../time/days-within';
import {
  type Aggregate,
  type ComputedColumn,
  type Expression,
  type GroupNode,
  type PlanCondition,
  type PlanNode,
  SITE_FIELD,
} from '../types/plan';
import { countRows } from './build-nodes';
import { type LoweringContext, lowerOrigin } from './lower-columns';

type PeriodRows = (context: LoweringContext) => PlanNode;

/** Keyed by the material's name in the manifest. */
export const PERIOD_ROWS: ReadonlyMap<string, PeriodRows> = new Map([
  ['gsc_period', searchRows],
  ['summary_landingpage', landingRows],
  ['summary_allpage', pageRows],
  ['summary_days_access_detail', accessRows],
]);

const count = (name: string, column: string): Aggregate => aggregate(name, 'COUNT', column);
const sum = (name: string, column: string): Aggregate => aggregate(name, 'SUM', column);
const unique = (name: string, column: string): Aggregate => aggregate(name, 'COUNTUNIQUE', column);

function aggregate(name: string, fn: Aggregate['function'], column: string, by?: string): Aggregate {
  return { name, function: fn, column, type: 'int', within: [], ...(by === undefined ? {} : { by }) };
}

function searchRows({ scope, range }: LoweringContext): PlanNode {
  const days: PlanNode = {
    kind: 'scan',
    material: 'gsc',
    siteIds: scope.siteIds,
    bounds: { kind: 'days', field: 'day', ...daysWithin(range, range.zone) },
  };
  const weighted: Expression = {
    kind: 'computed',
    value: { kind: 'product', columns: ['position_x100', 'impressions'], per: 1 },
  };
  return grouped(days, [{ name: 'weighted', value: weighted }], {
    keys: ['page_id', 'query_id', 'search_type', SITE_FIELD],
    aggregates: [
      sum('clicks_sum', 'clicks'),
      sum('impressions_sum', 'impressions'),
      sum('weighted_x100', 'weighted'),
      aggregate('first_position_x100', 'FIRST', 'position_x100', 'day'),
      aggregate('latest_position_x100', 'LAST', 'position_x100', 'day'),
    ],
  });
}

/** The session class. Every summary groups by these columns, and some also group by the page. */
const CLASS = [
  'device_id',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'source_domain',
  'is_newuser',
  SITE_FIELD,
] as const;

/** Page views with the text values of their session class, and with flags as numbers. */
function pageViews(context: LoweringContext): PlanNode {
  const text = (key: string, dimension: string, field: string): ComputedColumn => ({
    name: field,
    value: lowerOrigin({ kind: 'lookup', dimension, key, field, bit: null }, 'text', context),
  });
  const flag = (column: string): ComputedColumn => ({ name: column, value: { kind: 'flag', column } });
  return {
    kind: 'extend',
    input: scanViews(context),
    columns: [
      text('source_id', 'source', 'utm_source'),
      text('medium_id', 'medium', 'utm_medium'),
      text('campaign_id', 'campaign', 'utm_campaign'),
      text('source_id', 'source', 'source_domain'),
      flag('is_newuser'),
      flag('is_last'),
    ],
  };
}

const scanViews = ({ scope, range }: LoweringContext): PlanNode => ({
  kind: 'scan',
  material: 'allpv',
  siteIds: scope.siteIds,
  bounds: { kind: 'range', field: 'at', start: range.start, end: range.end },
});

const is = (column: string, value: number): PlanCondition => ({
  column,
  type: 'int',
  test: { operator: 'eq', value },
});

const LANDED = is('pv', 1);
const LEFT = is('is_last', 1);

/** The column if the conditions hold, otherwise null. Counting it counts the rows for which they hold. */
const where = (name: string, column: string, conditions: readonly PlanCondition[]): ComputedColumn => ({
  name,
  value: { kind: 'where', column, conditions },
});

const BOUNCED = where('bounced', 'pv_id', [LANDED, LEFT]);

const grouped = (
  input: PlanNode,
  columns: readonly ComputedColumn[],
  rest: Pick<GroupNode, 'keys' | 'aggregates'>,
): GroupNode => ({ kind: 'group', input: { kind: 'extend', input, columns }, ...rest });

function pageRows(context: LoweringContext): PlanNode {
  const columns = [BOUNCED, where('left', 'pv_id', [LEFT]), where('landed', 'pv_id', [LANDED])];
  return grouped(pageViews(context), columns, {
    keys: ['page_id', ...CLASS],
    aggregates: [
      countRows('pv_count'),
      unique('user_count', 'reader_id'),
      count('bounce_count', 'bounced'),
      count('exit_count', 'left'),
      sum('time_on_page', 'browse_sec'),
      count('lp_count', 'landed'),
    ],
  });
}

function accessRows(context: LoweringContext): PlanNode {
  const columns = [BOUNCED, where('new_reader', 'reader_id', [is('is_newuser', 1)])];
  return grouped(pageViews(context), columns, {
    keys: [...CLASS],
    aggregates: [
      countRows('pv_count'),
      unique('session_count', 'session_id'),
      unique('user_count', 'reader_id'),
      count('bounce_count', 'bounced'),
      sum('time_on_page', 'browse_sec'),
      unique('is_newuser_count', 'new_reader'),
    ],
  });
}

/** A landing page's totals cover all views, within the range, of the sessions that began on it. */
function landingRows(context: LoweringContext): PlanNode {
  const joined: PlanNode = {
    kind: 'join',
    left: { kind: 'filter', input: pageViews(context), conditions: [LANDED] },
    right: {
      kind: 'group',
      input: scanViews(context),
      keys: ['session_id', SITE_FIELD],
      aggregates: [countRows('views'), sum('seconds', 'browse_sec')],
    },
    on: ['session_id', SITE_FIELD].map((key) => ({ left: key, right: key })),
    mode: 'drop',
    columns: ['views', 'seconds'].map((column) => ({
      name: `visit.${column}`,
      column,
      type: 'int',
      fill: null,
    })),
  };
  const second: ComputedColumn = { name: 'second_page', value: { kind: 'column', column: 'next_page_id' } };
  return grouped(joined, [BOUNCED, second], {
    keys: ['page_id', ...CLASS, 'second_page'],
    aggregates: [
      sum('pv_count', 'visit.views'),
      countRows('session_count'),
      unique('user_count', 'reader_id'),
      count('bounce_count', 'bounced'),
      sum('session_time', 'visit.seconds'),
    ],
  });
}
