// The error for a whole query written for another tool has a single hint, whose example is a valid query.
import { ERRORS } from '../../extension/language/errors/error-table';
import { faultOf, understood } from './understood';

const QUERIES = {
  Plausible: {
    site_id: 'shop.example',
    metrics: ['visitors'],
    date_range: '7d',
    dimensions: ['event:page'],
    filters: [['is', 'visit:country', ['DE']]],
  },
  GA4: {
    property: 'properties/1',
    dateRanges: [{ startDate: '7daysAgo', endDate: 'today' }],
    dimensions: [{ name: 'country' }],
    metrics: [{ name: 'sessions' }],
  },
  Cube: {
    measures: ['views.count'],
    timeDimensions: [{ dimension: 'views.at', granularity: 'day', dateRange: 'last week' }],
  },
} as const;

test.each(Object.entries(QUERIES))('%s', async (tool, query) => {
  const { code, at, hint = '' } = await faultOf(JSON.stringify(query));
  expect({ code, at }).toEqual({ code: 'E_UNKNOWN_FIELD', at: Object.keys(query)[0] });
  expect(hint).toMatch(new RegExp(`^This is a ${tool} query\\. `));
  const example = /\{.*\}/.exec(hint)?.[0] ?? '';
  const time = { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' };
  await understood(JSON.stringify({ tracking_id: 'shop', time, ...JSON.parse(example) }));
  expect(ERRORS.E_UNKNOWN_FIELD.hints[tool as keyof typeof QUERIES]).toBe(hint);
});

test.each([{ site_id: 'shop' }, { metrics: ['views'] }, { make: {}, measures: [] }])(
  '%j is not a query for another tool',
  async (changes) => {
    const { hint = '' } = await faultOf(JSON.stringify({ tracking_id: 'shop', ...changes }));
    expect(hint).not.toMatch(/^This is a \w+ query/);
  },
);
