// Where a visitor's data may be stored, apart from the rows of their page views (`planVisitors`). Export and erasure use the same
// conditions.
import { isIP } from 'node:net';
import type { ClientBase } from 'pg';
import { type JsonValue, parsedJson } from '../../language/types/json';
import { type Bind, bindings } from '../storage/bindings';
import { ANY_SITE } from '../storage/planner';
import type { VisitorIds } from './find-visitor';
import { type Mentions, namesOf } from './mentions';
import { filtersWithout, noteWithout } from './without-visitor';

type StoredRecord = Readonly<Record<string, JsonValue>>;

interface VisitorPlace {
  /** The key for this place's records in an export. */
  readonly name: string;
  readonly table: string;
  /** The fields that identify a record, with their types. */
  readonly key: Readonly<Record<string, string>>;
  /** The condition on a record `t` of site `$1`. */
  readonly where: (bind: Bind) => string;
  /** Whether a record that meets the condition mentions the visitor. By default, every such record does. */
  readonly mentions?: (record: StoredRecord) => boolean;
  /** The field that an erasure overwrites, and its new value. By default, an erasure deletes the record. */
  readonly becomes?: {
    readonly field: string;
    readonly value: (record: StoredRecord) => string | null;
    /** Increments the record's revision, so that a form opened before the erasure cannot restore the old value. */
    readonly hasRevision?: true;
  };
}

/** Replaces a failed import's error message if it quotes the visitor. */
const ERASED_MESSAGE = 'The message named a visitor who was erased.';

export const addressesOf = (visitor: VisitorIds): readonly string[] =>
  namesOf(visitor).filter((name) => isIP(name) !== 0);

export function visitorPlaces(visitor: VisitorIds, mentions: Mentions): readonly VisitorPlace[] {
  const { readerIds } = visitor;
  const names = namesOf(visitor);
  const isReader = (field: string) => (bind: Bind) =>
    `t.site_id = $1 AND ${field} = ANY(${bind(readerIds)}::bigint[])`;
  return [
    {
      name: 'visitor',
      table: 'reader',
      key: { site_id: 'smallint', reader_id: 'bigint' },
      where: isReader('t.reader_id'),
    },
    {
      name: 'ids_in_files',
      table: 'given_id',
      key: { site_id: 'smallint', kind: 'text', id: 'bigint' },
      where: (bind) => `t.kind = 'reader_id' AND ${isReader('t.id')(bind)}`,
    },
    {
      name: 'earlier_names',
      table: 'reader_state',
      key: { site_id: 'smallint', reader_state_id: 'integer' },
      where: (bind) => isOwnName(bind(names), bind(readerIds)),
    },
    {
      name: 'first_seen',
      table: 'visitor_first',
      key: { site_id: 'smallint', reader_id: 'bigint', import_id: 'integer' },
      where: isReader('t.reader_id'),
    },
    ...mentioningPlaces(mentions),
    {
      name: 'callers',
      table: 'query_record',
      key: { query_id: 'bigint' },
      where: (bind) =>
        `${isAbout('t.tracking_id')} AND t.caller_address = ANY(${bind(addressesOf(visitor))}::text[])`,
      becomes: { field: 'caller_address', value: () => null },
    },
  ];
}

/** Matches names that no other visitor's view has, or would get back if an import were undone. */
const isOwnName = (
  names: string,
  readers: string,
): string => `t.site_id = $1 AND t.original_id = ANY(${names}::text[])
   AND NOT EXISTS (SELECT FROM analytics.page_view v
                    WHERE v.site_id = $1 AND v.reader_state_id = t.reader_state_id AND v.reader_id <> ALL(${readers}::bigint[]))
   AND NOT EXISTS (SELECT FROM analytics.import_record r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = r.row_id
                    WHERE r.site_id = $1 AND r.table_name = 'page_view' AND r.old ->> 'reader_state_id' = t.reader_state_id::text
                      AND v.reader_id <> ALL(${readers}::bigint[]))`;

/** Whether a query may be about the site: it names this site, all sites, or no site. */
const isAbout = (trackingId: string): string =>
  `coalesce(${trackingId}, 'all') IN ('all', (SELECT tracking_id FROM analytics.site WHERE site_id = $1))`;

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

const mentioningPlaces = (mentions: Mentions): readonly VisitorPlace[] => [
  {
    name: 'rejected_rows',
    table: 'import_rejection',
    key: { import_id: 'integer', file: 'text', line: 'bigint' },
    where: () => 't.import_id IN (SELECT i.import_id FROM analytics.import_run i WHERE i.site_id = $1)',
    mentions: (record) => isRejectionOf(mentions, record),
  },
  {
    name: 'failed_imports',
    table: 'import_run',
    key: { import_id: 'integer' },
    where: () => 't.site_id = $1 AND t.error IS NOT NULL',
    mentions: ({ error }) => mentions.inMessage(textOf(error)),
    becomes: { field: 'error', value: () => ERASED_MESSAGE },
  },
  {
    name: 'queries',
    table: 'query_record',
    key: { query_id: 'bigint' },
    where: () => isAbout('t.tracking_id'),
    mentions: (record) => isQueryOf(mentions, record),
  },
  {
    name: 'saved_queries',
    table: 'saved_query',
    key: { saved_query_id: 'integer' },
    where: () => isAbout(SITE_OF_BODY),
    mentions: ({ body }) => mentions.inQuery(textOf(body)),
  },
  {
    name: 'segments',
    table: 'segment',
    key: { segment_id: 'integer' },
    where: () => 't.site_id = $1',
    mentions: ({ filters }) => JSON.stringify(filters) !== filtersWithout(mentions, filters),
    becomes: {
      field: 'filters',
      value: ({ filters }) => filtersWithout(mentions, filters),
      hasRevision: true,
    },
  },
  {
    name: 'notes',
    table: 'note',
    key: { note_id: 'integer' },
    where: () => 't.site_id = $1',
    mentions: ({ text }) => noteWithout(mentions, textOf(text)) !== text,
    becomes: { field: 'text', value: ({ text }) => noteWithout(mentions, textOf(text)), hasRevision: true },
  },
];

const SITE_OF_BODY = `substring(t.body FROM '"tracking_id"\\s*:\\s*"([^"]*)"')`;

/** A rejection contains the value of a column or, if the whole row is invalid, the row's line. Long values are shortened. */
function isRejectionOf(mentions: Mentions, { column_name, value, reason }: StoredRecord): boolean {
  const shown = textOf(value);
  if (mentions.isQuotedIn(textOf(reason))) return true;
  const parsed = parsedJson(shown);
  if (column_name === null) return mentions.inLine(typeof parsed === 'string' ? parsed : shown);
  if (parsed === undefined) return mentions.inMessage(shown);
  return mentions.inRow({ [textOf(column_name)]: parsed });
}

/** The text of an invalid query may compare columns in ways that the language does not support. */
function isQueryOf(mentions: Mentions, record: StoredRecord): boolean {
  const [body, query] = [textOf(record.body), textOf(record.query)];
  return (
    mentions.inQuery(body) ||
    mentions.inQuery(query) ||
    (record.error_code !== null && mentions.isComparedIn(body)) ||
    [JSON.stringify(record.view), textOf(record.error_message), textOf(record.error_at)].some(
      mentions.isQuotedIn,
    ) ||
    mentions.inPath(textOf(record.error_at))
  );
}

interface FoundRecord {
  readonly key: Readonly<Record<string, string>>;
  readonly record: StoredRecord;
}

const BATCH_ROWS = 1000;

/** Finds the records of a place. There may be many query records, so they are read in batches. */
export async function findRecords(
  client: ClientBase,
  siteId: number,
  { table, key, where, mentions, becomes }: VisitorPlace,
  lock: '' | 'FOR UPDATE' = '',
): Promise<readonly FoundRecord[]> {
  const { bind, values } = bindings(siteId);
  const keys = Object.keys(key).map((field) => `'${field}', t.${field}::text`);
  const record = mentions === undefined && becomes === undefined ? "'{}'::json" : 'to_json(t)';
  const select = `SELECT json_build_object(${keys.join(', ')}) AS key, ${record} AS record
    FROM analytics.${table} t WHERE ${where(bind)} ${lock}`;
  if (mentions === undefined) return (await client.query<FoundRecord>(select, values)).rows;
  await client.query(`DECLARE records NO SCROLL CURSOR FOR ${select}`, values);
  const found: FoundRecord[] = [];
  for (;;) {
    const { rows } = await client.query<FoundRecord>(`FETCH ${BATCH_ROWS} FROM records`);
    found.push(...rows.filter((row) => mentions(row.record)));
    if (rows.length < BATCH_ROWS) break;
  }
  await client.query('CLOSE records');
  return found;
}

/** A condition that selects the found records. It names the site if the key contains one, since Citus needs that. */
export function isFound(
  siteId: number,
  { key }: Pick<VisitorPlace, 'key'>,
  found: readonly FoundRecord[],
  bind: Bind,
): string {
  const fields = Object.entries(key).map(
    ([field, type]) => `${bind(found.map((one) => one.key[field]))}::${type}[]`,
  );
  const ofSite = 'site_id' in key ? `site_id = ${bind(siteId)} AND ` : '';
  return `${ofSite}(${Object.keys(key).join(', ')}) IN (SELECT * FROM unnest(${fields.join(', ')}))`;
}

/** Erases the records of a place. Citus allows functions such as to_json only in a SELECT, so the records are found first. */
export async function erasePlace(client: ClientBase, siteId: number, place: VisitorPlace): Promise<void> {
  const { table, becomes } = place;
  const found = await findRecords(client, siteId, place, 'FOR UPDATE');
  const parts = Map.groupBy(found, ({ record }) => becomes?.value(record));
  for (const [value, records] of parts) {
    const { bind, values } = bindings();
    const change =
      becomes === undefined
        ? `DELETE FROM analytics.${table}`
        : `UPDATE analytics.${table} SET ${becomes.field} = ${bind(value)}${becomes.hasRevision ? ', revision = revision + 1' : ''}`;
    await client.query(`${change} WHERE ${isFound(siteId, place, records, bind)}`, values);
  }
}
