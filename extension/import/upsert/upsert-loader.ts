// Owns the way of figures into the database: rows with a key, which their source corrects later on.
// Batches of checked rows in -> rows of the table. A row whose key is there replaces the numbers that stand there; of the
// rows of one file the last counts. What was there, row by row, decides what is counted as added, updated or unchanged.
import { copyRows } from '../copy-rows';
import type { LateRefusal, MaterialLoader, RoadParts } from '../loader';
import { fixedIds, openDimensions, settleIds } from '../open-dimensions';
import type { RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout, type TableLayout } from '../table-layout';
import { replaceRows } from './replace-rows';

export interface KeyedRows {
  readonly table: string;
  /** What tells the rows of a site apart. */
  readonly key: readonly string[];
  /** Dimensions that grow with it. */
  readonly dimensions?: readonly string[];
  /** Rows that only the database can tell to be wrong. */
  refuse?(parts: RoadParts, layout: TableLayout, batch: RowBatch): Promise<readonly LateRefusal[]>;
}

const COMPUTED: ReadonlySet<string> = new Set(['site_id']);

/** Opens the loader of such rows for one import. */
export async function upsertLoader(parts: RoadParts, about: KeyedRows): Promise<MaterialLoader> {
  const { client, siteId } = parts;
  const layout = await loadTableLayout(client, about.table);
  const dimensions = openDimensions(parts);
  const checker = rowChecker({
    ...parts,
    layout,
    dimensions,
    newest: new Map(),
    fixedIds: await fixedIds(client),
    defaults: new Map(),
    computed: COMPUTED,
  });
  const incoming = await replaceRows(client, layout, siteId, about.key);
  const siteField = layout.fieldOf('site_id');
  let added = 0;
  let updated = 0;
  let unchanged = 0;

  return {
    checker,
    shape: checker.shape,
    refusesLate: about.refuse !== undefined,
    async write(batch) {
      await settleIds(client, dimensions, checker, batch);
      const refusals = (await about.refuse?.(parts, layout, batch)) ?? [];
      const refused = new Set(refusals.map((one) => one.row));
      const rows = new Uint32Array(batch.end - batch.first)
        .map((_, place) => batch.first + place)
        .filter((row) => !refused.has(row));
      for (const row of rows) batch.values[row * batch.width + siteField] = siteId;
      await copyRows(client, layout, batch, rows, incoming.table);
      const counts = await incoming.replace();
      added += counts.added;
      updated += counts.updated;
      unchanged += counts.unchanged;
      return refusals;
    },
    async finish() {
      return { added, updated, unchanged, changed: added + updated > 0 };
    },
    tables: [about.table, ...(about.dimensions ?? [])],
  };
}
