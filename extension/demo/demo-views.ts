// Owns the visits of the demo site: day after day, visit after visit, view after view.
// Seed, now and size in -> rows as a file would carry them, in the order of time, none later than now.
import { Temporal } from 'temporal-polyfill';
import { DEMO_DAYS, DEMO_ORIGIN, DEMO_PATHS, type DemoPage, demoPages } from './demo-pages';
import { demoVersions } from './demo-versions';
import {
  type DemoSource,
  type DemoVisitor,
  drawSource,
  HOUR_WEIGHTS,
  newVisitor,
  WEEKDAY_WEIGHTS,
} from './demo-visitors';
import { cumulative, type Random, seededRandom } from './random';

export const DEMO_TIMEZONE = 'Europe/Berlin';

export interface DemoOptions {
  readonly now: Date;
  /** About how many views. */
  readonly views: number;
  readonly seed: number;
}

/** A row for the importer. Ids are given; the importer numbers and links the views of a session. */
export interface DemoView {
  pv_id: number;
  readonly session_id: number;
  readonly reader_id: number;
  readonly access_time: number;
  readonly url: string;
  version_id: number | undefined;
  readonly [column: string]: unknown;
}

const VIEWS_PER_VISIT = 2.866;
const RETURNING_SHARE = 0.34;

/** All views of the demo site, oldest first. */
export function* demoViews(options: DemoOptions): Generator<DemoView> {
  const random = seededRandom(options.seed);
  const shop = openShop();
  const now = Math.floor(options.now.getTime() / 1000);
  const { versionOf } = demoVersions(now);
  const visitors: DemoVisitor[] = [];
  let pending: DemoView[] = [];
  let sessions = 0;
  let given = 0;
  function* emitBefore(end: number): Generator<DemoView> {
    pending.sort((a, b) => a.access_time - b.access_time || a.session_id - b.session_id);
    let ready = 0;
    for (; ready < pending.length; ready += 1) {
      const view = pending[ready];
      if (view === undefined || view.access_time >= end) break;
      given += 1;
      view.pv_id = given;
      view.version_id = versionOf(view.url, String(view.device_type), view.access_time);
      yield view;
    }
    pending = pending.slice(ready);
  }
  for (const { start, visits } of visitStarts(options, now, random)) {
    // Visits of later hours cannot reach back behind this one.
    yield* emitBefore(start);
    for (let visit = 0; visit < visits; visit += 1) {
      sessions += 1;
      const visitor = drawVisitor(random, visitors);
      pending.push(...visitPages(random, shop, visitor, sessions, start + random.between(0, 3599)));
    }
  }
  yield* emitBefore(now + 1);
}

/** How many visits begin in each hour. Hours are local, so that the day keeps its shape over a clock change. */
function* visitStarts(
  options: DemoOptions,
  now: number,
  random: Random,
): Generator<{ start: number; visits: number }> {
  const today = Temporal.Instant.fromEpochMilliseconds(now * 1000).toZonedDateTimeISO(DEMO_TIMEZONE);
  const hours: { start: number; weight: number }[] = [];
  const oldest = now - DEMO_DAYS * 86_400;
  for (let back = DEMO_DAYS; back >= 0; back -= 1) {
    const day = today.toPlainDate().subtract({ days: back });
    const growth = 1 - 0.0028 * back;
    const weather = 0.9 + random.next() * 0.2;
    const size = (WEEKDAY_WEIGHTS[day.dayOfWeek - 1] ?? 1) * growth * weather;
    HOUR_WEIGHTS.forEach((hourWeight, hour) => {
      const local = day.toZonedDateTime({
        timeZone: DEMO_TIMEZONE,
        plainTime: Temporal.PlainTime.from({ hour }),
      });
      const start = local.epochMilliseconds / 1000;
      if (start >= oldest && start < now) hours.push({ start, weight: size * hourWeight });
    });
  }
  const total = hours.reduce((sum, hour) => sum + hour.weight, 0);
  let owed = 0;
  for (const { start, weight } of hours) {
    owed += ((weight / total) * options.views) / VIEWS_PER_VISIT;
    const visits = Math.floor(owed);
    owed -= visits;
    yield { start, visits };
  }
}

function drawVisitor(random: Random, visitors: DemoVisitor[]): DemoVisitor {
  if (visitors.length > 0 && random.chance(RETURNING_SHARE)) {
    // Who was here lately is likelier to come back.
    const age = Math.floor(random.next() ** 2 * Math.min(visitors.length, 12_000));
    const known = visitors[visitors.length - 1 - age];
    if (known !== undefined) return known;
  }
  const visitor = newVisitor(random, visitors.length + 1);
  visitors.push(visitor);
  return visitor;
}

interface Shop {
  readonly pages: readonly DemoPage[];
  readonly byPath: ReadonlyMap<string, DemoPage>;
  readonly walk: Float64Array;
  readonly entry: Float64Array;
}

function openShop(): Shop {
  const pages = demoPages();
  return {
    pages,
    byPath: new Map(pages.map((page) => [page.url.slice(DEMO_ORIGIN.length), page])),
    walk: cumulative(pages.map((page) => page.weight)),
    entry: cumulative(pages.map((page) => page.entryWeight)),
  };
}

function pageAt(shop: Shop, path: string): DemoPage {
  const page = shop.byPath.get(path);
  if (page === undefined) throw new Error(`the demo shop has no page ${path}`);
  return page;
}

function visitPages(
  random: Random,
  shop: Shop,
  visitor: DemoVisitor,
  session: number,
  start: number,
): DemoView[] {
  const from = drawSource(random);
  const views: DemoView[] = [];
  let at = start;
  for (const page of route(random, shop, from)) {
    const stay = Math.max(2, Math.min(1500, Math.round(random.spread(page.stay))));
    views.push(viewOf(random, page, visitor, from, session, at, stay));
    at += stay + random.between(0, 3);
  }
  return views;
}

/** The pages of a visit: a start, some browsing, and for a few a way through the cart or the contact form. */
function route(random: Random, shop: Shop, from: DemoSource): readonly DemoPage[] {
  const any = (weights: Float64Array): DemoPage =>
    shop.pages[random.weighted(weights)] ?? pageAt(shop, DEMO_PATHS.top);
  const first = from.landing && random.chance(0.7) ? pageAt(shop, DEMO_PATHS.landing) : any(shop.entry);
  const pages = [first];
  if (random.chance(0.44)) return pages;
  do pages.push(any(shop.walk));
  while (pages.length < 25 && random.chance(0.68));
  if (random.chance(0.07 * from.intent)) {
    pages.push(pageAt(shop, DEMO_PATHS.cart));
    if (random.chance(0.6)) {
      pages.push(pageAt(shop, DEMO_PATHS.checkout));
      if (random.chance(0.7)) pages.push(pageAt(shop, DEMO_PATHS.thanks));
    }
  } else if (random.chance(0.015)) {
    pages.push(pageAt(shop, DEMO_PATHS.contact), pageAt(shop, DEMO_PATHS.contactThanks));
  }
  return pages;
}

function viewOf(
  random: Random,
  page: DemoPage,
  visitor: DemoVisitor,
  from: DemoSource,
  session: number,
  at: number,
  stay: number,
): DemoView {
  const path = page.url.slice(DEMO_ORIGIN.length);
  const phone = visitor.device_type === 'SP';
  const depth = Math.min(100, Math.round(random.spread(Math.min(70, 18 + stay))));
  const angry = random.chance(path === DEMO_PATHS.rage ? 0.45 : 0.003);
  const longestStop = Math.round(stay * (0.2 + random.next() * 0.4));
  const { landing: _landing, intent: _intent, ...source } = from;
  return {
    pv_id: 0,
    session_id: session,
    reader_id: visitor.reader,
    access_time: at,
    url: page.url,
    version_id: undefined,
    title: page.title,
    page_type: page.pageType,
    page_fetch_status: 1,
    ...source,
    device_type: visitor.device_type,
    os: visitor.os,
    browser: visitor.browser,
    language: visitor.language,
    country_code: visitor.country_code,
    original_id: visitor.original_id,
    speed_msec: Math.round(random.spread(phone ? 1400 : 800)),
    browse_sec: stay,
    depth_position: depth,
    stop_max_pos: Math.round(depth * random.next()),
    exit_pos: Math.round(depth * (0.5 + random.next() / 2)),
    deep_read: stay > 60 && random.chance(0.6) ? 1 : 0,
    stop_max_sec: longestStop,
    is_submit: (path === DEMO_PATHS.contact || path === DEMO_PATHS.checkout) && random.chance(0.75) ? 1 : 0,
    dead_click_image_count: random.chance(path === DEMO_PATHS.rage ? 0.4 : 0.02) ? random.between(1, 4) : 0,
    irritation_click_count: angry ? random.between(3, path === DEMO_PATHS.rage ? 12 : 5) : 0,
    scroll_back_count: random.chance(0.2) ? random.between(1, 4) : 0,
    content_skip_count: random.chance(0.12) ? random.between(1, 3) : 0,
    exploration_count: random.chance(0.06) ? random.between(1, 3) : 0,
    window_inner_width: visitor.width,
    window_inner_height: visitor.height,
  };
}
