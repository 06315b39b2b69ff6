// What triggers a goal, as SQL. The texts of a goal are bound values, never part of the SQL.
import { postgresPattern } from './goal-pattern';
import type { Goal } from './goal-schema';

/** The kinds of rows that can trigger a goal. */
export type TriggerKind = 'view' | 'click' | 'event';

/** Binds a value to the statement, and gives its placeholder. */
export type Bind = (value: unknown) => string;

/** The kind of rows that triggers this goal. */
export function triggerKind(goal: Goal): TriggerKind {
  switch (goal.type) {
    case 'gtype_page':
    case 'url_match':
    case 'scroll_depth':
      return 'view';
    case 'gtype_click':
    case 'click':
      return 'click';
    case 'gtype_event':
      return 'event';
  }
}

/** A query of the views that trigger a goal: session_id, pv_id and at. A view may occur more than once. */
export function triggerQuery(goal: Goal, site: string, bind: Bind): string {
  switch (goal.type) {
    case 'gtype_page':
      return viewsWhere(site, `page_id = ${pagesWhere(site, urlMatches(goal.condition, bind))}`);
    case 'url_match':
      return viewsWhere(site, `page_id = ${pagesWhere(site, contains(goal.condition, bind))}`);
    case 'scroll_depth':
      return viewsWhere(site, `depth_position >= ${bind(Number(goal.condition))}::integer`);
    case 'click':
      return clicksWhere(site, goal.condition, undefined, bind);
    case 'gtype_click':
      return clicksWhere(site, goal.condition.selector, goal.condition.page, bind);
    case 'gtype_event': {
      const { event, ...parameters } = goal.condition;
      const conditions = Object.entries(parameters).map(
        ([name, value]) => ` AND params -> ${bind(name)}::text = ${bind(JSON.stringify(value))}::jsonb`,
      );
      return `SELECT session_id, pv_id, view_at AS at FROM analytics.event
        WHERE site_id = ${site} AND event_name_id = ANY(ARRAY(SELECT event_name_id FROM analytics.event_name
          WHERE site_id = ${site} AND event_name = ${bind(event)}))${conditions.join('')}`;
    }
  }
}

function viewsWhere(site: string, condition: string): string {
  return `SELECT session_id, pv_id, at FROM analytics.page_view WHERE site_id = ${site} AND ${condition}`;
}

function clicksWhere(site: string, selector: string, page: string | undefined, bind: Bind): string {
  const onPage = page === undefined ? '' : ` AND page_id = ${pagesWhere(site, isUrl(page, bind))}`;
  return `SELECT session_id, pv_id, view_at AS at FROM analytics.click
    WHERE site_id = ${site} AND selector_id = ANY(ARRAY(SELECT selector_id FROM analytics.selector
      WHERE site_id = ${site} AND selector = ${bind(selector)}))${onPage}`;
}

/** Finds the pages first, because there are far fewer pages than views. */
function pagesWhere(site: string, condition: string): string {
  return `ANY(ARRAY(SELECT page_id FROM analytics.page WHERE site_id = ${site} AND ${condition}))`;
}

type PageCondition = Extract<Goal, { type: 'gtype_page' }>['condition'];

function urlMatches({ url, match }: PageCondition, bind: Bind): string {
  switch (match) {
    case 'exact':
      return isUrl(url, bind);
    case 'prefix':
      return `starts_with(url, ${bind(url)})`;
    case 'contains':
      return contains(url, bind);
    case 'regex':
      return `url COLLATE "C" ~ ${bind(postgresPattern(url))}`;
  }
}

const contains = (text: string, bind: Bind): string => `strpos(url, ${bind(text)}) > 0`;

/** Ignores one slash at the end, on either side. */
function isUrl(url: string, bind: Bind): string {
  const bare = url.replace(/\/$/, '');
  const same = bare.endsWith('/') ? [`${bare}/`] : [bare, `${bare}/`];
  return `url = ANY(${bind(same)}::text[])`;
}
