// The plan is a tree of relational nodes: plain frozen data that serializes to JSON.
// A stored field keeps its name (`page_id`). A manifest column is prefixed with its source (`allpv.url`).
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { Period } from '../time/local-periods';
import type { LocalClock } from '../time/zone-offsets';
import type { Arithmetic, ExactColumn, Share } from './arithmetic';
import type { ChannelRulesOfSites } from './channels';
import type { CountedSteps } from './counted-steps';
import type { FilterPart } from './filter-parts';
import type { CalcFunction, JoinMode, OrderTest } from './parsed-query';
import type { CalendarNode, Filling } from './periods';
import type { ComputedValue, ResolvedTest, ResolvedValue, StoredOrigin } from './resolved-query';
import type { ScanNode } from './scan-node';
import type { UniqueCountsNode } from './unique-counts';

/** The site field of every table that has one. */
export const SITE_FIELD = 'site_id';

export interface Plan {
  readonly root: PlanNode;
  /** One row whose column `output.total` is the number of rows; null if `root` has that column or the number was not requested. */
  readonly counted: PlanNode | null;
  readonly output: PlanOutput;
}

export interface PlanOutput {
  readonly view: string;
  /** For formatting datetimes. */
  readonly clock: LocalClock;
  /** `count`: the root is one row whose column `total` is the answer. */
  readonly kind: 'table' | 'count';
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly column: string }[];
  readonly limit: number;
  readonly offset: number;
  /** The column of `counted` or the root that contains the number of rows before any limit. If null, count the rows. */
  readonly total: string | null;
  /** The view's `sort.top`, which limits the total. */
  readonly top: number | null;
}

export type PlanNode =
  | ScanNode
  | UniqueCountsNode
  | ExtendNode
  | FilterNode
  | JoinNode
  | NumberNode
  | GroupNode
  | StepsNode
  | PerPeriodNode
  | CalendarNode
  | FillNode
  | OrderNode
  | LimitNode;

/** Adds computed columns. The number of rows stays the same. */
export interface ExtendNode {
  readonly kind: 'extend';
  readonly input: PlanNode;
  readonly columns: readonly ComputedColumn[];
}

export interface ComputedColumn {
  readonly name: string;
  readonly value: Expression;
}

export type Expression =
  | { readonly kind: 'computed'; readonly value: ComputedValue }
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'flag'; readonly column: string }
  | Lookup
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly column: string;
      /** Null for a date. */
      readonly clock: LocalClock | null;
    }
  | (Stored<'converted' | 'has-rows'> & OfSite)
  | ({ readonly kind: 'session-of-day'; readonly clock: LocalClock } & OfSite)
  /** The column where the conditions hold; otherwise the constant, or null. */
  | {
      readonly kind: 'where';
      readonly column: string;
      readonly conditions: readonly PlanCondition[];
      readonly otherwise?: { readonly type: ColumnType; readonly value: ResolvedValue };
    }
  /** The first column or, if it is null, the second. */
  | { readonly kind: 'either'; readonly columns: readonly [string, string] }
  | { readonly kind: 'joined-texts'; readonly parts: readonly Expression[] }
  | PassedTests
  | ({ readonly kind: 'channel' } & Record<'source' | 'medium', Lookup> & ChannelRulesOfSites)
  | { readonly kind: 'arithmetic'; readonly value: Arithmetic<ExactColumn> }
  /** `value * times`, exact at any size. `missing` replaces `times` where it is null. */
  | { readonly kind: 'product'; readonly value: string; readonly times: string; readonly missing: number };

/** `perSite`: each site has its own ids; otherwise all sites share them. */
export type Lookup = Stored<'lookup'> & OfSite & { readonly perSite: boolean };

/** The sum of the `bits` for which the key's dimension row passes all tests. 0 if there is no dimension row. */
export interface PassedTests extends OfSite, Pick<Lookup, 'dimension' | 'key' | 'perSite'> {
  readonly kind: 'passed-tests';
  readonly tests: readonly {
    readonly bits: number;
    readonly all: readonly (Pick<Lookup, 'field' | 'bit'> & Omit<ColumnCondition, 'column'>)[];
  }[];
}

type Stored<Kind extends StoredOrigin['kind']> = Extract<StoredOrigin, { readonly kind: Kind }>;

interface OfSite {
  /** The query's only site. If null, each row has its site in `site_id`. */
  readonly siteId: number | null;
}

export interface FilterNode {
  readonly kind: 'filter';
  readonly input: PlanNode;
  readonly conditions: readonly PlanCondition[];
  readonly dimensionFilters?: readonly DimensionFilter[];
}

/** An empty list of conditions is true; an empty `anyOf` is false. */
export type PlanCondition = FilterPart<ColumnCondition | ComparedColumns>;

/** Both columns must have a value. They are compared as `type`. */
interface ComparedColumns {
  readonly column: string;
  readonly operator: OrderTest;
  readonly other: string;
  readonly type: ColumnType;
}

export interface ColumnCondition {
  readonly column: string;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
}

/**
 * Keeps the rows whose key refers to a dimension row that passes the test. With `except`, keeps all other rows instead,
 * including those without a dimension row.
 */
export interface DimensionFilter extends Omit<Stored<'lookup'>, 'kind'>, Omit<ColumnCondition, 'column'> {
  /** How many dimension rows may match: at most `one`, a `few`, or `any` number. For `any`, the whole dimension is read. */
  readonly found: 'one' | 'few' | 'any';
  readonly except: boolean;
  /** The sites whose dimension rows can match. With several, rows match only within their site. With none, all sites share them. */
  readonly siteIds: readonly number[];
}

/** Without keys, joins every left row with every right row. Null keys match nothing or, with `nullsMatch`, each other. */
export interface JoinNode {
  readonly kind: 'join';
  readonly left: PlanNode;
  readonly right: PlanNode;
  readonly on: readonly { readonly left: string; readonly right: string }[];
  readonly mode: JoinMode;
  readonly nullsMatch?: true;
  /** Columns from the right side, under names that the left side does not use. */
  readonly columns: readonly JoinedColumn[];
}

/** `fill` is the column's value in rows without a match. */
export interface JoinedColumn {
  readonly name: string;
  readonly column: string;
  readonly type: ColumnType;
  readonly fill: ResolvedValue | null;
}

/** Numbers the rows of each combination of `within`, starting at 0. */
interface NumberNode {
  readonly kind: 'number';
  readonly input: PlanNode;
  readonly column: string;
  readonly within: readonly string[];
  readonly by: readonly OrderKey[];
}

/** One row per combination of keys. Without keys, exactly one row. */
export interface GroupNode {
  readonly kind: 'group';
  readonly input: PlanNode;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

/**
 * COUNT counts rows if `column` is null. COUNTUNIQUE treats values as different if the columns in `within` (the site) differ.
 * FIRST and LAST return the value of the row with the lowest or highest `by`, which must be unique in its group.
 * PERCENTILE interpolates linearly at `share`. It returns numbers multiplied by `share.in`, which keeps them exact, and
 * rounds datetimes down to the second.
 */
export interface Aggregate {
  readonly name: string;
  readonly function: Exclude<CalcFunction, 'AVERAGE' | 'MEDIAN'> | 'FIRST' | 'LAST';
  readonly by?: string;
  readonly share?: Share;
  readonly column: string | null;
  readonly type: ColumnType;
  readonly within: readonly string[];
}

export interface StepsNode extends CountedSteps {
  readonly kind: 'steps';
  /** The rows that match any step, all with the same columns. */
  readonly inputs: readonly PlanNode[];
}

/** Runs its input once per period, and adds the period's value to the rows. */
export interface PerPeriodNode {
  readonly kind: 'per-period';
  readonly input: PlanNode;
  readonly column: string;
  readonly type: ColumnType;
  readonly periods: readonly Period[];
}

/** Adds the missing combinations of any input row's `within` and any calendar row's `column`. */
export interface FillNode extends Filling {
  readonly kind: 'fill';
  readonly input: PlanNode;
  readonly calendar: PlanNode;
}

/** Nulls come last in both directions. Text is compared by bytes. */
interface OrderNode {
  readonly kind: 'order';
  readonly input: PlanNode;
  readonly by: readonly OrderKey[];
}

export interface OrderKey {
  readonly column: string;
  readonly type: ColumnType;
  readonly direction: 'asc' | 'desc';
}

export interface LimitNode {
  readonly kind: 'limit';
  readonly input: PlanNode;
  readonly count: number;
  readonly offset?: number;
  /** The column for the number of rows before the limit, if counting them takes no extra time. */
  readonly countAs: string | null;
  /** Whether to keep all rows that tie with the last one in the order of the input. */
  readonly withTies?: boolean;
}
