// The ids of the strings in dimension tables, from a bounded cache or else from the database, which is queried once for many
// strings. Until the database has answered, a string has a negative placeholder instead of an id.
import type { ClientBase } from 'pg';
import type { Dimension } from '../../../manifests/reader/manifest';
import { textKey } from '../../language/sql/text-key';
import { countAfter, lastId } from '../rows/generated-ids';
import { recentTexts } from './bounded-maps';
import { type FindIds, sharedIds, siteIds, type Texts, type Waiting } from './find-ids';
import { BATCHES_AHEAD, type ImportLimits } from './limits';
import type { LoaderContext } from './loader-context';

export type DimensionIds = ReturnType<typeof cachedIds>;

/** How rows of a dimension get their ids, if not by counting from 1. */
interface IdRule {
  readonly firstId: number;
  readonly takeId: () => number;
  /** The field with the time when the string was first seen. */
  readonly timeColumn: string;
}

/** A string's part of the cache key for several strings. */
export const keyPart = (text: string | null): string => (text === null ? '\u0000-' : `\u0000+${text}`);

/** The dimensions to which rows of a material add values, by name. */
export function openDimensions(
  context: LoaderContext,
  rules: ReadonlyMap<string, IdRule> = new Map(),
): ReadonlyMap<string, DimensionIds> {
  const names = [...new Set(context.material.keys.values())];
  const growing = names.flatMap((name) => {
    const dimension = context.manifest.dimensions.get(name);
    return dimension?.hasTextKey === true ? [dimension] : [];
  });
  return new Map(
    growing.map((dimension) => {
      const texts = dimension.unique === undefined ? dimension.fields : [dimension.unique];
      const ids =
        dimension.scope === 'site'
          ? siteTexts(context, dimension, texts, rules.get(dimension.name))
          : cachedIds(dimension, texts, context.limits, sharedIds(dimension, texts, context));
      return [dimension.name, ids];
    }),
  );
}

/** The sets of values that page views contain for their page and reader; each set has an id. No query reads these tables. */
export const openStates = (context: LoaderContext) => ({
  page: siteTexts(context, { table: 'page_state', id: 'page_state_id' }, [
    'title',
    'page_type',
    'page_fetch_status',
  ]),
  reader: siteTexts(context, { table: 'reader_state', id: 'reader_state_id' }, ['original_id']),
});

/** The ids of the site's strings in a table. */
function siteTexts(
  context: LoaderContext,
  { table, id }: Pick<Dimension, 'table' | 'id'>,
  texts: readonly string[],
  rule?: IdRule,
): DimensionIds {
  const findIds = siteIds(context.siteId, {
    table,
    id,
    texts,
    timeColumn: rule?.timeColumn,
    ...(rule && { among: `${id} + 0 >= ${rule.firstId}` }),
    openCounter: async () =>
      rule?.takeId ?? countAfter(await lastId(context.client, context.siteId, table, id)),
  });
  return cachedIds({ table, id }, texts, context.limits, findIds);
}

/** Caches the ids that `findIds` finds. */
export function cachedIds(
  { table, id }: Pick<Dimension, 'table' | 'id'>,
  identity: readonly string[],
  limits: ImportLimits,
  findIds: FindIds,
  firstPlaceholder = -1,
) {
  const ids = recentTexts<number>(limits.dimensionEntries, limits.dimensionCharacters);
  let waiting: Waiting[] = [];
  // The ids of placeholders, for the batch being written and those before it. Later batches, which were filled while these were
  // written, may contain the same placeholders.
  let settled = new Map<number, number>();
  let rounds: readonly ReadonlyMap<number, number>[] = [settled];
  let next = firstPlaceholder;

  /** A placeholder for strings that are not cached. `at`: the time of the row. */
  const meet = (key: string, texts: Texts, at: number): number => {
    const placeholder = next;
    next -= 1;
    waiting.push({ key, texts, at, placeholder });
    ids.set(key, placeholder);
    return placeholder;
  };

  /** Finds the ids of all waiting strings, and adds the strings that the database does not have. */
  const findWaiting = async (client: ClientBase): Promise<void> => {
    const requested = waiting;
    waiting = [];
    if (requested.length === 0) return;
    // A string may wait twice if its placeholder was dropped from the cache.
    const keyed = requested.map((one) => [textKey(one.texts), one] as const);
    const found = await findIds(client, new Map(keyed));
    for (const [hash, { key, placeholder }] of keyed) {
      const foundId = found.get(hash);
      if (foundId === undefined) throw new Error(`analytics.${table} returned no id for ${key}`);
      settled.set(placeholder, foundId);
      ids.set(key, foundId);
    }
  };

  /** The id for a placeholder. Throws if there is none. */
  const translate = (placeholder: number): number => {
    const found = rounds.find((round) => round.has(placeholder))?.get(placeholder);
    if (found === undefined) throw new Error(`analytics.${table} has no id for placeholder ${placeholder}`);
    return found;
  };

  /** The id of strings, or a placeholder until they are settled. */
  const idOf = (texts: Texts): number => {
    const key = texts.length === 1 ? (texts[0] ?? '') : texts.map(keyPart).join('');
    return ids.get(key) ?? meet(key, texts, 0);
  };

  return {
    /** The dimension's table in the `analytics` schema, and the field with the id. */
    table,
    id,
    /** The fields whose values identify a row of the dimension. */
    identity,
    /**
     * The id of a string (or of several strings, by their joined `keyPart`s) if it is cached; negative if still a
     * placeholder.
     */
    recall: ids.get,
    meet,
    idOf,
    /** Whether an id is a placeholder of this dimension. */
    gave: (id: number): boolean => id <= firstPlaceholder && id > next,
    /** Finds the ids of all strings in the next batch to be written. */
    async settle(client: ClientBase): Promise<void> {
      settled = new Map();
      rounds = [settled, ...rounds.slice(0, BATCHES_AHEAD)];
      await findWaiting(client);
    },
    translate,
    /** Finds the ids of strings without waiting for the next batch. */
    async find(client: ClientBase, all: readonly Texts[]): Promise<readonly number[]> {
      const found = all.map(idOf);
      await findWaiting(client);
      return found.map((one) => (one < 0 ? translate(one) : one));
    },
  };
}
