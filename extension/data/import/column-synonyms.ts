// Names that other programs use for our columns, for hints about unknown columns.

/** Column in files -> its names elsewhere, in snake case. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  access_time: [
    'timestamp',
    'time',
    'ts',
    'datetime',
    'date_time',
    'created_at',
    'event_time',
    'event_timestamp',
    'date',
  ],
  date: ['day', 'data_date'],
  url: [
    'page',
    'page_url',
    'page_location',
    'location',
    'address',
    'path',
    'page_path',
    'uri',
    'request_uri',
    'link',
  ],
  title: ['page_title'],
  referrer: ['referer', 'http_referer', 'http_referrer', 'page_referrer', 'referrer_url'],
  ip: ['ip_address', 'client_ip', 'remote_ip', 'remote_addr', 'user_ip'],
  user_agent: ['ua', 'useragent', 'agent', 'http_user_agent'],
  reader_id: ['visitor', 'visitor_id', 'client_id', 'anonymous_id', 'user_pseudo_id', 'cookie_id', 'reader'],
  original_id: ['user', 'user_id', 'customer_id', 'member_id', 'login'],
  session_id: ['session', 'visit', 'visit_id'],
  pv_id: ['view_id', 'page_view_id', 'pageview_id', 'hit_id'],
  browse_sec: ['duration', 'time_on_page', 'time_spent', 'seconds'],
  language: ['lang', 'locale'],
  country_code: ['country'],
  device_type: ['device', 'device_category'],
  os: ['operating_system', 'platform'],
  browser: ['browser_name'],
  utm_source: ['source', 'campaign_source'],
  utm_medium: ['medium', 'campaign_medium'],
  utm_campaign: ['campaign', 'campaign_name'],
  event_name: ['event', 'name', 'event_type'],
  params: ['parameters', 'event_params', 'properties', 'props', 'data', 'params_json'],
  selector: ['css_selector', 'element'],
  to_url: ['link_url', 'href', 'target_url', 'link'],
  keyword: ['query', 'search_term', 'search_query', 'term'],
  position: ['rank', 'average_position', 'avg_position'],
};

const inWords = (name: string): string =>
  name
    .trim()
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '_');

/** The first column that has this name elsewhere. */
export function columnMeant(name: string, columns: readonly string[]): string | undefined {
  const words = inWords(name);
  return columns.find((column) => column === words || SYNONYMS[column]?.includes(words));
}
