// The benchmark's data: its sites, sizes and time range, and the distributions of its values. The same size always produces the same rows.
import { cumulative } from '../../extension/data/demo/random';

export const SIZES = {
  '100k': 100_000,
  '300k': 300_000,
  '1m': 1_000_000,
  '3m': 3_000_000,
  '10m': 10_000_000,
  '50m': 50_000_000,
} as const;
export type Size = keyof typeof SIZES;

/** How many times each imported visit is stored. */
const TIMES_STORED: Readonly<Partial<Record<Size, number>>> = { '300k': 3, '50m': 5 };
export const timesStored = (size: Size): number => TIMES_STORED[size] ?? 1;
export const isSize = (text: string): text is Size => Object.hasOwn(SIZES, text);

/** The materials of each site in import order: clicks need their page views. */
export const MATERIALS = ['allpv', 'click_event', 'gsc'] as const;
export type Material = (typeof MATERIALS)[number];

export interface BenchSite {
  readonly trackingId: string;
  readonly share: number;
  /** The numbers of pages and keywords do not depend on the site's traffic. */
  readonly pages: number;
  readonly keywords: number;
  readonly seed: number;
}

export const BENCH_SITES: readonly BenchSite[] = [
  { trackingId: 'bench-large', share: 0.8, pages: 16_000, keywords: 30_000, seed: 11 },
  { trackingId: 'bench-middle', share: 0.15, pages: 3_000, keywords: 6_000, seed: 22 },
  { trackingId: 'bench-small', share: 0.05, pages: 1_000, keywords: 2_000, seed: 33 },
];

/** The queried site. */
export const LARGE_SITE = 'bench-large';
export const SITE_TIMEZONE = 'Europe/Berlin';

/** UNIX seconds. Both ends are outside the longest queried range, so that visits cross the edges of that range. */
export const FIRST_SECOND = Date.UTC(2025, 9, 31, 12) / 1000;
export const END_SECOND = Date.UTC(2026, 10, 1, 12) / 1000;
export const DAYS = Math.round((END_SECOND - FIRST_SECOND) / 86_400);

export const SESSIONS_PER_VIEW = 0.24;
export const NEW_READER_SHARE = 0.5;
export const CLICKED_VIEW_SHARE = 0.16;
export const ANOTHER_CLICK = 0.4667;
export const SEARCHES_PER_VIEW = 0.2;
export const SELECTORS = 800;

/** The rank of the goal's page, from 0. */
export const GOAL_RANK = 40;
/** The rank of the page that the second keyword leads to. */
export const SEARCHED_RANK = 37;

/** Cumulative weights of 1 / rank^exponent. */
export const zipf = (count: number, exponent: number): Float64Array =>
  cumulative(Array.from({ length: count }, (_, rank) => 1 / (rank + 1) ** exponent));

const FIRST_COUNTRIES = 'JP US DE GB FR IN CN BR CA AU IT ES KR TW NL MX ID TH VN PL SE CH TR SG HK';
const MORE_COUNTRIES = 'AT BE DK NO FI PT CZ IE NZ ZA AR CL CO PE PH MY RO HU GR UA IL AE SA EG MA';
export const COUNTRIES = `${FIRST_COUNTRIES} ${MORE_COUNTRIES}`.split(' ');
export const LANGUAGES = 'ja en-US de en-GB fr hi zh-CN pt-BR es ko zh-TW nl it id th vi pl sv'.split(' ');

export const DEVICES = [
  ['SP', ['iOS 18', 'Android 15', 'Android 14', 'iOS 17', 'Android 13'], 60],
  ['PC', ['Windows 11', 'Windows 10', 'macOS 15', 'Linux'], 35],
  ['tablet', ['iPadOS 18', 'Android 14'], 5],
] as const;
export const BROWSERS = [
  'Safari 18',
  'Chrome 141',
  'Chrome 140',
  'Edge 141',
  'Samsung Internet 28',
  'Firefox 143',
  'Safari 17',
  'Opera 122',
];

interface Source {
  readonly source_domain: string | null;
  readonly referrer: string | null;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
}

const UTM_SOURCES = 40;
const TERMS = 25;
const MEDIUMS = ['cpc', 'email', 'social', 'display', 'affiliate'];

/** Sources by rank. Each term of a utm_source is a separate source. Rank 1 means no source. */
export const SOURCES: readonly Source[] = Array.from({ length: UTM_SOURCES * TERMS }, (_, rank) => {
  const none = { utm_source: null, utm_medium: null, utm_campaign: null, utm_term: null };
  if (rank === 1) return { ...none, source_domain: null, referrer: null };
  if (rank % 4 === 0) {
    const domain = `www.search-${rank / 4}.example`;
    return { ...none, source_domain: domain, referrer: `https://${domain}/results` };
  }
  const place = (rank * 7) % UTM_SOURCES;
  return {
    source_domain: `ads-${place}.example`,
    referrer: `https://ads-${place}.example/`,
    utm_source: `source-${place}`,
    utm_medium: MEDIUMS[place % MEDIUMS.length] ?? null,
    utm_campaign: `campaign-${rank % 60}`,
    utm_term: rank % 3 === 0 ? null : `term ${rank % TERMS}`,
  };
});

const WORDS = 'travel kitchen garden winter summer light steel paper coffee river mountain studio'.split(' ');
const wordOf = (rank: number): string => WORDS[rank % WORDS.length] ?? 'page';

export const urlOf = (site: BenchSite, rank: number): string =>
  `https://www.${site.trackingId}.example/${wordOf(rank)}/${wordOf(rank * 5 + 3)}-${wordOf(rank * 7 + 1)}-${rank}/`;

export const titleOf = (site: BenchSite, rank: number): string =>
  `${wordOf(rank * 5 + 3)} and ${wordOf(rank * 7 + 1)}, number ${rank} | ${site.trackingId}`;

export const selectorOf = (rank: number): string =>
  `main > section.${wordOf(rank)} a.item-${rank}:nth-of-type(${(rank % 9) + 1})`;

export const keywordOf = (rank: number): string => `${wordOf(rank)} ${wordOf(rank * 3 + 2)} ${rank}`;

/** A site's approximate number of page views. */
export const viewsOf = (site: BenchSite, size: Size): number => Math.round(SIZES[size] * site.share);

/** The approximate number of a site's page views that are generated and imported. */
export const importedViews = (site: BenchSite, size: Size): number => viewsOf(site, size) / timesStored(size);

/** Bytes per page view, including its clicks and searches: in import files, and in all databases. */
const FILE_BYTES = 1_200;
const STORED_BYTES = 600;

/** The approximate peak disk usage of a run, in bytes. The files are deleted before visits are repeated. */
export const diskOf = (size: Size): number =>
  SIZES[size] * Math.max((FILE_BYTES + STORED_BYTES) / timesStored(size), STORED_BYTES);

export const siteEntry = (site: BenchSite): object => ({
  tracking_id: site.trackingId,
  domain: `www.${site.trackingId}.example`,
  name: site.trackingId,
  timezone: SITE_TIMEZONE,
  goals: [
    { id: 1, name: 'Order', type: 'gtype_page', condition: { url: urlOf(site, GOAL_RANK), match: 'exact' } },
  ],
});
