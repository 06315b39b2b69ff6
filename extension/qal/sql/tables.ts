// Owns the one place where a material or a dimension becomes a table.
// Names of the manifest -> names of the database; nothing else knows a table's name.

/** The table of each material's rows, in schema analytics; what is computed over a period has none. */
export const MATERIAL_TABLES: Readonly<Record<string, string>> = {
  allpv: 'page_view',
  click_event: 'click',
  datalayer_event: 'event',
  'events.{name}': 'event',
  gsc: 'search_day',
  goal_N: 'conversion_view',
  page_version: 'page_version',
  ga4_age_gender: 'ga4_age_gender',
  ga4_country: 'ga4_country',
  ga4_region: 'ga4_region',
};

/** Which sessions converted on which goal. */
export const CONVERSION_TABLE = 'conversion';

interface DimensionTable {
  readonly table: string;
  readonly id: string;
  /** Whether ids are unique within a site only, so that the site belongs to every look-up. */
  readonly perSite: boolean;
  /** Whether it has a text_key, by which entries are found. */
  readonly hasTextKey: boolean;
}

const perSite = (table: string, id: string, hasTextKey = true): DimensionTable => ({
  ...{ table, id, perSite: true, hasTextKey },
});
const shared = (table: string, id: string, hasTextKey = true): DimensionTable => ({
  ...{ table, id, perSite: false, hasTextKey },
});

/** The table of each dimension, in schema analytics. */
export const DIMENSION_TABLES: Readonly<Record<string, DimensionTable>> = {
  page: perSite('page', 'page_id'),
  source: perSite('source', 'source_id'),
  medium: perSite('medium', 'medium_id'),
  campaign: perSite('campaign', 'campaign_id'),
  content: perSite('content', 'content_id'),
  reader: perSite('reader', 'reader_id'),
  os: shared('os', 'os_id'),
  browser: shared('browser', 'browser_id'),
  language: shared('language', 'language_id'),
  country: shared('country', 'country_id'),
  device: shared('device', 'device_id', false),
  site: shared('site', 'site_id', false),
  selector: perSite('selector', 'selector_id'),
  keyword: perSite('keyword', 'query_id'),
  event_name: perSite('event_name', 'event_name_id'),
  version: perSite('page_version', 'version_id', false),
};

/** The table of a material. */
export function materialTable(material: string): string {
  const table = MATERIAL_TABLES[material];
  if (table === undefined) throw new Error(`No table is known for the material ${material}.`);
  return table;
}

/** The table behind a dimension. */
export function dimensionTable(dimension: string): DimensionTable {
  const table = DIMENSION_TABLES[dimension];
  if (table === undefined) throw new Error(`No table is known for the dimension ${dimension}.`);
  return table;
}
