// Owns what is particular about clicks on their way in: they happened so many seconds after their page view began.

import type { ClientBase } from 'pg';
import type { MaterialLoader, OpenLoader, RoadParts } from '../loader';
import { viewRowLoader } from './view-row-loader';

const COMPUTED_OF_CLICKS: ReadonlySet<string> = new Set([
  'at',
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'click_id',
  'fingerprint',
]);
/** A plain click. */
const DEFAULTS: ReadonlyMap<string, number> = new Map([['action_id', 1]]);

/** Opens the loader of clicks for one import. */
export const openClickLoader: OpenLoader = (parts) =>
  viewRowLoader(parts, {
    table: 'click',
    tables: ['click', 'selector', 'conversion'],
    idColumn: 'click_id',
    computed: COMPUTED_OF_CLICKS,
    defaults: DEFAULTS,
    timeOf: (viewAt, field) => viewAt + field('event_sec'),
  });

const COMPUTED_OF_EVENTS: ReadonlySet<string> = new Set([
  'view_at',
  'session_id',
  'page_id',
  'site_id',
  'event_id',
  'fingerprint',
]);

/** Opens the loader of events for one import. */
export const openEventLoader: OpenLoader = async (parts): Promise<MaterialLoader> => {
  const lastName = await lastNameId(parts);
  return viewRowLoader(parts, {
    table: 'event',
    tables: ['event', 'event_name', 'conversion'],
    idColumn: 'event_id',
    computed: COMPUTED_OF_EVENTS,
    defaults: new Map(),
    timeOf: (_viewAt, field) => field('at'),
    async finish(firstId) {
      await parts.client.query(FORGET_UNUSED, [parts.siteId, lastName]);
      await observeParameters(parts.client, parts.siteId, firstId);
    },
  });
};

async function lastNameId({ client, siteId }: RoadParts): Promise<number> {
  const answer = await client.query<{ last: number }>(
    'SELECT coalesce(max(event_name_id), 0) AS last FROM analytics.event_name WHERE site_id = $1',
    [siteId],
  );
  return answer.rows[0]?.last ?? 0;
}

/** The names that only rows without a page view had. */
const FORGET_UNUSED = `
DELETE FROM analytics.event_name n
 WHERE n.site_id = $1 AND n.event_name_id > $2
   AND NOT EXISTS (SELECT FROM analytics.event e WHERE e.site_id = $1 AND e.event_name_id = n.event_name_id)`;

/** Takes note of the parameters of the events with this id and later ones. */
export async function observeParameters(client: ClientBase, siteId: number, firstId: number): Promise<void> {
  await client.query(OBSERVE, [siteId, firstId]);
}

const OBSERVE = `
WITH seen AS (
  SELECT e.event_name_id, p.key, bool_and(jsonb_typeof(p.value) = 'number') AS is_number
    FROM analytics.event e CROSS JOIN LATERAL jsonb_each(e.params) p
   WHERE e.site_id = $1 AND e.event_id >= $2 AND jsonb_typeof(p.value) <> 'null'
   GROUP BY e.event_name_id, p.key
), merged AS (
  SELECT s.event_name_id,
         jsonb_object_agg(s.key, CASE WHEN s.is_number AND coalesce(n.observed ->> s.key, 'number') = 'number'
                                      THEN 'number' ELSE 'string' END) AS observed
    FROM seen s JOIN analytics.event_name n ON n.site_id = $1 AND n.event_name_id = s.event_name_id
   GROUP BY s.event_name_id
)
UPDATE analytics.event_name n SET observed = n.observed || m.observed
  FROM merged m
 WHERE n.site_id = $1 AND n.event_name_id = m.event_name_id AND n.observed IS DISTINCT FROM n.observed || m.observed`;
