// Which questions about different values are answered from the counts of the column copy, and why others are not.
import { grouped, nodesOf, planned, type Question, READERS, SESSIONS, shape } from './planned';

const PASSES = ['group-by-id', 'unique-counts'];

const counts = 'group unique-counts';
const byText = 'limit order extend group extend unique-counts';
const rows = 'group extend scan';

test.each<[string, Question, string]>([
  ['a total', { view: grouped([], SESSIONS) }, `limit order ${counts}`],
  ['by a dimension with a text of its own', { view: grouped(['device_type'], READERS) }, byText],
  ['by an id', { view: grouped(['page_id'], READERS) }, 'limit order group extend unique-counts'],
  ['by page, with its other texts', { view: grouped(['url', 'title'], SESSIONS) }, byText],
  ['by day', { view: grouped(['access_date'], READERS) }, `limit order ${counts}`],
  ['by week', { view: grouped(['access_week'], READERS) }, `limit order ${counts}`],
  ['by month and dimension', { view: grouped(['access_month', 'country_code'], SESSIONS) }, byText],
  ['in another zone', { view: grouped([], SESSIONS), tz: 'Asia/Kathmandu' }, `limit order ${counts}`],
  ['from a quarter', { view: grouped([], SESSIONS), start: '2026-03-01T10:15:00' }, `limit order ${counts}`],
  ['of several sites', { view: grouped(['device_type'], READERS), sites: 2 }, byText],
  [
    'of some keys',
    { view: { ...grouped(['device_type'], READERS), filter: { device_type: { in: ['PC', 'SP'] } } } },
    'limit order extend group filter extend unique-counts',
  ],
  [
    'beside other numbers, which are computed from the rows',
    { view: grouped(['device_type'], { n: 'COUNT(allpv.pv_id)', s: SESSIONS, r: READERS }) },
    `limit order extend join (join (${rows}) (group extend unique-counts)) (group extend unique-counts)`,
  ],
])('counted in advance: %s', (_title, question, expected) => expect(shape(question, PASSES)).toBe(expected));

test.each<[string, Question, string]>([
  [
    'a range that begins within a quarter of an hour',
    { view: grouped([], SESSIONS), start: '2026-03-01T10:17:00' },
    'The range does not begin and end at a quarter of an hour.',
  ],
  [
    'what nobody counts in advance',
    { view: grouped([], 'COUNTUNIQUE(allpv.page_id)') },
    'Such values are not counted in advance.',
  ],
  [
    'by another key',
    { view: grouped(['source_id'], SESSIONS) },
    'The values are not counted in advance by this key.',
  ],
  [
    'by two keys',
    { view: grouped(['device_type', 'country_code'], SESSIONS) },
    'Values are counted in advance by one stored field, and by day, week or month.',
  ],
  [
    'by a text of several ids',
    { view: grouped(['utm_source'], SESSIONS) },
    'The rows are joined or grouped before.',
  ],
  [
    'by hour, which comes again each day',
    { view: grouped(['access_hour'], SESSIONS) },
    'Values are counted in advance by one stored field, and by day, week or month.',
  ],
  [
    'of some rows of the keys',
    { view: { ...grouped(['device_type'], SESSIONS), filter: { country_code: 'JP' } } },
    'A filter reads more than the key.',
  ],
  [
    'days that clocks cut in two',
    {
      view: grouped(['access_date'], SESSIONS),
      ...{ start: '2010-11-01', end: '2010-12-01', tz: 'America/St_Johns' },
    },
    'The clocks of the range go back across a midnight, or not by quarters of an hour.',
  ],
  [
    'what is not counted yet',
    { view: grouped([], SESSIONS), countedUntil: Date.parse('2026-05-01T00:00:00Z') / 1000 },
    'The column copy is still counting the values of the range.',
  ],
])('counted from the rows: %s', (_title, question, reason) => {
  const { did, because, root } = planned(question, PASSES);
  expect({ did, because }).toEqual({ did: 'nothing', because: [reason] });
  expect(nodesOf(root).some(({ kind }) => kind === 'unique-counts')).toBe(false);
});

test('what is counted up to the end of the range is enough', () => {
  const countedUntil = Date.parse('2026-06-01T00:00:00Z') / 1000;
  expect(shape({ view: grouped([], SESSIONS), countedUntil }, PASSES)).toBe(`limit order ${counts}`);
});

test('groups without a key match each other', () => {
  const { root } = planned({ view: grouped(['country_code'], { s: SESSIONS, r: READERS }) }, PASSES);
  expect(nodesOf(root).flatMap((node) => (node.kind === 'join' ? [node.nullsMatch] : []))).toEqual([true]);
});
