// Generates the benchmark's page views as import rows in chronological order. Only the views of open sessions are kept in memory.
import { HOUR_WEIGHTS, WEEKDAY_WEIGHTS } from '../../extension/data/demo/demo-visitors';
import { cumulative, type Random, seededRandom } from '../../extension/data/demo/random';
import {
  type BenchSite,
  BROWSERS,
  COUNTRIES,
  DEVICES,
  END_SECOND,
  FIRST_SECOND,
  importedViews,
  LANGUAGES,
  NEW_READER_SHARE,
  SESSIONS_PER_VIEW,
  type Size,
  SOURCES,
  titleOf,
  urlOf,
  zipf,
} from './shape';

interface BenchView {
  pv_id: number;
  readonly session_id: number;
  readonly access_time: number;
  readonly [column: string]: unknown;
}

const HOUR = 3_600;
const MAX_VIEWS = 60;
/** Only this many of the most recent readers can return; the newest ones return most often. */
const MAX_REMEMBERED = 200_000;
const READER_STRIDE = 0x9e3779b1;

const COUNTRY_WEIGHTS = zipf(COUNTRIES.length, 1.3);
const LANGUAGE_WEIGHTS = zipf(LANGUAGES.length, 1.4);
const BROWSER_WEIGHTS = zipf(BROWSERS.length, 1);
const SOURCE_WEIGHTS = zipf(SOURCES.length, 1.1);
const DEVICE_WEIGHTS = cumulative(DEVICES.map(([, , weight]) => weight));

/** All views of a site, oldest first, with pv_id from 1. */
export function* benchViews(site: BenchSite, size: Size): Generator<BenchView> {
  const random = seededRandom(site.seed);
  const pages = zipf(site.pages, 1);
  const sessionCount = importedViews(site, size) * SESSIONS_PER_VIEW;
  let open: BenchView[] = [];
  let readers = 0;
  let sessions = 0;
  let lastId = 0;
  let owed = 0;

  const drawReader = (): { reader: number; fresh: boolean } => {
    if (readers === 0 || random.chance(NEW_READER_SHARE)) {
      readers += 1;
      return { reader: readers, fresh: true };
    }
    const age = Math.floor(random.next() ** 2 * Math.min(readers, MAX_REMEMBERED));
    return { reader: readers - age, fresh: false };
  };

  for (const { start, share } of hours()) {
    const ready = open.filter((view) => view.access_time < start).sort(byTime);
    open = open.filter((view) => view.access_time >= start);
    for (const view of ready) {
      lastId += 1;
      view.pv_id = lastId;
      yield view;
    }
    owed += share * sessionCount;
    for (; owed >= 1; owed -= 1) {
      sessions += 1;
      const { reader, fresh } = drawReader();
      const fixed = {
        ...readerTraits(site, reader),
        ...SOURCES[random.weighted(SOURCE_WEIGHTS)],
        session_id: sessions,
        reader_id: reader,
        is_newuser: fresh ? 1 : 0,
      };
      addVisit(random, site, pages, fixed, start + random.between(0, HOUR - 1), open);
    }
  }
  for (const view of open.filter((one) => one.access_time < END_SECOND).sort(byTime)) {
    lastId += 1;
    view.pv_id = lastId;
    yield view;
  }
}

const byTime = (a: BenchView, b: BenchView): number =>
  a.access_time - b.access_time || a.session_id - b.session_id;

/** All hours, each with its share of the visits. */
function hours(): readonly { readonly start: number; readonly share: number }[] {
  const starts = Array.from(
    { length: (END_SECOND - FIRST_SECOND) / HOUR },
    (_, hour) => FIRST_SECOND + hour * HOUR,
  );
  const weights = starts.map((start) => {
    const date = new Date(start * 1000);
    const weekday = WEEKDAY_WEIGHTS[(date.getUTCDay() + 6) % 7] ?? 1;
    const growth = 1 + (0.3 * (start - FIRST_SECOND)) / (END_SECOND - FIRST_SECOND);
    return (HOUR_WEIGHTS[date.getUTCHours()] ?? 1) * weekday * growth;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return starts.map((start, hour) => ({ start, share: (weights[hour] ?? 0) / total }));
}

/** A reader's traits are computed from the reader's id, so that they need not be stored. */
function readerTraits(site: BenchSite, reader: number): object {
  const random = seededRandom(Math.imul(reader, READER_STRIDE) ^ site.seed);
  const [device_type, systems] = DEVICES[random.weighted(DEVICE_WEIGHTS)] ?? DEVICES[0];
  return {
    device_type,
    os: systems[Math.floor(random.next() ** 2 * systems.length)],
    browser: BROWSERS[random.weighted(BROWSER_WEIGHTS)],
    country_code: random.chance(0.01) ? null : COUNTRIES[random.weighted(COUNTRY_WEIGHTS)],
    language: LANGUAGES[random.weighted(LANGUAGE_WEIGHTS)],
    window_inner_width: device_type === 'PC' ? 1536 : 393,
    window_inner_height: device_type === 'PC' ? 730 : 745,
  };
}

function addVisit(
  random: Random,
  site: BenchSite,
  pages: Float64Array,
  fixed: { readonly session_id: number },
  start: number,
  open: BenchView[],
): void {
  let at = start;
  for (let views = 1; views <= MAX_VIEWS; views += 1) {
    const rank = random.weighted(pages);
    const stay = Math.max(2, Math.min(1500, Math.round(random.spread(40))));
    const depth = Math.min(100, Math.round(random.spread(45)));
    const rage = random.chance(rank % 50 === 7 ? 0.08 : 0.004);
    open.push({
      pv_id: 0,
      access_time: at,
      url: urlOf(site, rank),
      title: titleOf(site, rank),
      page_type: 1 << (rank % 20),
      page_fetch_status: 1,
      ...fixed,
      speed_msec: Math.round(random.spread(900)),
      browse_sec: stay,
      depth_position: depth,
      stop_max_pos: Math.round(depth * 0.6),
      exit_pos: Math.round(depth * 0.9),
      deep_read: stay > 60 ? 1 : 0,
      stop_max_sec: Math.round(stay / 3),
      is_submit: random.chance(0.01) ? 1 : 0,
      irritation_click_count: rage ? random.between(3, 8) : 0,
      scroll_back_count: random.chance(0.2) ? 2 : 0,
    });
    if (random.chance(SESSIONS_PER_VIEW)) return;
    at += stay + random.between(0, 3);
  }
}
