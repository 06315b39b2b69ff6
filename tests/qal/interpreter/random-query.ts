// Owns random page views and random valid queries: awkward values, few of them, so that they meet often.
import fc from 'fast-check';
import type { RandomQuery, RandomView, Value, ViewRow } from './interpret';

type Kind = 'id' | 'number' | 'text' | 'time' | 'date';

const nullable = (values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom<Value>(null, ...values);

const TEXTS = ['', 'A', 'a', 'b%_\\', 'O\'Neil "x"', 'é', '🙂', 'Z'];
const URLS = ['/', '/a', '/A', '/ä', '/🙂', '/a%_\\', "/'"];

/** Instants around two clock changes and the days beside them, often the same. */
const INSTANTS = [
  '2026-03-28T22:30:00Z',
  '2026-03-29T00:59:59Z',
  '2026-03-29T01:00:00Z',
  '2026-03-29T22:00:00Z',
  '2026-03-30T05:15:00Z',
  '2026-10-24T21:59:59Z',
  '2026-10-25T00:30:00Z',
  '2026-10-25T01:30:00Z',
  '2026-10-25T23:00:00Z',
  '2026-06-01T12:00:00Z',
].map((text) => Date.parse(text) / 1000);

const rowValues = fc.record({
  session_id: fc.integer({ min: 1, max: 6 }),
  reader_id: fc.integer({ min: 1, max: 4 }),
  url: fc.constantFrom(...URLS),
  utm_source: nullable(TEXTS),
  device_type: fc.constantFrom('PC', 'tablet', 'SP'),
  os: nullable(['Windows', 'iOS', '']),
  browser: nullable(['Edge', 'edge']),
  country_code: nullable(['JP', 'DE']),
  pv: fc.integer({ min: 1, max: 3 }),
  browse_sec: nullable([0, 1, 7, 3600]),
  irritation_click_count: fc.integer({ min: 0, max: 2 }),
  is_last: fc.constantFrom(0, 1),
  is_newuser: fc.constantFrom(0, 1),
});

/** Views of two sites; ids of the one are ids of the other too. */
export const randomRows: fc.Arbitrary<readonly ViewRow[]> = fc
  .array(fc.record({ site: fc.constantFrom(0, 1), at: fc.constantFrom(...INSTANTS), values: rowValues }), {
    minLength: 20,
    maxLength: 60,
  })
  .map((rows) => {
    const counts = [0, 0];
    return rows.map((row) => {
      counts[row.site] = (counts[row.site] ?? 0) + 1;
      return {
        ...row,
        values: {
          ...row.values,
          pv_id: counts[row.site] ?? 0,
          title: titleOf(row.values.url),
          tracking_id: `s${row.site}`,
        },
      };
    });
  });

/** A title that several pages share, and one that is missing. */
export const titleOf = (url: string): string | null =>
  url === '/ä' ? null : url.length > 2 ? 'Long' : 'Short';

const COLUMNS: Readonly<Record<string, Kind>> = {
  pv_id: 'id',
  session_id: 'id',
  reader_id: 'id',
  url: 'text',
  title: 'text',
  utm_source: 'text',
  device_type: 'text',
  os: 'text',
  browser: 'text',
  country_code: 'text',
  ua: 'text',
  tracking_id: 'text',
  access_time: 'time',
  access_date: 'date',
  access_month: 'text',
  access_hour: 'number',
  access_weekday: 'number',
  pv: 'number',
  browse_sec: 'number',
  irritation_click_count: 'number',
  is_last: 'number',
  is_newuser: 'number',
};
const FLAGS = new Set(['is_last', 'is_newuser']);

type Columns = Readonly<Record<string, Kind>>;

const randomValue = (kind: Kind): fc.Arbitrary<Value> => {
  switch (kind) {
    case 'text':
      return fc.constantFrom(...TEXTS, ...URLS, 'PC', 'SP', 'JP', 'Windows', '2026-10');
    case 'time':
      return fc.constantFrom('2026-03-29T00:00:00', '2026-10-25T12:00:00', '2026-06-01T14:00:00');
    case 'date':
      return fc.constantFrom('2026-03-29', '2026-10-25', '2026-10-26');
    case 'id':
    case 'number':
      return fc.constantFrom(0, 1, 2, 3, 7, 2.5, 3600);
  }
};

function randomFilter(columns: Columns): fc.Arbitrary<RandomView['filter'][number]> {
  return fc.constantFrom(...Object.keys(columns)).chain((column) => {
    const kind = columns[column] ?? 'number';
    const value = FLAGS.has(column) ? fc.constantFrom<Value>(0, 1) : randomValue(kind);
    const equal = fc.constantFrom('eq', 'neq');
    const test = (operator: fc.Arbitrary<string>, operand: fc.Arbitrary<Value | readonly Value[]>) =>
      fc.record({ column: fc.constant(column), operator, value: operand });
    const both = [
      test(equal, value),
      test(equal, fc.constant(null)),
      test(fc.constant('in'), fc.array(value, { maxLength: 3 })),
    ];
    const ordered = [
      test(fc.constantFrom('gt', 'gte', 'lt', 'lte'), value),
      test(fc.constant('between'), fc.tuple(value, value)),
    ];
    const texts = [test(fc.constantFrom('contains', 'prefix'), value)];
    return fc.oneof(...both, ...(FLAGS.has(column) ? [] : ordered), ...(kind === 'text' ? texts : []));
  });
}

function randomView(
  from: string,
  columns: Columns,
): fc.Arbitrary<{ readonly view: RandomView; readonly output: Columns }> {
  const names = Object.keys(columns);
  const calc = fc
    .tuple(fc.constantFrom('COUNT', 'COUNTUNIQUE', 'SUM', 'AVERAGE', 'MIN', 'MAX'), fc.constantFrom(...names))
    .filter(([name, column]) => !['SUM', 'AVERAGE'].includes(name) || columns[column] === 'number');
  return fc
    .record({
      keep: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
      filter: fc.uniqueArray(randomFilter(columns), { maxLength: 2, selector: ({ column }) => column }),
      calcs: fc.array(calc, { maxLength: 3 }),
      sort: fc.option(
        fc.record({
          index: fc.nat(5),
          order: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
          top: fc.option(fc.integer({ min: 1, max: 5 })),
        }),
      ),
    })
    .filter(({ keep, calcs }) => keep.length + calcs.length > 0)
    .map(({ keep, filter, calcs, sort }) => {
      const calced = calcs.map(([name, column], index) => ({
        name: `${from === 'allpv' ? 'c' : 'd'}${index}`,
        function: name,
        column,
      }));
      const clashing = calced.filter(({ name }) => !keep.includes(name));
      const output = [...keep, ...clashing.map(({ name }) => name)];
      const kinds = Object.fromEntries([
        ...keep.map((column) => [column, columns[column] ?? 'number'] as const),
        ...clashing.map(
          (entry) => [entry.name, kindOf(entry.function, columns[entry.column] ?? 'number')] as const,
        ),
      ]);
      const by = output[(sort?.index ?? 0) % output.length] ?? '';
      const view: RandomView = {
        from,
        keep: output.length === 0 ? ['pv_id'] : keep,
        filter,
        calc: clashing,
        sort: sort === null ? null : { by, order: sort.order, top: sort.top },
      };
      return { view, output: kinds };
    });
}

const kindOf = (name: string, kind: Kind): Kind =>
  name === 'MIN' || name === 'MAX' ? (kind === 'id' ? 'number' : kind) : 'number';

const TIMES = [
  { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'Europe/Berlin' },
  { start: '2026-03-29T00:00:00', end: '2026-03-30T00:00:00', tz: 'Europe/Berlin' },
  { start: '2026-10-25T00:00:00', end: '2026-10-26T00:00:00', tz: 'Europe/Berlin' },
  { start: '2026-03-01T12:00:00', end: '2026-10-25T12:00:00', tz: 'Asia/Kolkata' },
  { start: '2026-01-01T00:00:00', end: '2026-12-01T00:00:00', tz: 'America/New_York' },
  { start: '2026-03-29T00:00:00', end: '2026-03-30T00:00:00', tz: 'UTC' },
];

/** One to three views, each reading the one before. */
export const randomQuery: fc.Arbitrary<RandomQuery> = fc
  .tuple(
    fc.constantFrom<readonly number[]>([0], [1], [0, 1]),
    fc.constantFrom(...TIMES),
    fc.constantFrom(1, 3, 1000),
    randomView('allpv', COLUMNS).chain((first) =>
      fc
        .option(randomView('v1', first.output))
        .map((second) => ({ v1: first.view, ...(second === null ? {} : { v2: second.view }) })),
    ),
  )
  .map(([sites, time, limit, views]) => ({
    sites,
    all: sites.length > 1,
    time,
    limit,
    views,
    use: 'v2' in views ? 'v2' : 'v1',
  }));
