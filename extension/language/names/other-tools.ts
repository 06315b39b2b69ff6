// Recognizes whole queries for other tools. They only get a hint: nothing is translated.
import { isJsonList, isJsonObject, type JsonObject } from '../types/json';

/** The tool that a query is written for, recognized by a combination of keys that only its queries have. */
export function toolOf(query: JsonObject): 'Plausible' | 'GA4' | 'Cube' | undefined {
  const has = (...keys: readonly string[]) => keys.some((key) => Object.hasOwn(query, key));
  if (has('make', 'materials')) return undefined;
  if (has('site_id') && has('metrics', 'date_range', 'dimensions')) return 'Plausible';
  if (has('measures', 'timeDimensions')) return 'Cube';
  const { metrics } = query;
  const isNamed =
    isJsonList(metrics) && metrics.every((it) => isJsonObject(it) && typeof it.name === 'string');
  return has('dateRanges') || (isNamed && has('property', 'dimensions')) ? 'GA4' : undefined;
}
