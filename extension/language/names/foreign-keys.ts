// Query keys from other languages and products.
import type { JoinMode } from '../types/parsed-query';
import { byWord, fold } from './by-word';

/** The kinds of objects in a query. */
export type KeyPlace = 'top' | 'time' | 'view' | 'join' | 'result';

/** Synonyms with only one meaning. */
const SAME_KEYS: Readonly<Record<KeyPlace, (key: string) => string | undefined>> = {
  top: byWord({ make: 'views' }),
  time: byWord({ tz: 'timezone zone' }),
  view: byWord({ filter: 'where filters', keep: 'select columns fields', sort: 'orderby' }),
  join: byWord({
    on: 'using',
    'if not match': 'ifnotmatch ifnotmatched ifnomatch type how mode jointype',
    with: 'material table',
  }),
  result: byWord({ use: 'view', limit: 'perpage pagesize maxresults maxrows rowlimit size rows' }),
};

/** Synonyms that may mean something else. */
const LIKE_KEYS: Readonly<Record<KeyPlace, (key: string) => string | undefined>> = {
  top: byWord({
    tracking_id: 'site siteid idsite',
    time: 'timerange daterange dateranges timedimensions period date dates',
    qal: 'query',
  }),
  time: byWord({ start: 'from since startdate', end: 'to until enddate' }),
  view: byWord({
    keep: 'dimensions',
    filter: 'segment segments conditions properties dimensionfilter',
    join: 'joins leftjoin',
    calc: 'metrics measures aggregations aggregate agg',
    sort: 'order sortby sortvalues',
    time: 'timerange daterange dateranges',
  }),
  join: byWord({ on: 'lefton righton leftkey rightkey keys' }),
  result: byWord({ count_only: 'count countonly' }),
};

/** The key that a synonym means, and whether that is its only meaning. */
export function keySynonym(
  place: KeyPlace,
  key: string,
): { readonly key: string; readonly certain: boolean } | undefined {
  const same = SAME_KEYS[place](key);
  const meant = same ?? LIKE_KEYS[place](key);
  return meant === undefined ? undefined : { key: meant, certain: same !== undefined };
}

/** Clauses from other languages that a view does not have. */
export const otherClause = byWord({ grouping: 'groupby group distinct', having: 'having' });

/** Keys that skip a number of rows or pages. */
export const skipsRows = byWord({
  count: 'offset skip',
  page: 'page cursor after pagetoken nextpagetoken nexttoken nextpage continuation continuationtoken startafter startingafter searchafter',
});

/** Whether a key is for notes or tool metadata. */
export const isNote = (key: string): boolean =>
  key.startsWith('x-') || ['comment', 'comments', 'note', 'notes', 'description'].includes(fold(key));

/** Keys whose meaning QAL expresses elsewhere or in another form. */
export const writtenElsewhere = byWord({
  'other period':
    'compare compareto comparewith comparedto comparison compareperiod comparisonperiod previousperiod previous',
  'time part': 'granularity timegranularity interval timegrain grain timedimension bucket timebucket',
  totals: 'totals withtotals total grandtotal rollup withrollup',
  format: 'format outputformat responseformat',
});

/** The clause of a view with this key or synonym. */
export const clauseOfView = (key: string): string | undefined =>
  ['from', 'keep', 'filter', 'join', 'calc', 'sort'].find((clause) => clause === key) ??
  keySynonym('view', key)?.key;

export const SORT_KEYS = {
  by: ['by', 'column', 'field', 'key', 'sort', 'sort_by', 'order_by', 'orderBy'],
  order: ['order', 'dir', 'direction', 'sort_order', 'sort_dir'],
  top: ['top', 'limit'],
  // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
  then: ['then', 'then_by', 'thenBy', 'and'],
  per: ['per', 'partition_by', 'partitionBy', 'limit_by', 'top_by'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Keys of `result` that can only mean a sort. */
export const SORTS_IN_RESULT: readonly string[] = [
  ...SORT_KEYS.by.filter((key) => !['column', 'field', 'key'].includes(key)),
  ...SORT_KEYS.order,
  'top',
];

export const joinMode: (word: string) => JoinMode | undefined = byWord({
  'keep-left': 'left leftouter leftjoin keep keepleft',
  drop: 'inner innerjoin drop',
});
