// The ids of the texts in dimension tables: a bounded cache first, then the database, asked once for many texts.
// Until the database has answered, a text has a negative placeholder instead of an id.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Dimension } from '../../manifests/reader/manifest';
import { ANY_SITE } from '../storage/planner';
import { textKey } from '../storage/text-key';
import { boundedMap } from './bounded-maps';
import { type LoaderContext, lastId } from './loader-context';
import { textSlices } from './text-slices';

type Texts = readonly (string | null)[];

export interface DimensionIds {
  /** The fields whose texts tell rows of the dimension apart. */
  readonly identity: readonly string[];
  /** The id of a text (of several texts: of their `keyPart`s together) if it is cached; negative if still a placeholder. */
  recall(key: string): number | undefined;
  /** A placeholder for texts that are not cached. `at`: the time of the row. */
  meet(key: string, texts: Texts, at: number): number;
  /** Finds the ids of all texts that wait, and adds the texts that the database does not have. */
  settle(client: ClientBase): Promise<void>;
  /** The id behind a placeholder of the last two rounds. Throws if there is none. */
  translate(placeholder: number): number;
}

/** One text as part of the cache key of several. */
export const keyPart = (text: string | null): string => (text === null ? '\u0000-' : `\u0000+${text}`);

/** How rows of a dimension get their ids, if they do not simply count from 1. */
export interface IdRule {
  readonly firstId: number;
  readonly takeId: () => number;
  /** Holds when the text was first seen. */
  readonly timeColumn: string;
}

/** The dimensions that grow with the rows of a material, by name. */
export function openDimensions(
  context: LoaderContext,
  rules: ReadonlyMap<string, IdRule> = new Map(),
): ReadonlyMap<string, DimensionIds> {
  const names = [...new Set(context.material.keys.values())];
  const grown = names.flatMap((name) => {
    const dimension = context.manifest.dimensions.get(name);
    return dimension?.hasTextKey === true ? [dimension] : [];
  });
  return new Map(grown.map((dimension) => [dimension.name, dimensionIds(dimension, context, rules)]));
}

interface Waiting {
  readonly key: string;
  readonly texts: Texts;
  readonly at: number;
  readonly placeholder: number;
}

function dimensionIds(
  dimension: Dimension,
  context: LoaderContext,
  rules: ReadonlyMap<string, IdRule>,
): DimensionIds {
  const identity = dimension.unique === undefined ? dimension.fields : [dimension.unique];
  const { write, limits } = context;
  const ids = boundedMap(limits.dimensionEntries, limits.dimensionCharacters);
  const findIds =
    dimension.scope === 'site'
      ? siteIds(dimension, identity, context, rules.get(dimension.name))
      : context.isDry
        ? rehearsedIds(dimension, identity)
        : sharedIds(dimension, identity, write);
  let waiting: Waiting[] = [];
  // The next batch fills up while this one is settled, so placeholders live for two rounds.
  let settled = new Map<number, number>();
  let settledBefore = new Map<number, number>();
  let placeholders = 0;

  return {
    identity,
    recall: ids.get,
    meet(key, texts, at) {
      placeholders -= 1;
      waiting.push({ key, texts, at, placeholder: placeholders });
      ids.set(key, placeholders);
      return placeholders;
    },
    async settle(client) {
      const asked = waiting;
      waiting = [];
      settledBefore = settled;
      settled = new Map();
      for (const slice of textSlices(asked, ({ key }) => key.length, limits.statementCharacters)) {
        const found = await findIds(client, new Map(slice.map((one) => [textKey(one.texts), one])));
        for (const { key, texts, placeholder } of slice) {
          const id = found.get(textKey(texts));
          if (id === undefined) throw new Error(`analytics.${dimension.table} gave no id for ${key}`);
          settled.set(placeholder, id);
          ids.set(key, id);
        }
      }
    },
    translate(placeholder) {
      const id = settled.get(placeholder) ?? settledBefore.get(placeholder);
      if (id === undefined) throw new Error(`analytics.${dimension.table} never settled ${placeholder}`);
      return id;
    },
  };
}

/** By text key. */
type FindIds = (client: ClientBase, asked: ReadonlyMap<string, Waiting>) => Promise<Map<string, number>>;

interface FoundRow {
  readonly key: string;
  readonly id: number;
}

const byKey = (rows: readonly FoundRow[]): Map<string, number> =>
  new Map(rows.map(({ key, id }) => [key.replaceAll('-', ''), id]));

function siteIds(
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
      `SELECT k AS key, d.id FROM unnest($2::uuid[]) k,
         LATERAL (SELECT ${id}::float8 AS id FROM analytics.${table}
                   WHERE site_id = ${ANY_SITE} AND text_key = k AND ${id} + 0 >= $3::bigint LIMIT 1) d`,
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
    const selected = names.map((name) => (name === rule?.timeColumn ? `to_timestamp(${name})` : name));
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
function sharedIds({ table, id }: Dimension, [text]: readonly string[], write: Knex): FindIds {
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
function rehearsedIds({ table, id }: Dimension, [text]: readonly string[]): FindIds {
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
