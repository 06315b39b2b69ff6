// Where a visitor may be, besides the rows of their page views (`planVisitors`): exported and erased by the same conditions.
import { isIP } from 'node:net';
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../storage/planner';
import type { KnownVisitor } from './find-visitor';
import { type Mentions, mentionsOf, namesOf } from './mentions';
import type { Bind } from './removal-plan';

interface VisitorPlace {
  /** Its key in an export. */
  readonly name: string;
  readonly table: string;
  /** The fields that identify a record, with their types. */
  readonly key: Readonly<Record<string, string>>;
  /** The condition of a record `t` of the site `$1`. */
  readonly where: (bind: Bind) => string;
  /** What erasing sets. By default, it deletes the record. */
  readonly becomes?: (bind: Bind) => string;
}

/** Replaces the message of a failed import that quotes the visitor. */
const ERASED_MESSAGE = 'The message named a visitor who was erased.';
/** Replaces a value in saved filters, so that they match nothing more than before. */
const ERASED_VALUE = 'erased visitor';

export const addressesOf = (visitor: KnownVisitor): readonly string[] =>
  namesOf(visitor).filter((name) => isIP(name) !== 0);

export function visitorPlaces(visitor: KnownVisitor): readonly VisitorPlace[] {
  const mentions = mentionsOf(visitor);
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
      key: { site_id: 'smallint', reader_id: 'bigint' },
      where: isReader('t.reader_id'),
    },
    ...mentioningPlaces(mentions),
    ...(['segment', 'funnel'] as const).map((table) => savedFilters(table, names)),
    {
      name: 'callers',
      table: 'query_record',
      key: { query_id: 'bigint' },
      where: (bind) =>
        `${isAbout('t.tracking_id')} AND t.caller_address = ANY(${bind(addressesOf(visitor))}::text[])`,
      becomes: () => 'caller_address = NULL',
    },
  ];
}

/** A name that no other visitor's view has, and that no undo gives another visitor's view. */
const isOwnName = (
  names: string,
  readers: string,
): string => `t.site_id = $1 AND t.original_id = ANY(${names}::text[])
   AND NOT EXISTS (SELECT FROM analytics.page_view v
                    WHERE v.site_id = $1 AND v.reader_state_id = t.reader_state_id AND v.reader_id <> ALL(${readers}::bigint[]))
   AND NOT EXISTS (SELECT FROM analytics.import_record r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = r.row_id
                    WHERE r.site_id = $1 AND r.table_name = 'page_view' AND r.old ->> 'reader_state_id' = t.reader_state_id::text
                      AND v.reader_id <> ALL(${readers}::bigint[]))`;

/** Whether a query is about the site, or may be: it names no site, or all. */
const isAbout = (trackingId: string): string =>
  `coalesce(${trackingId}, 'all') IN ('all', (SELECT tracking_id FROM analytics.site WHERE site_id = $1))`;

const SITE_OF_BODY = `substring(t.body FROM '"tracking_id"\\s*:\\s*"([^"]*)"')`;

const mentioningPlaces = ({ inText, inQuery }: Mentions): readonly VisitorPlace[] => [
  {
    name: 'rejected_rows',
    table: 'import_rejection',
    key: { import_id: 'integer', file: 'text', line: 'bigint' },
    where: (bind) => `t.import_id IN (SELECT i.import_id FROM analytics.import_run i WHERE i.site_id = $1)
       AND ${inText("(coalesce(t.value, '') || ' ' || t.reason)", bind)}`,
  },
  {
    name: 'failed_imports',
    table: 'import_run',
    key: { import_id: 'integer' },
    where: (bind) => `t.site_id = $1 AND ${inText('t.error', bind)}`,
    becomes: (bind) => `error = ${bind(ERASED_MESSAGE)}`,
  },
  {
    name: 'queries',
    table: 'query_record',
    key: { query_id: 'bigint' },
    where: (bind) => `${isAbout('t.tracking_id')}
       AND ${inQuery("concat_ws(' ', t.body, to_json(t.view), t.error_message)", bind)}`,
  },
  {
    name: 'saved_queries',
    table: 'saved_query',
    key: { saved_query_id: 'integer' },
    where: (bind) => `${isAbout(SITE_OF_BODY)} AND ${inQuery(`concat('"', t.name, '" ', t.body)`, bind)}`,
  },
];

const FILTERS_OF = { segment: 'filters', funnel: 'steps' } as const;

/** Segments and funnels keep working with another value. */
function savedFilters(table: keyof typeof FILTERS_OF, names: readonly string[]): VisitorPlace {
  const filters = FILTERS_OF[table];
  const quoted = names.map((name) => JSON.stringify(name));
  return {
    name: `${table}s`,
    table,
    key: { [`${table}_id`]: 'integer' },
    where: (bind) => `t.site_id = $1 AND EXISTS (
       SELECT FROM unnest(${bind(quoted)}::text[]) part WHERE position(part IN t.${filters}::text) > 0)`,
    becomes: (bind) => {
      const replaced = quoted.reduce(
        (text, one) => `replace(${text}, ${bind(one)}, '"${ERASED_VALUE}"')`,
        `${filters}::text`,
      );
      return `${filters} = (${replaced})::jsonb`;
    },
  };
}

/** Erases the records of a place. Citus allows functions such as to_json only in a SELECT, so these are found first. */
export async function erasePlace(
  client: ClientBase,
  siteId: number,
  { table, key, where, becomes }: VisitorPlace,
): Promise<void> {
  const { bind, values } = bindings(siteId);
  const fields = Object.keys(key);
  const { rows } = await client.query<Record<string, string>>(
    `SELECT ${fields.map((field) => `t.${field}::text AS ${field}`).join(', ')} FROM analytics.${table} t WHERE ${where(bind)} FOR UPDATE`,
    values,
  );
  if (rows.length === 0) return;
  const found: unknown[] = [];
  const bindFound: Bind = (value) => `$${found.push(value)}`;
  const keys = Object.entries(key).map(
    ([field, type]) => `${bindFound(rows.map((row) => row[field]))}::${type}[]`,
  );
  const isFound = `(${fields.join(', ')}) IN (SELECT * FROM unnest(${keys.join(', ')}))`;
  const statement =
    becomes === undefined
      ? `DELETE FROM analytics.${table}`
      : `UPDATE analytics.${table} SET ${becomes(bindFound)}`;
  const ofSite = 'site_id' in key ? ` AND site_id = ${bindFound(siteId)}` : '';
  await client.query(`${statement} WHERE ${isFound}${ofSite}`, found);
}

/** Bindings of a statement about a site, which is `$1`. */
export function bindings(siteId: number): { readonly bind: Bind; readonly values: unknown[] } {
  const values: unknown[] = [siteId];
  return { values, bind: (value) => `$${values.push(value)}` };
}
