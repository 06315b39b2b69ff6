// Everything that names a visitor: their numbers, the texts that files gave for them, and the copies of both outside of page views.
import type { ClientBase } from 'pg';

export interface Visitor {
  /** The site's own id of the visitor, or ours. */
  readonly originalId?: string;
  readonly readerId?: number;
}

export interface KnownVisitor {
  readonly readerIds: readonly number[];
  /** The site's own ids of the visitor, earlier ones too, and ours if files gave it as text. */
  readonly texts: readonly string[];
}

/** The names `s` that views `v` had before an import `i` replaced them. */
const REPLACED_NAMES = `analytics.import_run i JOIN analytics.import_replaced r ON r.import_id = i.import_id AND r.table_name = 'page_view'
         JOIN analytics.page_view v ON v.site_id = i.site_id AND v.pv_id = r.row_id
         JOIN analytics.reader_state s ON s.site_id = i.site_id AND s.reader_state_id = (r.old ->> 'reader_state_id')::integer`;

const NUMBERS = `
SELECT reader_id::float8 AS id FROM analytics.reader WHERE site_id = $1 AND (original_id = $2 OR reader_id = $3)
UNION SELECT v.reader_id FROM analytics.page_view v JOIN analytics.reader_state s USING (site_id, reader_state_id)
       WHERE v.site_id = $1 AND s.original_id = $2
UNION SELECT coalesce((r.old ->> 'reader_id')::bigint, v.reader_id) FROM ${REPLACED_NAMES} WHERE i.site_id = $1 AND s.original_id = $2
UNION SELECT id FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id' AND given = $2
UNION SELECT reader_id FROM analytics.page_view WHERE site_id = $1 AND reader_id = $3`;

const TEXTS = `
SELECT original_id AS text FROM analytics.reader WHERE site_id = $1 AND reader_id = ANY($2::bigint[])
UNION SELECT s.original_id FROM analytics.page_view v JOIN analytics.reader_state s USING (site_id, reader_state_id)
       WHERE v.site_id = $1 AND v.reader_id = ANY($2::bigint[])
UNION SELECT s.original_id FROM ${REPLACED_NAMES}
       WHERE i.site_id = $1 AND coalesce((r.old ->> 'reader_id')::bigint, v.reader_id) = ANY($2::bigint[])
UNION SELECT given FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id' AND id = ANY($2::bigint[])`;

/** The visitor with their names, or undefined if the site does not know them. */
export async function findVisitor(
  client: ClientBase,
  siteId: number,
  { originalId, readerId }: Visitor,
): Promise<KnownVisitor | undefined> {
  const numbers = await client.query<{ id: number }>(
    `SELECT id::float8 AS id FROM (${NUMBERS}) n WHERE id IS NOT NULL`,
    [siteId, originalId ?? null, readerId ?? null],
  );
  if (numbers.rows.length === 0) return undefined;
  let readerIds = numbers.rows.map(({ id }) => id);
  // One person may have several numbers: a name of the site's own stands for all of them.
  for (;;) {
    const named = await client.query<{ text: string }>(TEXTS, [siteId, readerIds]);
    const texts = named.rows.map(({ text }) => text);
    const { rows } = await client.query<{ id: number }>(
      `SELECT reader_id::float8 AS id FROM analytics.reader WHERE site_id = $1 AND original_id = ANY($2::text[])
       UNION SELECT unnest($3::bigint[])`,
      [siteId, texts, readerIds],
    );
    if (rows.length === readerIds.length) return { readerIds, texts };
    readerIds = rows.map(({ id }) => id);
  }
}

/** Names of rows that one file gave twice, or that were rejected. */
const ORPHANS = `
DELETE FROM analytics.reader_state s WHERE s.site_id = $1 AND s.original_id = ANY($2::text[])
   AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_state_id = s.reader_state_id)
   AND NOT EXISTS (SELECT FROM analytics.import_run i JOIN analytics.import_replaced r USING (import_id)
                    WHERE i.site_id = $1 AND r.table_name = 'page_view' AND (r.old ->> 'reader_state_id')::integer = s.reader_state_id)`;

/** Text of an import that failed with a message in which the visitor was named. */
const ERASED_MESSAGE = 'The message named a visitor who was erased.';

/** Erases what names a visitor outside of their page views, which are gone. */
export async function eraseTraces(
  client: ClientBase,
  siteId: number,
  { readerIds, texts }: KnownVisitor,
): Promise<void> {
  await client.query('DELETE FROM analytics.reader WHERE site_id = $1 AND reader_id = ANY($2::bigint[])', [
    siteId,
    readerIds,
  ]);
  await client.query(
    `DELETE FROM analytics.given_id WHERE site_id = $1 AND kind = 'reader_id' AND id = ANY($2::bigint[])`,
    [siteId, readerIds],
  );
  await client.query(ORPHANS, [siteId, texts]);
  await client.query(
    `DELETE FROM analytics.import_rejection r USING analytics.import_run i
      WHERE i.import_id = r.import_id AND i.site_id = $1
        AND EXISTS (SELECT FROM unnest($2::text[]) t WHERE position(t IN concat(r.value, ' ', r.reason)) > 0)`,
    [siteId, texts],
  );
  await client.query(
    `UPDATE analytics.import_run SET error = $3
      WHERE site_id = $1 AND EXISTS (SELECT FROM unnest($2::text[]) t WHERE position(t IN error) > 0)`,
    [siteId, texts, ERASED_MESSAGE],
  );
  await client.query(
    `DELETE FROM analytics.query_record q
      WHERE EXISTS (SELECT FROM unnest($1::text[]) t WHERE position(t IN concat(q.body, ' ', q.error_message)) > 0)
         OR q.body ~ ANY (SELECT '\\m' || id || '\\M' FROM unnest($2::bigint[]) id)`,
    [[...new Set(texts.flatMap(inBodies))], readerIds],
  );
}

/** A text as it is, and as clients write it in JSON. */
function inBodies(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [text, ...[json, ascii].flatMap((one) => [one, one.replaceAll('/', '\\/')])];
}
