// Random data for three sites whose ids collide: the same numbers identify different pages, visits and visitors on each site.

import { conversionsOf } from '../reading/materials/conversions';
import type { EventName, Goal, LayerEvent, Page, Tables } from '../reading/tables';
import { CHANGES, CLICK_IDS, MEDIA, SOURCE_DOMAINS, SOURCE_NAMES, TEXTS, URLS } from './awkward-values';
import { type Dice, newDice } from './dice';
import { randomClicks, randomEvents, randomViews } from './random-visits';

const SITES = [
  { site_id: 1, tracking_id: 's1', timezone: 'Europe/Berlin', sessions: 16, clicks: 24, events: 30 },
  { site_id: 2, tracking_id: 'S-2', timezone: 'America/Havana', sessions: 10, clicks: 16, events: 20 },
  { site_id: 3, tracking_id: '_3', timezone: 'UTC', sessions: 3, clicks: 3, events: 4 },
];

/** The last site has the default rules. */
const CHANNEL_RULES = [
  {
    site_id: 1,
    rules: {
      lists: { partners: ['Example.com', 'google.de'], paid: ['new'] },
      rules: [
        { channel: "'--$1", source: ['@partners'], medium: [null, '@paid', 'x*'] },
        { channel: 'Email', source: [null], click_id: ['gclid', 'Mc_Cid'] },
      ],
    },
  },
  {
    site_id: 2,
    rules: { defaults: false, otherwise: 'é', rules: [{ channel: 'Direct', source: ['*e*', null] }] },
  },
];

const PAGE_IDS = [1, 2, 3, 4, 5, 6, 7, 2_147_483_647];
const EVENT_NAMES = ['purchase', 'Purchase', 'view_item', 'gtm.js', 'a:b/c'];
const QUERY_IDS = [1, 2, 3, 2_147_483_647];
const VERSION_IDS = [1, 2, 3, 4, 3_000_000_000];
/** A version that has no row. */
const MISSING_VERSION = 99;

const numbered = <Id extends string, Text extends string>(
  site_id: number,
  id: Id,
  text: Text,
  texts: readonly string[],
) =>
  texts.map(
    (value, index) =>
      ({ site_id, [id]: index + 1, [text]: value }) as { site_id: number } & Record<Id, number> &
        Record<Text, string>,
  );

export function randomData(seed: number): Tables {
  const dice = newDice(seed);
  const changes = dice.shuffled(CHANGES).slice(0, 3);
  const shared = {
    os: ['Windows', 'iOS', ''].map((os, index) => ({ os_id: index + 1, os })),
    browser: ['Edge', 'edge'].map((browser, index) => ({ browser_id: index + 1, browser })),
    language: ['ja', 'en-US'].map((language, index) => ({ language_id: index + 1, language })),
    country: ['JP', 'DE', 'CU'].map((country_code, index) => ({ country_id: index + 1, country_code })),
  };
  const parts = SITES.map((site) => randomSite(dice, site, changes, shared));
  const gather = <T>(rowsOf: (part: (typeof parts)[number]) => readonly T[]): readonly T[] =>
    parts.flatMap(rowsOf);
  const measured = {
    ...shared,
    site: SITES.map(({ site_id, tracking_id, timezone }) => ({ site_id, tracking_id, timezone })),
    channel_rules: CHANNEL_RULES,
    page: gather((it) => it.page),
    source: gather((it) => it.source),
    medium: gather((it) => it.medium),
    campaign: gather((it) => it.campaign),
    content: gather((it) => it.content),
    location: gather((it) => it.location),
    selector: gather((it) => it.selector),
    keyword: gather((it) => it.keyword),
    reader: gather((it) => it.reader),
    event_name: gather((it) => it.event_name),
    page_view: gather((it) => it.page_view),
    click: gather((it) => it.click),
    event: gather((it) => it.event),
    search_day: gather((it) => it.search_day),
    page_version: gather((it) => it.page_version),
    goal: gather((it) => it.goal),
    ga4_age_gender: gather((it) => it.ga4_age_gender),
    ga4_country: gather((it) => it.ga4_country),
    ga4_region: gather((it) => it.ga4_region),
  };
  return { ...measured, conversion: conversionsOf(measured) };
}

function randomSite(
  dice: Dice,
  { site_id, sessions, clicks, events }: (typeof SITES)[number],
  changes: readonly number[],
  shared: Pick<Tables, 'os' | 'browser' | 'language' | 'country'>,
) {
  const texts = (count: number): readonly string[] => dice.shuffled(TEXTS).slice(0, count);
  const page = randomPages(dice, site_id);
  const source = Array.from({ length: 5 }, (_, index) => ({
    site_id,
    source_id: index + 1,
    referrer: dice.maybe(['https://example.com/', 'android-app://com.example', '']),
    source_domain: dice.maybe(SOURCE_DOMAINS),
    utm_source: dice.maybe(dice.pick([SOURCE_NAMES, TEXTS.slice(0, 4)])),
    // No two sources have the same strings.
    utm_term: index === 0 ? null : (TEXTS[index] ?? ''),
    click_id_name: dice.maybe(CLICK_IDS),
  }));
  const medium = numbered(site_id, 'medium_id', 'utm_medium', [
    ...texts(2),
    ...dice.shuffled(MEDIA.filter((one) => !TEXTS.includes(one))).slice(0, 3),
  ]);
  const campaign = numbered(site_id, 'campaign_id', 'utm_campaign', texts(2));
  const content = numbered(site_id, 'content_id', 'utm_content', texts(3));
  const selector = numbered(site_id, 'selector_id', 'selector', ['a.buy', 'div > "x"', ...texts(2)]);
  const keyword = dice
    .shuffled(TEXTS)
    .slice(0, QUERY_IDS.length)
    .map((text, index) => ({ site_id, query_id: QUERY_IDS[index] ?? 0, keyword: text }));
  const reader = [1, 2_147_483_648].map((reader_id) => ({
    site_id,
    reader_id,
    original_id: dice.pick(TEXTS),
  }));
  const names = EVENT_NAMES.slice(0, site_id === 3 ? 1 : site_id === 2 ? 4 : 5).map((event_name, index) => ({
    site_id,
    event_name,
    event_name_id: index + 1,
  }));
  // Two of the site's pages have no views and occur only in other materials.
  const base = {
    site_id,
    changes,
    pageIds: PAGE_IDS.slice(2),
    versionIds: [...VERSION_IDS, MISSING_VERSION],
    isSessionConstant: site_id === 2,
    tables: { ...shared, source, medium, campaign, content },
  };
  const page_view = randomViews(dice, base, sessions);
  const event = randomEvents(dice, page_view, names, events);
  return {
    location: [
      { site_id, location_id: 1, region: 'Bavaria', city: 'Munich' },
      { site_id, location_id: 2, region: 'Bavaria', city: null },
    ],
    page,
    source,
    medium,
    campaign,
    content,
    selector,
    keyword,
    reader,
    page_view,
    event,
    event_name: names.map((name) => ({ ...name, observed: observedIn(event, name.event_name_id) })),
    click: randomClicks(dice, page_view, [1, 2, 3, 4], clicks),
    goal: randomGoals(dice, site_id),
    ...randomDays(dice, site_id, changes),
  };
}

/** Every page has a different URL. Titles may be shared, missing or empty. */
function randomPages(dice: Dice, site_id: number): readonly Page[] {
  const urls = dice.shuffled(URLS);
  return PAGE_IDS.map((page_id, index) => ({
    site_id,
    page_id,
    url: urls[index] ?? '',
    title: dice.maybe(['Same', '', 'É🙂']),
    page_type: dice.maybe([0, 1, 2 ** 19 + 2, 2 ** 20 - 1]),
    page_fetch_status: dice.maybe([1, -1]),
  }));
}

/** The type of each parameter that can be a column. A parameter is a number if all its values are numbers. */
function observedIn(events: readonly LayerEvent[], nameId: number): EventName['observed'] {
  const seen = events
    .filter((event) => event.event_name_id === nameId)
    .flatMap(({ params }) => Object.entries(params))
    .filter(([name, value]) => /^[A-Za-z0-9_]+$/.test(name) && name !== 'page_id' && value !== null);
  return Object.fromEntries(
    seen.map(([name]) => {
      const isNumber = seen.every(([other, value]) => other !== name || typeof value === 'number');
      return [name, isNumber ? 'number' : 'string'];
    }),
  );
}

const GOALS: readonly Pick<Goal, 'type' | 'condition'>[] = [
  { type: 'gtype_page', condition: { url: '/a', match: 'exact' } },
  { type: 'gtype_page', condition: { url: '/a', match: 'prefix' } },
  { type: 'gtype_page', condition: { url: '%', match: 'contains' } },
  { type: 'gtype_page', condition: { url: '^/[aA]', match: 'regex' } },
  { type: 'gtype_click', condition: { selector: 'a.buy' } },
  { type: 'gtype_event', condition: { event: 'purchase' } },
  { type: 'url_match', condition: '/' },
  { type: 'click', condition: 'div > "x"' },
  { type: 'scroll_depth', condition: '50' },
];

/** The last site has no goals. */
function randomGoals(dice: Dice, site_id: number): readonly Goal[] {
  const numbers = site_id === 1 ? [1, 2, 10] : site_id === 2 ? [2] : [];
  return numbers.map((goal_no) => ({ site_id, goal_no, name: `Goal ${goal_no}`, ...dice.pick(GOALS) }));
}

const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

function randomDays(dice: Dice, site_id: number, changes: readonly number[]) {
  const days = changes.flatMap((at) => [-1, 0, 1].map((distance) => dayOf(at + distance * 86_400)));
  const months = [...new Set(['2026-01', '2026-11', ...days.map((day) => day.slice(0, 7))])].map(
    (month) => `${month}-01`,
  );
  const keys = days.flatMap((day) =>
    PAGE_IDS.slice(0, 5).flatMap((page_id) => QUERY_IDS.map((query_id) => ({ day, page_id, query_id }))),
  );
  const versions = PAGE_IDS.slice(1, 6).flatMap((page_id) =>
    [1, 3].map((device_id) => ({ page_id, device_id })),
  );
  const counts = () => ({ site_id, sessions: dice.below(5), active_users: dice.below(3) });
  return {
    search_day: dice
      .shuffled(keys)
      .slice(0, 30)
      .map((key) => ({
        ...key,
        site_id,
        search_type: 1 + dice.below(3),
        clicks: dice.below(4),
        impressions: dice.pick([0, 1, 3, 7, 8, 6000]),
        position_x100: dice.pick([0, 33, 100, 150, 1234]),
      })),
    page_version: dice
      .shuffled(versions)
      .slice(0, VERSION_IDS.length)
      .map((version, index) => ({
        ...version,
        site_id,
        version_id: VERSION_IDS[index] ?? 0,
        version_no: 1 + dice.below(3),
        update_date: dice.pick(days),
      })),
    ga4_age_gender: months.flatMap((month) =>
      [0, 3, 6].map((age) => ({ ...counts(), month, age, gender: dice.below(3) })),
    ),
    ga4_country: months.flatMap((month) =>
      ['JP', 'DE'].map((country_code) => ({ ...counts(), month, country_code })),
    ),
    ga4_region: months.flatMap((month) =>
      [0, 13, 2_147_483_647].map((region) => ({
        ...counts(),
        month,
        region,
        region_name: dice.maybe(TEXTS),
      })),
    ),
  };
}
