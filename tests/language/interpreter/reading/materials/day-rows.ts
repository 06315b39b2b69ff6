// Rows dated by day or month. A row is included if midnight at the start of its day or month is in the period.
import { instantOf, mondayOf } from '../local-clock';
import type { Tables } from '../tables';
import { urlParts } from '../url-parts';
import type { Period, PlacedRow } from './period';
import { DEVICES, pageOf } from './view-values';

const isDayWithin = (site: number, day: string, { sites, start, end, tz }: Period): boolean => {
  if (!sites.includes(site)) return false;
  const midnight = instantOf(`${day}T00:00:00`, tz);
  return midnight >= start && midnight < end;
};

/** gsc: one row for each page, keyword and search type on each day. */
export function searchRows(tables: Tables, period: Period): readonly PlacedRow[] {
  return tables.search_day
    .filter((row) => isDayWithin(row.site_id, row.day, period))
    .map((row) => {
      const { day, clicks, impressions, position_x100, site_id, query_id, ...stored } = row;
      const keyword = tables.keyword.find((it) => it.site_id === site_id && it.query_id === query_id);
      return {
        site: site_id,
        place: [day, row.page_id, query_id, row.search_type],
        values: {
          ...stored,
          ...pageOf(tables, site_id, row.page_id),
          ...urlParts(pageOf(tables, site_id, row.page_id).url),
          query_id,
          keyword: keyword?.keyword ?? null,
          clicks,
          impressions,
          // Rounds half up: adds half a unit of the fourth decimal place, then drops the digits after it.
          ctr:
            impressions === 0 ? 0 : Math.floor((20_000 * clicks + impressions) / (2 * impressions)) / 10_000,
          position: position_x100 / 100,
          position_x100,
          position_weighted: (position_x100 * impressions) / 100,
          date: day,
          week: mondayOf(day),
          month: day.slice(0, 7),
        },
      };
    });
}

/** On the joined side, rows from any day are included. */
export function versionRows(tables: Tables, period: Period, isJoined: boolean): readonly PlacedRow[] {
  return tables.page_version
    .filter((row) =>
      isJoined ? period.sites.includes(row.site_id) : isDayWithin(row.site_id, row.update_date, period),
    )
    .map((row) => {
      const { url, title } = pageOf(tables, row.site_id, row.page_id);
      return {
        site: row.site_id,
        place: [row.update_date, row.version_id],
        values: { ...row, url, title, device_type: DEVICES[row.device_id - 1] ?? null },
      };
    });
}

const AGES = ['unknown', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'];
const GENDERS = ['unknown', 'male', 'female'];

export const ageRows = ({ ga4_age_gender }: Tables, period: Period): readonly PlacedRow[] =>
  ga4_age_gender
    .filter((row) => isDayWithin(row.site_id, row.month, period))
    .map((row) => ({
      site: row.site_id,
      place: [row.month, row.age, row.gender],
      values: {
        ...row,
        ...monthParts(row.month),
        age_label: AGES[row.age] ?? null,
        gender_label: GENDERS[row.gender] ?? null,
      },
    }));

/** A country's id is its two letters as bytes. */
export const countryRows = ({ ga4_country }: Tables, period: Period): readonly PlacedRow[] =>
  ga4_country
    .filter((row) => isDayWithin(row.site_id, row.month, period))
    .map((row) => ({
      site: row.site_id,
      place: [row.month, row.country_code],
      values: {
        ...row,
        ...monthParts(row.month),
        country: row.country_code.charCodeAt(0) * 256 + row.country_code.charCodeAt(1),
      },
    }));

export const regionRows = ({ ga4_region }: Tables, period: Period): readonly PlacedRow[] =>
  ga4_region
    .filter((row) => isDayWithin(row.site_id, row.month, period))
    .map((row) => ({
      site: row.site_id,
      place: [row.month, row.region],
      values: { ...row, ...monthParts(row.month) },
    }));

const monthParts = (firstDay: string) => ({ date: firstDay, month: firstDay.slice(0, 7) });
