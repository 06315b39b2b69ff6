// The names of functions in other languages and products, and what COUNT counts.
import { CALC_FUNCTIONS, type CalcFunction } from '../types/parsed-query';
import { byWord } from './by-word';
import { nearest } from './nearest';

const FUNCTIONS = byWord({
  AVERAGE: 'avg mean',
  COUNTUNIQUE: 'countdistinct distinctcount nunique uniqexact uniquecount',
  SUM: 'total',
});

/** Names of similar functions: suggested, never substituted. */
const LIKE_FUNCTIONS = byWord({
  COUNTUNIQUE: 'distinct unique uniq approxcountdistinct approxdistinct',
  MEDIAN: 'approxmedian',
});

/** The calc function with this name in any letter case, or with this synonym. */
export const functionNamed = (name: string): CalcFunction | undefined =>
  CALC_FUNCTIONS.find((it) => it === name.toUpperCase()) ?? FUNCTIONS(name);

/** The calc function nearest to an unknown one with the same first letter. */
export function nearFunction(name: string): CalcFunction | undefined {
  const upper = name.toUpperCase();
  const near = nearest(upper, CALC_FUNCTIONS);
  const isOther = near?.charAt(0) !== upper.charAt(0) || upper.endsWith('IF');
  return LIKE_FUNCTIONS(name) ?? (isOther ? undefined : CALC_FUNCTIONS.find((it) => it === near));
}

/** COUNT takes a column: here the column of each material that is never null. */
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

/** The column for a time truncated to its day, hour, week or month: `DATE(allpv.access_time)` -> access_date. */
export function cutTime(expression: string): string | undefined {
  const folded = expression.toLowerCase().replace(/\s/g, '');
  return TIME_CUTS.find(([pattern]) => pattern.test(folded))?.[1];
}
