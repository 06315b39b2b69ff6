// Owns which dimensions the rows of a material go through on their way in, and the ids of their texts.
// Material -> its dimensions; then placeholders in a batch -> ids, when the database has been asked.
import type { ClientBase } from 'pg';
import { type Dimension, type DimensionPlan, dimension } from './dimension';
import type { RoadParts } from './loader';
import type { RowBatch } from './row-batch';
import type { RowChecker } from './row-checker';

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
