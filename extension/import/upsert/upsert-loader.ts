// Owns the way of figures into the database: rows with a key, which their source corrects later on.
// Batches of checked rows in -> rows of the table. A row whose key is there replaces the numbers that stand there; of the
// rows of one file the last counts. What was there, row by row, decides what is counted as added, updated or unchanged.

import type { ClientBase } from 'pg';
import { copyRows } from '../copy-rows';
import { fixedIds, openDimensions, settleIds } from '../dimensions';
import type { LateRefusal, MaterialLoader, RoadParts } from '../loader';
import type { RowBatch } from '../row-batch';
import { rowChecker } from '../row-checker';
import { loadTableLayout, type TableLayout } from '../table-layout';

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

export interface Counts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface IncomingRows {
  /** Where the rows are copied to. */
  readonly table: string;
  /** Moves what was copied into the stored table. */
  replace(): Promise<Counts>;
}

/** Prepares the exchange for one import. */
export async function replaceRows(
  client: ClientBase,
  layout: TableLayout,
  siteId: number,
  key: readonly string[],
): Promise<IncomingRows> {
  const { table } = layout;
  const columns = layout.columns.map((column) => column.name);
  const figures = columns.filter((name) => name !== 'site_id' && !key.includes(name));
  const list = (names: readonly string[], of: string): string =>
    names.map((name) => `${of}.${name}`).join(', ');
  const sameKey = key.map((name) => `t.${name} = i.${name}`).join(' AND ');
  await client.query(
    `CREATE TEMPORARY TABLE incoming (LIKE analytics.${table}, place integer GENERATED ALWAYS AS IDENTITY) ON COMMIT DROP`,
  );
  // `before`: the figures of the row before it with the same key, in this batch or stored.
  const compare = `
    SELECT count(*) FILTER (WHERE before IS NULL)::int AS added,
           count(*) FILTER (WHERE before <> now)::int AS updated,
           count(*) FILTER (WHERE before = now)::int AS unchanged
      FROM (SELECT ROW(${list(figures, 'i')})::text AS now,
                   coalesce(lag(ROW(${list(figures, 'i')})::text) OVER (PARTITION BY ${list(key, 'i')} ORDER BY i.place),
                            CASE WHEN t.site_id IS NOT NULL THEN ROW(${list(figures, 't')})::text END) AS before
              FROM incoming i LEFT JOIN analytics.${table} t ON t.site_id = $1 AND ${sameKey}) compared`;
  const keepLast = `
    DELETE FROM incoming USING (SELECT max(place) AS last, ${key.join(', ')} FROM incoming GROUP BY ${key.join(', ')}) i
     WHERE ${key.map((name) => `incoming.${name} = i.${name}`).join(' AND ')} AND incoming.place < i.last`;
  const keepChanged = `
    DELETE FROM incoming i USING analytics.${table} t
     WHERE t.site_id = $1 AND ${sameKey} AND ROW(${list(figures, 't')}) IS NOT DISTINCT FROM ROW(${list(figures, 'i')})`;
  // Not updated in place: rows that exchange what must be unique would meet halfway.
  const remove = `DELETE FROM analytics.${table} t USING incoming i WHERE t.site_id = $1 AND ${sameKey}`;
  const insert = `INSERT INTO analytics.${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM incoming`;

  return {
    table: 'incoming',
    async replace() {
      await client.query('ANALYZE incoming');
      const answer = await client.query<Counts>(compare, [siteId]);
      await client.query(keepLast);
      await client.query(keepChanged, [siteId]);
      await client.query(remove, [siteId]);
      await client.query(insert);
      await client.query('TRUNCATE incoming RESTART IDENTITY');
      return answer.rows[0] ?? { added: 0, updated: 0, unchanged: 0 };
    },
  };
}
