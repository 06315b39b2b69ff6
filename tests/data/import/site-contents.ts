// Everything that a site contains, in a form that can be compared with another site: rows without the ids that the server
// assigned.
import type { Knex } from 'knex';
import { NAMED_BY } from '../../../extension/data/rows/generated-ids';

type Row = Readonly<Record<string, unknown>>;
/** Table -> its rows, sorted. */
export type Contents = Readonly<Record<string, readonly Row[]>>;

/** Dimension table -> the columns that distinguish its rows. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  page: ['url'],
  source: ['source_domain', 'referrer', 'utm_source', 'utm_term', 'click_id_name'],
  medium: ['utm_medium'],
  campaign: ['utm_campaign'],
  content: ['utm_content'],
  location: ['region', 'city'],
  selector: ['selector'],
  keyword: ['keyword'],
  event_name: ['event_name'],
  page_state: ['title', 'page_type', 'page_fetch_status'],
  reader_state: ['original_id'],
  import_source: ['source_name'],
};
const ID_COLUMN: Readonly<Record<string, string>> = { keyword: 'query_id', import_source: 'source_no' };
/** These names remain after their rows are removed, so they are not compared. */
const NAMES_ONLY = new Set(['import_source']);
const TABLES = [
  'page_view',
  'click',
  'event',
  'conversion',
  'search_day',
  'page_version',
  'ga4_age_gender',
  'ga4_country',
  'ga4_region',
  'reader',
];
const ASSIGNED_FIELDS = new Set(['site_id', 'row_id', 'click_id', 'event_id', 'text_key', 'fingerprint']);
const FIRST_MAPPED_ID = 3_000_000_000_000_001;
const FIRST_GENERATED_ID = 4_000_000_000_000_001;
const ID_FIELDS = ['pv_id', 'session_id', 'reader_id', 'found_session_id', 'found_reader_id'];

/**
 * `order_no` is between assigned ids, so a view's place among those of its visit and second is compared instead. The order of
 * different visits depends on the order of the files.
 */
const PLACE = ` || jsonb_build_object('order_no',
  row_number() OVER (PARTITION BY at, session_id ORDER BY coalesce(order_no, pv_id), pv_id))`;

/** One statement for all tables, because starting one takes longer than reading a few rows. */
const ALL_ROWS = [...Object.keys(TEXTS), ...TABLES]
  .map((table) => {
    const row = `to_jsonb(t)${table === 'page_view' ? PLACE : ''}`;
    return `SELECT '${table}' AS of, ${row} AS row FROM analytics.${table} t WHERE site_id = :id`;
  })
  .join(' UNION ALL ');

/** Reads the contents of a site, except the hidden fields. */
export async function siteContents(
  write: Knex,
  site: string,
  hidden: readonly string[] = [],
): Promise<Contents> {
  const notCompared = new Set([...ASSIGNED_FIELDS, ...hidden]);
  const found = await write('analytics.site').where({ tracking_id: site }).first('site_id');
  const { rows: all }: { rows: readonly { of: string; row: Row }[] } = await write.raw(ALL_ROWS, {
    id: found?.site_id ?? 0,
  });
  const rowsOf = (table: string): readonly Row[] => all.flatMap(({ of, row }) => (of === table ? [row] : []));
  const texts = new Map<string, ReadonlyMap<unknown, string>>();
  const contents: Record<string, readonly Row[]> = {};
  for (const [table, fields] of Object.entries(TEXTS)) {
    const id = ID_COLUMN[table] ?? `${table}_id`;
    const rows = rowsOf(table);
    texts.set(
      id,
      new Map(rows.map((row) => [row[id], fields.map((field) => String(row[field])).join(' | ')])),
    );
    if (NAMES_ONLY.has(table)) continue;
    contents[table] = sorted(rows.map((row) => without(row, new Set([...ASSIGNED_FIELDS, id]))));
  }
  const withTexts = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(without(row, notCompared)).map(([field, value]) => {
        const id = [...texts.keys()].find((one) => field === one || field.endsWith(`_${one}`));
        return [field, id === undefined || value === null || value === 0 ? value : texts.get(id)?.get(value)];
      }),
    );
  const names = new Map<string, string>();
  const nameOf = (field: string, value: unknown): unknown => {
    const key = `${field.replace('found_', '')} ${value}`;
    const name = names.get(key) ?? `${key.split(' ')[0]} ${names.size}`;
    names.set(key, name);
    return name;
  };
  for (const table of TABLES) {
    const rows = sorted(rowsOf(table).map(withTexts).map(comparable), isGenerated);
    contents[table] = sorted(
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([field, value]) => [
            field,
            isGenerated(field, value, row) ? nameOf(field, value) : value,
          ]),
        ),
      ),
    );
  }
  return contents;
}

/** If a visitor is known only by name, `seen_at` may come from any of their rows, so it is omitted. */
const comparable = (row: Row): Row =>
  Number(row.reader_id) >= FIRST_GENERATED_ID ? without(row, new Set(['seen_at'])) : row;

const without = (row: Row, fields: ReadonlySet<string>): Row =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !fields.has(field)));

/** Whether a value is an id that was generated for the site. Hashes of addresses are in the same range. */
const isGenerated: IsHidden = (field, value, row) =>
  ID_FIELDS.includes(field) &&
  Number(value) >= FIRST_MAPPED_ID &&
  !(field === 'reader_id' && row.named_by === NAMED_BY.address);

type IsHidden = (field: string, value: unknown, row: Row) => boolean;

/** Sorts rows by the values that are not hidden. */
const sorted = (rows: readonly Row[], isHidden: IsHidden = () => false): readonly Row[] =>
  rows
    .map((row) => ({
      row,
      key: JSON.stringify(row, (field, value) => (isHidden(field, value, row) ? undefined : value)),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ row }) => row);
