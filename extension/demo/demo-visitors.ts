// Owns where the demo's visitors come from: countries and their languages, devices, campaigns, times of the day.
// Tables of weights, and the draws from them. The shares are invented; they only have to look like a shop's.
import { cumulative, type Random } from './random';

export interface DemoDevice {
  /** Null for a device of no known class, such as a television. */
  readonly device_type: 'PC' | 'tablet' | 'SP' | null;
  readonly os: string;
  readonly browser: string;
  readonly width: number;
  readonly height: number;
}

export interface DemoVisitor extends DemoDevice {
  readonly reader: number;
  readonly country_code: string;
  readonly language: string;
  readonly original_id: string | null;
}

export interface DemoSource {
  readonly source_domain: string | null;
  readonly referrer: string | null;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_content: string | null;
  readonly utm_term: string | null;
  /** Visits that buy more often than others. */
  readonly intent: number;
  /** Where such a visit begins, if not just anywhere. */
  readonly landing: boolean;
}

const COUNTRIES = [
  ['DE', 'de', 46],
  ['AT', 'de', 11],
  ['CH', 'de', 9],
  ['FR', 'fr', 8],
  ['NL', 'nl', 7],
  ['GB', 'en-GB', 6],
  ['US', 'en-US', 6],
  ['IT', 'it', 4],
  ['PL', 'pl', 3],
  ['JP', 'ja', 2],
] as const;

const DEVICES: readonly (readonly [DemoDevice, number])[] = [
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
];

const SOURCES: readonly (readonly [DemoSource, number])[] = [
  [source({ source_domain: 'www.google.com', referrer: 'https://www.google.com/' }, 1), 36],
  [source({}, 1.3), 22],
  [source({ source_domain: 'www.bing.com', referrer: 'https://www.bing.com/' }, 1), 5],
  [source({ source_domain: 'duckduckgo.com', referrer: 'https://duckduckgo.com/' }, 1), 2],
  [paid('google', 'cpc', 'spring-sale', 'text-a', 'travel mug'), 8],
  [paid('google', 'cpc', 'spring-sale', 'text-b', 'coffee grinder'), 6],
  [paid('google', 'cpc', 'brand', 'text-a', 'demo shop'), 4],
  [paid('newsletter', 'email', 'weekly-letter', 'top-link', null), 6],
  [paid('newsletter', 'email', 'gift-guide', 'picture', null), 3],
  [paid('instagram', 'social', 'kitchen-stories', 'reel', null), 4],
  [paid('facebook', 'social', 'spring-sale', 'carousel', null), 2],
  [source({ source_domain: 'blog.example.org', referrer: 'https://blog.example.org/best-mugs' }, 1.1), 2],
];

const COUNTRY_WEIGHTS = cumulative(COUNTRIES.map(([, , weight]) => weight));
const DEVICE_WEIGHTS = cumulative(DEVICES.map(([, weight]) => weight));
const SOURCE_WEIGHTS = cumulative(SOURCES.map(([, weight]) => weight));

/** Share of a day's visits by local hour: a dent at noon, a peak in the evening. */
export const HOUR_WEIGHTS: readonly number[] = [
  8, 4, 3, 2, 2, 4, 10, 22, 36, 46, 52, 54, 48, 50, 52, 50, 48, 52, 60, 72, 84, 80, 54, 24,
];

/** Size of a day by weekday, Monday first: the weekend is quiet but for Sunday evening's shoppers. */
export const WEEKDAY_WEIGHTS: readonly number[] = [1.06, 1.04, 1.02, 1, 0.94, 0.66, 0.78];

/** A visitor nobody has seen before. */
export function newVisitor(random: Random, reader: number): DemoVisitor {
  const [country_code, language] = COUNTRIES[random.weighted(COUNTRY_WEIGHTS)] ?? COUNTRIES[0];
  const drawn =
    DEVICES[random.weighted(DEVICE_WEIGHTS)]?.[0] ?? device('PC', 'Windows 11', 'Chrome 141', 1536, 730);
  const original_id = random.chance(0.12) ? `customer-${10_000 + reader}` : null;
  return { ...drawn, reader, country_code, language: random.chance(0.08) ? 'en-US' : language, original_id };
}

/** Where a visit comes from. */
export function drawSource(random: Random): DemoSource {
  return SOURCES[random.weighted(SOURCE_WEIGHTS)]?.[0] ?? source({}, 1);
}

function device(
  device_type: DemoDevice['device_type'],
  os: string,
  browser: string,
  width: number,
  height: number,
): DemoDevice {
  return { device_type, os, browser, width, height };
}

function source(given: Partial<DemoSource>, intent: number): DemoSource {
  return {
    source_domain: null,
    referrer: null,
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_content: null,
    utm_term: null,
    landing: false,
    ...given,
    intent,
  };
}

function paid(
  from: string,
  medium: string,
  campaign: string,
  content: string,
  term: string | null,
): DemoSource {
  return source(
    {
      ...(medium === 'email'
        ? {}
        : { source_domain: `www.${from}.com`, referrer: `https://www.${from}.com/` }),
      utm_source: from,
      utm_medium: medium,
      utm_campaign: campaign,
      utm_content: content,
      utm_term: term,
      landing: campaign === 'spring-sale',
    },
    medium === 'email' ? 2.2 : campaign === 'brand' ? 1.8 : 0.8,
  );
}
