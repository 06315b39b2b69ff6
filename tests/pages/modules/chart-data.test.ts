// The chart of an answer in the playground: its points and series, and values that cannot be added.
import {
  type Chart,
  type ChartOrReason,
  chartOf,
} from '../../../extension/pages/browser/playground/chart-data';
import type { AnswerColumn, TimeUnit } from '../../../extension/pages/shared-types/query-check';

const label = (name: string, time: TimeUnit | null = null): AnswerColumn => ({
  name,
  time,
  measure: null,
  type: 'text',
});
const sum = (name: string): AnswerColumn => ({ name, type: 'int', measure: 'additive', time: null });
const mean = (name: string): AnswerColumn => ({ name, type: 'num', measure: 'other', time: null });

function drawn(chart: ChartOrReason): Chart {
  if (chart.kind === 'none') throw new Error(chart.reason);
  return chart;
}
const day = (name = 'day') => label(name, 'date');

describe('points in time', () => {
  test('are drawn in order at proportional distances, with one series per measure', () => {
    const rows = [
      ['2026-10-05', 5, 2.5],
      ['2026-09-30', 3, null],
      ['2026-10-01', 4, 1],
    ];
    const chart = drawn(chartOf([day(), sum('views'), mean('pages')], rows));
    const [first = 0, ...others] = chart.points.map(({ place }) => place);
    expect(others.map((place) => place - first)).toEqual([1, 5]);
    expect(chart).toMatchObject({
      kind: 'time',
      title: 'views · pages by day',
      series: [
        { name: 'views', values: [3, 4, 5] },
        { name: 'pages', values: [null, 1, 2.5] },
      ],
      note: '',
    });
  });

  test.each<readonly [TimeUnit, readonly (string | number)[]]>([
    ['date', ['2028-02-28', '2028-02-29', '2028-03-01']],
    ['week', ['2026-12-21', '2026-12-28', '2027-01-04']],
    ['month', ['2026-11', '2026-12', '2027-01']],
    ['hour', [0, 1, 2]],
    ['weekday', [5, 6, 7]],
  ])('are one step apart: %s', (unit, times) => {
    const chart = drawn(
      chartOf(
        [label('when', unit), sum('n')],
        times.toReversed().map((time) => [time, 1]),
      ),
    );
    const [first = 0] = chart.points.map(({ place }) => place);
    expect(chart.points.map(({ place }) => place - first)).toEqual([0, 1, 2]);
    expect(new Set(chart.points.map(({ name }) => name)).size).toBe(3);
  });

  test('are measured in seconds if they are instants', () => {
    const rows = [
      ['2026-10-25T02:30:00', 1],
      ['2026-10-25T01:00:00', 2],
    ];
    const { points, isInstant } = drawn(chartOf([label('at', 'instant'), sum('n')], rows));
    expect([isInstant, (points[1]?.place ?? 0) - (points[0]?.place ?? 0)]).toEqual([true, 5400]);
  });

  test('have a series of the selected measure for each of the six largest groups', () => {
    const rows = Array.from({ length: 8 }, (_, i) => ['2026-10-01', `group ${i}`, i, 8 - i]);
    const columns = [day(), label('group'), sum('n'), mean('m')];
    const chart = drawn(chartOf(columns, rows));
    expect(chart.series.map(({ name }) => name)).toEqual([7, 6, 5, 4, 3, 2].map((i) => `group ${i}`));
    expect(chart).toMatchObject({
      measures: ['n', 'm'],
      isAdditive: true,
      note: 'The 6 largest of 8 groups; the table has all of them.',
    });
    const other = drawn(chartOf(columns, rows, 'm'));
    expect([other.series[0], other.isAdditive]).toEqual([{ name: 'group 0', values: [8] }, false]);
  });

  test('are not taken from a calculated time', () => {
    const last: AnswerColumn = { name: 'last', type: 'date', measure: 'other', time: null };
    expect(chartOf([label('url'), last, sum('n')], [['/', '2026-10-01', 3]])).toMatchObject({
      kind: 'categories',
      series: [{ name: 'n', values: [3] }],
    });
  });
});

describe('rows with the same time', () => {
  const rows = [
    ['2026-10-01', 1],
    ['2026-10-01', 2],
  ];

  test('are added if that is correct', () => {
    expect(chartOf([day(), sum('n')], rows)).toMatchObject({
      series: [{ values: [3] }],
      note: 'Rows with the same day are added up.',
    });
  });

  test('are not drawn if adding them would be wrong', () => {
    expect(chartOf([day(), mean('n')], rows)).toEqual({
      kind: 'none',
      reason:
        'Several rows have the same day, and the values of n cannot be added. Keep the column that distinguishes these rows.',
    });
  });

  test('are drawn without the measures that cannot be added, and a note explains this', () => {
    const chart = drawn(
      chartOf(
        [day(), sum('n'), mean('m')],
        [...rows].map((row) => [...row, 9]),
      ),
    );
    expect(chart.series).toEqual([{ name: 'n', values: [3] }]);
    expect(chart.note).toContain('the values of m cannot be added');
  });
});

describe('categories', () => {
  test("are the thirty largest ones, in the answer's order", () => {
    const rows = Array.from({ length: 31 }, (_, i) => [`/page/${i}`, i]);
    const chart = drawn(chartOf([label('url'), sum('views')], rows));
    expect(chart.points.map(({ name }) => name)).toEqual(
      Array.from({ length: 30 }, (_, i) => `/page/${i + 1}`),
    );
    expect(chart).toMatchObject({
      kind: 'categories',
      title: 'views by url',
      note: 'The 30 largest of 31; the table has all of them.',
    });
  });

  test('are split by the last label if it has few values', () => {
    const rows = [
      ['a', 'PC', 5],
      ['a', 'SP', 4],
      ['b', 'SP', 3],
    ];
    expect(chartOf([label('source'), label('device'), sum('n')], rows)).toMatchObject({
      points: [{ name: 'a' }, { name: 'b' }],
      series: [
        { name: 'SP', values: [4, 3] },
        { name: 'PC', values: [5, null] },
      ],
      isAdditive: true,
    });
  });

  test('are otherwise named by all labels, and numeric labels include the name of their column', () => {
    const rows = Array.from({ length: 7 }, (_, i) => ['iOS', i === 0 ? null : i, 1]);
    const { points } = drawn(chartOf([label('os'), label('level'), sum('n')], rows));
    expect(points.map(({ name }) => name).slice(0, 2)).toEqual(['iOS · (none)', 'iOS · level 1']);
  });

  test('are the measures of a single row', () => {
    expect(chartOf([sum('views'), mean('pages')], [[7, 3]])).toMatchObject({
      points: [{ name: 'views' }, { name: 'pages' }],
      series: [{ values: [7, 3] }],
    });
  });
});

test('if there is nothing to draw, the reason is returned', () => {
  expect(chartOf([sum('n')], [])).toEqual({ kind: 'none', reason: 'There are no rows to draw.' });
  expect(chartOf([label('url'), { ...label('browse_sec'), type: 'num' }], [['/', 1]])).toEqual({
    kind: 'none',
    reason: 'There is no calculated numeric column to draw: add one with calc.',
  });
});
