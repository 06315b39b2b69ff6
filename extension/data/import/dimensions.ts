// The ids of the strings in dimension tables, from a bounded cache or else from the database, queried once for
// many strings. Until the database has answered, a string has a negative placeholder instead of an id.
import type { ClientBase } from 'pg';
import type { Dimension } from '../../../manifests/reader/manifest';
import { textKey } from '../../language/sql/text-key';
import { countAfter } from '../rows/generated-ids';
import { recentTexts } from './bounded-maps';
import { type FindIds, sharedIds, siteIds, type Texts, type Waiting } from './find-ids';
import type { ImportLimits } from './limits';
import { type LoaderContext, lastId } from './loader-context';

export type DimensionIds = ReturnType<typeof cachedIds>;

/** How rows of a dimension get their ids, if not by counting from 1. */
interface IdRule {
  readonly firstId: number;
  readonly takeId: () => number;
  /** The field with the time when the string was first seen. */
  readonly timeColumn: string;
}

/** One string as part of the cache key for several. */
export const keyPart = (text: string | null): string => (text === null ? '\u0000-' : `\u0000+${text}`);

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

/** A single id for all the values that a row contains for a dimension row. */
export interface RowState {
  readonly field: string;
  readonly dimension: DimensionIds;
}

/** A dimension that only the importer uses; no query reads it. */
const OWN = { scope: 'site', unique: undefined, hasTextKey: true, sessionConstant: false } as const;
const PAGE_STATE: Dimension = {
  ...OWN,
  name: 'page_state',
  table: 'page_state',
  id: 'page_state_id',
  fields: ['title', 'page_type', 'page_fetch_status'],
};
const READER_STATE: Dimension = {
  ...OWN,
  name: 'reader_state',
  table: 'reader_state',
  id: 'reader_state_id',
  fields: ['original_id'],
};

/** The values that page views contain for their page and their reader. */
export function openStates(context: LoaderContext): Readonly<Record<'page' | 'reader', RowState>> {
  const open = (dimension: Dimension): RowState => ({
    field: dimension.id,
    dimension: dimensionIds(dimension, context, new Map()),
  });
  return { page: open(PAGE_STATE), reader: open(READER_STATE) };
}

function dimensionIds(
  dimension: Dimension,
  context: LoaderContext,
  rules: ReadonlyMap<string, IdRule>,
): DimensionIds {
  const { table, id } = dimension;
  const identity = dimension.unique === undefined ? dimension.fields : [dimension.unique];
  const rule = rules.get(dimension.name);
  const findIds =
    dimension.scope === 'site'
      ? siteIds(context.siteId, {
          table,
          id,
          texts: identity,
          timeColumn: rule?.timeColumn,
          ...(rule && { among: `${id} + 0 >= ${rule.firstId}` }),
          openCounter: async () => rule?.takeId ?? countAfter(await lastId(context, table, id)),
        })
      : sharedIds(dimension, identity, context);
  return cachedIds(dimension, identity, context.limits, findIds);
}

const ROUNDS = 3;

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
  // The next batch is filled while this one is settled, and merging strings takes a separate round.
  let rounds: readonly Map<number, number>[] = [];
  let next = firstPlaceholder;

  return {
    /** Its table in the `analytics` schema, and the field with the id. */
    table,
    id,
    /** The fields whose values identify a row of the dimension. */
    identity,
    /**
     * The id of a string (or of several strings, by their joined `keyPart`s) if it is cached; negative if still a
     * placeholder.
     */
    recall: ids.get,
    /** A placeholder for strings that are not cached. `at`: the time of the row. */
    meet(key: string, texts: Texts, at: number): number {
      const placeholder = next;
      next -= 1;
      waiting.push({ key, texts, at, placeholder });
      ids.set(key, placeholder);
      return placeholder;
    },
    /** Whether this is one of its placeholders. */
    gave: (id: number): boolean => id <= firstPlaceholder && id > next,
    /** Finds the ids of all waiting strings, and adds the strings that the database does not have. */
    async settle(client: ClientBase): Promise<void> {
      const asked = waiting;
      waiting = [];
      const settled = new Map<number, number>();
      rounds = [settled, ...rounds.slice(0, ROUNDS - 1)];
      for (const slice of textSlices(asked, ({ key }) => key.length, limits.statementCharacters)) {
        // A string whose placeholder left the cache may wait twice.
        const keyed = slice.map((one) => [textKey(one.texts), one] as const);
        const found = await findIds(client, new Map(keyed));
        for (const [hash, { key, placeholder }] of keyed) {
          const foundId = found.get(hash);
          if (foundId === undefined) throw new Error(`analytics.${table} returned no id for ${key}`);
          settled.set(placeholder, foundId);
          ids.set(key, foundId);
        }
      }
    },
    /** The id for a placeholder from the last three rounds. Throws if there is none. */
    translate(placeholder: number): number {
      const found = rounds.find((round) => round.has(placeholder))?.get(placeholder);
      if (found === undefined) throw new Error(`analytics.${table} never settled ${placeholder}`);
      return found;
    },
  };
}

/** Splits items into slices of about `limit` characters, in order: the driver holds several copies of a parameter while it is sent. */
export function* textSlices<T>(
  items: readonly T[],
  lengthOf: (item: T) => number,
  limit: number,
): Generator<readonly T[]> {
  let from = 0;
  let length = 0;
  for (const [place, item] of items.entries()) {
    const more = lengthOf(item);
    if (place > from && length + more > limit) {
      yield items.slice(from, place);
      from = place;
      length = 0;
    }
    length += more;
  }
  if (from < items.length) yield items.slice(from);
}
