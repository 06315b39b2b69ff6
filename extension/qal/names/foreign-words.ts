// What other languages and products write, and what it is called here. Data and look-ups; nothing here reads a query.
import type { CalcFunction, FilterOperator, JoinMode } from '../types/parsed-query';
import { CALC_FUNCTIONS, FILTER_OPERATORS } from '../types/parsed-query';
import { nearest } from './nearest';

/** Small letters without spaces and signs; longer words are none of ours. */
const fold = (word: string): string =>
  word
    .slice(0, 40)
    .toLowerCase()
    .replace(/[$\s_-]/g, '');

/** A look-up by folded words: `{ right: 'wrong other' }`. */
function byWord<Right extends string>(
  words: Readonly<Record<Right, string>>,
): (word: string) => Right | undefined;
function byWord(words: Readonly<Record<string, string>>): (word: string) => string | undefined {
  const known = new Map(
    Object.entries(words).flatMap(([right, others]) => others.split(' ').map((other) => [other, right])),
  );
  return (word) => known.get(fold(word));
}

/** Objects of a query with keys of their own. */
export type KeyPlace = 'top' | 'time' | 'view' | 'join' | 'result';

/** Keys that can mean nothing else. */
const SAME_KEYS: Readonly<Record<KeyPlace, (key: string) => string | undefined>> = {
  top: byWord({ make: 'views' }),
  time: byWord({ tz: 'timezone zone' }),
  view: byWord({ filter: 'where filters', keep: 'select columns fields', sort: 'orderby' }),
  join: byWord({
    'if not match': 'ifnotmatch ifnotmatched ifnomatch type how mode jointype',
    with: 'material table',
  }),
  result: byWord({ use: 'view' }),
};

/** Keys that probably mean it. */
const LIKE_KEYS: Readonly<Record<KeyPlace, (key: string) => string | undefined>> = {
  top: byWord({ tracking_id: 'site siteid', time: 'timerange daterange period', qal: 'query' }),
  time: byWord({ start: 'from since startdate', end: 'to until enddate' }),
  view: byWord({ keep: 'dimensions', calc: 'metrics measures aggregations', time: 'timerange daterange' }),
  join: byWord({}),
  result: byWord({}),
};

/** The key of an object that another name stands for, and whether it can mean nothing else. */
export function keySynonym(
  place: KeyPlace,
  key: string,
): { readonly key: string; readonly certain: boolean } | undefined {
  const same = SAME_KEYS[place](key);
  const meant = same ?? LIKE_KEYS[place](key);
  return meant === undefined ? undefined : { key: meant, certain: same !== undefined };
}

/** What a clause of other languages does, where no clause of a view does only that. */
export const otherClause = byWord({ grouping: 'groupby group distinct', having: 'having' });

/** Whether a key of `result` was to skip rows. */
export const skipsRows = (key: string): boolean => ['offset', 'skip', 'page'].includes(fold(key));

/** Keys that clients write for the parts of a sort. */
export const SORT_KEYS = {
  by: ['by', 'column', 'field', 'key', 'sort', 'sort_by', 'order_by', 'orderBy'],
  order: ['order', 'dir', 'direction', 'sort_order', 'sort_dir'],
  top: ['top', 'limit'],
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: ['then', 'then_by', 'thenBy', 'and'],
  per: ['per', 'partition_by', 'partitionBy', 'limit_by', 'top_by'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Keys of `result` that can only be meant to sort. */
export const SORTS_IN_RESULT: readonly string[] = [
  ...SORT_KEYS.by.filter((key) => !['column', 'field', 'key'].includes(key)),
  ...SORT_KEYS.order,
  'top',
];

/** Keys that clients write for the parts of a condition. */
export const CONDITION_KEYS = {
  column: ['column', 'field', 'name', 'key'],
  operator: ['op', 'operator', 'comparison'],
  value: ['value', 'values'],
} as const;

/** Keys that clients write for another column to compare with. */
export const COLUMN_KEYS: readonly string[] = ['column', 'col', 'field', 'ref', '$column', '$field'];

/** Keys for both ends of a range. */
export const RANGE_ENDS: readonly (readonly [low: string, high: string])[] = [
  ['min', 'max'],
  ['low', 'high'],
  ['from', 'to'],
  ['start', 'end'],
];

/** What a key of a filter joins conditions by, as no filter here does. */
export const logicWord = byWord({ and: 'and all &&', or: 'or any ||', not: 'not !' });
const SIGNS = byWord({
  eq: '= == equals equal',
  neq: '!= <> ne notequal notequals doesnotequal',
  gt: '>',
  gte: '>= ge',
  lt: '<',
  lte: '<= le',
  prefix: 'startswith',
  not_in: 'nin notin !in',
  not_contains: 'notcontains doesnotcontain',
  not_prefix: 'notprefix notstartswith doesnotstartwith',
});

/** That of the `known` filter operators which another sign or spelling stands for: `>`, `$gt`, `GT`, `notIn`. */
export function operatorSynonym(name: string, known: readonly string[]): FilterOperator | undefined {
  const folded = fold(name.trim());
  const meant = FILTER_OPERATORS.find((operator) => fold(operator) === folded) ?? SIGNS(name.trim());
  return meant !== undefined && known.includes(meant) ? meant : undefined;
}

/** Operators of other languages that depend on their operand: tests for null, for other values, and patterns. */
export const operatorForm = byWord({
  'is null': 'isnull null',
  'is not null': 'isnotnull notnull exists',
  eq: 'is',
  neq: 'isnot not',
  'not in': 'nin notin',
  like: 'like ilike',
  'not like': 'notlike notilike',
});

const LIKE_OPERATORS = byWord({
  gte: 'min',
  lte: 'max',
  gt: 'after',
  lt: 'before',
  contains: 'like ilike icontains',
});

/** The operator that comes nearest to an unknown one; never one that says the opposite. */
export function nearOperator(
  name: string,
  operand: unknown,
  operators: readonly string[],
): FilterOperator | undefined {
  const isPattern = typeof operand === 'string' && operand.includes('%');
  const alike = LIKE_OPERATORS(name);
  if (alike !== undefined || operatorForm(name) !== undefined) return isPattern ? undefined : alike;
  const folded = fold(name);
  const near = nearest(folded, operators);
  // Another first letter makes another word, and so does one more word.
  const isOther = near?.charAt(0) !== folded.charAt(0) || /any|not|all|none/.test(folded);
  return isOther ? undefined : FILTER_OPERATORS.find((operator) => operator === near);
}

const FUNCTIONS = byWord({ AVERAGE: 'avg mean', COUNTUNIQUE: 'countdistinct', SUM: 'total' });

/** Functions that are alike, but say more than a number. */
const LIKE_FUNCTIONS = byWord({ COUNTUNIQUE: 'distinct unique' });

/** The calc function of this name, in any case, or that another name stands for. */
export const functionNamed = (name: string): CalcFunction | undefined =>
  CALC_FUNCTIONS.find((it) => it === name.toUpperCase()) ?? FUNCTIONS(name);

/** The calc function that comes nearest to an unknown one; another first letter makes another word. */
export function nearFunction(name: string): CalcFunction | undefined {
  const upper = name.toUpperCase();
  const near = nearest(upper, CALC_FUNCTIONS);
  const isOther = near?.charAt(0) !== upper.charAt(0) || upper.endsWith('IF');
  return LIKE_FUNCTIONS(name) ?? (isOther ? undefined : CALC_FUNCTIONS.find((it) => it === near));
}

/** The join mode that another word stands for. */
export const joinMode: (word: string) => JoinMode | undefined = byWord({
  'keep-left': 'left leftouter leftjoin keep keepleft',
  drop: 'inner innerjoin drop',
});

/** COUNT takes a column: the one of a material that is never null. */
export function countedColumn(material: string): string {
  if (material === 'gsc') return 'page_id';
  if (material === 'page_version') return 'version_id';
  return /^(ga4|summary)_/.test(material) ? 'tracking_id' : 'pv_id';
}

const TIME_CUTS: readonly (readonly [expression: RegExp, column: string])[] = [
  [/^(to_)?date\((\w+\.)?access_time\)$/, 'access_date'],
  [/^date_trunc\(["']day["'],(\w+\.)?access_time\)$/, 'access_date'],
  [/^date_trunc\(["']week["'],(\w+\.)?access_time\)$/, 'access_week'],
  [/^(week|tomonday|tostartofweek)\((\w+\.)?access_time\)$/, 'access_week'],
  [/^date_trunc\(["']month["'],(\w+\.)?access_time\)$/, 'access_month'],
  [/^hour\((\w+\.)?access_time\)$/, 'access_hour'],
];

/** The column that holds a time cut to its day, hour, week or month: `DATE(allpv.access_time)` -> access_date. */
export function cutTime(expression: string): string | undefined {
  const folded = expression.toLowerCase().replace(/\s/g, '');
  return TIME_CUTS.find(([pattern]) => pattern.test(folded))?.[1];
}

/** Columns by the names that they have in other products. */
const COLUMNS = new Map(
  Object.entries({
    device_type: 'device',
    url: 'page_url path page',
    title: 'page_title',
    access_time: 'time timestamp',
    access_date: 'date day',
    access_hour: 'hour',
    access_weekday: 'weekday',
    access_week: 'week',
    access_month: 'month',
    reader_id: 'user_id visitor_id',
    keyword: 'query search_query',
    utm_campaign: 'campaign',
    utm_source: 'source',
    utm_medium: 'medium',
  }).flatMap(([column, others]) => others.split(' ').map((other) => [other, column])),
);

/** The column that had this name in an earlier contract. */
export const renamedColumn = (name: string): string | undefined =>
  name.toLowerCase() === 'country' ? 'country_code' : undefined;

/** What a renamed column holds, when one of the values is not of its form: another column of the old name has others. */
export function holdsInstead(column: string, values: readonly unknown[]): string | undefined {
  if (column !== 'country_code' || values.every((it) => it === null || /^[A-Z]{2}$/.test(String(it))))
    return undefined;
  return 'two capital letters (ISO 3166-1 alpha-2) such as "JP"';
}

/** The column that another name stands for. */
export const columnSynonym = (name: string): string | undefined =>
  renamedColumn(name) ?? COLUMNS.get(name.toLowerCase());

/** The column that holds a part of the time in a material whose rows are days or months. */
export const partOfDays = byWord({ date: 'accessdate', week: 'accessweek', month: 'accessmonth' });
const DEVICES = byWord({ PC: 'desktop pc computer', SP: 'mobile smartphone phone sp', tablet: 'tablet' });

/** The value of a column that another word stands for; undefined for the value itself. The manifest names numbers itself. */
export function valueSynonym(column: string, value: string): string | undefined {
  const meant = column === 'device_type' || column === 'device_id' ? DEVICES(value.trim()) : undefined;
  return meant === value ? undefined : meant;
}

/** An allowed name out of any text: its letters, digits and "_"; `fallback` where it has none. */
export function usableName(text: string, fallback: string): string {
  const words = text.slice(0, 64).match(/[A-Za-z0-9]+/g) ?? [];
  return words.length === 0 ? fallback : words.join('_');
}
