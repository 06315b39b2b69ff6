// Removes rows in one transaction, as if they had never been imported: sessions, conversions and event parameters are computed
// again from the remaining rows, and strings that no remaining row uses are also removed.
import type { Knex } from 'knex';
import type { Client, ClientBase } from 'pg';
import type { Manifest } from '../../../manifests/reader/manifest';
import { notedKinds } from '../change/noted';
import { openStagedViews, REMOVED, removedFrom } from '../change/staged-views';
import { keepingFirst } from '../change/view-change';
import { EVENT_NAME, observeAgain } from '../import/on-view/observe-parameters';
import { viewFollowers } from '../import/page-view/follow-views';
import { deleteRecords } from '../import/record-sets';
import { conversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE, refreshStatistics } from '../storage/planner';
import { storedMaterials, VIEWS } from '../storage/stored-materials';
import { restorable, type UnusedValues, unusedValues } from '../storage/unused-values';
import { forgetNumbers } from './forget-numbers';
import { conditionOf, NO_ROWS, type RemovalPlan, type RemovedRows, replacedRows } from './removal-plan';
import { restoreRows } from './restore-rows';
import { forgetPlaced, isWaiting, waitAgain } from './waiting-rows';

/** The number of rows by material; materials without rows are omitted. */
export type RowsByMaterial = Readonly<Record<string, number>>;

interface Counted {
  readonly material: string;
  readonly rows: number;
}

/**
 * Removes and restores the rows of a plan. The caller holds the site lock, and the transaction changes nothing
 * else.
 */
export async function removeRows(
  client: Client,
  siteId: number,
  { parts, keepsFirst = false, waiting = NO_ROWS, undone = [], restored, strays }: RemovalPlan,
) {
  const unused = await unusedValues(client, siteId);
  /** For an undo, which takes time proportional to the number of its rows. Other removals delete all unused strings. */
  const ofUndo = restored && unused;
  const conversions = await conversionUpdater(client, siteId, 'view');
  const views = await openStagedViews(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);

  const removePart = async ({ material, where }: RemovedRows): Promise<Counted> => {
    const { text, values } = conditionOf(siteId, where);
    if (material.name === VIEWS)
      await followers.collect(`FROM (SELECT t.* FROM analytics.page_view t WHERE ${text}) v`, values);
    // The parameters of events with these names are observed again.
    const noting = material.table === 'event' ? unused : ofUndo;
    return { material: material.name, rows: await views.remove(material, text, values, noting) };
  };

  const remove = async (parts: readonly RemovedRows[]): Promise<readonly Counted[]> => {
    const counts: Counted[] = [];
    for (const part of parts) counts.push(await removePart(part));
    if (counts.every(({ rows }) => rows === 0)) return counts;
    await views.countRemoved();
    // Rows that an undo separates from their page view wait again.
    await (restored === undefined ? forgetPlaced : waitAgain)(client, siteId);
    await forgetImports(client, ofUndo, siteId);
    return counts;
  };

  const forgetFirst = async (importId: number): Promise<void> => {
    await views.touchFirst(FIRST_OF_IMPORT, [siteId, importId]);
    await client.query(`DELETE FROM ${FIRST_OF_IMPORT}`, [siteId, importId]);
  };

  const ofWaiting = conditionOf(siteId, isWaiting(waiting));
  const { rows: waited } = await client.query<Counted>(
    `WITH gone AS (DELETE FROM analytics.waiting_row t WHERE ${ofWaiting.text} RETURNING t.*),
          noted AS (${unused.noting('waiting_row', 'gone t')})
     SELECT material, count(*)::float8 AS rows FROM gone GROUP BY material`,
    ofWaiting.values,
  );
  for (const part of undone) await coverUndone(client, siteId, part);
  const removed = await remove(parts);
  const count =
    restored && (await restoreRows(client, siteId, restored, { unused, conversions, views, followers }));
  if (restored !== undefined) await deleteRecords(client, siteId, [restored.importId]);
  if (keepsFirst) await client.query(KEEP_FIRST, [siteId]);
  const since = strays === undefined ? undefined : await views.firstTime();
  if (restored?.material.name === VIEWS) await forgetFirst(restored.importId);
  await views.apply();
  if (since !== undefined) followers.changedSince(since);
  await followers.run();
  const strayed = strays === undefined || since === undefined ? [] : await remove(strays(since));
  await conversions.update();
  if ((await notedKinds(client, [EVENT_NAME])).size > 0) await observeAgain(client, siteId);
  const gone = addUp([...removed, ...strayed, ...waited]);
  // Even if no row was removed, strings from rejected rows and earlier values of corrected rows may be unused.
  if (ofUndo !== undefined) await ofUndo.drop();
  else if (undone.length > 0 || Object.keys(gone).length > 0) await unused.dropAll();
  return {
    removed: gone,
    /** Rows whose earlier values were restored. */
    restored: count ?? 0,
  };
}

/** Makes the undo of an import remove the rows that it would otherwise restore. */
async function coverUndone(
  client: ClientBase,
  siteId: number,
  { material, where }: RemovedRows,
): Promise<void> {
  const { text, values } = conditionOf(siteId, where);
  const matches = `r.site_id = $1 AND r.table_name = '${material.table}'
    AND (r.import_id, r.row_id) IN (SELECT o.import_id, o.row_id FROM ${replacedRows(material)} AND ${text})`;
  await client.query(
    `UPDATE analytics.import_record r SET kind = 'void', old = NULL WHERE ${matches}`,
    values,
  );
}

/** Waiting rows are counted as rows of their material. */
const addUp = (counts: readonly Counted[]): RowsByMaterial =>
  Object.fromEntries(
    [...Map.groupBy(counts, ({ material }) => material)]
      .map(([material, own]) => [material, own.reduce((sum, { rows }) => sum + rows, 0)] as const)
      .filter(([, sum]) => sum > 0),
  );

/** Refreshes the statistics of the materials' tables. `changed`: how many of their rows were removed or restored. */
export async function refreshChanged(
  write: Knex,
  manifest: Manifest,
  siteId: number,
  changed: RowsByMaterial,
): Promise<void> {
  for (const { name, table } of storedMaterials(manifest))
    await refreshStatistics(write, siteId, [table], changed[name] ?? 0);
}

/** How many rows `removeRows` would remove. */
export async function countRows(
  client: ClientBase,
  siteId: number,
  { parts, waiting = NO_ROWS }: RemovalPlan,
): Promise<RowsByMaterial> {
  const counts: Counted[] = [];
  const count = async (name: string, table: string, where: RemovedRows['where']): Promise<void> => {
    const { text, values } = conditionOf(siteId, where);
    const sql = `SELECT ${name} AS material, count(*)::float8 AS rows FROM analytics.${table} t WHERE ${text} GROUP BY 1`;
    counts.push(...(await client.query<Counted>(sql, values)).rows);
  };
  for (const { material, where } of parts) await count(`'${material.name}'`, material.table, where);
  await count('material', 'waiting_row', isWaiting(waiting));
  return addUp(counts);
}

/**
 * Visitors whose first views were removed remain returning visitors, if they have others or an undo can restore one. A view in the
 * same second as the first remaining one is recorded as one second earlier, since only an earlier time shows that a visitor is not new.
 */
const KEEP_FIRST = keepingFirst(`
WITH ${restorable('reader_id')}
SELECT DISTINCT ON (g.reader_id) $1::smallint, g.reader_id, 0, least(g.at, v.at - interval '1 second')
  FROM ${removedFrom('page_view')} g LEFT JOIN LATERAL (
    SELECT at, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
     WHERE site_id = ${ANY_SITE} AND reader_id = g.reader_id ORDER BY at, 2 LIMIT 1) v ON true
 WHERE CASE WHEN v.at IS NULL THEN g.reader_id IN (SELECT id FROM restorable)
            ELSE (g.at, coalesce(g.order_no, g.row_id)) < (v.at, v.order_no) END
 ORDER BY g.reader_id, g.at`);

const FIRST_OF_IMPORT = 'analytics.visitor_first WHERE site_id = $1 AND import_id = $2';

/**
 * Deletes the removed rows, and the values replaced in them, from the import records. The ids of removed
 * rows are reused, so an undo would otherwise remove unrelated rows.
 */
async function forgetImports(
  client: ClientBase,
  unused: UnusedValues | undefined,
  siteId: number,
): Promise<void> {
  const isGone = `r.site_id = $1 AND (r.table_name, r.row_id) IN (SELECT removed_from, row_id FROM ${REMOVED} g)`;
  await unused?.noteReplaced(isGone, [siteId]);
  await client.query(`DELETE FROM analytics.import_record r WHERE ${isGone}`, [siteId]);
  await forgetNumbers(client, siteId);
}
