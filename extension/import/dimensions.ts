// Owns which dimensions the rows of a material go through on their way in, and the ids of their texts.
// Material -> its dimensions; then placeholders in a batch -> ids, when the database has been asked.

import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../storage/planner';
import { textKey } from '../storage/text-key';
import { boundedMap } from './bounded-maps';
import type { ImportLimits } from './limits';
import type { RoadParts } from './loader';
import type { RowBatch } from './row-batch';
import type { RowChecker } from './row-checker';
import { textSlices } from './text-slices';

/** The dimension whose ids are fixed, so that nothing is ever added to it. */
const DEVICE = 'device';

/** The dimensions that the keys of the material open. `special`: how one of them differs from the usual. */
export function openDimensions(
  parts: RoadParts,
  special: ReadonlyMap<string, Partial<DimensionPlan>> = new Map(),
): ReadonlyMap<string, Dimension> {
  const { manifest, material, siteId, write, limits } = parts;
  const opened = new Map<string, Dimension>();
  for (const [key, name] of material.keys) {
    const about = manifest.dimensions.get(name);
    if (about === undefined || name === DEVICE || opened.has(name)) continue;
    const plan = {
      table: name,
      // prev_page_id opens the pages by another name than their own; the key named first bears it.
      idColumn: key,
      texts: about.unique === undefined ? about.fields : [about.unique],
      scope: about.scope,
      firstId: 1,
      ...special.get(name),
    };
    opened.set(name, dimension(plan, siteId, write, limits));
  }
  return opened;
}

/** The ids of devices by their text, as `fixedIds` of a row target. */
export async function fixedIds(
  client: ClientBase,
): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const answer = await client.query<{ text: string; id: number }>(
    'SELECT device_type AS text, device_id AS id FROM analytics.device',
  );
  return new Map([[DEVICE, new Map(answer.rows.map((row) => [row.text, row.id]))]]);
}

/** Puts ids in the place of placeholders, in the rows that are new in the batch. */
export async function settleIds(
  client: ClientBase,
  dimensions: ReadonlyMap<string, Dimension>,
  checker: RowChecker,
  batch: RowBatch,
): Promise<void> {
  const { values, width } = batch;
  for (const one of dimensions.values()) await one.settle(client);
  for (const { field, dimension: ids } of checker.lookUps) {
    for (let row = batch.first; row < batch.end; row += 1) {
      const id = values[row * width + field] ?? 0;
      if (id < 0) values[row * width + field] = ids.translate(id) ?? unsettled(field);
    }
  }
}

function unsettled(field: number): never {
  throw new Error(`field ${field} of a row still has a placeholder`);
}

type Texts = readonly (string | null)[];

export interface DimensionPlan {
  /** Table of schema analytics. */
  readonly table: string;
  readonly idColumn: string;
  readonly texts: readonly string[];
  readonly scope: 'site' | 'shared';
  /** Where ids begin; ids below are not looked at. */
  readonly firstId: number;
  /** The next id, where other rows take ids of the same range; otherwise the dimension counts by itself. */
  readonly takeId?: () => number;
  /** A column that keeps when the entry was met first. */
  readonly timeColumn?: string;
}

export interface Dimension {
  /** The id of an entry by its text, or by the `keyPart`s of its texts, where it is remembered. Negative while the database has not been asked. */
  recall(key: string): number | undefined;
  /** A placeholder for texts that are not remembered. `at`: the time of the row. */
  meet(key: string, texts: Texts, at: number): number;
  /** Asks the database for all that waits, and adds what it does not have. */
  settle(client: ClientBase): Promise<void>;
  /** The id behind a placeholder that one of the last two `settle` covered. */
  translate(placeholder: number): number | undefined;
}

interface Waiting {
  readonly memoryKey: string;
  readonly texts: Texts;
  readonly at: number;
  readonly placeholder: number;
}

/** A dimension for one import. `write` serves the tables that all sites share, outside the import's transaction. */
export function dimension(plan: DimensionPlan, siteId: number, write: Knex, limits: ImportLimits): Dimension {
  const ids = boundedMap(limits.dimensionEntries, limits.dimensionCharacters);
  let waiting: Waiting[] = [];
  // A batch may be filled while the one before is settled, so placeholders live for two rounds.
  let settled = new Map<number, number>();
  let settledBefore = new Map<number, number>();
  let placeholders = 0;
  const store = plan.scope === 'site' ? siteStore(plan, siteId) : sharedStore(plan, write);

  return {
    recall: ids.get,
    meet(memoryKey, texts, at) {
      placeholders -= 1;
      waiting.push({ memoryKey, texts, at, placeholder: placeholders });
      ids.set(memoryKey, placeholders);
      return placeholders;
    },
    async settle(client) {
      const asked = waiting;
      waiting = [];
      settledBefore = settled;
      settled = new Map();
      if (asked.length === 0) return;
      const slices = textSlices(asked, (one) => one.memoryKey.length, limits.statementCharacters);
      for (const slice of slices) {
        const entries = new Map(slice.map((one) => [textKey(one.texts), one]));
        const found = await store(client, entries);
        for (const one of slice) {
          const id = found.get(textKey(one.texts));
          if (id === undefined) throw new Error(`analytics.${plan.table} gave no id for ${one.memoryKey}`);
          settled.set(one.placeholder, id);
          ids.set(one.memoryKey, id);
        }
      }
    },
    translate: (placeholder) => settled.get(placeholder) ?? settledBefore.get(placeholder),
  };
}

/** One text as part of a key of several. An entry of one text is remembered under the text itself. */
export function keyPart(text: string | null): string {
  return text === null ? '\u0000-' : `\u0000+${text}`;
}

type Store = (client: ClientBase, entries: ReadonlyMap<string, Waiting>) => Promise<Map<string, number>>;

function siteStore(plan: DimensionPlan, siteId: number): Store {
  let next: number | undefined;
  return async (client, entries) => {
    const keys = [...entries.keys()];
    const found = new Map<string, number>();
    const answer = await client.query<{ key: string; id: number }>(
      `SELECT k AS key, d.id FROM unnest($2::uuid[]) k,
         LATERAL (SELECT ${plan.idColumn}::float8 AS id FROM analytics.${plan.table}
                   WHERE site_id = ${ANY_SITE} AND text_key = k AND ${plan.idColumn} + 0 >= $3::bigint LIMIT 1) d`,
      [siteId, keys, plan.firstId],
    );
    for (const row of answer.rows) found.set(row.key.replaceAll('-', ''), row.id);
    const missing = [...entries].filter(([key]) => !found.has(key));
    if (missing.length === 0) return found;
    if (plan.takeId === undefined && next === undefined) {
      const last = await client.query<{ id: number | null }>(
        `SELECT max(${plan.idColumn})::float8 AS id FROM analytics.${plan.table} WHERE site_id = $1`,
        [siteId],
      );
      next = (last.rows[0]?.id ?? plan.firstId - 1) + 1;
    }
    for (const [key] of missing) {
      const id = plan.takeId?.() ?? next ?? plan.firstId;
      if (next !== undefined) next += 1;
      found.set(key, id);
    }
    const time = plan.timeColumn;
    const width = plan.texts.length;
    const columns = [
      'site_id',
      plan.idColumn,
      'text_key',
      ...plan.texts,
      ...(time === undefined ? [] : [time]),
    ];
    const types = [
      'bigint',
      'uuid',
      ...plan.texts.map(() => 'text'),
      ...(time === undefined ? [] : ['float8']),
    ];
    await client.query(
      `INSERT INTO analytics.${plan.table} (${columns.join(', ')})
       SELECT $1, id, k, ${plan.texts.map((_, i) => `t${i}`).join(', ')}${time === undefined ? '' : ', to_timestamp(s)'}
         FROM unnest(${types.map((type, i) => `$${i + 2}::${type}[]`).join(', ')})
           AS u(id, k, ${plan.texts.map((_, i) => `t${i}`).join(', ')}${time === undefined ? '' : ', s'})`,
      [
        siteId,
        missing.map(([key]) => found.get(key)),
        missing.map(([key]) => key),
        ...Array.from({ length: width }, (_, i) => missing.map(([, one]) => one.texts[i] ?? null)),
        ...(time === undefined ? [] : [missing.map(([, one]) => one.at)]),
      ],
    );
    return found;
  };
}

const SHARED_LOCK = 7_216_003;

/**
 * Shared entries are committed at once, by a transaction of their own: two sites that are imported at the same
 * time must not wait for each other's whole file. A stopped import leaves at most the name of a browser behind.
 */
function sharedStore(plan: DimensionPlan, write: Knex): Store {
  const id = plan.idColumn;
  const [text] = plan.texts;
  return async (_client, entries) =>
    write.transaction(async (transaction) => {
      const keys = [...entries.keys()];
      const select = `SELECT text_key AS key, ${id} AS id FROM analytics.${plan.table} WHERE text_key = ANY(?::uuid[])`;
      const read = async (): Promise<Map<string, number>> => {
        const answer: { rows: { key: string; id: number }[] } = await transaction.raw(select, [keys]);
        return new Map(answer.rows.map((row) => [row.key.replaceAll('-', ''), row.id]));
      };
      const found = await read();
      if (found.size === keys.length) return found;
      await transaction.raw('SELECT pg_advisory_xact_lock(?)', [SHARED_LOCK]);
      const missing = [...entries];
      await transaction.raw(
        `INSERT INTO analytics.${plan.table} (${id}, ${text}, text_key)
         SELECT (SELECT coalesce(max(${id}), 0) FROM analytics.${plan.table}) + row_number() OVER (ORDER BY u.place),
                u.t, u.k
           FROM unnest(?::text[], ?::uuid[]) WITH ORDINALITY AS u(t, k, place)
          WHERE NOT EXISTS (SELECT FROM analytics.${plan.table} d WHERE d.text_key = u.k)`,
        [missing.map(([, one]) => String(one.texts[0])), missing.map(([key]) => key)],
      );
      return read();
    });
}
