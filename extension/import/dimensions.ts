// The ids of the texts in dimension tables: a bounded cache first, then the database, asked once for many texts.
// Until the database has answered, a text has a negative placeholder instead of an id.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Dimension } from '../../manifests/reader/manifest';
import { ANY_SITE } from '../storage/planner';
import { textKey } from '../storage/text-key';
import { boundedMap } from './bounded-maps';
import type { RowState } from './column-setters';
import type { ImportLimits } from './limits';
import { type LoaderContext, lastId } from './loader-context';
import { textSlices } from './text-slices';

type Texts = readonly (string | null)[];

export interface DimensionIds {
  /** Its table in schema analytics, and the field with the id. */
  readonly table: string;
  readonly id: string;
  /** The fields whose texts tell rows of the dimension apart. */
  readonly identity: readonly string[];
  /** The id of a text (of several texts: of their `keyPart`s together) if it is cached; negative if still a placeholder. */
  recall(key: string): number | undefined;
  /** A placeholder for texts that are not cached. `at`: the time of the row. */
  meet(key: string, texts: Texts, at: number): number;
  /** Whether this is one of its placeholders. */
  gave(id: number): boolean;
  /** Finds the ids of all texts that wait, and adds the texts that the database does not have. */
  settle(client: ClientBase): Promise<void>;
  /** The id behind a placeholder of the last three rounds. Throws if there is none. */
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

/** A dimension of the importer's own, which no query reads. */
const OWN = { scope: 'site', unique: undefined, hasTextKey: true, sessionConstant: false } as const;
const PAGE_STATE: Dimension = {
  ...{ ...OWN, name: 'page_state', table: 'page_state', id: 'page_state_id' },
  fields: ['title', 'page_type', 'page_fetch_status'],
};
const READER_STATE: Dimension = {
  ...{ ...OWN, name: 'reader_state', table: 'reader_state', id: 'reader_state_id', fields: ['original_id'] },
};

/** What page views themselves say of their page and their reader. */
export function openStates(context: LoaderContext): Readonly<Record<'page' | 'reader', RowState>> {
  const open = (dimension: Dimension): RowState => ({
    field: dimension.id,
    dimension: dimensionIds(dimension, context, new Map()),
  });
  return { page: open(PAGE_STATE), reader: open(READER_STATE) };
}

export interface Waiting {
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
  const findIds =
    dimension.scope === 'site'
      ? siteIds(dimension, identity, context, rules.get(dimension.name))
      : context.isDry
        ? rehearsedIds(dimension, identity)
        : sharedIds(dimension, identity, context.write);
  return cachedIds(dimension, identity, context.limits, findIds);
}

const ROUNDS = 3;

/** Ids that `findIds` finds, cached. */
export function cachedIds(
  { table, id }: Pick<Dimension, 'table' | 'id'>,
  identity: readonly string[],
  limits: ImportLimits,
  findIds: FindIds,
  firstPlaceholder = -1,
): DimensionIds {
  const ids = boundedMap(limits.dimensionEntries, limits.dimensionCharacters);
  let waiting: Waiting[] = [];
  // The next batch fills up while this one is settled, and merging texts takes a round of its own.
  let rounds: readonly Map<number, number>[] = [];
  let next = firstPlaceholder;

  return {
    table,
    id,
    identity,
    recall: ids.get,
    meet(key, texts, at) {
      const placeholder = next;
      next -= 1;
      waiting.push({ key, texts, at, placeholder });
      ids.set(key, placeholder);
      return placeholder;
    },
    gave: (id) => id <= firstPlaceholder && id > next,
    async settle(client) {
      const asked = waiting;
      waiting = [];
      const settled = new Map<number, number>();
      rounds = [settled, ...rounds.slice(0, ROUNDS - 1)];
      for (const slice of textSlices(asked, ({ key }) => key.length, limits.statementCharacters)) {
        const found = await findIds(client, new Map(slice.map((one) => [textKey(one.texts), one])));
        for (const { key, texts, placeholder } of slice) {
          const foundId = found.get(textKey(texts));
          if (foundId === undefined) throw new Error(`analytics.${table} gave no id for ${key}`);
          settled.set(placeholder, foundId);
          ids.set(key, foundId);
        }
      }
    },
    translate(placeholder) {
      const found = rounds.find((round) => round.has(placeholder))?.get(placeholder);
      if (found === undefined) throw new Error(`analytics.${table} never settled ${placeholder}`);
      return found;
    },
  };
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
