// An id may represent several strings, of which a file contains only some; the stored row keeps the others.
import { ANY_SITE } from '../../storage/planner';
import { type DimensionIds, keyPart } from '../dimensions';
import type { LoaderContext } from '../loader-context';
import { metRow } from '../stored-rows';

const MET_ROW = metRow('page_view');

interface TextPair {
  readonly given: number;
  readonly stored: number;
  readonly given_texts: readonly (string | null)[];
  readonly stored_texts: readonly (string | null)[];
}

/** Sets the rows' ids to the ids of their values merged with the stored ones. */
export async function mergeTexts(
  { client, siteId }: LoaderContext,
  field: string,
  dimension: DimensionIds,
): Promise<void> {
  const { table, id, identity } = dimension;
  const texts = (alias: string) => `ARRAY[${identity.map((name) => `${alias}.${name}::text`).join(', ')}]`;
  const pairs = await client.query<TextPair>(
    `SELECT p.given::float8 AS given, p.stored::float8 AS stored, ${texts('g')} AS given_texts, ${texts('s')} AS stored_texts
       FROM (SELECT DISTINCT m.${field} AS given, t.${field} AS stored
               FROM ${MET_ROW} m JOIN analytics.page_view t ON t.site_id = ${ANY_SITE} AND t.pv_id = m.pv_id
              WHERE m.${field} <> t.${field}) p
       JOIN analytics.${table} g ON g.site_id = $1 AND g.${id} = p.given
       JOIN analytics.${table} s ON s.site_id = $1 AND s.${id} = p.stored`,
    [siteId],
  );
  const merged = pairs.rows.flatMap(({ given, stored, given_texts, stored_texts }) => {
    const both = given_texts.map((text, place) => text ?? stored_texts[place] ?? null);
    return both.every((text, place) => text === given_texts[place]) ? [] : [{ given, stored, both }];
  });
  if (merged.length === 0) return;
  const ids = await idsOf(
    client,
    dimension,
    merged.map(({ both }) => both),
  );
  await client.query(
    `UPDATE ${MET_ROW} m SET ${field} = u.merged
       FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS u(given, stored, merged), analytics.page_view t
      WHERE t.site_id = ${ANY_SITE} AND t.pv_id = m.pv_id AND m.${field} = u.given AND t.${field} = u.stored`,
    [siteId, merged.map(({ given }) => given), merged.map(({ stored }) => stored), ids],
  );
}

/**
 * If a view is stored with a reader_id from its file, a file that identifies the visitor only by original_id
 * means that reader. `leave` receives a query for the readers that such rows then no longer belong to. Returns
 * whether there were any.
 */
export async function nameGivenReaders(
  { client, siteId }: LoaderContext,
  readerState: DimensionIds,
  isNamed: string,
  leave: (sql: string) => Promise<void>,
): Promise<boolean> {
  const found = await client.query<{ place: number; name: string }>(
    `SELECT m.place, r.original_id AS name
       FROM ${MET_ROW} m JOIN analytics.page_view t ON t.site_id = ${ANY_SITE} AND t.pv_id = m.pv_id
       JOIN analytics.reader r ON r.site_id = t.site_id AND r.reader_id = m.reader_id
      WHERE ${isNamed}`,
    [siteId],
  );
  if (found.rows.length === 0) return false;
  await leave(
    `SELECT t.page_id, m.reader_id, t.at, NULL::integer AS page_state_id FROM ${MET_ROW} m
       JOIN analytics.page_view t ON t.site_id = $1 AND t.pv_id = m.pv_id
      WHERE ${isNamed} AND m.reader_id IS NOT NULL`,
  );
  const ids = await idsOf(
    client,
    readerState,
    found.rows.map(({ name }) => [name]),
  );
  await client.query(
    `UPDATE ${MET_ROW} m SET reader_id = NULL, reader_state_id = u.id
       FROM unnest($1::integer[], $2::bigint[]) AS u(place, id) WHERE m.place = u.place`,
    [found.rows.map(({ place }) => place), ids],
  );
  return true;
}

async function idsOf(
  client: LoaderContext['client'],
  dimension: DimensionIds,
  all: readonly (readonly (string | null)[])[],
): Promise<readonly number[]> {
  const keyOf = (texts: readonly (string | null)[]): string =>
    texts.length === 1 ? (texts[0] ?? '') : texts.map(keyPart).join('');
  const ids = all.map((texts) => dimension.recall(keyOf(texts)) ?? dimension.meet(keyOf(texts), texts, 0));
  await dimension.settle(client);
  return ids.map((id) => (id < 0 ? dimension.translate(id) : id));
}
