// Function names from other languages and products.
import { CALC_FUNCTIONS, type CalcFunction } from '../types/parsed-query';
import { byWord } from './by-word';
import { nearest } from './nearest';

const FUNCTIONS = byWord({
  AVERAGE: 'avg mean',
  COUNTUNIQUE: 'countdistinct distinctcount nunique uniqexact uniquecount',
  SUM: 'total',
});

/** Similar functions, which hints suggest. */
const LIKE_FUNCTIONS = byWord({
  COUNTUNIQUE: 'distinct unique uniq approxcountdistinct approxdistinct',
  MEDIAN: 'approxmedian',
});

/** The calc function with this name or synonym, in any letter case. */
export const functionNamed = (name: string): CalcFunction | undefined =>
  CALC_FUNCTIONS.find((it) => it === name.toUpperCase()) ?? FUNCTIONS(name);

/** The calc function most similar to an unknown one. A typo in the first letter is unlikely. */
export function nearFunction(name: string): CalcFunction | undefined {
  const upper = name.toUpperCase();
  const near = nearest(upper, CALC_FUNCTIONS);
  const isOther = near?.charAt(0) !== upper.charAt(0) || upper.endsWith('IF');
  return LIKE_FUNCTIONS(name) ?? (isOther ? undefined : CALC_FUNCTIONS.find((it) => it === near));
}

/** The column that `COUNT(*)` counts in a material: one that is never null. */
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

/** The column of a time truncated to its day, hour, week or month: `DATE(allpv.access_time)` -> access_date. */
export function cutTime(expression: string): string | undefined {
  const folded = expression.toLowerCase().replace(/\s/g, '');
  return TIME_CUTS.find(([pattern]) => pattern.test(folded))?.[1];
}
