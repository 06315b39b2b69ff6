// Owns the schema of events: analytics.event_name.observed, which parameters were seen and of what type.
// New events in -> their parameters added. A number only as long as every value seen is a JSON number; null is no value;
// once a string, always a string. Parameters of any name are kept: who reads them chooses.
import type { ClientBase } from 'pg';

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
