// Generates the page views of the demo site.
import { daysBetween, laterDate, mondayOf } from '../../language/time/calendar';
import { instantOf, localDateOf } from '../../language/time/local-time';
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
import { type Random, seededRandom, weightedDraw } from './random';

export const DEMO_TIMEZONE = 'Europe/Berlin';

interface DemoOptions {
  readonly now: Date;
  /** The approximate number of views. */
  readonly views: number;
  readonly seed: number;
}

/** A row to import, with ids. The importer numbers and links the views in each session. */
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
  let emitted = 0;
  function* emitBefore(end: number): Generator<DemoView> {
    pending.sort((a, b) => a.access_time - b.access_time || a.session_id - b.session_id);
    let ready = 0;
    for (; ready < pending.length; ready += 1) {
      const view = pending[ready];
      if (view === undefined || view.access_time >= end) break;
      emitted += 1;
      view.pv_id = emitted;
      view.version_id = versionOf(view.url, view.device_type, view.access_time);
      yield view;
    }
    pending = pending.slice(ready);
  }
  for (const { start, visits } of visitStarts(options, now, random)) {
    yield* emitBefore(start);
    for (let visit = 0; visit < visits; visit += 1) {
      sessions += 1;
      const visitor = drawVisitor(random, visitors);
      pending.push(...visitPages(random, shop, visitor, sessions, start + random.between(0, 3599)));
    }
  }
  yield* emitBefore(now + 1);
}

/** The number of visits that start in each hour. Hours are local, so that clock changes do not shift the daily peaks. */
function* visitStarts(
  options: DemoOptions,
  now: number,
  random: Random,
): Generator<{ start: number; visits: number }> {
  const today = localDateOf(now, DEMO_TIMEZONE);
  const hours: { start: number; weight: number }[] = [];
  const oldest = now - DEMO_DAYS * 86_400;
  for (let back = DEMO_DAYS; back >= 0; back -= 1) {
    const date = laterDate(today, -back);
    const growth = 1 - 0.0028 * back;
    const weather = 0.9 + random.next() * 0.2;
    const size = (WEEKDAY_WEIGHTS[daysBetween(mondayOf(date), date)] ?? 1) * growth * weather;
    HOUR_WEIGHTS.forEach((hourWeight, hour) => {
      const start = instantOf(`${date}T${String(hour).padStart(2, '0')}:00:00`, DEMO_TIMEZONE);
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
    // Recent visitors are more likely to come back.
    const age = Math.floor(random.next() ** 2 * Math.min(visitors.length, 12_000));
    const known = visitors[visitors.length - 1 - age];
    if (known !== undefined) return known;
  }
  const visitor = newVisitor(random, visitors.length + 1);
  visitors.push(visitor);
  return visitor;
}

type Shop = ReturnType<typeof openShop>;

function openShop() {
  const pages = demoPages();
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  return {
    walk: weightedDraw(pages.map((page) => [page, page.weight])),
    entry: weightedDraw(pages.map((page) => [page, page.entryWeight])),
    /** Throws for a path that the shop does not have. */
    pageAt(path: string): DemoPage {
      const page = byUrl.get(DEMO_ORIGIN + path);
      if (page === undefined) throw new Error(`The demo shop has no page ${path}.`);
      return page;
    },
  };
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

/** The pages of a visit: an entry page, other pages, and sometimes the cart or the contact form. */
function route(random: Random, { walk, entry, pageAt }: Shop, from: DemoSource): readonly DemoPage[] {
  const pages = [from.landing && random.chance(0.7) ? pageAt(DEMO_PATHS.landing) : entry(random)];
  if (random.chance(0.44)) return pages;
  do pages.push(walk(random));
  while (pages.length < 25 && random.chance(0.68));
  if (random.chance(0.07 * from.intent)) {
    pages.push(pageAt(DEMO_PATHS.cart));
    if (random.chance(0.6)) {
      pages.push(pageAt(DEMO_PATHS.checkout));
      if (random.chance(0.7)) pages.push(pageAt(DEMO_PATHS.thanks));
    }
  } else if (random.chance(0.015)) {
    pages.push(pageAt(DEMO_PATHS.contact), pageAt(DEMO_PATHS.contactThanks));
  }
  return pages;
}

function viewOf(
  random: Random,
  page: DemoPage,
  visitor: DemoVisitor,
  from: DemoSource,
  session_id: number,
  access_time: number,
  stay: number,
): DemoView {
  const isRagePage = page.url === DEMO_ORIGIN + DEMO_PATHS.rage;
  const hasForm = [DEMO_PATHS.contact, DEMO_PATHS.checkout].some((path) => page.url === DEMO_ORIGIN + path);
  const depth = Math.min(100, Math.round(random.spread(Math.min(70, 18 + stay))));
  const isAngry = random.chance(isRagePage ? 0.45 : 0.003);
  const longestStop = Math.round(stay * (0.2 + random.next() * 0.4));
  return {
    pv_id: 0,
    session_id,
    access_time,
    url: page.url,
    version_id: undefined,
    title: page.title,
    page_type: page.pageType,
    page_fetch_status: 1,
    ...from.columns,
    ...visitor,
    speed_msec: Math.round(random.spread(visitor.device_type === 'SP' ? 1400 : 800)),
    browse_sec: stay,
    depth_position: depth,
    stop_max_pos: Math.round(depth * random.next()),
    exit_pos: Math.round(depth * (0.5 + random.next() / 2)),
    deep_read: stay > 60 && random.chance(0.6) ? 1 : 0,
    stop_max_sec: longestStop,
    is_submit: hasForm && random.chance(0.75) ? 1 : 0,
    dead_click_image_count: random.chance(isRagePage ? 0.4 : 0.02) ? random.between(1, 4) : 0,
    irritation_click_count: isAngry ? random.between(3, isRagePage ? 12 : 5) : 0,
    scroll_back_count: random.chance(0.2) ? random.between(1, 4) : 0,
    content_skip_count: random.chance(0.12) ? random.between(1, 3) : 0,
    exploration_count: random.chance(0.06) ? random.between(1, 3) : 0,
  };
}
