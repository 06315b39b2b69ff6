// Records the types of event parameters in event_name.observed: `number` as long as every value is a JSON number, and `string`
// otherwise. Nulls are ignored.
import type { ClientBase } from 'pg';
import { noted } from '../../change/noted';

/** The kind under which names to observe again are noted. */
export const EVENT_NAME = 'event_name';

/** Adds the parameters of the events with ids above `lastId`. */
export const observeNew = (client: ClientBase, siteId: number, lastId: number): Promise<unknown> =>
  client.query(observe('e.event_id > $2', 'n.observed'), [siteId, lastId]);

/** Recomputes the parameters of the noted names from their remaining events. */
export const observeAgain = (client: ClientBase, siteId: number): Promise<unknown> =>
  client.query(
    `${observe(`e.event_name_id IN (${noted(EVENT_NAME)})`, `'{}'::jsonb`)} AND n.event_name_id IN (${noted(EVENT_NAME)})`,
    [siteId],
  );

/** `before`: SQL for what is already known about the name `n`, apart from the events `e`. */
const observe = (isSeen: string, before: string): string => `
WITH seen AS (
  SELECT e.event_name_id, p.key, bool_and(jsonb_typeof(p.value) = 'number') AS is_number
    FROM analytics.event e CROSS JOIN LATERAL jsonb_each(e.params) p
   WHERE e.site_id = $1 AND ${isSeen} AND jsonb_typeof(p.value) <> 'null'
   GROUP BY e.event_name_id, p.key
), observed AS (
  SELECT n.event_name_id,
         ${before} || coalesce(jsonb_object_agg(s.key, CASE WHEN s.is_number AND coalesce(${before} ->> s.key, 'number') = 'number'
                                                            THEN 'number' ELSE 'string' END) FILTER (WHERE s.key IS NOT NULL), '{}') AS observed
    FROM analytics.event_name n LEFT JOIN seen s USING (event_name_id) WHERE n.site_id = $1 GROUP BY n.event_name_id, n.observed
)
UPDATE analytics.event_name n SET observed = o.observed FROM observed o
 WHERE n.site_id = $1 AND n.event_name_id = o.event_name_id AND n.observed IS DISTINCT FROM o.observed`;
