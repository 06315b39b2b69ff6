// Query keys from SQL, and keys whose meaning is expressed elsewhere in QAL.
import type { JoinMode } from '../types/parsed-query';
import { byWord } from './by-word';

/** The kinds of objects in a query. */
export type KeyPlace = 'top' | 'time' | 'view' | 'join' | 'result';

/** The key with the same meaning. */
export const keySynonym: Readonly<Record<KeyPlace, (key: string) => string | undefined>> = {
  top: byWord({ make: 'views', qal: 'query', tracking_id: 'site siteid' }),
  time: byWord({ tz: 'timezone zone', start: 'from since startdate', end: 'to until enddate' }),
  view: byWord({ filter: 'where', keep: 'select columns', sort: 'orderby' }),
  join: byWord({ on: 'using', 'if not match': 'ifnotmatch' }),
  result: byWord({ use: 'view' }),
};

/** SQL clauses that a view does not have. */
export const otherClause = byWord({ grouping: 'groupby group distinct', having: 'having' });

export const isJoinMode = (key: string): boolean => /^(?:type|how|mode|join_?type)$/i.test(key);

export const skipsRows = (key: string): boolean => /^(?:offset|skip|page|cursor)$/i.test(key);

/** Keys whose meaning QAL expresses elsewhere or in a different form. */
export const writtenElsewhere = byWord({
  'other period': 'compare compareto comparison previousperiod',
  'time part': 'granularity timegranularity interval',
  totals: 'totals total rollup',
  format: 'format',
});

export const joinMode: (word: string) => JoinMode | undefined = byWord({
  'keep-left': 'left leftouter leftjoin keepleft',
  drop: 'inner innerjoin drop',
  'keep-both': 'full fullouter fulljoin outer outerjoin keepboth',
});
