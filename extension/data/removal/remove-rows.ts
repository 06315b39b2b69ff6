// Removes rows in one transaction, as if they had never been imported: sessions, conversions and observed events of
// the remaining rows are computed again, and strings that only the removed rows used are removed too.
import type { ClientBase } from 'pg';
import type { Manifest } from '../../../manifests/reader/manifest';
import { noted } from '../change/noted';
import { type TouchedViews, touchedViews } from '../change/touched-views';
import { type ViewFollowers, viewFollowers } from '../import/page-view/follow-views';
import { type ConversionUpdater, conversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE } from '../storage/planner';
import {
  dropUnusedValues,
  findReferences,
  noteReplacedValues,
  noteValues,
  type References,
} from '../storage/unused-values';
import type { Bind, RemovalPlan, RemovedRows } from './removal-plan';
import { VIEWS } from './removal-plan';
import { countWaiting, forgetPlaced, removeWaiting, textualIds } from './waiting-rows';

/** Material -> how many rows; those without any are left out. */
export type RowsByMaterial = Readonly<Record<string, number>>;

/** What is computed again when rows of a site are removed or changed. */
export interface Following {
  readonly references: readonly References[];
  readonly conversions: ConversionUpdater;
  readonly views: TouchedViews;
  readonly followers: ViewFollowers;
}

interface Removal extends Following {
  /** Makes the undo of an import remove the rows that it would otherwise restore. */
  coverUndone(part: RemovedRows): Promise<void>;
  remove(part: RemovedRows): Promise<void>;
  /** Computes the sessions of the views that stay again, and what follows from views. */
  settle(): Promise<void>;
  /** Completes the removal, and returns how many rows were removed. `settlePlaced` settles the rows among them that had waited. */
  finish(settlePlaced: typeof forgetPlaced): Promise<RowsByMaterial>;
}

/** Removes the rows. The caller holds the lock of the site, and the transaction removes nothing else. */
export async function removeRows(
  client: ClientBase,
  manifest: Manifest,
  siteId: number,
  plan: RemovalPlan,
): Promise<RowsByMaterial> {
  const removal = await openRemoval(client, manifest, siteId, plan);
  const waited = await removeWaiting(client, conditionOf({ where: plan.waiting }, siteId, 'w'));
  for (const part of plan.undone) await removal.coverUndone(part);
  for (const part of plan.parts) await removal.remove(part);
  await removal.settle();
  const removed = await removal.finish(forgetPlaced);
  return sumOf(removed, waited);
}

/** Waiting rows count as rows of their material. */
function sumOf(one: RowsByMaterial, other: RowsByMaterial): RowsByMaterial {
  const all = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(all.map((material) => [material, (one[material] ?? 0) + (other[material] ?? 0)]));
}

/** A removal in steps. The caller holds the lock of the site, and the transaction removes nothing else. */
export async function openRemoval(
  client: ClientBase,
  { materials }: Manifest,
  siteId: number,
  { keepsFirst }: Pick<RemovalPlan, 'keepsFirst'>,
): Promise<Removal> {
  const references = await findReferences(client);
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  const views = touchedViews(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);
  const removed = new Map<string, number>();
  return {
    ...{ references, conversions, views, followers },
    async coverUndone({ table, number, ...part }) {
      const { text, values } = conditionOf(part, siteId);
      const isMeant = `r.site_id = $1 AND r.table_name = '${table}' AND (r.import_id, r.row_id) IN (
        SELECT o.import_id, o.row_id FROM analytics.import_record o
          JOIN analytics.${table} c ON c.site_id = $1 AND c.${number} = o.row_id,
               LATERAL jsonb_populate_record(c, o.old) t
         WHERE o.site_id = $1 AND o.table_name = '${table}' AND o.kind = 'changed' AND ${text})`;
      await noteReplacedValues(client, references, isMeant, values);
      await client.query(
        `UPDATE analytics.import_record r SET kind = 'void', old = NULL WHERE ${isMeant}`,
        values,
      );
    },
    async remove(part) {
      const { text, values } = conditionOf(part, siteId);
      await noteValues(client, references, part.table, text, values);
      if (part.material === VIEWS) {
        await noteViews(client, text, values);
        await conversions.addFound('SELECT DISTINCT session_id FROM touched', []);
        await followers.collect(
          `SELECT v.page_id, v.reader_id, v.at, v.page_state_id FROM touched g JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = g.pv_id`,
        );
      } else if (materials.get(part.material)?.parent !== undefined)
        await conversions.addFound(
          `SELECT DISTINCT t.session_id FROM analytics.${part.table} t WHERE ${text}`,
          values,
        );
      const { rowCount } = await client.query(
        `WITH gone AS (DELETE FROM analytics.${part.table} t WHERE ${text} RETURNING t.${part.number} AS row_id)
         INSERT INTO removed SELECT '${part.table}', row_id FROM gone`,
        values,
      );
      if (rowCount !== null && rowCount > 0)
        removed.set(part.material, (removed.get(part.material) ?? 0) + rowCount);
    },
    async settle() {
      if (removed.has(VIEWS)) {
        if (keepsFirst) await client.query(KEEP_FIRST, [siteId]);
        await views.touch(TOUCHED);
        await client.query('DELETE FROM touched WHERE order_no IS NOT NULL');
      }
      await views.apply();
      await followers.run();
    },
    async finish(settlePlaced) {
      await settlePlaced(client, siteId);
      await forgetImports(client, references, siteId);
      for (const statement of FORGET_IDS) await client.query(statement, [siteId]);
      await conversions.update();
      await client.query(OBSERVE_AGAIN, [siteId]);
      await dropUnusedValues(client, references, siteId);
      return Object.fromEntries(removed);
    },
  };
}

/** How many rows `removeRows` would remove. */
export async function countRows(
  client: ClientBase,
  siteId: number,
  { parts, waiting }: RemovalPlan,
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
  return sumOf(counted, await countWaiting(client, conditionOf({ where: waiting }, siteId, 'w')));
}

function conditionOf(
  { where }: Pick<RemovedRows, 'where'>,
  siteId: number,
  row: 't' | 'w' = 't',
): { text: string; values: unknown[] } {
  const values: unknown[] = [siteId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  return { text: `${row}.site_id = $1 AND (${where(bind)})`, values };
}

async function noteViews(client: ClientBase, condition: string, values: unknown[]): Promise<void> {
  await client.query(
    `WITH gone AS (
       INSERT INTO touched SELECT t.pv_id, t.reader_id, t.at, t.session_id, coalesce(t.order_no, t.pv_id)
         FROM analytics.page_view t WHERE ${condition} RETURNING *)
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
 WHERE (g.at, g.order_no) < (v.at, v.order_no) ORDER BY g.reader_id, g.at
ON CONFLICT (site_id, reader_id) DO UPDATE SET first_at = least(f.first_at, excluded.first_at)`;

/** One view for each visitor and visit that has others; more are not needed, since removing views joins no visits. */
const TOUCHED = `
SELECT min(pv_id) AS pv_id, reader_id, min(at) AS at, session_id FROM touched g
 WHERE order_no IS NOT NULL AND (
       EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = g.reader_id)
    OR EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.session_id = g.session_id))
 GROUP BY reader_id, session_id`;

/**
 * Forgets that imports gave the removed rows, and what they replaced in them. The numbers of removed rows are given again: an
 * undo would take the rows of others.
 */
async function forgetImports(
  client: ClientBase,
  references: readonly References[],
  siteId: number,
): Promise<void> {
  await client.query('ANALYZE removed');
  const isGone = 'r.site_id = $1 AND (r.table_name, r.row_id) IN (SELECT table_name, row_id FROM removed)';
  await noteReplacedValues(client, references, isGone, [siteId]);
  await client.query(`DELETE FROM analytics.import_record r WHERE ${isGone}`, [siteId]);
  await client.query(
    `UPDATE analytics.import_record r SET ids = r.ids - g.ids
       FROM (SELECT table_name, range_agg(int8range(row_id, row_id, '[]')) AS ids FROM removed GROUP BY table_name) g
      WHERE r.site_id = $1 AND r.table_name = g.table_name AND r.ids && g.ids`,
    [siteId],
  );
}

/** Deletes textual ids that no view and no waiting row has, and that no undo can restore. */
const FORGET_IDS: readonly string[] = ['pv_id', 'session_id', 'reader_id'].map(
  (field) => `WITH replaced AS MATERIALIZED (
      SELECT (old ->> '${field}')::bigint AS id FROM analytics.import_record WHERE site_id = $1 AND table_name = 'page_view')
    DELETE FROM analytics.given_id g WHERE g.site_id = $1 AND g.kind = '${field}'
    AND g.id IN (${noted(field)})
    AND NOT EXISTS (SELECT FROM analytics.waiting_row w WHERE w.site_id = $1 AND w.row_id IS NULL AND w.${field} = g.id)
    AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.${field} = g.id)
    AND NOT EXISTS (SELECT FROM replaced r WHERE r.id = g.id)`,
);

/** A parameter is a number if every value that is left is one. */
const OBSERVE_AGAIN = `
WITH seen AS (
  SELECT e.event_name_id, p.key, bool_and(jsonb_typeof(p.value) = 'number') AS is_number
    FROM noted g JOIN analytics.event e ON e.site_id = $1 AND e.event_name_id = g.id
         CROSS JOIN LATERAL jsonb_each(e.params) p
   WHERE g.kind = 'event_name' AND jsonb_typeof(p.value) <> 'null'
   GROUP BY e.event_name_id, p.key
), observed AS (
  SELECT g.id, coalesce(jsonb_object_agg(s.key, CASE WHEN s.is_number THEN 'number' ELSE 'string' END)
                        FILTER (WHERE s.key IS NOT NULL), '{}') AS observed
    FROM noted g LEFT JOIN seen s ON s.event_name_id = g.id WHERE g.kind = 'event_name' GROUP BY g.id
)
UPDATE analytics.event_name n SET observed = o.observed FROM observed o
 WHERE n.site_id = $1 AND n.event_name_id = o.id AND n.observed IS DISTINCT FROM o.observed`;
