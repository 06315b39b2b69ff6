// The query in document order, before any names are looked up.
import type { Arithmetic, Share } from './arithmetic';
import { conditionsIn, type FilterPart } from './filter-parts';
import type { JsonValue } from './json';
import type { Path } from './path';

export const CALC_FUNCTIONS = [
  'COUNT',
  'COUNTUNIQUE',
  'SUM',
  'AVERAGE',
  'MIN',
  'MAX',
  'MEDIAN',
  'PERCENTILE',
] as const;
export type CalcFunction = (typeof CALC_FUNCTIONS)[number];

export const COMPARISONS = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'prefix',
  'suffix',
  'not_contains',
  'not_prefix',
  'not_suffix',
] as const;
export type Comparison = (typeof COMPARISONS)[number];
/** Comparisons that can also take a second column. */
export const ORDER_TESTS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;
export type OrderTest = (typeof ORDER_TESTS)[number];
export const LIST_TESTS = ['in', 'not_in'] as const;
export type ListTest = (typeof LIST_TESTS)[number];
export type FilterOperator = Comparison | ListTest | 'between';
export const FILTER_OPERATORS: readonly FilterOperator[] = [...COMPARISONS, ...LIST_TESTS, 'between'];

/** For each negated operator, the one that drops exactly the rows that the negated one keeps, including rows without a value. */
export const NEGATED: Readonly<
  Record<Comparison, Comparison | null> & Record<ListTest, ListTest | null> & Record<'between', null>
> = {
  eq: null,
  neq: 'eq',
  gt: null,
  gte: null,
  lt: null,
  lte: null,
  contains: null,
  prefix: null,
  suffix: null,
  not_contains: 'contains',
  not_prefix: 'prefix',
  not_suffix: 'suffix',
  in: null,
  not_in: 'in',
  between: null,
};

export const isOrderTest = (operator: string): operator is OrderTest =>
  ORDER_TESTS.some((known) => known === operator);

export const isListTest = (operator: string): operator is ListTest =>
  LIST_TESTS.some((known) => known === operator);

export type Scalar = string | number | boolean | null;

export interface ParsedQuery {
  /** Any JSON value: loading the scope checks that it is one of the user's sites. */
  readonly trackingId: JsonValue;
  readonly materials: readonly string[];
  readonly time: ParsedTime;
  readonly views: readonly ParsedView[];
  readonly result: {
    readonly use: string;
    readonly limit: number;
    /** The number of rows to skip; null if the query does not request a page. */
    readonly offset: number | null;
    /** The data version of an earlier page, which must still be current. */
    readonly dataVersion: string | null;
    readonly countOnly: boolean;
  };
}

/** Real local date-times `YYYY-MM-DDTHH:mm:ss` in the IANA zone `tz`. */
interface ParsedTime {
  readonly start: string;
  readonly end: string;
  readonly tz: string;
}

/** `prefix.column` as written. The prefix is the name of a material or a view. */
export interface QualifiedName {
  readonly prefix: string;
  readonly column: string;
}

/** These clauses are resolved in document order, after `from` and before `sort`. */
export const CLAUSES = ['time', 'keep', 'filter', 'join', 'calc'] as const;
export type Clause = (typeof CLAUSES)[number];

export interface ParsedView {
  readonly name: string;
  /** In document order. */
  readonly clauses: readonly Clause[];
  readonly from: string;
  /** In the query's zone; null for the query's range. */
  readonly time: Pick<ParsedTime, 'start' | 'end'> | null;
  readonly keep: readonly QualifiedName[];
  readonly filter: readonly ParsedFilterPart[];
  readonly join: ParsedJoin | null;
  readonly calc: readonly ParsedCalc[];
  readonly sort: ParsedSort | null;
  /** An output column as written. Its missing periods are added to the output. */
  readonly fillPeriods: string | null;
}

export type ParsedFilterPart = FilterPart<ParsedCondition>;

/** One test of one column. `place` is the path of the column's key, and `path` is the path of the test. */
export type ParsedCondition = {
  readonly column: string;
  readonly place: Path;
  readonly path: Path;
} & ParsedTest;

/** All conditions of a view: those of its own filter and of its calcs' filters. */
export const conditionsOf = ({
  filter,
  calc,
}: Pick<ParsedView, 'filter' | 'calc'>): readonly ParsedCondition[] =>
  conditionsIn([...filter, ...calc.flatMap((it) => it.filter)]);

/** `other` is a column of the same source. `between` includes both ends. Lists may be empty. */
export type ParsedTest =
  | { readonly operator: Comparison; readonly value: Scalar }
  | { readonly operator: OrderTest; readonly other: string }
  | { readonly operator: ListTest; readonly values: readonly Scalar[] }
  | { readonly operator: 'between'; readonly low: Scalar; readonly high: Scalar };

export const JOIN_MODES = ['keep-left', 'drop', 'keep-both'] as const;
export type JoinMode = (typeof JOIN_MODES)[number];

/** All pairs must match. `fill` is the value of joined columns in rows without a match. */
export interface ParsedJoin {
  readonly with: string;
  readonly on: readonly { readonly left: QualifiedName; readonly right: QualifiedName }[];
  readonly mode: JoinMode;
  /** Whether null keys match each other. */
  readonly nullsMatch: boolean;
  readonly fill: Scalar;
}

export interface ParsedCalc {
  readonly name: string;
  readonly written: string;
  /** The path of the expression. */
  readonly path: Path;
  readonly value: Arithmetic<ParsedCall>;
  /** Selects the rows to aggregate; empty for all rows. */
  readonly filter: readonly ParsedFilterPart[];
}

export interface ParsedCall {
  readonly function: CalcFunction;
  readonly reference: QualifiedName;
  /** For MEDIAN and PERCENTILE; otherwise null. */
  readonly share: Share | null;
}

export interface ParsedSort {
  /** `by` is as written: `views` or `allpv.url`. */
  readonly keys: readonly { readonly by: string; readonly order: 'asc' | 'desc' }[];
  readonly top: number | null;
  /** `top` applies to each combination of these columns, or to all rows if there are none. */
  readonly per: readonly string[];
}
