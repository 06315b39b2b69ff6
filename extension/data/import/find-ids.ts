// Looks up the ids of strings and assigns ids to new ones: a site's strings in the import's transaction,
// shared ones outside it.
import type { ClientBase } from 'pg';
import { isOfWorker, workerFault } from '../../../host-shim/extension-api';
import type { Dimension } from '../../../manifests/reader/manifest';
import { LOCKS } from '../storage/advisory-locks';
import { inSeparateTransaction, watchSites } from '../storage/in-transaction';
import { ANY_SITE } from '../storage/planner';
import { ConnectionLost, showValue } from './import-error';
import type { LoaderContext } from './loader-context';

export type Texts = readonly (string | null)[];

export interface Waiting {
  readonly key: string;
  readonly texts: Texts;
  readonly at: number;
  readonly placeholder: number;
}

/** Returns an id for each requested key; new strings get new ids. */
export type FindIds = (
  client: ClientBase,
  requested: ReadonlyMap<string, Waiting>,
) => Promise<Map<string, number>>;

/** Runs a query that selects `key` and `id`, and returns the ids by key. */
async function idsByKey(
  client: ClientBase,
  sql: string,
  bindings: readonly unknown[],
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ key: string; id: number }>(sql, [...bindings]);
  return new Map(rows.map(({ key, id }) => [key.replaceAll('-', ''), id]));
}

/** A table with the strings of sites, each with an id. */
interface TextTable {
  readonly table: string;
  readonly id: string;
  /** The columns that contain the strings. */
  readonly texts: readonly string[];
  /** The value of column `kind`, if the table has one. */
  readonly kind?: string;
  /** SQL condition for the rows to search; all of the site's rows by default. */
  readonly among?: string;
  /** The column with the time when the string was first seen. */
  readonly timeColumn?: string | undefined;
  /** Returns a counter for new ids. */
  openCounter(client: ClientBase): Promise<() => number>;
}

/** Casts for values that are not strings. */
const CASTS: Readonly<Record<string, string>> = { page_type: '::integer', page_fetch_status: '::smallint' };

export function siteIds(
  siteId: number,
  { table, id, texts, kind, among = 'true', timeColumn, openCounter }: TextTable,
): FindIds {
  let takeId: (() => number) | undefined;
  return async (client, requested) => {
    const found = await idsByKey(
      client,
      // All keys in one scan: if the table was nearly empty when its statistics were collected, the planner might
      // choose an index that only begins with the site, and read all of the site's rows for each key.
      `SELECT text_key AS key, ${id}::float8 AS id FROM analytics.${table}
        WHERE site_id = ${ANY_SITE} AND text_key = ANY($2::uuid[]) AND ${among}`,
      [siteId, [...requested.keys()]],
    );
    const missing = [...requested].filter(([key]) => !found.has(key));
    if (missing.length === 0) return found;
    takeId ??= await openCounter(client);
    for (const [key] of missing) found.set(key, takeId());
    const columns = [
      { name: id, type: 'bigint', values: missing.map(([key]) => found.get(key)) },
      { name: 'text_key', type: 'uuid', values: missing.map(([key]) => key) },
      ...texts.map((name, i) => ({ name, type: 'text', values: missing.map(([, one]) => one.texts[i]) })),
      ...(kind === undefined ? [] : [{ name: 'kind', type: 'text', values: missing.map(() => kind) }]),
      ...(timeColumn === undefined
        ? []
        : [{ name: timeColumn, type: 'float8', values: missing.map(([, { at }]) => at) }]),
    ];
    const names = columns.map(({ name }) => name);
    const selected = names.map((name) =>
      name === timeColumn ? `to_timestamp(${name})` : `${name}${CASTS[name] ?? ''}`,
    );
    await client.query(
      `INSERT INTO analytics.${table} (site_id, ${names.join(', ')}) SELECT $1, ${selected.join(', ')}
         FROM unnest(${columns.map(({ type }, i) => `$${i + 2}::${type}[]`).join(', ')}) AS u(${names.join(', ')})`,
      [siteId, ...columns.map(({ values }) => values)],
    );
    return found;
  };
}

/** The first id in a dry run: far above all ids of strings, and below the largest possible one. */
const FIRST_DRY_RUN_ID = 2_000_000_000;

/**
 * Strings in shared dimensions are committed immediately, in a separate transaction: an import must not wait until
 * an import into another site has finished its whole file. A stopped import leaves at most the name of a browser
 * behind, and a dry run leaves nothing.
 */
export function sharedIds(
  { name, table, id }: Dimension,
  [text]: readonly string[],
  { write, isDry }: Pick<LoaderContext, 'write' | 'isDry'>,
): FindIds {
  let nextDryRunId = FIRST_DRY_RUN_ID;
  return async (client, requested) => {
    const read = () =>
      idsByKey(
        client,
        `SELECT text_key AS key, ${id} AS id FROM analytics.${table} WHERE text_key = ANY($1::uuid[])`,
        [[...requested.keys()]],
      );
    const found = await read();
    const missing = [...requested].filter(([key]) => !found.has(key));
    if (missing.length === 0) return found;
    if (!isDry) {
      const texts = missing.map(([, one]) => String(one.texts[0]));
      await addShared(
        missing.map(([key]) => key),
        texts,
      ).catch((error: unknown) => {
        throw isOfWorker(error) ? sharedTextError(name, texts, error) : error;
      });
      return read();
    }
    for (const [key] of missing) {
      found.set(key, nextDryRunId);
      nextDryRunId += 1;
    }
    return found;
  };

  async function addShared(keys: readonly string[], texts: readonly string[]): Promise<void> {
    await inSeparateTransaction(write, async (client) => {
      watchSites(client, 'all');
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.sharedTexts]);
      await client.query(
        `INSERT INTO analytics.${table} (${id}, ${text}, text_key)
         SELECT (SELECT coalesce(max(${id}), 0) FROM analytics.${table}) + row_number() OVER (ORDER BY u.place),
                u.t, u.k
           FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS u(t, k, place)
          WHERE NOT EXISTS (SELECT FROM analytics.${table} d WHERE d.text_key = u.k)`,
        [texts, keys],
      );
    });
  }
}

const sharedTextError = (name: string, [first, ...others]: readonly string[], error: Error): ConnectionLost =>
  new ConnectionLost(
    [
      `New ${name}: ${showValue(first)}${others.length === 0 ? '' : ` (and ${others.length} more)`}.`,
      'Citus stores such values on all workers or on none.',
      workerFault(error),
      'Nothing from this file was imported. Import it again when the worker is back.',
    ].join(' '),
    error,
  );
