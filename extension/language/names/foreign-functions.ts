// SQL function names.
import { CALC_FUNCTIONS, type CalcFunction } from '../types/parsed-query';
import { nearest } from './nearest';

/** The calc function with this name, in any letter case. */
export function functionNamed(name: string): CalcFunction | undefined {
  const upper = name.toUpperCase();
  return upper === 'AVG' ? 'AVERAGE' : CALC_FUNCTIONS.find((it) => it === upper);
}

/** The calc function with the most similar name. Its first letter must match, since a typo there is unlikely. */
export function nearFunction(name: string): string | undefined {
  const upper = name.toUpperCase();
  if (/DISTINCT|UNIQ/.test(upper)) return 'COUNTUNIQUE';
  const near = nearest(upper, CALC_FUNCTIONS);
  return near?.charAt(0) === upper.charAt(0) && !upper.endsWith('IF') ? near : undefined;
}

/** The column of a material that replaces `*` in `COUNT(*)`: one that is never null. */
export function countedColumn(material: string): string {
  if (material === 'gsc') return 'page_id';
  if (material === 'page_version') return 'version_id';
  return /^(ga4|summary)_/.test(material) ? 'tracking_id' : 'pv_id';
}
