// The unusual values in data and queries. There are only a few, so that data and queries often match.
import type { Json } from '../reading/tables';

export const TEXTS = [
  'A',
  'a',
  '',
  'b%_\\',
  'O\'Neil "x"',
  '\u00e9',
  'e\u0301',
  '🙂',
  '👨‍👩‍👧',
  'Z',
  '12',
  'line\nbreak\ttab',
  "';--",
  'null',
  '{}?$1',
  '@000000000001',
];

/** Sources, media and click ids from the channel rules, and some that are almost identical to them. */
export const SOURCE_DOMAINS = [
  'example.com',
  '',
  'google.com',
  'WWW.Google.CO.jp',
  'a.b.google.de',
  'a.b.c.google.de',
  'notgoogle.com',
  'mail.google.com',
  'docs.google.com',
  'l.facebook.com',
  't.co',
  'youtube.com',
  'amazon.de',
  'localhost',
];
export const SOURCE_NAMES = [
  'google',
  'Google',
  'facebook',
  '(direct)',
  'newsletter',
  'GOOGLE.com.',
  '.',
  'x.google',
  'sms',
];
export const MEDIA = [
  'cpc',
  'CPM',
  'Paid-Social',
  'organic',
  'email',
  '(none)',
  'social',
  'web push',
  'video',
  'referral',
  'x-MOBILE-y',
  'affiliate',
  'display',
  'cross-network',
  '\u212Apaid',
  'new',
];
export const CLICK_IDS = ['gclid', 'fbclid', 'dclid', 'mc_cid', 'srsltid', 'other'];

export const URLS = [
  '/',
  '/a',
  '/a/',
  '/A',
  '/ä',
  '/a\u0308',
  '/🙂',
  "/a%_\\'",
  '/a?b=1&c="2"',
  'https://a.example',
  'http://u:p@a.example:8080/ä/b/?q=/x/?#/y?z',
  '//b.example/x/#?',
  '/f/?#',
  'no/slash/',
  'a?b//c/d',
  '?',
];

/** Time zones with clock changes at midnight or by half an hour, or with unusual offsets, in both hemispheres. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'America/New_York',
];

/** The instants of clock changes in these zones. The data clusters around a few of them. */
export const CHANGES = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T05:00:00Z',
  '2026-11-01T05:00:00Z',
  '2026-04-23T22:00:00Z',
  '2026-10-29T21:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
  '2026-12-31T18:30:00Z',
].map((text) => Date.parse(text) / 1000);

/** Seconds before or after a clock change. 0 is listed twice, so it is picked more often. */
export const DISTANCES = [
  0, 0, -1, 1, 1800, 3599, 3600, -3600, 7200, -7200, 43_200, 86_400, -86_400, -172_800,
];

/** Ordinary local times, and some that a zone skips or repeats. */
export const LOCAL_TEXTS = [
  '2026-01-01T00:00:00',
  '2026-03-08T00:00:00',
  '2026-03-08T00:30:00',
  '2026-03-08T02:15:00',
  '2026-03-29T02:30:00',
  '2026-03-29T03:00:00',
  '2026-04-05T01:45:00',
  '2026-04-24T00:00:00',
  '2026-04-24T00:59:59',
  '2026-10-04T02:15:00',
  '2026-10-25T02:30:00',
  '2026-10-29T23:30:00',
  '2026-11-01T00:30:00',
  '2026-11-01T01:00:00',
  '2027-01-01T00:00:00',
];

export const NUMBERS = [
  0, 1, 2, 3, -1, 7, 0.1, 0.3, 2.5, 100, 3600, 2_147_483_648, 4_294_967_297, 1e15, 1e-7,
];

/** Values of a parameter that is always a number. */
export const AMOUNTS: readonly Json[] = [0.1, 0.2, 0.7, 12, -3, 1e15, 1e-7, 2.5, 0, null, 4_294_967_297];

/** Values of a parameter that is text because some of its values are not numbers. */
export const MIXED: readonly Json[] = [
  12,
  '12',
  0.1,
  1e15,
  true,
  false,
  null,
  '',
  '🙂"\\',
  [1, 'a', { b: null }],
  { long: 1, b: [], a: { '%': '_' } },
  {},
];
