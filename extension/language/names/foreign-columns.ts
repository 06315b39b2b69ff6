// Columns and values as other products, and earlier contracts, name them. Data and look-ups.
import { byWord } from './by-word';

/** Columns by the names that they have in other products. */
const COLUMNS = new Map(
  Object.entries({
    device_type: 'device devicetype devicecategory',
    country_code: 'country',
    url: 'page_url path page pagepath pagelocation',
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
  if (
    column !== 'country_code' ||
    values.every((it) => it === null || (typeof it === 'string' && /^[A-Z]{2}$/.test(it)))
  )
    return undefined;
  return 'two capital letters (ISO 3166-1 alpha-2) such as "JP"';
}

/** The column that another name stands for. */
export const columnSynonym = (name: string): string | undefined =>
  renamedColumn(name) ?? COLUMNS.get(name.toLowerCase().replace(/^(?:event|visit):/, ''));

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
