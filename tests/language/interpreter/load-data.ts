// Inserts random data with plain INSERTs, so that a bug in an importer cannot hide another bug.
import type { Knex } from 'knex';
import { textKey } from '../../../extension/language/sql/text-key';
import type { Tables } from './reading/tables';

const INSTANTS = new Set(['at', 'view_at']);

/** Required fields that queries cannot read, by table. */
const EXTRA: Readonly<Record<string, (number: number) => Readonly<Record<string, unknown>>>> = {
  page_view: () => ({ named_by: 1, source_no: 0 }),
  reader: () => ({ seen_at: new Date(0).toISOString() }),
  site: () => ({ domain: 'example.com', name: 'Site' }),
};
/** The columns whose strings identify a row of a dimension, by table. */
const KEY_TEXTS: Readonly<Record<string, readonly string[]>> = {
  page: ['url'],
  source: ['source_domain', 'referrer', 'utm_source', 'utm_term', 'click_id_name'],
  medium: ['utm_medium'],
  campaign: ['utm_campaign'],
  content: ['utm_content'],
  selector: ['selector'],
  keyword: ['keyword'],
  event_name: ['event_name'],
  reader: ['original_id'],
  os: ['os'],
  browser: ['browser'],
  language: ['language'],
  country: ['country_code'],
  location: ['region', 'city'],
};
const WITH_FINGERPRINT = new Set(['click', 'event']);

/** Fills an empty migrated database. */
export async function loadData(write: Knex, tables: Tables): Promise<void> {
  const names: readonly (keyof Tables)[] = [
    ...([
      'site',
      'channel_rules',
      'page',
      'source',
      'medium',
      'campaign',
      'content',
      'location',
      'selector',
      'keyword',
      'reader',
    ] as const),
    ...(['event_name', 'os', 'browser', 'language', 'country', 'page_view', 'click', 'event'] as const),
    ...(['search_day', 'page_version', 'goal', 'conversion'] as const),
    ...(['ga4_age_gender', 'ga4_country', 'ga4_region'] as const),
  ];
  for (const name of names) {
    const rows = tables[name].map((row, index) => storedRow(name, row, index + 1));
    if (rows.length > 0) await write.withSchema('analytics').into(name).insert(rows);
    if (name === 'site') await addVersions(write);
  }
}

/** These rows are not added by triggers if the tables are sharded across several machines. */
const addVersions = (write: Knex) =>
  write.raw(
    'INSERT INTO analytics.site_version (site_id) SELECT site_id FROM analytics.site ON CONFLICT DO NOTHING',
  );

function storedRow(table: string, row: object, number: number): Record<string, unknown> {
  const id = `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`;
  const entries = Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
    // The database numbers the sites in this order.
    if (table === 'site' && name === 'site_id') return [];
    if (INSTANTS.has(name)) return [[name, new Date(value * 1000).toISOString()]];
    if (name === 'condition' || (typeof value === 'object' && value !== null))
      return [[name, JSON.stringify(value)]];
    return [[name, value]];
  });
  return {
    ...Object.fromEntries(entries),
    ...EXTRA[table]?.(number),
    ...textKeyOf(table, new Map(Object.entries(row))),
    ...(WITH_FINGERPRINT.has(table) ? { fingerprint: id } : {}),
  };
}

function textKeyOf(table: string, row: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> {
  const texts = KEY_TEXTS[table]?.map((name) => (row.get(name) ?? null) as string | null);
  return texts === undefined ? {} : { text_key: textKey(texts) };
}
