// The demo's visitors: countries, devices, campaigns and times of day, with invented but plausible shares.
import { type Random, weightedDraw } from './random';

export interface DemoVisitor {
  readonly reader_id: number;
  /** Null for other kinds of devices, such as televisions. */
  readonly device_type: 'PC' | 'tablet' | 'SP' | null;
  readonly [column: string]: unknown;
}

/** Where a visit comes from. */
export interface DemoSource {
  readonly columns: Readonly<Record<string, string | null>>;
  /** Multiplies the likelihood of a purchase. */
  readonly intent: number;
  /** Whether most of these visits start on the landing page. */
  readonly landing: boolean;
}

const drawCountry = weightedDraw([
  [{ country_code: 'DE', language: 'de' }, 46],
  [{ country_code: 'AT', language: 'de' }, 11],
  [{ country_code: 'CH', language: 'de' }, 9],
  [{ country_code: 'FR', language: 'fr' }, 8],
  [{ country_code: 'NL', language: 'nl' }, 7],
  [{ country_code: 'GB', language: 'en-GB' }, 6],
  [{ country_code: 'US', language: 'en-US' }, 6],
  [{ country_code: 'IT', language: 'it' }, 4],
  [{ country_code: 'PL', language: 'pl' }, 3],
  [{ country_code: 'JP', language: 'ja' }, 2],
]);

const device = (
  device_type: DemoVisitor['device_type'],
  os: string,
  browser: string,
  window_inner_width: number,
  window_inner_height: number,
) => ({ device_type, os, browser, window_inner_width, window_inner_height });

const drawDevice = weightedDraw([
  [device('SP', 'iOS 18', 'Safari 18', 393, 745), 27],
  [device('SP', 'Android 15', 'Chrome 141', 412, 785), 24],
  [device('SP', 'Android 14', 'Samsung Internet 28', 384, 720), 7],
  [device('PC', 'Windows 11', 'Chrome 141', 1536, 730), 17],
  [device('PC', 'Windows 11', 'Edge 141', 1536, 720), 8],
  [device('PC', 'macOS 15', 'Safari 18', 1512, 820), 6],
  [device('PC', 'macOS 15', 'Chrome 141', 1512, 800), 4],
  [device('PC', 'Linux', 'Firefox 143', 1920, 940), 2],
  [device('tablet', 'iPadOS 18', 'Safari 18', 820, 1080), 4],
  [device('tablet', 'Android 14', 'Chrome 141', 800, 1180), 1],
  [device(null, 'Tizen 9', 'Samsung Internet 28', 1920, 1080), 1],
]);

const direct = (intent: number): DemoSource => ({ columns: {}, intent, landing: false });

const linked = (source_domain: string, path: string, intent: number): DemoSource => ({
  columns: { source_domain, referrer: `https://${source_domain}/${path}` },
  intent,
  landing: false,
});

const paid = (
  utm_source: string,
  utm_medium: string,
  utm_campaign: string,
  utm_content: string,
  utm_term: string | null = null,
): DemoSource => {
  const isMail = utm_medium === 'email';
  const intent = isMail ? 2.2 : utm_campaign === 'brand' ? 1.8 : 0.8;
  const { columns } = isMail ? direct(intent) : linked(`www.${utm_source}.com`, '', intent);
  return {
    columns: { ...columns, utm_source, utm_medium, utm_campaign, utm_content, utm_term },
    intent,
    landing: utm_campaign === 'spring-sale',
  };
};

export const drawSource = weightedDraw([
  [linked('www.google.com', '', 1), 36],
  [direct(1.3), 22],
  [linked('www.bing.com', '', 1), 5],
  [linked('duckduckgo.com', '', 1), 2],
  [paid('google', 'cpc', 'spring-sale', 'text-a', 'travel mug'), 8],
  [paid('google', 'cpc', 'spring-sale', 'text-b', 'coffee grinder'), 6],
  [paid('google', 'cpc', 'brand', 'text-a', 'demo shop'), 4],
  [paid('newsletter', 'email', 'weekly-letter', 'top-link'), 6],
  [paid('newsletter', 'email', 'gift-guide', 'picture'), 3],
  [paid('instagram', 'social', 'kitchen-stories', 'reel'), 4],
  [paid('facebook', 'social', 'spring-sale', 'carousel'), 2],
  [linked('blog.example.org', 'best-mugs', 1.1), 2],
]);

/** Visits by local hour: a dip at noon, a peak in the evening. */
export const HOUR_WEIGHTS: readonly number[] = [
  8, 4, 3, 2, 2, 4, 10, 22, 36, 46, 52, 54, 48, 50, 52, 50, 48, 52, 60, 72, 84, 80, 54, 24,
];

/** Visits by weekday, Monday first. The weekend is quiet. */
export const WEEKDAY_WEIGHTS: readonly number[] = [1.06, 1.04, 1.02, 1, 0.94, 0.66, 0.78];

export function newVisitor(random: Random, reader_id: number): DemoVisitor {
  const { country_code, language } = drawCountry(random);
  const drawn = drawDevice(random);
  const original_id = random.chance(0.12) ? `customer-${10_000 + reader_id}` : null;
  return {
    ...drawn,
    reader_id,
    country_code,
    language: random.chance(0.08) ? 'en-US' : language,
    original_id,
  };
}
