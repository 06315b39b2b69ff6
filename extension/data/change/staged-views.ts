// The views that a change adds or changes in place, the rows that it removes, and what is derived from the views.
import type { Client } from 'pg';
import { stageRows } from '../rows/copy-rows';
import type { RowBatch } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import type { ConversionUpdater } from '../storage/goals/conversions';
import { withHashJoins } from '../storage/planner';
import { rowIdOf, type StoredMaterial, VIEWS } from '../storage/stored-materials';
import type { UnusedValues } from '../storage/unused-values';
import { openStaging } from './staging';
import { runStep } from './steps';

/** SQL: the rows that were removed since the last `apply`, with their table `removed_from` and their `row_id`. */
export const REMOVED = '(SELECT * FROM touched WHERE removed_from IS NOT NULL)';

/** SQL: the rows removed from a table. */
export const removedFrom = (table: string): string =>
  `(SELECT * FROM touched WHERE removed_from = '${table}')`;

export type StagedViews = Awaited<ReturnType<typeof openStagedViews>>;

/** The number of touched views that are derived at a time. Their lists of ids must fit in memory. */
const TOUCHED_AT_ONCE = 500_000;

/**
 * Prepares the temporary tables for a transaction's staged, touched and removed rows. After an `apply`, the next rows replace
 * the applied ones.
 */
export async function openStagedViews(
  client: Client,
  siteId: number,
  conversions: ConversionUpdater,
  atOnce = TOUCHED_AT_ONCE,
) {
  await openStaging(client);
  let isApplied = false;
  let staged = 0;
  let touched = 0;
  let removed = 0;

  const removeApplied = async (): Promise<void> => {
    if (isApplied) await client.query('TRUNCATE staged, affected, derived, touched');
    isApplied = false;
  };

  const touch = async (from: string, values: readonly unknown[]): Promise<void> => {
    await removeApplied();
    touched += (await client.query(touching(from), [...values])).rowCount ?? 0;
  };

  /** Replaces the removed rows with rows that show which remaining views have to be derived again. */
  const touchRemoved = async (): Promise<void> => {
    if (removed === 0) return;
    touched += (await client.query(TOUCH_REMOVED, [siteId])).rowCount ?? 0;
    await client.query('DELETE FROM touched WHERE removed_from IS NOT NULL');
    removed = 0;
  };

  /** Derives and writes the effects of the staged views, and of all or part of the touched ones. Returns how many views were derived. */
  const applyPart = async (hasStored: boolean, parts: number, part: number): Promise<number> => {
    await client.query('ANALYZE staged (site_id)');
    // A merge join would sort wide rows; a hash join keeps the order of the file. A list of ids that exceeds the product of the other
    // two settings would be read again for each row instead of being hashed once.
    await client.query(
      "SET LOCAL enable_mergejoin = off; SET LOCAL work_mem = '32MB'; SET LOCAL hash_mem_multiplier = 8",
    );
    const derived = (await runStep(client, 'derive', [siteId, parts, part, hasStored])).at(-1) ?? 0;
    await client.query('SET LOCAL hash_mem_multiplier TO DEFAULT');
    const [added = 0] = await runStep(client, 'apply-new', [siteId]);
    await client.query('SET LOCAL enable_mergejoin = on');
    // The other derived views were already stored.
    if (derived > added)
      await withHashJoins(client, async () => {
        await runStep(client, 'apply-moved', [siteId]);
        await runStep(client, 'settle-moved', [siteId]);
      });
    await conversions.addFound(
      'SELECT session_id FROM derived UNION SELECT session_id FROM affected WHERE session_id IS NOT NULL',
      [],
    );
    return derived;
  };

  return {
    /** How many staged and touched views have not been applied yet. */
    size: () => ({ staged, touched }),
    /** Stages new views. */
    async stage(layout: TableLayout, batch: RowBatch, rows: Uint32Array): Promise<void> {
      await removeApplied();
      await stageRows(client, layout, batch, rows, 'staged');
      staged += rows.length;
    },
    /** Records stored views. `from`: SQL that begins with FROM, for views `v` of site `$1`. Call it before and after a change. */
    touch: (from: string): Promise<void> => touch(from, [siteId]),
    /** Records first-seen times that are stored or deleted. `rows`: SQL after FROM, with the visitor's `reader_id` and `first_at`. */
    touchFirst: (rows: string, values: readonly unknown[]): Promise<void> =>
      touch(
        `FROM (SELECT 0 AS pv_id, reader_id, first_at AS at, NULL::bigint AS session_id FROM ${rows}) v`,
        values,
      ),
    /**
     * Deletes the rows `t` of a material that meet a condition on site `$1`, and records them. If `unused` is given, also notes
     * their strings, which may have become unused. Returns how many rows there were.
     */
    async remove(
      material: StoredMaterial,
      condition: string,
      values: readonly unknown[],
      unused?: UnusedValues,
    ): Promise<number> {
      await removeApplied();
      const { table } = material;
      const id = rowIdOf(material);
      const kept = keptOf(material);
      const fields = new Set([id, ...kept, ...(unused?.fieldsOf(table) ?? [])]);
      const { rows } = await client.query<{ n: number }>(
        `WITH gone AS (
           DELETE FROM analytics.${table} t WHERE ${condition} RETURNING ${[...fields].map((field) => `t.${field}`).join(', ')}),
         ${unused === undefined ? '' : `noted AS (${unused.noting(table, 'gone t')}),`}
         recorded AS (
           INSERT INTO touched (${['removed_from', 'row_id', ...kept].join(', ')})
           SELECT ${[`'${table}'`, id, ...kept].join(', ')} FROM gone)
         SELECT count(*)::float8 AS n FROM gone`,
        [...values],
      );
      const count = rows[0]?.n ?? 0;
      removed += count;
      if (count > 0 && kept.length > 0)
        await conversions.addFound(`SELECT DISTINCT session_id FROM ${removedFrom(table)} r`, []);
      return count;
    },
    /** Updates the planner's statistics about the removed rows. */
    countRemoved: (): Promise<unknown> => client.query('ANALYZE touched'),
    /** The time of the earliest view that was touched or removed, in epoch seconds. */
    async firstTime(): Promise<number | undefined> {
      const { rows } = await client.query<{ at: number | null }>(
        'SELECT extract(epoch FROM min(at))::float8 AS at FROM touched',
      );
      return rows[0]?.at ?? undefined;
    },
    /** Runs keep-order, and records the stored views that it moves. All staged views must be applied. */
    async keepOrder(lists: readonly (readonly number[])[]): Promise<void> {
      await removeApplied();
      const [moved = 0] = await withHashJoins(client, () =>
        runStep(client, 'keep-order', [siteId, ...lists]),
      );
      touched += moved;
    },
    /**
     * Derives and writes the effects of all staged and touched views. Returns how many views were derived. `hasStored`: whether the
     * site may have stored views.
     */
    async apply(hasStored = true): Promise<number> {
      await touchRemoved();
      const parts = staged > 0 ? 1 : Math.ceil(touched / atOnce);
      let derived = 0;
      for (let part = 0; part < parts; part += 1) {
        if (part > 0) await client.query('TRUNCATE affected, derived');
        derived += await applyPart(hasStored, parts, part);
        isApplied = true;
      }
      [staged, touched] = [0, 0];
      return derived;
    },
  };
}

/** The fields of a removed row that are recorded in addition to its id. They identify its visit, if it has one. */
function keptOf({ name, parent }: StoredMaterial): readonly string[] {
  if (name === VIEWS) return ['session_id', 'reader_id', 'at', 'order_no'];
  return parent === undefined ? [] : ['session_id'];
}

/** SQL that records views in `touched`. `from`: SQL that begins with FROM, for the views `v`. */
const touching = (from: string): string =>
  `INSERT INTO touched (row_id, reader_id, at, session_id) SELECT v.pv_id, v.reader_id, v.at, v.session_id ${from}`;

/**
 * One removed view for each visitor and visit that still has other views. One is enough, because removing views never merges
 * visits. Citus needs the local table in a CTE.
 */
const TOUCH_REMOVED = touching(`FROM (
WITH gone AS MATERIALIZED ${removedFrom('page_view')}
SELECT min(row_id) AS pv_id, reader_id, min(at) AS at, session_id FROM gone g
 WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = g.reader_id)
    OR EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.session_id = g.session_id)
 GROUP BY reader_id, session_id) v`);
