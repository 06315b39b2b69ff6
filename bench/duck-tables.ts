// Owns what is carried over into DuckDB: tables, columns, and the order in which rows lie.

export interface DuckTable {
  readonly name: string;
  readonly order: string;
  readonly columns: Readonly<Record<string, string>>;
}

const ID = 'INTEGER';
const BIG = 'BIGINT';
const SMALL = 'SMALLINT';
const TIME = 'TIMESTAMPTZ';
const TEXT = 'VARCHAR';

/** What a user would carry over: rows with ids, and the tables of their texts. */
export const TABLES: readonly DuckTable[] = [
  {
    name: 'page_view',
    order: 'site_id, "at", pv_id',
    columns: {
      at: TIME,
      page_id: ID,
      site_id: SMALL,
      device_id: SMALL,
      session_id: BIG,
      reader_id: BIG,
      pv: ID,
      irritation_click_count: ID,
      pv_id: BIG,
      source_id: ID,
      country_id: ID,
      medium_id: ID,
      campaign_id: ID,
      os_id: ID,
      browser_id: ID,
      language_id: ID,
      browse_sec: ID,
    },
  },
  {
    name: 'click',
    order: 'site_id, "at", click_id',
    columns: {
      at: TIME,
      view_at: TIME,
      selector_id: ID,
      site_id: SMALL,
      click_id: BIG,
      pv_id: BIG,
      session_id: BIG,
      page_id: ID,
      event_sec: ID,
    },
  },
  {
    name: 'search_day',
    order: 'site_id, day',
    columns: {
      day: 'DATE',
      page_id: ID,
      query_id: ID,
      site_id: SMALL,
      search_type: SMALL,
      clicks: ID,
      impressions: ID,
      position_x100: ID,
    },
  },
  {
    name: 'page',
    order: 'site_id, page_id',
    columns: { site_id: SMALL, page_id: ID, url: TEXT, title: TEXT },
  },
  {
    name: 'source',
    order: 'site_id, source_id',
    columns: { site_id: SMALL, source_id: ID, source_domain: TEXT, referrer: TEXT, utm_source: TEXT },
  },
  {
    name: 'selector',
    order: 'site_id, selector_id',
    columns: { site_id: SMALL, selector_id: ID, selector: TEXT },
  },
  {
    name: 'keyword',
    order: 'site_id, query_id',
    columns: { site_id: SMALL, query_id: ID, keyword: TEXT },
  },
  { name: 'country', order: 'country_id', columns: { country_id: ID, country_code: TEXT } },
  { name: 'browser', order: 'browser_id', columns: { browser_id: ID, browser: TEXT } },
  { name: 'device', order: 'device_id', columns: { device_id: SMALL, device_type: TEXT } },
];
