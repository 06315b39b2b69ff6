// Removes rows in one transaction, as if they had never been imported: sessions, conversions and observed events of
// the remaining rows are computed again, and strings that only the removed rows used are removed too.
import type { ClientBase } from 'pg';
import type { Manifest } from '../../../manifests/reader/manifest';
import { noted } from '../change/noted';
import { touchedViews } from '../change/touched-views';
import { observeAgain } from '../import/on-view/observe-parameters';
import { viewFollowers } from '../import/page-view/follow-views';
import { conversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE } from '../storage/planner';
import {
  dropUnusedValues,
  findReferences,
  noteReplacedValues,
  noteValues,
  type References,
  restorable,
} from '../storage/unused-values';
import { bindings, type RemovalPlan, type RemovedRows, replacedRows, VIEWS } from './removal-plan';
import { restoreRows } from './restore-rows';
import { countWaiting, forgetPlaced, removeWaiting, textualIds, waitAgain } from './waiting-rows';

/** Material -> number of rows; materials without any are omitted. */
export type RowsByMaterial = Readonly<Record<string, number>>;

interface Removed {
  readonly removed: RowsByMaterial;
  /** Rows whose earlier values were restored. */
  readonly restored: number;
}

/**
 * Removes and restores the rows of a plan. The caller holds the site lock, and the transaction changes nothing
 * else.
 */
export async function removeRows(
  client: ClientBase,
  { materials }: Manifest,
  siteId: number,
  { parts, keepsFirst = false, waiting = () => 'false', undone = [], restored, strays = [] }: RemovalPlan,
): Promise<Removed> {
  const references = await findReferences(client);
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  const views = touchedViews(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);
  const removed = new Map<string, number>();

  const remove = async (part: RemovedRows): Promise<void> => {
    const { table, number, material } = part;
    const { text, values } = conditionOf(part, siteId);
    await noteValues(client, references, table, text, values);
    let count: number | null;
    if (material === VIEWS) {
      await noteViews(client, text, values);
      await conversions.addFound('SELECT DISTINCT session_id FROM touched WHERE session_id IS NOT NULL', []);
      await followers.collect(
        `SELECT v.page_id, v.reader_id, v.at, v.page_state_id FROM touched g JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = g.row_id
          WHERE g.removed_from = 'page_view'`,
      );
      count = (await client.query(`DELETE FROM analytics.page_view t WHERE ${text}`, values)).rowCount;
    } else {
      if (materials.get(material)?.parent !== undefined)
        await conversions.addFound(
          `SELECT DISTINCT t.session_id FROM analytics.${table} t WHERE ${text}`,
          values,
        );
      const gone = await client.query(
        `WITH gone AS (DELETE FROM analytics.${table} t WHERE ${text} RETURNING t.${number} AS row_id)
         INSERT INTO touched (row_id, removed_from) SELECT row_id, '${table}' FROM gone`,
        values,
      );
      count = gone.rowCount;
    }
    if (count !== null && count > 0) removed.set(material, (removed.get(material) ?? 0) + count);
  };

  /**
   * Deletes the removed rows from the records of imports. Rows that an undo separates from their page view wait
   * again.
   */
  const forgetRemoved = async (): Promise<void> => {
    await (restored === undefined ? forgetPlaced : waitAgain)(client, siteId);
    await forgetImports(client, references, siteId);
  };

  const waited = await removeWaiting(client, conditionOf({ where: waiting }, siteId, 'w'));
  for (const part of undone) await coverUndone(client, references, siteId, part);
  for (const part of parts) await remove(part);
  await forgetRemoved();
  const count =
    restored && (await restoreRows(client, siteId, restored, { references, conversions, views, followers }));
  if (removed.has(VIEWS)) {
    if (keepsFirst) await client.query(KEEP_FIRST, [siteId]);
    await views.touch(TOUCHED);
  }
  await client.query('DELETE FROM touched WHERE removed_from IS NOT NULL');
  await views.apply();
  if (strays.length > 0) followers.changedSince(Number.NEGATIVE_INFINITY);
  await followers.run();
  for (const part of strays) await remove(part);
  if (strays.length > 0) await forgetRemoved();
  for (const statement of FORGET_IDS) await client.query(statement, [siteId]);
  await conversions.update();
  await observeAgain(client, siteId);
  await dropUnusedValues(client, references, siteId);
  return { removed: addRows(Object.fromEntries(removed), waited), restored: count ?? 0 };
}

/** Makes the undo of an import remove the rows that it would otherwise restore. */
async function coverUndone(
  client: ClientBase,
  references: readonly References[],
  siteId: number,
  part: RemovedRows,
): Promise<void> {
  const { text, values } = conditionOf(part, siteId);
  const isMeant = `r.site_id = $1 AND r.table_name = '${part.table}'
    AND (r.import_id, r.row_id) IN (SELECT o.import_id, o.row_id FROM ${replacedRows(part)} AND ${text})`;
  await noteReplacedValues(client, references, isMeant, values);
  await client.query(
    `UPDATE analytics.import_record r SET kind = 'void', old = NULL WHERE ${isMeant}`,
    values,
  );
}

/** Waiting rows count as rows of their material. */
function addRows(one: RowsByMaterial, other: RowsByMaterial): RowsByMaterial {
  const all = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(all.map((material) => [material, (one[material] ?? 0) + (other[material] ?? 0)]));
}

/** How many rows `removeRows` would remove. */
export async function countRows(
  client: ClientBase,
  siteId: number,
  { parts, waiting = () => 'false' }: RemovalPlan,
): Promise<RowsByMaterial> {
  const counted: Record<string, number> = {};
  for (const part of parts) {
    const { text, values } = conditionOf(part, siteId);
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::float8 AS n FROM analytics.${part.table} t WHERE ${text}`,
      values,
    );
    if (rows[0] !== undefined && rows[0].n > 0) counted[part.material] = rows[0].n;
  }
  return addRows(counted, await countWaiting(client, conditionOf({ where: waiting }, siteId, 'w')));
}

function conditionOf(
  { where }: Pick<RemovedRows, 'where'>,
  siteId: number,
  row: 't' | 'w' = 't',
): { text: string; values: unknown[] } {
  const { bind, values } = bindings(siteId);
  return { text: `${row}.site_id = $1 AND (${where(bind)})`, values };
}

async function noteViews(client: ClientBase, condition: string, values: unknown[]): Promise<void> {
  await client.query(
    `WITH gone AS (
       INSERT INTO touched SELECT t.pv_id, t.reader_id, t.at, t.session_id, coalesce(t.order_no, t.pv_id), 'page_view'
         FROM analytics.page_view t WHERE ${condition} RETURNING row_id AS pv_id, reader_id, session_id)
     INSERT INTO noted SELECT DISTINCT u.kind, u.id FROM gone g, ${textualIds('g')} ON CONFLICT DO NOTHING`,
    values,
  );
  await client.query('ANALYZE touched');
}

/** Visitors whose first views were removed remain returning visitors. */
const KEEP_FIRST = `
INSERT INTO analytics.visitor_first AS f (site_id, reader_id, first_at)
SELECT DISTINCT ON (g.reader_id) $1, g.reader_id, g.at
  FROM touched g, LATERAL (SELECT at, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
                              WHERE site_id = ${ANY_SITE} AND reader_id = g.reader_id ORDER BY at, 2 LIMIT 1) v
 WHERE g.removed_from = 'page_view' AND (g.at, g.order_no) < (v.at, v.order_no) ORDER BY g.reader_id, g.at
ON CONFLICT (site_id, reader_id) DO UPDATE SET first_at = least(f.first_at, excluded.first_at)`;

/**
 * One view for each visitor and visit that has others; more are not needed, since removing views joins no visits. Citus needs the
 * local table in a WITH.
 */
const TOUCHED = `
WITH gone AS MATERIALIZED (SELECT * FROM touched WHERE removed_from = 'page_view')
SELECT min(row_id) AS pv_id, reader_id, min(at) AS at, session_id FROM gone g
 WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = g.reader_id)
    OR EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.session_id = g.session_id)
 GROUP BY reader_id, session_id`;

/**
 * Deletes the removed rows, and the values replaced in them, from the records of imports. The numbers of
 * removed rows are reused, so an undo would remove other rows.
 */
async function forgetImports(
  client: ClientBase,
  references: readonly References[],
  siteId: number,
): Promise<void> {
  await client.query('ANALYZE touched');
  const isGone =
    'r.site_id = $1 AND (r.table_name, r.row_id) IN (SELECT removed_from, row_id FROM touched WHERE removed_from IS NOT NULL)';
  await noteReplacedValues(client, references, isGone, [siteId]);
  await client.query(`DELETE FROM analytics.import_record r WHERE ${isGone}`, [siteId]);
  await client.query(
    `UPDATE analytics.import_record r SET ids = r.ids - g.ids
       FROM (SELECT removed_from AS table_name, range_agg(int8range(row_id, row_id, '[]')) AS ids
               FROM touched WHERE removed_from IS NOT NULL GROUP BY removed_from) g
      WHERE r.site_id = $1 AND r.table_name = g.table_name AND r.ids && g.ids`,
    [siteId],
  );
}

/** Deletes textual ids that no view and no waiting row has, and that no undo can restore. */
const FORGET_IDS: readonly string[] = ['pv_id', 'session_id', 'reader_id'].map(
  (field) => `WITH ${restorable(field)}
    DELETE FROM analytics.given_id g WHERE g.site_id = $1 AND g.kind = '${field}'
    AND g.id IN (${noted(field)})
    AND NOT EXISTS (SELECT FROM analytics.waiting_row w WHERE w.site_id = $1 AND w.row_id IS NULL AND w.${field} = g.id)
    AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.${field} = g.id)
    AND NOT EXISTS (SELECT FROM restorable r WHERE r.id = g.id)`,
);
