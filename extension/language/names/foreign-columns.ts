// Column names and values from other products and earlier contracts.
import { byWord } from './by-word';

const COLUMNS = new Map(
  Object.entries({
    device_type: 'device devicetype devicecategory',
    country_code: 'country',
    url: 'page_url path page pagepath pagelocation',
    title: 'page_title',
    access_time: 'time timestamp',
    access_date: 'date day',
    access_hour: 'hour',
    access_weekday: 'weekday day_of_week dayofweek',
    access_week: 'week',
    access_month: 'month',
    reader_id: 'user_id visitor_id',
    keyword: 'query search_query',
    utm_campaign: 'campaign',
    source_domain: 'source referrer_domain',
    is_goal_1: 'is_conversion is_converted conversion',
    utm_medium: 'medium',
  }).flatMap(([column, others]) => others.split(' ').map((other) => [other, column])),
);

/** The current name of a column that an earlier contract calls `name`. */
export const renamedColumn = (name: string): string | undefined =>
  name.toLowerCase() === 'country' ? 'country_code' : undefined;

/** The format of a renamed column's values, if any of `values` still has the old format. */
export function newValueFormat(column: string, values: readonly unknown[]): string | undefined {
  if (
    column !== 'country_code' ||
    values.every((it) => it === null || (typeof it === 'string' && /^[A-Z]{2}$/.test(it)))
  )
    return undefined;
  return 'two capital letters (ISO 3166-1 alpha-2) such as "JP"';
}

export const columnSynonym = (name: string): string | undefined =>
  renamedColumn(name) ?? COLUMNS.get(name.toLowerCase().replace(/^(?:event|visit):/, ''));

/** Maps a time column of allpv to the equivalent column of materials with one row per day or month. */
export const dailyColumn = byWord({ date: 'accessdate', week: 'accessweek', month: 'accessmonth' });
const DEVICES = byWord({ PC: 'desktop pc computer', SP: 'mobile smartphone phone sp', tablet: 'tablet' });

/** The value with the same meaning as a synonym; undefined for the value itself. Words for numbers are in the manifest. */
export function valueSynonym(column: string, value: string): string | undefined {
  const meant = column === 'device_type' || column === 'device_id' ? DEVICES(value.trim()) : undefined;
  return meant === value ? undefined : meant;
}

/** A valid name made of the letters and digits in a string, or `fallback` if it has none. */
export function usableName(text: string, fallback: string): string {
  const words = text.slice(0, 64).match(/[A-Za-z0-9]+/g) ?? [];
  return words.length === 0 ? fallback : words.join('_');
}
