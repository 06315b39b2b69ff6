// What is particular about clicks and about events among the rows that belong to a page view.
import { type LoaderContext, lastId } from '../loader-context';
import { type ViewRowLoader, viewRowLoader } from './view-row-loader';

type OpenViewRows = (context: LoaderContext) => Promise<ViewRowLoader>;

const PLAIN_CLICK = 1;

/** Opens the loader of clicks, whose time counts from the start of their page view. */
export const openClickLoader: OpenViewRows = async (context) => {
  const { client, siteId } = context;
  const lastSelector = await lastId(context, 'selector', 'selector_id');
  return viewRowLoader(context, {
    table: 'click',
    rowId: 'click_id',
    tables: ['click', 'selector', 'conversion'],
    fallbacks: new Map([['action_id', PLAIN_CLICK]]),
    secondsField: 'event_sec',
    identity: ['event_sec', 'selector_id', 'action_id', 'page_x_pct', 'page_y_pct'],
    identityWords: 'page view, time, selector, action and place',
    async finish(_firstId, hasOthers) {
      if (hasOthers) await client.query(dropUnused('selector', 'click'), [siteId, lastSelector]);
    },
  });
};

/** Opens the loader of events, whose names and parameters are recorded when all are written. */
export const openEventLoader: OpenViewRows = async (context) => {
  const { client, siteId } = context;
  const lastName = await lastId(context, 'event_name', 'event_name_id');
  return viewRowLoader(context, {
    table: 'event',
    rowId: 'event_id',
    tables: ['event', 'event_name', 'conversion'],
    identity: ['event_name_id', 'params'],
    identityWords: 'page view, time, event_name and params',
    async finish(firstId, hasOthers) {
      if (hasOthers) await client.query(dropUnused('event_name', 'event'), [siteId, lastName]);
      await client.query(OBSERVE_PARAMETERS, [siteId, firstId]);
    },
  });
};

/** Removes new dimension rows that only rows without a view refer to. */
const dropUnused = (dimension: 'selector' | 'event_name', table: 'click' | 'event'): string => `
DELETE FROM analytics.${dimension} d
 WHERE d.site_id = $1 AND d.${dimension}_id > $2
   AND NOT EXISTS (SELECT FROM analytics.${table} r WHERE r.site_id = $1 AND r.${dimension}_id = d.${dimension}_id)`;

/**
 * Adds the parameters of new events to event_name.observed. A parameter is a number as long as every value seen is a JSON
 * number, and a string for ever after; null is no value.
 */
const OBSERVE_PARAMETERS = `
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
