// Restores the values that an import replaced.
import type { ClientBase } from 'pg';
import { countNoted, note, noted } from '../change/noted';
import type { StagedViews } from '../change/staged-views';
import type { ViewFollowers } from '../import/page-view/follow-views';
import { FIRST_GENERATED_ID, givenVisit, loadIdCounters, NAMED_BY } from '../rows/generated-ids';
import type { ConversionUpdater } from '../storage/goals/conversions';
import { ANY_SITE } from '../storage/planner';
import { rowIdOf, type StoredMaterial, VIEWS } from '../storage/stored-materials';
import type { UnusedValues } from '../storage/unused-values';
import type { RestoredImport } from './removal-plan';

/** Everything that is recomputed when rows of a site are removed or changed. */
interface Following {
  readonly unused: UnusedValues;
  readonly conversions: ConversionUpdater;
  readonly views: StagedViews;
  readonly followers: ViewFollowers;
}

/** The kind under which the ids of the restored rows are noted. */
const RESTORED_ROW = 'restored_row';

/** SQL: the ids of the stored rows that import `$2` of site `$1` changed. */
export const changedRows = (material: StoredMaterial): string => `
SELECT r.row_id FROM analytics.import_record r
  JOIN analytics.${material.table} t ON t.site_id = $1 AND t.${rowIdOf(material)} = r.row_id
 WHERE r.site_id = $1 AND r.import_id = $2 AND r.kind = 'changed'`;

/** Restores the rows that still exist, and returns how many. */
export async function restoreRows(
  client: ClientBase,
  siteId: number,
  { importId, material }: RestoredImport,
  following: Following,
): Promise<number> {
  const { table, parent } = material;
  const number = rowIdOf(material);
  const isView = material.name === VIEWS;
  const count = await note(client, RESTORED_ROW, changedRows(material), [siteId, importId]);
  if (count === 0) return 0;
  await countNoted(client);
  const isRestored = `t.site_id = $1 AND t.${number} IN (${noted(RESTORED_ROW)})`;
  const restored = `(SELECT t.* FROM analytics.${table} t WHERE ${isRestored}) t`;
  await client.query(following.unused.noting(table, restored), [siteId]);
  if (isView) await collectViews(following);
  const sets = isView ? await viewSets(client, siteId) : NO_SETS;
  const { rows } = await client.query<{ field: string }>(
    'SELECT DISTINCT jsonb_object_keys(old) AS field FROM analytics.import_record WHERE site_id = $1 AND import_id = $2',
    [siteId, importId],
  );
  const assigned = rows.map(({ field }) => `${field} = ${sets.get(field) ?? `n.${field}`}`);
  await client.query(
    `WITH earlier AS MATERIALIZED (
       SELECT r.row_id, r.old, row_number() OVER (ORDER BY r.row_id) AS place
         FROM analytics.import_record r JOIN (${noted(RESTORED_ROW)}) n ON n.id = r.row_id WHERE r.site_id = $1 AND r.import_id = $2)
     UPDATE analytics.${table} t SET ${assigned.join(', ')}
       FROM earlier e JOIN analytics.${table} c ON c.site_id = ${ANY_SITE} AND c.${number} = e.row_id,
            LATERAL jsonb_populate_record(c, e.old) n
      WHERE t.site_id = ${ANY_SITE} AND t.${number} = e.row_id`,
    [siteId, importId],
  );
  if (isView) {
    await collectViews(following);
    await following.followers.collectMoved(noted(RESTORED_ROW));
  } else if (parent !== undefined)
    await following.conversions.addFound(
      `SELECT DISTINCT t.session_id FROM analytics.${table} t WHERE ${isRestored}`,
      [siteId],
    );
  return count;
}

/** Notes what depends on the current values of the views. */
async function collectViews({ views: touched, followers }: Following): Promise<void> {
  const views = `FROM (${noted(RESTORED_ROW)}) m JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = m.id`;
  await touched.touch(views);
  await followers.collect(views);
}

const NO_SETS: ReadonlyMap<string, string> = new Map();

// Generated ids may have been reused in the meantime. Any generated session will do, because sessions are derived again.
async function viewSets(client: ClientBase, siteId: number): Promise<ReadonlyMap<string, string>> {
  const counters = await loadIdCounters(client, siteId);
  const reader = counters.reader();
  return new Map([
    ['session_id', `coalesce(${givenVisit('n')}, ${FIRST_GENERATED_ID})`],
    [
      'reader_id',
      `CASE WHEN n.named_by <> ${NAMED_BY.nothing} THEN n.reader_id
            WHEN c.named_by = ${NAMED_BY.nothing} THEN c.reader_id ELSE ${reader} + e.place END`,
    ],
  ]);
}
