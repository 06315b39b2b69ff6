// The types between parse and resolve: the query in document order, before any name is looked up.
import type { Arithmetic, Share } from './arithmetic';
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
  'not_contains',
  'not_prefix',
] as const;
export type Comparison = (typeof COMPARISONS)[number];
/** The comparisons that also take another column. */
export const ORDER_TESTS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const;
export type OrderTest = (typeof ORDER_TESTS)[number];
export const LIST_TESTS = ['in', 'not_in'] as const;
export type ListTest = (typeof LIST_TESTS)[number];
export type FilterOperator = Comparison | ListTest | 'between';
export const FILTER_OPERATORS: readonly FilterOperator[] = [...COMPARISONS, ...LIST_TESTS, 'between'];

/** The operator that each negated one negates: it keeps exactly the rows that the other drops, rows without a value included. */
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
  not_contains: 'contains',
  not_prefix: 'prefix',
  in: null,
  not_in: 'in',
  between: null,
};

export const isOrderTest = (operator: string): operator is OrderTest =>
  ORDER_TESTS.some((known) => known === operator);

export const isListTest = (operator: string): operator is ListTest =>
  LIST_TESTS.some((known) => known === operator);

/** A value as written in a filter. */
export type Scalar = string | number | boolean | null;

export interface ParsedQuery {
  /** Any JSON value; the scope checks that it names a site of the user. */
  readonly trackingId: JsonValue;
  readonly materials: readonly string[];
  readonly time: ParsedTime;
  readonly views: readonly ParsedView[];
  readonly result: ParsedResult;
}

/** Local date-times `YYYY-MM-DDTHH:mm:ss` (real calendar dates), read in the IANA zone `tz`. */
interface ParsedTime {
  readonly start: string;
  readonly end: string;
  readonly tz: string;
}

/** `prefix.column` as written; the prefix names a material or a view. */
export interface QualifiedName {
  readonly prefix: string;
  readonly column: string;
}

/** Clauses that are resolved in document order, after `from` and before `sort`. */
export const CLAUSES = ['time', 'keep', 'filter', 'join', 'calc'] as const;
export type Clause = (typeof CLAUSES)[number];

export interface ParsedView {
  readonly name: string;
  /** In document order. */
  readonly clauses: readonly Clause[];
  readonly from: string;
  /** A separate range in the zone of the query; null for the range of the query. */
  readonly time: Pick<ParsedTime, 'start' | 'end'> | null;
  readonly keep: readonly QualifiedName[];
  readonly filter: readonly ParsedFilterPart[];
  readonly join: ParsedJoin | null;
  readonly calc: readonly ParsedCalc[];
  readonly sort: ParsedSort | null;
}

/** All parts of a filter must hold. */
export type ParsedFilterPart = ParsedCondition | ParsedAlternatives;

/** At least one of these filters must hold. */
interface ParsedAlternatives {
  readonly anyOf: readonly (readonly ParsedCondition[])[];
}

/** One test of one column: `place` is the path of the column's key, `path` that of the test. */
export type ParsedCondition = {
  readonly column: string;
  readonly place: Path;
  readonly path: Path;
} & ParsedTest;

/** All conditions of a filter, including those of its alternatives. */
export const conditionsIn = (filter: readonly ParsedFilterPart[]): readonly ParsedCondition[] =>
  filter.flatMap((part) => ('anyOf' in part ? part.anyOf.flat() : [part]));

/** `other` is another column of the same source; `between` is inclusive; `in` and `not_in` take any number of values. */
export type ParsedTest =
  | { readonly operator: Comparison; readonly value: Scalar }
  | { readonly operator: OrderTest; readonly other: string }
  | { readonly operator: ListTest; readonly values: readonly Scalar[] }
  | { readonly operator: 'between'; readonly low: Scalar; readonly high: Scalar };

export const JOIN_MODES = ['keep-left', 'drop'] as const;
export type JoinMode = (typeof JOIN_MODES)[number];

/** All pairs must match. `fill` replaces null in the joined columns of rows without a match; null replaces nothing. */
export interface ParsedJoin {
  readonly with: string;
  readonly on: readonly { readonly left: QualifiedName; readonly right: QualifiedName }[];
  readonly mode: JoinMode;
  readonly fill: Scalar;
}

export interface ParsedCalc {
  readonly name: string;
  readonly written: string;
  readonly value: Arithmetic<ParsedCall>;
}

export interface ParsedCall {
  readonly function: CalcFunction;
  readonly reference: QualifiedName;
  /** Of MEDIAN and PERCENTILE; otherwise null. */
  readonly share: Share | null;
}

export interface ParsedSort {
  readonly keys: readonly ParsedSortKey[];
  readonly top: number | null;
  /** `top` applies to each combination of these columns; without any, to all rows. */
  readonly per: readonly string[];
}

interface ParsedSortKey {
  /** As written: `views`, or `allpv.url`. */
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

interface ParsedResult {
  readonly use: string;
  readonly limit: number;
  /** Number of rows before the page; null if the query does not ask for a page. */
  readonly offset: number | null;
  /** The version of an earlier page, which this page must match. */
  readonly dataVersion: string | null;
  readonly countOnly: boolean;
}
