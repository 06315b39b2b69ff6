// The parts of the dashboard's script that do not require a browser: URL, text and rows.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addressOf,
  nextPlace,
  placed,
  placeOf,
  readAddress,
} from '../../../extension/pages/browser/dashboard/address';
import { typedParameter } from '../../../extension/pages/browser/dashboard/event-parameter';
import {
  changeOf,
  localizedName,
  pathOf,
  withUnit,
} from '../../../extension/pages/browser/dashboard/in-words';
import { lineOf, pointText, ticksUpTo } from '../../../extension/pages/browser/dashboard/line';
import { commonSuffix, goalRowsOf, listRowsOf } from '../../../extension/pages/browser/dashboard/list-rows';
import { marksBelow, placedNotes } from '../../../extension/pages/browser/dashboard/placed-notes';
import {
  missingInWords,
  pointInWords,
  pointOnAxis,
  rangeInWords,
} from '../../../extension/pages/browser/shared/dates-in-words';
import type {
  CardInfo,
  DashboardHead,
  PartAnswer,
  TabInfo,
} from '../../../extension/pages/shared-types/dashboard-types';

const KNOWN = { dimensions: ['country', 'page'], panels: ['pages', 'sources'], site: 'demo', period: '28d' };
const HOSTILE = `a&b=c"#<script>%00'é東`;

describe('the URL', () => {
  test('an empty query string means the default view', () => {
    expect(readAddress('', KNOWN)).toEqual({
      site: 'demo',
      period: '28d',
      compare: 'before',
      card: 'visitors',
      filters: [],
      tabs: {},
    });
  });

  test.each([
    '?site=demo',
    '?site=demo&period=custom&from=2026-01-01&to=2026-02-01',
    '?site=demo&compare=custom&compare_from=2026-01-01&compare_to=2026-02-01',
    '?site=demo&period=custom&compare=custom&from=2026-01-01&to=2026-02-01&compare_from=2025-01-01&compare_to=2025-01-02',
    '?site=demo&period=year&compare=none&card=visits&by=week&pages=entry',
    '?site=demo&page=x&contains.page=%2Fa&contains.page=%2Fb&prefix.page=https%3A%2F%2Fa.example%2F',
    '?site=demo&page=x&not_contains.page=%2Fa&not_contains.page=%2Fb&not_prefix.page=%2F',
    '?site=demo&country=DE&country=&not.country=AT&not.page=https%3A%2F%2Fa.example%2F%3Fx%3D1',
  ])('%s is unchanged after a round trip', (search) => {
    expect(addressOf(readAddress(search, KNOWN), KNOWN.period)).toBe(search);
  });

  test('any text is preserved as a value', () => {
    const filters = [{ dimension: 'page', not: false, values: [HOSTILE] }];
    const view = { ...readAddress('', KNOWN), filters };
    expect(readAddress(addressOf(view, KNOWN.period), KNOWN).filters).toEqual(filters);
  });

  test('days without a period are a custom range; unknown names are ignored', () => {
    const view = readAddress('?from=2026-01-01&to=2026-01-02&color=red', KNOWN);
    expect(view.period).toBe('custom');
    expect(view.filters).toEqual([]);
    const compared = readAddress('?compare_from=2026-01-01&compare_to=2026-01-02', KNOWN);
    expect([compared.period, compared.compare]).toEqual(['28d', 'custom']);
  });

  test('the dates of a comparison are in the URL only if it is a custom range', () => {
    const view = readAddress('?site=demo&compare_from=2026-01-01&compare_to=2026-01-02', KNOWN);
    expect(addressOf({ ...view, compare: 'year' }, KNOWN.period)).toBe('?site=demo&compare=year');
  });

  test('a value is first included, then excluded, then removed, and other values remain', () => {
    let filters = placed([], 'country', 'DE', 'in');
    filters = placed(filters, 'country', 'AT', 'in');
    expect(filters).toEqual([{ dimension: 'country', not: false, values: ['DE', 'AT'] }]);
    filters = placed(filters, 'country', 'DE', nextPlace[placeOf(filters, 'country', 'DE')]);
    expect(placeOf(filters, 'country', 'DE')).toBe('out');
    expect(placeOf(filters, 'country', 'AT')).toBe('in');
    filters = placed(filters, 'country', 'DE', nextPlace[placeOf(filters, 'country', 'DE')]);
    expect(filters).toEqual([{ dimension: 'country', not: false, values: ['AT'] }]);
  });
});

describe('the line chart of a card', () => {
  const card: CardInfo = {
    column: 'views',
    label: 'Page views',
    unit: 'count',
    figure: 'visits',
    about: '',
    lessIsBetter: false,
  };
  const head: DashboardHead = {
    version: 'one',
    site: { trackingId: 'demo', name: 'Demo', timezone: 'UTC' },
    range: { first: '2026-11-03', last: '2026-11-05' },
    before: { first: '2026-10-31', last: '2026-11-02' },
    unfinished: false,
    sameHours: false,
    step: 'day',
    steps: ['day'],
    chart: { points: ['2026-11-03', '2026-11-04', '2026-11-05'], partial: [], known: [0, 2] },
    chartBefore: {
      points: ['2026-10-31', '2026-11-01', '2026-11-02'],
      partial: [],
      known: [1, 3],
      days: { first: '2026-10-31', last: '2026-11-02' },
    },
    newest: 60,
    data: { first: '2026-11-01', last: '2026-11-04' },
    missing: 'before',
    goals: [],
    canPage: true,
    canSave: true,
    events: {},
  };
  const answerWith = (rows: NonNullable<PartAnswer['rows']>): PartAnswer => ({
    id: 'series visits',
    query: {},
    unfiltered: [],
    columns: ['access_date', 'views'],
    rows,
  });

  test('a count is 0 on a day without rows, and a gap on a day without data', () => {
    const now = answerWith([['2026-11-03', 7]]);
    const before = answerWith([['2026-11-02', 5]]);
    const line = lineOf(card, head, now, before);
    expect(line.values).toEqual([7, 0, null]);
    expect(line.before).toEqual([null, 0, 5]);
  });

  test('a point shows the day that it is compared with, if there is one', () => {
    const now = answerWith([
      ['2026-11-03', 6],
      ['2026-11-04', 8],
    ]);
    const before = answerWith([
      ['2026-03-01', 5],
      ['2026-03-02', 4],
    ]);
    const days = { first: '2026-03-01', last: '2026-03-02' };
    const chartBefore = { points: ['2026-03-01', '2026-03-02'], partial: [1], known: [0, 2], days } as const;
    const data = { first: '2026-01-01', last: '2026-11-04' };
    const line = lineOf(card, { ...head, before: days, chartBefore, data }, now, before);
    expect([0, 1, 2].map((at) => pointText(line, at))).toEqual([
      ['Tue, Nov 3, 2026', 'Page views: 6', 'Sun, Mar 1, 2026: 5 (+20%)'],
      ['Wed, Nov 4, 2026', 'Page views: 8', 'Mon, Mar 2, 2026 (incomplete): 4'],
      ['Thu, Nov 5, 2026', 'Page views: –'],
    ]);
  });

  test('a note is placed at the point that contains its day, at every interval', () => {
    const at = (step: DashboardHead['step'], points: readonly string[], day: string) => {
      const chart = { points, partial: [], known: [0, points.length] } as const;
      const notes = [{ id: 1, day, text: 'Relaunch', revision: 1 }];
      return placedNotes({ step, chart, notes }).map((one) => one.at);
    };
    const hours = ['2026-11-03', '2026-11-04'].flatMap((day) =>
      Array.from({ length: 24 }, (_unused, hour) => `${day} ${hour}`),
    );
    expect(at('hour', hours, '2026-11-04')).toEqual([24]);
    expect(at('day', ['2026-11-03', '2026-11-04'], '2026-11-04')).toEqual([1]);
    expect(at('week', ['2026-10-26', '2026-11-02'], '2026-11-01')).toEqual([0]);
    expect(at('week', ['2026-10-26', '2026-11-02'], '2026-11-02')).toEqual([1]);
    expect(at('month', ['2026-10', '2026-11'], '2026-10-31')).toEqual([0]);
    expect(at('month', ['2026-10', '2026-11'], '2026-11-30')).toEqual([1]);
  });

  test('notes whose marks would overlap share a mark', () => {
    const note = (id: number) => ({ id, day: '2026-11-03', text: String(id), revision: 1 });
    const placed = [0, 0, 2, 5, 6].map((at, index) => ({ at, note: note(index) }));
    const marks = marksBelow(placed, (at) => at * 10, 24);
    expect(marks.map(({ x, notes }) => [x, notes.map(({ id }) => id)])).toEqual([
      [0, [0, 1, 2]],
      [50, [3, 4]],
    ]);
  });

  test('the reason why ranges cannot be compared contains the day', () => {
    expect(missingInWords(head)).toBe('There is no data before Nov 1, 2026.');
    expect(missingInWords({ ...head, missing: 'after' })).toBe('There is no data after Nov 4, 2026.');
    expect(missingInWords({ ...head, missing: null })).toBeUndefined();
  });
});

describe('names and numbers as text', () => {
  test.each([
    [1234567.4, 'count', '1,234,567'],
    [44.25, 'percent', '44.3%'],
    [0, 'seconds', '0s'],
    [9.96, 'seconds', '10s'],
    [59.6, 'seconds', '1m 0s'],
    [214.06, 'seconds', '3m 34s'],
    [870, 'milliseconds', '870 ms'],
    [2871, 'milliseconds', '2.9s'],
    [2.8675, 'decimal', '2.87'],
    [null, 'count', '–'],
  ] as const)('%s as %s is %s', (value, unit, text) => {
    expect(withUnit(value, unit)).toBe(text);
  });

  test('a change needs an earlier value', () => {
    expect(changeOf(110, 100)).toEqual({ text: '10%', direction: 'up' });
    expect(changeOf(99.5, 100)).toEqual({ text: '0.5%', direction: 'down' });
    expect(changeOf(100, 100)).toEqual({ text: '0%', direction: 'same' });
    expect(changeOf(5, 0)).toBeUndefined();
    expect(changeOf(null, 5)).toBeUndefined();
  });

  test('labels of days and points are short on the axis and complete elsewhere', () => {
    expect(rangeInWords({ first: '2026-11-21', last: '2026-11-21' })).toBe('Sat, Nov 21, 2026');
    expect(pointOnAxis('month', '2026-11')).toBe('Nov 2026');
    expect(pointOnAxis('day', '2026-11-02')).toBe('Nov 2');
    expect(pointInWords('hour', '2026-11-21 7')).toMatch(/^Sat, Nov 21, 2026, 7:00\sAM$/);
    expect(pointInWords('week', '2026-11-16')).toBe('Week of Nov 16, 2026');
  });

  test.each([
    ['device', 'SP', 'Smartphone'],
    ['device', 'Fridge', 'Fridge'],
    ['country', 'DE', 'Germany'],
    ['country', '<b>', '<b>'],
    ['language', 'de', 'German'],
    ['language', 'not a language', 'not a language'],
    ['source', 'SP', 'SP'],
  ])('%s: %s is called %s', (dimension, name, spoken) => {
    expect(localizedName(dimension, name)).toBe(spoken);
  });

  test.each([
    ['https://a.example/b?c=1#d', '/b?c=1#d'],
    ['https://a.example/%E6%9D%B1', '/東'],
    ['https://a.example/%', 'https://a.example/%'],
    ['not an address', 'not an address'],
  ])('the path of %s is %s', (url, path) => {
    expect(pathOf(url)).toBe(path);
  });
});

test.each([
  [0, 'count', [0, 1]],
  [3, 'count', [0, 1, 2, 3]],
  [955, 'count', [0, 250, 500, 750, 1000]],
  [0.4, 'decimal', [0, 0.1, 0.2, 0.30000000000000004, 0.4]],
  [250, 'seconds', [0, 120, 240, 360]],
] as const)('an axis up to %s (%s) has round numbers', (max, unit, ticks) => {
  expect(ticksUpTo(max, unit)).toEqual(ticks);
});

describe('rows', () => {
  const tab: TabInfo = {
    id: 'page',
    title: 'All',
    names: ['title', 'url'],
    dimension: 'page',
    shareOf: null,
    nameless: 'none',
    about: '',
    kind: 'list',
    measures: [{ column: 'views', label: 'Page views', unit: 'count' }],
  };
  const answer = (columns: readonly string[], ...rows: PartAnswer['rows'] & {}): PartAnswer => ({
    id: 'page',
    query: {},
    unfiltered: [],
    columns,
    rows,
  });

  test('a row filters by its last name column, no matter how the columns are ordered', () => {
    const rows = listRowsOf(
      tab,
      answer(['views', 'url', 'title'], [3, 'https://a.example/', null], [1, '', 'B']),
    );
    expect(rows).toEqual([
      { names: [null, 'https://a.example/'], value: 'https://a.example/', numbers: [3] },
      { names: ['B', null], value: null, numbers: [1] },
    ]);
  });

  test('goals are columns of a single row, and have a rate only if there are visits', () => {
    const goals = [
      { id: 1, name: 'Order' },
      { id: 3, name: 'Cart' },
    ];
    expect(goalRowsOf(answer(['entries', 'goal_1', 'goal_3'], [20, 1, 5]), goals)).toEqual([
      { names: ['Cart'], value: '3', numbers: [5, 25] },
      { names: ['Order'], value: '1', numbers: [1, 5] },
    ]);
    expect(goalRowsOf(answer(['entries', 'goal_1'], [0, 0]), goals.slice(0, 1))[0]?.numbers).toEqual([
      0,
      null,
    ]);
  });
});

test('the world map uses the same country codes as visits', () => {
  const folder = join(__dirname, '../../../extension/pages/browser/dashboard');
  const { countries } = JSON.parse(readFileSync(join(folder, 'world-map-shapes.json'), 'utf8'));
  const codes = Object.keys(countries);
  expect(codes).toEqual(expect.arrayContaining(['DE', 'FR', 'GB', 'JP', 'RS', 'RU', 'US']));
  expect(codes.filter((code) => new Intl.Locale(`und-${code}`).region !== code)).toEqual([]);
});

test('only the ending that most titles share is dropped', () => {
  expect(commonSuffix(['Tea | Shop', 'Cups - blue | Shop', 'Home'])).toBe(' | Shop');
  expect(commonSuffix(['Tea | Shop', 'Cups | Blog', 'Home'])).toBe('');
  expect(commonSuffix(['Tea | Shop'])).toBe('');
});

describe('event parameters in words', () => {
  const events = { play: { video: 'string', seconds: 'number' }, stop: {} } as const;

  test.each([
    ['play: video = intro', '["play","video","intro"]'],
    ['play:video=a = b', '["play","video","a = b"]'],
    ['play: seconds = 7.5', '["play","seconds",7.5]'],
    ['play: video = 7', '["play","video","7"]'],
    ['play: video =', '["play","video",null]'],
  ])('%s', (line, json) => {
    expect(typedParameter(line, events)).toEqual({ json });
  });

  test.each([
    ['video = intro', 'Enter an event, its parameter and a value, such as play: video = intro.'],
    ['play: seconds = long', 'The values of seconds are numbers.'],
    ['play: seconds = 1e999', 'The values of seconds are numbers.'],
    ['play: color = red', 'The event play has no parameter color.'],
    ['constructor: name = x', 'The event constructor has no parameter name.'],
    ['play: constructor = x', 'The event play has no parameter constructor.'],
  ])('%s is rejected', (line, fault) => {
    expect(typedParameter(line, events)).toEqual({ fault });
  });
});
