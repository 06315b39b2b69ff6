// The columns of a page view. Each is looked up separately in the tables.

import { channelOf } from '../channels';
import { localText, mondayOf, weekday } from '../local-clock';
import type { PageView, Tables, Value } from '../tables';
import { hostOf, urlParts } from '../url-parts';

type Values = Readonly<Record<string, Value>>;

/** Page types, in the order of their bits in page_type. */
const PAGE_KINDS = [
  'article',
  'product',
  'list',
  'form',
  'trust_info',
  'faq',
  'landing',
  'search',
  'account',
  'cart',
  'checkout',
  'confirm',
  'thanks',
  'top_page',
  'event',
  'recipe',
  'job',
  'video',
  'howto',
  'qa_forum',
];

export const DEVICES = ['PC', 'tablet', 'SP'];

/** The parts of an instant in local time. */
export function timeParts(at: number, tz: string): Values {
  const local = localText(at, tz);
  return {
    access_time: at,
    access_date: local.slice(0, 10),
    access_week: mondayOf(local),
    access_month: local.slice(0, 7),
    access_hour: Number(local.slice(11, 13)),
    access_weekday: weekday(local),
  };
}

/** The columns of a page. All are null if the site has no page with this id. */
export function pageOf(tables: Tables, site: number, pageId: number) {
  const page = tables.page.find((it) => it.site_id === site && it.page_id === pageId);
  return page ?? { url: null, title: null, page_type: null, page_fetch_status: null };
}

const cache = new WeakMap<PageView, Map<string, Values>>();

/** All columns of allpv, cached for each time zone. */
export function viewValues(view: PageView, tables: Tables, tz: string): Values {
  const byZone = cache.get(view) ?? new Map<string, Values>();
  cache.set(view, byZone);
  const values = byZone.get(tz) ?? lookUp(view, tables, tz);
  byZone.set(tz, values);
  return values;
}

function lookUp(view: PageView, tables: Tables, tz: string): Values {
  const { site_id: site, os_id, browser_id, language_id, country_id } = view;
  const page = pageOf(tables, site, view.page_id);
  const before = pageOf(tables, site, view.prev_page_id);
  const after = pageOf(tables, site, view.next_page_id);
  const source = tables.source.find((it) => it.site_id === site && it.source_id === view.source_id);
  const medium = tables.medium.find((it) => it.site_id === site && it.medium_id === view.medium_id);
  const campaign = tables.campaign.find((it) => it.site_id === site && it.campaign_id === view.campaign_id);
  const content = tables.content.find((it) => it.site_id === site && it.content_id === view.content_id);
  const location = tables.location.find((it) => it.site_id === site && it.location_id === view.location_id);
  const reader = tables.reader.find((it) => it.site_id === site && it.reader_id === view.reader_id);
  const os = tables.os.find((it) => it.os_id === os_id)?.os ?? null;
  const browser = tables.browser.find((it) => it.browser_id === browser_id)?.browser ?? null;
  const { is_last, is_newuser, deep_read, is_submit, at, ...stored } = view;
  return {
    ...stored,
    ...timeParts(at, tz),
    is_last: Number(is_last),
    is_newuser: Number(is_newuser),
    deep_read: Number(deep_read),
    is_submit: Number(is_submit),
    url: page.url,
    ...urlParts(page.url),
    title: page.title,
    page_type: page.page_type,
    page_fetch_status: page.page_fetch_status,
    ...pageKinds(page.page_type),
    prev_url: before.url,
    prev_title: before.title,
    next_url: after.url,
    next_title: after.title,
    source_domain: source?.source_domain ?? null,
    referrer: source?.referrer ?? null,
    referrer_host: hostOf(source?.referrer ?? null),
    utm_source: source?.utm_source ?? null,
    utm_term: source?.utm_term ?? null,
    click_id_name: source?.click_id_name ?? null,
    utm_medium: medium?.utm_medium ?? null,
    channel: channelOf(
      {
        source: source?.utm_source ?? source?.source_domain ?? null,
        medium: medium?.utm_medium ?? null,
        click_id: source?.click_id_name ?? null,
      },
      tables.channel_rules.find((it) => it.site_id === site)?.rules,
    ),
    utm_campaign: campaign?.utm_campaign ?? null,
    utm_content: content?.utm_content ?? null,
    device_type: view.device_id === null ? null : (DEVICES[view.device_id - 1] ?? null),
    os,
    browser,
    language: tables.language.find((it) => it.language_id === language_id)?.language ?? null,
    region: location?.region ?? null,
    city: location?.city ?? null,
    country_code: tables.country.find((it) => it.country_id === country_id)?.country_code ?? null,
    ua: os === null || browser === null ? null : `${os} ${browser}`,
    original_id: reader?.original_id ?? null,
    ...goalFlags(view, tables),
  };
}

const pageKinds = (pageType: number | null): Values =>
  Object.fromEntries(
    PAGE_KINDS.map((kind, bit) => [
      `is_${kind}`,
      pageType === null ? null : Math.floor(pageType / 2 ** bit) % 2,
    ]),
  );

/** For each goal: 1 if the view's session converted on it at any time, otherwise 0. */
function goalFlags(view: PageView, { conversion }: Tables): Values {
  const reached = conversion.filter((it) => it.site_id === view.site_id && it.session_id === view.session_id);
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => index + 1).map((number) => [
      `is_goal_${number}`,
      Number(reached.some((it) => it.goal_no === number)),
    ]),
  );
}
