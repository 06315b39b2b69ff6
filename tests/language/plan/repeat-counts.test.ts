// Counts of visitors with two visits that are computed from the columnar copy's stored counts, and the reasons why others are not.
import { grouped, nodesOf, planned, type Question, SESSIONS, shape } from './planned';

const PASSES = ['group-by-id', 'repeat-counts'];

interface Views {
  readonly keep?: readonly string[];
  readonly filter?: object;
  readonly outer?: readonly string[];
  readonly outerFilter?: object;
  readonly calc?: string | object;
  readonly counted?: string;
}

/** Counts the visitors who have a given number of visits. Default: at least two. */
const visitors = ({
  keep = [],
  filter = {},
  outer = keep,
  outerFilter = { visits: { gte: 2 } },
  calc = 'COUNT(visitors.reader_id)',
  counted = SESSIONS,
}: Views): Pick<Question, 'view' | 'earlier'> => ({
  earlier: { visitors: { ...grouped(['reader_id', ...keep], { visits: counted }), filter } },
  view: {
    ...grouped(
      outer.map((name) => `visitors.${name}`),
      calc,
    ),
    from: ['visitors'],
    filter: outerFilter,
  },
});

const TOTAL = 'limit order group unique-counts';
const BY_DEVICE = 'limit order extend group extend extend unique-counts';

test.each<[string, Question, string]>([
  ['a total', visitors({}), TOTAL],
  ['more than one visit', visitors({ outerFilter: { visits: { gt: 1 } } }), TOTAL],
  ['by device', visitors({ keep: ['device_type'] }), BY_DEVICE],
  [
    'combinations of visitor and device',
    visitors({ keep: ['device_type'], outer: [] }),
    'limit order group extend extend unique-counts',
  ],
  [
    'on one device',
    visitors({ filter: { device_type: 'SP' } }),
    'limit order group filter extend unique-counts',
  ],
  [
    'by device, on some devices',
    visitors({
      keep: ['device_type'],
      outerFilter: { visits: { gte: 2 }, device_type: { in: ['SP', 'PC'] } },
    }),
    'limit order extend group filter extend extend unique-counts',
  ],
  ['in another zone', { ...visitors({}), tz: 'Asia/Kathmandu' }, TOTAL],
])('counted in advance: %s', (_title, question, expected) => expect(shape(question, PASSES)).toBe(expected));

const NO_KEYS = 'The values are not counted in advance by these keys.';
const OTHER_GROUPS =
  'The groups are not values that are counted in advance, or more than their number is read.';

test.each<[string, Question, string]>([
  [
    'three visits',
    visitors({ outerFilter: { visits: { gte: 3 } } }),
    'The groups are not filtered by at least two distinct values.',
  ],
  ['by another key', visitors({ keep: ['country_code'] }), NO_KEYS],
  ['by two keys', visitors({ keep: ['country_code', 'device_type'] }), NO_KEYS],
  ['by day', visitors({ keep: ['access_date'] }), 'Repeated values are not counted in advance by period.'],
  ['the most visits', visitors({ calc: 'MAX(visitors.visits)' }), OTHER_GROUPS],
  ['several pages', visitors({ counted: 'COUNTUNIQUE(allpv.page_id)' }), OTHER_GROUPS],
  [
    'with a filter on another column',
    visitors({ filter: { country_code: 'JP' } }),
    'The values are not counted in advance with this filter.',
  ],
  [
    'with another filter on the number of visits',
    visitors({ outerFilter: { visits: { between: [2, 5] } } }),
    'The groups are not filtered by at least two distinct values.',
  ],
  [
    'on several devices, in total',
    visitors({ filter: { device_type: { in: ['SP', 'PC'] } } }),
    'The values are not counted in advance with this filter.',
  ],
  [
    'on several sites',
    { ...visitors({}), sites: 2 },
    'A value on several sites is counted only once, but the values are counted in advance for each site.',
  ],
  [
    'values that are not counted yet',
    { ...visitors({}), countedUntil: Date.parse('2026-05-01T00:00:00Z') / 1000 },
    'The columnar copy has not yet counted the values of the whole range.',
  ],
  [
    'a range that does not start on a quarter hour',
    { ...visitors({}), start: '2026-03-01T10:17:00' },
    'The range does not start and end on a quarter hour.',
  ],
])('counted from the rows: %s', (_title, question, reason) => {
  const { did, because, root } = planned(question, PASSES);
  expect({ did, because }).toEqual({ did: 'nothing', because: [reason] });
  expect(nodesOf(root).some(({ kind }) => kind === 'unique-counts')).toBe(false);
});
