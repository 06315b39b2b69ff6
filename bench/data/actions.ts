// Generates the benchmark's clicks and search rows as import rows. Clicks refer to page views by pv_id, so the views do not have
// to be generated again.
import { seededRandom } from '../../extension/data/demo/random';
import {
  ANOTHER_CLICK,
  type BenchSite,
  CLICKED_VIEW_SHARE,
  DAYS,
  FIRST_SECOND,
  keywordOf,
  SEARCHES_PER_VIEW,
  SELECTORS,
  type Size,
  selectorOf,
  urlOf,
  viewsOf,
  zipf,
} from './shape';

const DAY_MS = 86_400_000;

interface BenchClick {
  readonly pv_id: number;
  readonly [column: string]: unknown;
}

/** The clicks on the first `views` views of a site, in order. */
export function* benchClicks(site: BenchSite, views: number): Generator<BenchClick> {
  const random = seededRandom(site.seed + 1);
  const selectors = zipf(SELECTORS, 1);
  for (let pv_id = 1; pv_id <= views; pv_id += 1) {
    if (!random.chance(CLICKED_VIEW_SHARE)) continue;
    let event_sec = random.between(0, 30);
    do {
      yield {
        pv_id,
        event_sec,
        selector: selectorOf(random.weighted(selectors)),
        action_id: random.chance(0.02) ? 'tel' : 'click',
        page_x_pct: random.between(0, 1000) / 10,
        page_y_pct: random.between(0, 1000) / 10,
      };
      event_sec += random.between(1, 20);
    } while (random.chance(ANOTHER_CLICK));
  }
}

/** Daily search rows (gsc). Most searches for a keyword lead to the same page. */
export function* benchSearches(site: BenchSite, size: Size): Generator<object> {
  const random = seededRandom(site.seed + 2);
  const keywords = zipf(site.keywords, 0.9);
  const perDay = Math.round((viewsOf(site, size) * SEARCHES_PER_VIEW) / DAYS);
  for (let day = 0; day <= DAYS; day += 1) {
    const date = new Date(FIRST_SECOND * 1000 + day * DAY_MS).toISOString().slice(0, 10);
    const drawn = new Set<number>();
    while (drawn.size < perDay) {
      const rank = random.weighted(keywords);
      const variant = random.chance(0.1) ? 1 : 0;
      const key = rank * 2 + variant;
      if (drawn.has(key)) continue;
      drawn.add(key);
      const impressions = Math.max(1, Math.round(random.spread(3000 / (rank + 5))));
      yield {
        date,
        url: urlOf(site, (rank * 37 + variant * 11) % site.pages),
        keyword: keywordOf(rank),
        search_type: rank % 9 === 0 ? 'image' : 'web',
        clicks: Math.round(impressions * random.next() * 0.3),
        impressions,
        position: Math.round(100 + random.next() * 3000) / 100,
      };
    }
  }
}
