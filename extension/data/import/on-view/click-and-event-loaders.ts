// What is specific to clicks and to events among the rows that belong to a page view.
import { type LoaderContext, lastId } from '../loader-context';
import { observeNew } from './observe-parameters';
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

/** Opens the loader of events, whose names and parameters are recorded after all are written. */
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
      await observeNew(client, siteId, firstId);
    },
  });
};

/** Removes new dimension rows that only rows without a view refer to. */
const dropUnused = (dimension: 'selector' | 'event_name', table: 'click' | 'event'): string => `
DELETE FROM analytics.${dimension} d
 WHERE d.site_id = $1 AND d.${dimension}_id > $2
   AND NOT EXISTS (SELECT FROM analytics.${table} r WHERE r.site_id = $1 AND r.${dimension}_id = d.${dimension}_id)`;
