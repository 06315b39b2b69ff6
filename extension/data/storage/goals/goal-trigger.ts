// The SQL that finds the rows that trigger a goal. Strings from a goal are bound values, never part of the SQL.
import type { Bind } from '../bindings';
import { hostSpellings } from '../plain-text';
import { postgresPattern } from './goal-pattern';
import type { Goal } from './goal-schema';

/** The kinds of rows that can trigger a goal. */
export type TriggerKind = 'view' | 'click' | 'event';

const KINDS: Readonly<Record<Goal['type'], TriggerKind>> = {
  gtype_page: 'view',
  url_match: 'view',
  scroll_depth: 'view',
  gtype_click: 'click',
  click: 'click',
  gtype_event: 'event',
};

export const triggerKind = ({ type }: Goal): TriggerKind => KINDS[type];

/**
 * A query on site `$1` for the session_id, pv_id, at and order_no of the views that trigger a goal. A view may occur more than
 * once. `domain`: the site's domain.
 */
export function triggerQuery(goal: Goal, domain: string, bind: Bind): string {
  switch (goal.type) {
    case 'gtype_page':
      return viewsWhere(`page_id = ${pagesWhere(urlMatches(goal.condition, domain, bind))}`);
    case 'url_match':
      return viewsWhere(`page_id = ${pagesWhere(contains(goal.condition, bind))}`);
    case 'scroll_depth':
      return viewsWhere(`depth_position >= ${bind(Number(goal.condition))}::integer`);
    case 'click':
      return clicksWhere(domain, goal.condition, undefined, bind);
    case 'gtype_click':
      return clicksWhere(domain, goal.condition.selector, goal.condition.page, bind);
    case 'gtype_event': {
      const { event, ...parameters } = goal.condition;
      const conditions = Object.entries(parameters).map(
        ([name, value]) => ` AND params -> ${bind(name)}::text = ${bind(JSON.stringify(value))}::jsonb`,
      );
      return `SELECT ${OF_VIEW} FROM analytics.event
        WHERE site_id = $1 AND event_name_id = ANY(ARRAY(SELECT event_name_id FROM analytics.event_name
          WHERE site_id = $1 AND event_name = ${bind(event)}))${conditions.join('')}`;
    }
  }
}

/** A click or an event without a given pv_id belongs to the last view of a second; only earlier ones have an `order_no`. */
const OF_VIEW = 'session_id, pv_id, view_at AS at, pv_id AS order_no';

function viewsWhere(condition: string): string {
  return `SELECT session_id, pv_id, at, coalesce(order_no, pv_id) AS order_no FROM analytics.page_view WHERE site_id = $1 AND ${condition}`;
}

function clicksWhere(domain: string, selector: string, page: string | undefined, bind: Bind): string {
  const onPage = page === undefined ? '' : ` AND page_id = ${pagesWhere(isUrl(page, domain, bind))}`;
  return `SELECT ${OF_VIEW} FROM analytics.click
    WHERE site_id = $1 AND selector_id = ANY(ARRAY(SELECT selector_id FROM analytics.selector
      WHERE site_id = $1 AND selector = ${bind(selector)}))${onPage}`;
}

/** Selects pages first, since there are far fewer pages than views. */
function pagesWhere(condition: string): string {
  return `ANY(ARRAY(SELECT page_id FROM analytics.page WHERE site_id = $1 AND ${condition}))`;
}

type PageCondition = Extract<Goal, { type: 'gtype_page' }>['condition'];

function urlMatches({ url, match }: PageCondition, domain: string, bind: Bind): string {
  switch (match) {
    case 'exact':
      return isUrl(url, domain, bind);
    case 'prefix': {
      const starts = wholeUrls(url, domain).map((one) => `starts_with(url, ${bind(one)})`);
      return `(${starts.join(' OR ')})`;
    }
    case 'contains':
      return contains(url, bind);
    case 'regex':
      return `url COLLATE "C" ~ ${bind(postgresPattern(url))}`;
  }
}

const contains = (text: string, bind: Bind): string => `strpos(url, ${bind(text)}) > 0`;

const isPath = (url: string): boolean => url.startsWith('/');

const ORIGINS = ['https://', 'https://www.', 'http://', 'http://www.'];

/**
 * The URL itself and, for a path, also the URLs on the site's domain with and without `www.`. Browsers send hosts in punycode.
 */
function wholeUrls(url: string, domain: string): readonly string[] {
  if (isPath(url)) {
    const hosts = hostSpellings(domain.replace(/^www\./i, ''));
    return [url, ...hosts.flatMap((host) => ORIGINS.map((origin) => `${origin}${host}${url}`))];
  }
  const [, origin, host, path = ''] = /^(https?:\/\/)([^/?#:]+)(.*)$/is.exec(url) ?? [];
  if (origin === undefined || host === undefined) return [url];
  return [...new Set([url, ...hostSpellings(host).map((one) => `${origin}${one}${path}`)])];
}

/** Ignores a single trailing slash in either URL. */
function isUrl(url: string, domain: string, bind: Bind): string {
  const bare = url.replace(/\/$/, '');
  const same = bare.endsWith('/') || bare === '' ? [`${bare}/`] : [bare, `${bare}/`];
  return `url IN (${same
    .flatMap((one) => wholeUrls(one, domain))
    .map(bind)
    .join(', ')})`;
}
