// Erases other records that mention a visitor. In queries, only whole values count: "page 7" and a limit of 7 do not mention a visitor
// named 7. Rejected rows and messages of failed imports may contain lines of a log, so whole words count there.
import type { ClientBase } from 'pg';

interface Mentioned {
  readonly readerIds: readonly number[];
  readonly names: readonly string[];
}

/** Replaces the message of a failed import that quotes the visitor. */
const ERASED_MESSAGE = 'The message named a visitor who was erased.';

/** A number compared with one of these columns means a visitor. */
const VISITOR_COLUMNS = 'reader_id|original_id';

/** Erases the records of this site that mention the visitor. */
export async function eraseMentions(
  client: ClientBase,
  siteId: number,
  { readerIds, names }: Mentioned,
): Promise<void> {
  const quoted = names.flatMap(quotedIn);
  const words = names
    .flatMap((name) => [name, JSON.stringify(name).slice(1, -1)])
    .filter(({ length }) => length <= LONGEST_TEXT)
    .map(wordPattern);
  await client.query(
    `DELETE FROM analytics.import_rejection r USING analytics.import_run i
      WHERE i.import_id = r.import_id AND i.site_id = $1
        AND ${says("(coalesce(r.value, '') || ' ' || r.reason)")}`,
    [siteId, quoted, words],
  );
  await client.query(
    `UPDATE analytics.import_run i SET error = $4 WHERE site_id = $1 AND ${says('i.error')}`,
    [siteId, quoted, words, ERASED_MESSAGE],
  );
  const numbers = [...new Set([...readerIds.map(String), ...names.filter((name) => /^\d+$/.test(name))])];
  const asked = [siteId, quoted, numbers];
  await deleteFound(
    client,
    { table: 'query_record', id: 'query_id' },
    `${isAbout('q.tracking_id')} AND ${mentions("concat_ws(' ', q.body, to_json(q.view), q.error_message)")}`,
    asked,
  );
  await deleteFound(
    client,
    { table: 'saved_query', id: 'saved_query_id' },
    `${isAbout(`substring(q.body FROM '"tracking_id"\\s*:\\s*"([^"]*)"')`)}
        AND ${mentions(`concat('"', q.name, '" ', q.body)`)}`,
    asked,
  );
}

/** Deletes the rows `q` that meet a condition. Citus allows functions such as to_json only in a SELECT. */
async function deleteFound(
  client: ClientBase,
  { table, id }: { readonly table: string; readonly id: string },
  condition: string,
  bindings: unknown[],
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT ${id}::text AS id FROM analytics.${table} q WHERE ${condition} FOR UPDATE`,
    bindings,
  );
  await client.query(`DELETE FROM analytics.${table} WHERE ${id} = ANY($1::bigint[])`, [
    rows.map((row) => row.id),
  ]);
}

const quotes = (text: string): string =>
  `EXISTS (SELECT FROM unnest($2::text[]) part WHERE position(part IN ${text}) > 0)`;

/** Whether a string quotes one of `$2`, or contains one of the words `$3`. */
const says = (text: string): string => `(${quotes(text)} OR ${text} ~ ANY ($3::text[]))`;

/** Longer than any value in these records. */
const LONGEST_TEXT = 1000;

const wordPattern = (name: string): string =>
  `(?<![[:alnum:]])${name.replace(/[!-/:-@[-`{-~]/g, '\\$&')}(?![[:alnum:]])`;

/** Whether a query is about the site `$1`, or may be: it names no site, or all. */
const isAbout = (trackingId: string): string =>
  `coalesce(${trackingId}, 'all') IN ('all', (SELECT tracking_id FROM analytics.site WHERE site_id = $1))`;

/** Whether a query quotes one of `$2`, or compares with one of the numbers `$3`. */
const mentions = (text: string): string =>
  `(${quotes(text)} OR ${text} ~ '${VISITOR_COLUMNS}' AND EXISTS (
     SELECT FROM unnest($3::text[]) number WHERE ${text} ~ ('(?<![\\w."-])' || number || '(?![\\w"]|\\.\\d)')))`;

/** The shortest beginning of a name that still identifies the visitor in a record that shortened it. */
const SHORTEST_BEGINNING = 8;
/** Records show at most 200 characters of a value, after its quotation mark. */
const MOST_SHOWN = 201;

/** A value as bodies and messages quote it: in JSON as clients may write it, whole or with "..." after its beginning. */
function quotedIn(name: string): readonly string[] {
  const json = JSON.stringify(name);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const written = [json, ascii].flatMap((one) => [one, one.replaceAll('/', '\\/')]);
  const shortest = Math.min(SHORTEST_BEGINNING, name.length) + 1;
  const shortened: string[] = [];
  for (let end = shortest; end <= Math.min(json.length - 1, MOST_SHOWN); end += 1)
    shortened.push(`${json.slice(0, end)}...`);
  return [...new Set([...written, ...shortened])];
}
