// The patterns of goals mean in PostgreSQL what they mean in JavaScript.
import { postgresPattern } from '../../../extension/data/storage/goals/goal-pattern';
import { useTestDatabase } from '../../support/use-database';

const database = useTestDatabase();

const SINGLES = [
  ...Array.from({ length: 0x2ff }, (_, place) => String.fromCodePoint(place + 1)),
  ...[
    '\u041b',
    '\u0663',
    '\u1680',
    '\u2000',
    '\u2028',
    '\u2029',
    '\u202f',
    '\u3000',
    '\ufeff',
    '語',
    '😀',
    '\u{10ffff}',
  ],
];
const TEXTS = [
  ...SINGLES.map((one) => `https://e/${one}`),
  ...SINGLES.map((one) => `/${one}b`),
  ...['/a\nb', '/aa', '/[a]', '/a-b', '/a]b', '/', '', 'é9é', '/a+', '/x1F600', '/u0041', '\r\n'],
];

test.each([
  '[\\x41B]$',
  '/[\\x2fa]b$',
  '/\\w+$',
  '/\\W$',
  '/\\d$',
  '/\\D$',
  '/\\s$',
  '/\\S$',
  '/[\\w-]$',
  '/[^\\W]$',
  '/[^\\s\\d]b',
  '/[\\D\\S]b',
  '/a.b$',
  '^.*$',
  '/.$',
  '/[[:x]$',
  '/[[.]$',
  '/[[=a=\\]]b$',
  '/[^[:alpha:\\]]b$',
  '/[\\]a]b',
  '/[a\\-z]b',
  '/[-a]b',
  '/[a-]b',
  '/[--/]b',
  '/[a-c-e]b',
  '/[!-~]b',
  '/[é-ÿ]b',
  '/[\\b]',
  '/[\\t\\n\\v\\f\\r]b',
  '/[^\\^]$',
  '/[\\\\]b',
  '/\\\\b',
  '/\\\\\\x62$',
  '\\b9',
  '\\Bb',
  '\\u0041b',
  '\\u{41}b',
  '[\\u{1F600}]',
  '\\u{1F600}',
  '[😀-\\u{10ffff}]b',
  '\\cJb',
  '[\\cA-\\cZ]b',
  '\\x2eb',
  '\\$b',
  '[$]b',
  '\\*',
  '/a{2}$',
  '(?=/a).a$',
  '(?!/a)^/.b$',
  '(?<=/a)b',
  '(?<!/)b$',
  '/(|x)y$',
  '(/a|/é)b',
  '^/[^/]*b$',
  '/\\*?b',
  '[.]b',
  '[{}()|*+?]b',
])('%s', async (pattern) => {
  const matched: { rows: { place: number }[] } = await database.write.raw(
    `SELECT place::int FROM unnest(?::text[]) WITH ORDINALITY u (url, place) WHERE url COLLATE "C" ~ ? ORDER BY place`,
    [TEXTS, postgresPattern(pattern)],
  );
  const expression = new RegExp(pattern, 'u');
  expect(matched.rows.map((row) => TEXTS[row.place - 1])).toEqual(
    TEXTS.filter((text) => expression.test(text)),
  );
});
