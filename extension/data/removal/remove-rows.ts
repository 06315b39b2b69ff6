// Removes rows in one transaction, as if they had never been imported: sessions, conversions and event parameters are
// computed again from the remaining rows, and strings that only the removed rows used are removed too.
import type { Client, ClientBase } from 'pg';
import { noted, notedKinds, noting } from '../change/noted';
import { analyzeRemoved, forgetRemoved, noteRemoved, REMOVED, removedFrom } from '../change/removed-rows';
import { openStagedViews } from '../change/staged-views';
import { EVENT_NAME, observeAgain } from '../import/on-view/observe-parameters';
import { viewFollowers } from '../import/page-view/follow-views';
import { deleteRecords } from '../import/record-sets';
import { FIRST_MAPPED_ID, LAST_GIVEN_ID } from '../rows/generated-ids';
import { type Bind, bindings } from '../storage/bindings';
import { conversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE } from '../storage/planner';
import { rowIdOf, VIEWS } from '../storage/stored-materials';
import { restorable, type UnusedValues, unusedValues } from '../storage/unused-values';
import { forgetNumbers } from './forget-numbers';
import { NO_ROWS, type RemovalPlan, type RemovedRows, replacedRows } from './removal-plan';
import { restoreRows } from './restore-rows';
import { forgetPlaced, waitAgain } from './waiting-rows';

/** Material -> number of rows; materials without any are omitted. */
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
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  const views = await openStagedViews(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);

  /** Removes rows, and notes them with what depends on them. */
  const removePart = async ({ material, where }: RemovedRows): Promise<Counted> => {
    const { name, table, parent } = material;
    const { text, values } = conditionOf(where, siteId);
    if (name === VIEWS)
      await followers.collect(`FROM (SELECT t.* FROM analytics.page_view t WHERE ${text}) v`, values);
    const number = rowIdOf(material);
    const ofVisit = name === VIEWS || parent !== undefined ? ['session_id'] : [];
    const kept = name === VIEWS ? [...ofVisit, 'reader_id', 'at', 'order_no'] : ofVisit;
    const fields = [...new Set([number, ...kept, ...unused.fieldsOf(table)])].map((field) => `t.${field}`);
    const { rows } = await client.query<{ n: number }>(
      `WITH gone AS (
         DELETE FROM analytics.${table} t WHERE ${text} RETURNING ${fields.join(', ')}),
       dimensions AS (${unused.noting(table, 'gone t')}),
       numbers AS (
${noteRemoved(table, [number, ...kept])})
       SELECT count(*)::float8 AS n FROM gone`,
      values,
    );
    const count = rows[0]?.n ?? 0;
    if (count > 0 && ofVisit.length > 0)
      await conversions.addFound(`SELECT DISTINCT session_id FROM ${removedFrom(table)} r`, []);
    return { material: name, rows: count };
  };

  const remove = async (parts: readonly RemovedRows[]): Promise<readonly Counted[]> => {
    const counts: Counted[] = [];
    for (const part of parts) counts.push(await removePart(part));
    if (counts.every(({ rows }) => rows === 0)) return counts;
    await analyzeRemoved(client);
    await client.query(NOTE_TEXTUAL_IDS);
    // Rows that an undo separates from their page view wait again.
    await (restored === undefined ? forgetPlaced : waitAgain)(client, siteId);
    await forgetImports(client, unused, siteId);
    return counts;
  };

  const ofWaiting = conditionOf(waiting, siteId, 'w');
  const { rows: waited } = await client.query<Counted>(removeWaiting(ofWaiting.text), ofWaiting.values);
  for (const part of undone) await coverUndone(client, unused, siteId, part);
  const removed = await remove(parts);
  const count =
    restored && (await restoreRows(client, siteId, restored, { unused, conversions, views, followers }));
  if (restored !== undefined) await deleteRecords(client, siteId, [restored.importId]);
  if (keepsFirst) await client.query(KEEP_FIRST, [siteId]);
  const since = strays === undefined ? undefined : await views.firstTime();
  await views.touch(`FROM (${TOUCHED}) v`);
  await forgetRemoved(client);
  await views.apply();
  if (since !== undefined) followers.changedSince(since);
  await followers.run();
  const strayed = strays === undefined || since === undefined ? [] : await remove(strays(since));
  const kinds = await notedKinds(client, [...ID_FIELDS, EVENT_NAME]);
  for (const field of ID_FIELDS) if (kinds.has(field)) await client.query(forgetIds(field), [siteId]);
  await conversions.update();
  if (kinds.has(EVENT_NAME)) await observeAgain(client, siteId);
  await unused.drop();
  return {
    removed: addUp([...removed, ...strayed, ...waited]),
    /** Rows whose earlier values were restored. */
    restored: count ?? 0,
  };
}

/** Makes the undo of an import remove the rows that it would otherwise restore. */
async function coverUndone(
  client: ClientBase,
  unused: UnusedValues,
  siteId: number,
  { material, where }: RemovedRows,
): Promise<void> {
  const { text, values } = conditionOf(where, siteId);
  const matches = `r.site_id = $1 AND r.table_name = '${material.table}'
    AND (r.import_id, r.row_id) IN (SELECT o.import_id, o.row_id FROM ${replacedRows(material)} AND ${text})`;
  await unused.noteReplaced(matches, values);
  await client.query(
    `UPDATE analytics.import_record r SET kind = 'void', old = NULL WHERE ${matches}`,
    values,
  );
}

/** Waiting rows count as rows of their material. */
const addUp = (counts: readonly Counted[]): RowsByMaterial =>
  Object.fromEntries(
    [...Map.groupBy(counts, ({ material }) => material)]
      .map(([material, own]) => [material, own.reduce((sum, { rows }) => sum + rows, 0)] as const)
      .filter(([, sum]) => sum > 0),
  );

/** How many rows `removeRows` would remove. */
export async function countRows(
  client: ClientBase,
  siteId: number,
  { parts, waiting = NO_ROWS }: RemovalPlan,
): Promise<RowsByMaterial> {
  const counts: Counted[] = [];
  const count = async (sql: string, values: unknown[]): Promise<void> => {
    counts.push(...(await client.query<Counted>(sql, values)).rows);
  };
  for (const { material, where } of parts) {
    const { text, values } = conditionOf(where, siteId);
    await count(
      `SELECT '${material.name}' AS material, count(*)::float8 AS rows FROM analytics.${material.table} t WHERE ${text}`,
      values,
    );
  }
  const { text, values } = conditionOf(waiting, siteId, 'w');
  await count(
    `SELECT material, count(*)::float8 AS rows FROM analytics.waiting_row w WHERE ${text} GROUP BY material`,
    values,
  );
  return addUp(counts);
}

function conditionOf(
  where: (bind: Bind) => string,
  siteId: number,
  row: 't' | 'w' = 't',
): { text: string; values: unknown[] } {
  const { bind, values } = bindings(siteId);
  const isWaiting = row === 'w' ? 'w.row_id IS NULL AND ' : '';
  return { text: `${isWaiting}${row}.site_id = $1 AND (${where(bind)})`, values };
}

/** Selects those of a row's ids that were mapped from strings in its file, with their kinds. */
const textualIds = (row: string): string =>
  `LATERAL (SELECT kind, id
      FROM (VALUES ('pv_id', ${row}.pv_id), ('session_id', ${row}.session_id), ('reader_id', ${row}.reader_id)) v (kind, id)
     WHERE id BETWEEN ${FIRST_MAPPED_ID} AND ${LAST_GIVEN_ID}) u`;

/** Removes the waiting rows `w` that meet a condition, and notes their textual ids. Returns row counts by material. */
const removeWaiting = (condition: string): string => `
WITH gone AS (
  DELETE FROM analytics.waiting_row w WHERE ${condition} RETURNING w.material, w.pv_id, w.session_id, w.reader_id),
noted AS (
  ${noting(`SELECT DISTINCT u.kind, u.id FROM gone g, ${textualIds('g')}`)})
SELECT material, count(*)::float8 AS rows FROM gone GROUP BY material`;

/** Notes those ids of the removed views that were strings in a file. */
const NOTE_TEXTUAL_IDS = noting(`
SELECT DISTINCT u.kind, u.id
  FROM (SELECT row_id AS pv_id, session_id, reader_id FROM ${removedFrom('page_view')} r) g, ${textualIds('g')}`);

/** Visitors whose first views were removed remain returning visitors. */
const KEEP_FIRST = `
INSERT INTO analytics.visitor_first AS f (site_id, reader_id, first_at)
SELECT DISTINCT ON (g.reader_id) $1, g.reader_id, g.at
  FROM ${removedFrom('page_view')} g, LATERAL (SELECT at, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view
                              WHERE site_id = ${ANY_SITE} AND reader_id = g.reader_id ORDER BY at, 2 LIMIT 1) v
 WHERE (g.at, coalesce(g.order_no, g.row_id)) < (v.at, v.order_no) ORDER BY g.reader_id, g.at
ON CONFLICT (site_id, reader_id) DO UPDATE SET first_at = least(f.first_at, excluded.first_at)`;

/**
 * One removed view for each visitor and visit that still has other views. One is enough, because removing views never joins
 * visits. Citus needs the local table in a WITH.
 */
const TOUCHED = `
WITH gone AS MATERIALIZED ${removedFrom('page_view')}
SELECT min(row_id) AS pv_id, reader_id, min(at) AS at, session_id FROM gone g
 WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_id = g.reader_id)
    OR EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.session_id = g.session_id)
 GROUP BY reader_id, session_id`;

/**
 * Deletes the removed rows, and the values replaced in them, from the import records. The ids of removed
 * rows are reused, so an undo would otherwise remove unrelated rows.
 */
async function forgetImports(client: ClientBase, unused: UnusedValues, siteId: number): Promise<void> {
  const isGone = `r.site_id = $1 AND (r.table_name, r.row_id) IN (SELECT removed_from, row_id FROM ${REMOVED} g)`;
  await unused.noteReplaced(isGone, [siteId]);
  await client.query(`DELETE FROM analytics.import_record r WHERE ${isGone}`, [siteId]);
  await forgetNumbers(client, siteId);
}

const ID_FIELDS = ['pv_id', 'session_id', 'reader_id'] as const;

/** Deletes textual ids that no view and no waiting row has, and that no undo can restore. */
const forgetIds = (field: string): string => `WITH ${restorable(field)}
    DELETE FROM analytics.given_id g WHERE g.site_id = $1 AND g.kind = '${field}'
    AND g.id IN (${noted(field)})
    AND NOT EXISTS (SELECT FROM analytics.waiting_row w WHERE w.site_id = $1 AND w.row_id IS NULL AND w.${field} = g.id)
    AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.${field} = g.id)
    AND NOT EXISTS (SELECT FROM restorable r WHERE r.id = g.id)`;
