// The demo's data from other tools: Search Console by day, and GA4 by month.
import { daysBetween, laterDate, laterMonth, mondayOf, monthOf } from '../../language/time/calendar';
import { DEMO_DAYS, DEMO_ORIGIN } from './demo-pages';
import { seededRandom } from './random';

/** Search Console data arrives this many days late. */
const SEARCH_DELAY_DAYS = 2;

/** Path, keyword, impressions on a typical day, typical position. */
const SEARCHES = [
  ['/', 'demo shop', 90, 1.4],
  ['/', 'kitchen shop online', 220, 8.2],
  ['/category/travel-mug/', 'travel mug', 410, 6.1],
  ['/category/travel-mug/', 'travel mug leakproof', 130, 4.3],
  ['/category/teapot/', 'teapot', 260, 9.5],
  ['/category/teapot/', 'teapot with strainer', 75, 5.2],
  ['/category/coffee-grinder/', 'coffee grinder', 340, 11.3],
  ['/category/coffee-grinder/', 'manual coffee grinder', 150, 7.4],
  ['/category/kettle/', 'kettle', 190, 14.8],
  ['/category/bread-knife/', 'bread knife', 120, 6.9],
  ['/category/pan/', 'steel pan', 140, 12.1],
  ['/products/travel-mug-01/', 'steel travel mug', 85, 3.8],
  ['/products/travel-mug-08/', 'travel mug no 8', 30, 1.9],
  ['/products/teapot-01/', 'nordic teapot', 55, 4.6],
  ['/journal/how-to-choose-coffee/', 'how to choose coffee', 310, 2.8],
  ['/journal/how-to-clean-teapots/', 'clean teapot', 230, 3.4],
  ['/journal/how-to-store-bread/', 'store bread', 480, 4.9],
  ['/journal/how-to-repair-knives/', 'sharpen bread knife', 95, 5.7],
  ['/faq/', 'demo shop returns', 18, 1.2],
  ['/lp/spring-sale/', 'kitchen sale', 60, 15.5],
] as const;
const KINDS = [
  ['web', 1],
  ['image', 0.3],
  ['video', 0.05],
] as const;

/** A row for a day, or for the month that starts on that day. */
interface DemoFigures {
  readonly date: string;
  readonly [column: string]: unknown;
}

export function demoSearches(now: Date, seed: number): readonly DemoFigures[] {
  const random = seededRandom(seed);
  const rows: DemoFigures[] = [];
  for (let back = DEMO_DAYS; back >= SEARCH_DELAY_DAYS; back -= 1) {
    const date = laterDate(dateOf(now), -back);
    const size = (daysBetween(mondayOf(date), date) > 4 ? 0.75 : 1) * (1 - 0.002 * back);
    for (const [path, keyword, typical, typicalPosition] of SEARCHES) {
      for (const [search_type, share] of KINDS) {
        const impressions = Math.round(random.spread(typical * share * size));
        if (impressions === 0) continue;
        const position = Math.max(1, Math.round(typicalPosition * (0.85 + random.next() * 0.3) * 100) / 100);
        const clicks = Math.min(
          impressions,
          Math.round((impressions * 0.32 * random.next()) / position ** 0.8),
        );
        const url = DEMO_ORIGIN + path;
        rows.push({ date, url, keyword, search_type, clicks, impressions, position });
      }
    }
  }
  return rows;
}

const COUNTRIES = { DE: 46, AT: 11, CH: 9, FR: 8, NL: 7, GB: 6, US: 6, IT: 4, PL: 3, JP: 2 };
const AGES = { unknown: 34, '18-24': 9, '25-34': 19, '35-44': 16, '45-54': 11, '55-64': 7, '65+': 4 };
const GENDERS = { unknown: 40, male: 26, female: 34 };
const REGIONS = ['Berlin', 'Bavaria', 'Hamburg', 'Hesse', 'Saxony', 'Lower Saxony', 'Vienna', 'Zurich'];
const SESSIONS_PER_MONTH = 23_000;

/** The rows of the monthly GA4 materials. */
export function demoMonths(now: Date, seed: number): Readonly<Record<string, readonly DemoFigures[]>> {
  const random = seededRandom(seed);
  const figures = (date: string, share: number): DemoFigures => {
    const sessions = Math.round(SESSIONS_PER_MONTH * share * (0.9 + random.next() * 0.2));
    return { date, sessions, active_users: Math.round(sessions * (0.68 + random.next() * 0.08)) };
  };
  const months = monthsOf(now);
  return {
    ga4_age_gender: months.flatMap((date) =>
      Object.entries(AGES).flatMap(([age, ages]) =>
        Object.entries(GENDERS).map(([gender, genders]) => ({
          age,
          gender,
          ...figures(date, (ages * genders) / 10_000),
        })),
      ),
    ),
    ga4_country: months.flatMap((date) =>
      Object.entries(COUNTRIES).map(([country_code, share]) => ({
        country_code,
        ...figures(date, share / 100),
      })),
    ),
    ga4_region: months.flatMap((date) =>
      REGIONS.map((region_name, index) => ({
        region: index + 1,
        region_name,
        ...figures(date, 0.2 / (index + 1)),
      })),
    ),
  };
}

/** The first day of each month that the demo covers. */
function monthsOf(now: Date): readonly string[] {
  const today = dateOf(now);
  const months: string[] = [];
  for (let month = monthOf(laterDate(today, -DEMO_DAYS)); month <= today; month = laterMonth(month, 1))
    months.push(month);
  return months;
}

const dateOf = (at: Date): string => at.toISOString().slice(0, 10);
