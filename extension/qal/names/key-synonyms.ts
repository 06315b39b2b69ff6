// Owns the keys that clients bring along from other languages, and what they are called here.

/** Objects of a query that have keys of their own. */
export type KeyPlace = 'top' | 'time' | 'view' | 'join' | 'result';

export interface KeySynonym {
  readonly key: string;
  /** Whether it can hold nothing else. */
  readonly certain: boolean;
}

const same = (key: string): KeySynonym => ({ key, certain: true });
const like = (key: string): KeySynonym => ({ key, certain: false });

/** By small letters without spaces and signs. */
const SYNONYMS: Readonly<Record<KeyPlace, ReadonlyMap<string, KeySynonym>>> = {
  top: new Map([
    ['views', same('make')],
    ['site', like('tracking_id')],
    ['siteid', like('tracking_id')],
    ['timerange', like('time')],
    ['daterange', like('time')],
    ['period', like('time')],
    ['query', like('qal')],
  ]),
  time: new Map([
    ['from', like('start')],
    ['since', like('start')],
    ['startdate', like('start')],
    ['to', like('end')],
    ['until', like('end')],
    ['enddate', like('end')],
    ['timezone', same('tz')],
    ['zone', same('tz')],
  ]),
  view: new Map([
    ['where', same('filter')],
    ['filters', same('filter')],
    ['select', same('keep')],
    ['columns', same('keep')],
    ['fields', same('keep')],
    ['dimensions', like('keep')],
    ['metrics', like('calc')],
    ['measures', like('calc')],
    ['aggregations', like('calc')],
    ['orderby', same('sort')],
  ]),
  join: new Map([
    ['ifnotmatch', same('if not match')],
    ['ifnotmatched', same('if not match')],
    ['ifnomatch', same('if not match')],
    ['type', same('if not match')],
    ['how', same('if not match')],
    ['mode', same('if not match')],
    ['jointype', same('if not match')],
    ['material', same('with')],
    ['table', same('with')],
  ]),
  result: new Map([['view', same('use')]]),
};

/** What a language without them does instead. */
const CLAUSES: ReadonlyMap<string, 'grouping' | 'having'> = new Map([
  ['groupby', 'grouping'],
  ['group', 'grouping'],
  ['distinct', 'grouping'],
  ['having', 'having'],
]);

const SKIPS: ReadonlySet<string> = new Set(['offset', 'skip', 'page']);

const fold = (key: string): string =>
  key
    .slice(0, 40)
    .toLowerCase()
    .replace(/[\s_-]/g, '');

/** The key of an object that another name stands for. */
export const keySynonym = (place: KeyPlace, key: string): KeySynonym | undefined =>
  SYNONYMS[place].get(fold(key));

/** What a clause of other languages was to do, where no clause of a view does only that. */
export const otherClause = (key: string): 'grouping' | 'having' | undefined => CLAUSES.get(fold(key));

/** Whether a key of `result` was to skip rows. */
export const skipsRows = (key: string): boolean => SKIPS.has(fold(key));
