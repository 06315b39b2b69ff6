// Looks up the ids of strings: in dimensions of a site in the transaction of the import, in shared ones outside of it.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Dimension } from '../../../manifests/reader/manifest';
import { ANY_SITE } from '../storage/planner';
import { type LoaderContext, lastId } from './loader-context';

export type Texts = readonly (string | null)[];

/** How rows of a dimension get their ids, if they do not simply count from 1. */
export interface IdRule {
  readonly firstId: number;
  readonly takeId: () => number;
  /** Holds when the text was first seen. */
  readonly timeColumn: string;
}

export interface Waiting {
  readonly key: string;
  readonly texts: Texts;
  readonly at: number;
  readonly placeholder: number;
}

/** By text key. */
export type FindIds = (
  client: ClientBase,
  asked: ReadonlyMap<string, Waiting>,
) => Promise<Map<string, number>>;

export interface FoundRow {
  readonly key: string;
  readonly id: number;
}

export const byKey = (rows: readonly FoundRow[]): Map<string, number> =>
  new Map(rows.map(({ key, id }) => [key.replaceAll('-', ''), id]));

/** Values that are not text. */
const CASTS: Readonly<Record<string, string>> = { page_type: '::integer', page_fetch_status: '::smallint' };

export function siteIds(
  { table, id }: Dimension,
  identity: readonly string[],
  context: LoaderContext,
  rule: IdRule | undefined,
): FindIds {
  const { siteId } = context;
  const firstId = rule?.firstId ?? 1;
  let last: number | undefined;
  return async (client, asked) => {
    const answer = await client.query<FoundRow>(
      // All keys in one scan: with the statistics of a table that was nearly empty, the planner may choose the index that begins
      // with the site alone, and would read every row of the site for each key.
      `SELECT text_key AS key, ${id}::float8 AS id FROM analytics.${table}
        WHERE site_id = ${ANY_SITE} AND text_key = ANY($2::uuid[]) AND ${id} + 0 >= $3::bigint`,
      [siteId, [...asked.keys()], firstId],
    );
    const found = byKey(answer.rows);
    const missing = [...asked].filter(([key]) => !found.has(key));
    if (missing.length === 0) return found;
    last ??= rule === undefined ? await lastId(context, table, id) : 0;
    for (const [key] of missing) {
      last += 1;
      found.set(key, rule === undefined ? last : rule.takeId());
    }
    const columns = [
      { name: id, type: 'bigint', values: missing.map(([key]) => found.get(key)) },
      { name: 'text_key', type: 'uuid', values: missing.map(([key]) => key) },
      ...identity.map((name, i) => ({
        name,
        type: 'text',
        values: missing.map(([, { texts }]) => texts[i] ?? null),
      })),
    ];
    if (rule !== undefined)
      columns.push({ name: rule.timeColumn, type: 'float8', values: missing.map(([, { at }]) => at) });
    const names = columns.map(({ name }) => name);
    const selected = names.map((name) =>
      name === rule?.timeColumn ? `to_timestamp(${name})` : `${name}${CASTS[name] ?? ''}`,
    );
    await client.query(
      `INSERT INTO analytics.${table} (site_id, ${names.join(', ')}) SELECT $1, ${selected.join(', ')}
         FROM unnest(${columns.map(({ type }, i) => `$${i + 2}::${type}[]`).join(', ')}) AS u(${names.join(', ')})`,
      [siteId, ...columns.map(({ values }) => values)],
    );
    return found;
  };
}

const SHARED_LOCK = 7_216_003;

/**
 * Texts of shared dimensions are committed at once, in a transaction of their own: imports of two sites must not wait for
 * each other's whole file. A stopped import leaves at most the name of a browser behind.
 */
export function sharedIds({ table, id }: Dimension, [text]: readonly string[], write: Knex): FindIds {
  return async (_client, asked) =>
    write.transaction(async (transaction) => {
      const keys = [...asked.keys()];
      const read = async (): Promise<Map<string, number>> => {
        const answer: { rows: FoundRow[] } = await transaction.raw(
          `SELECT text_key AS key, ${id} AS id FROM analytics.${table} WHERE text_key = ANY(?::uuid[])`,
          [keys],
        );
        return byKey(answer.rows);
      };
      const found = await read();
      if (found.size === keys.length) return found;
      await transaction.raw('SELECT pg_advisory_xact_lock(?)', [SHARED_LOCK]);
      await transaction.raw(
        `INSERT INTO analytics.${table} (${id}, ${text}, text_key)
         SELECT (SELECT coalesce(max(${id}), 0) FROM analytics.${table}) + row_number() OVER (ORDER BY u.place),
                u.t, u.k
           FROM unnest(?::text[], ?::uuid[]) WITH ORDINALITY AS u(t, k, place)
          WHERE NOT EXISTS (SELECT FROM analytics.${table} d WHERE d.text_key = u.k)`,
        [[...asked.values()].map(({ texts }) => String(texts[0])), keys],
      );
      return read();
    });
}

/** Far above all ids that texts have, and below the largest one that fits. */
const FIRST_REHEARSED_ID = 2_000_000_000;

/** As `sharedIds`, for a transaction that is rolled back: no other import can see, or wait for, the rows that it adds. */
export function rehearsedIds({ table, id }: Dimension, [text]: readonly string[]): FindIds {
  let next = FIRST_REHEARSED_ID;
  return async (client, asked) => {
    const answer = await client.query<FoundRow>(
      `SELECT text_key AS key, ${id} AS id FROM analytics.${table} WHERE text_key = ANY($1::uuid[])`,
      [[...asked.keys()]],
    );
    const found = byKey(answer.rows);
    for (const [key, { texts }] of asked) {
      if (found.has(key)) continue;
      // Under its own key the row would block an import that adds the same text.
      await client.query(
        `INSERT INTO analytics.${table} (${id}, ${text}, text_key) VALUES ($1, $2, gen_random_uuid())`,
        [next, texts[0]],
      );
      found.set(key, next);
      next += 1;
    }
    return found;
  };
}
