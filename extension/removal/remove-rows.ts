// Removes rows in one transaction, so that the site is as if they had never come: sessions, conversions and observed events of
// the rows that stay are computed again, and texts that only the removed rows had go with them.
import type { ClientBase } from 'pg';
import type { Manifest } from '../../manifests/reader/manifest';
import { viewFollowers } from '../import/page-view/follow-views';
import { sessionRepair } from '../import/page-view/repair-sessions';
import { conversionUpdater } from '../storage/goals/conversions';
import type { Bind, RemovalPlan, RemovedRows } from './removal-plan';
import { VIEWS } from './removal-plan';
import { dropUnusedValues, findReferences, noteValues } from './unused-values';

/** Material -> how many rows; those without any are left out. */
export type RowsByMaterial = Readonly<Record<string, number>>;

const CREATE_TABLES = `
CREATE TEMPORARY TABLE gone_view (pv_id bigint PRIMARY KEY, session_id bigint NOT NULL, reader_id bigint NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE gone_session (session_id bigint PRIMARY KEY) ON COMMIT DROP`;

/** Removes the rows. The caller holds the lock of the site, and the transaction removes nothing else. */
export async function removeRows(
  client: ClientBase,
  manifest: Manifest,
  siteId: number,
  plan: RemovalPlan,
): Promise<RowsByMaterial> {
  await client.query(CREATE_TABLES);
  const references = await findReferences(client);
  const conversions = await conversionUpdater(client, siteId, ['view', 'click', 'event']);
  const repair = sessionRepair(client, siteId, conversions);
  const followers = viewFollowers(client, siteId, conversions);
  const removed: Record<string, number> = {};
  for (const part of plan.parts) {
    const { text, values } = conditionOf(part, siteId);
    await noteValues(client, references, part.table, text, values);
    if (part.material === VIEWS) {
      await noteViews(client, text, values);
      await followers.collect(
        `SELECT v.page_id, v.reader_id FROM gone_view g JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = g.pv_id`,
      );
    } else if (manifest.materials.get(part.material)?.parent !== undefined)
      await client.query(
        `INSERT INTO gone_session SELECT DISTINCT t.session_id FROM analytics.${part.table} t WHERE ${text} ON CONFLICT DO NOTHING`,
        values,
      );
    const { rowCount } = await client.query(`DELETE FROM analytics.${part.table} t WHERE ${text}`, values);
    if (rowCount !== null && rowCount > 0) removed[part.material] = rowCount;
  }
  await conversions.addFound('SELECT session_id FROM gone_session', []);
  if (plan.cutsSessions)
    await repair.collect(await staleReaders(client, siteId), await staleSessions(client, siteId));
  await repair.run();
  await followers.run();
  for (const statement of FORGET) await client.query(statement, [siteId]);
  await conversions.update();
  await client.query(OBSERVE_AGAIN, [siteId]);
  await dropUnusedValues(client, references, siteId);
  return removed;
}

/** How many rows `removeRows` would remove. */
export async function countRows(
  client: ClientBase,
  _manifest: Manifest,
  siteId: number,
  { parts }: RemovalPlan,
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
  return counted;
}

function conditionOf({ where }: RemovedRows, siteId: number): { text: string; values: unknown[] } {
  const values: unknown[] = [siteId];
  const bind: Bind = (value) => `$${values.push(value)}`;
  return { text: `t.site_id = $1 AND (${where(bind)})`, values };
}

async function noteViews(client: ClientBase, condition: string, values: unknown[]): Promise<void> {
  await client.query(
    `INSERT INTO gone_view SELECT t.pv_id, t.session_id, t.reader_id FROM analytics.page_view t WHERE ${condition}`,
    values,
  );
  await client.query(
    'INSERT INTO gone_session SELECT DISTINCT session_id FROM gone_view ON CONFLICT DO NOTHING',
  );
  await client.query('ANALYZE gone_view');
}

const staleReaders = (client: ClientBase, siteId: number) => staleKeys(client, siteId, 'reader_id');
const staleSessions = (client: ClientBase, siteId: number) => staleKeys(client, siteId, 'session_id');

/** The visitors or sessions that lost a view and have others. */
async function staleKeys(
  client: ClientBase,
  siteId: number,
  key: 'reader_id' | 'session_id',
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<[number]>({
    rowMode: 'array',
    text: `SELECT g.key::float8 FROM (SELECT DISTINCT ${key} AS key FROM gone_view) g
            WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.${key} = g.key)`,
    values: [siteId],
  });
  return new Set(rows.map(([found]) => found));
}

const IS_USED = (field: string): string =>
  `EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.${field} = g.id)`;

/** What only the importer keeps of the removed views: ids and names as files gave them, and values before a correction. */
const FORGET: readonly string[] = [
  ...['pv_id', 'session_id', 'reader_id'].map(
    (field) => `DELETE FROM analytics.given_id g WHERE g.site_id = $1 AND g.kind = '${field}'
      AND g.id IN (SELECT ${field} FROM gone_view) AND NOT ${IS_USED(field)}`,
  ),
  `DELETE FROM analytics.reader_state s WHERE s.site_id = $1
     AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.reader_state_id = s.reader_state_id)`,
  `DELETE FROM analytics.page_state s WHERE s.site_id = $1
     AND NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = $1 AND v.page_state_id = s.page_state_id)`,
  `DELETE FROM analytics.import_replaced r USING analytics.import_run i, gone_view g
    WHERE i.import_id = r.import_id AND i.site_id = $1 AND r.table_name = 'page_view' AND r.row_id = g.pv_id`,
];

/** A parameter is a number if every value that is left is one. */
const OBSERVE_AGAIN = `
WITH seen AS (
  SELECT e.event_name_id, p.key, bool_and(jsonb_typeof(p.value) = 'number') AS is_number
    FROM gone_value g JOIN analytics.event e ON e.site_id = $1 AND e.event_name_id = g.id
         CROSS JOIN LATERAL jsonb_each(e.params) p
   WHERE g.dimension = 'event_name' AND jsonb_typeof(p.value) <> 'null'
   GROUP BY e.event_name_id, p.key
), observed AS (
  SELECT g.id, coalesce(jsonb_object_agg(s.key, CASE WHEN s.is_number THEN 'number' ELSE 'string' END)
                        FILTER (WHERE s.key IS NOT NULL), '{}') AS observed
    FROM gone_value g LEFT JOIN seen s ON s.event_name_id = g.id WHERE g.dimension = 'event_name' GROUP BY g.id
)
UPDATE analytics.event_name n SET observed = o.observed FROM observed o
 WHERE n.site_id = $1 AND n.event_name_id = o.id AND n.observed IS DISTINCT FROM o.observed`;
