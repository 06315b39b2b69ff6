// How the playground draws an answer: what is a measure, what a label, and what cannot be added up.
import { type ChartColumn, chartColumns, chartOf } from '../../extension/admin/browser/playground/chart-data';
import { readQueryAnswer } from '../../extension/admin/browser/shared/query-answer';

/** `name` is kept, `name=COUNT` is calculated. */
const named = (...names: readonly string[]): readonly ChartColumn[] =>
  names.map((name) => {
    const [column = '', calc] = name.split('=');
    return { name: column, ...(calc === undefined ? {} : { calc }) };
  });

describe('lines', () => {
  test('have the days below, and a line per number', () => {
    const rows = [
      ['2026-10-02', 5, 2],
      ['2026-09-30', 3, null],
    ];
    expect(chartOf(named('access_date', 'views=COUNT', 'readers=COUNTUNIQUE'), rows)).toEqual({
      kind: 'lines',
      label: 'access_date',
      labels: ['2026-09-30', '2026-10-01', '2026-10-02'],
      series: [
        { name: 'views', values: [3, null, 5] },
        { name: 'readers', values: [null, null, 2] },
      ],
      note: '',
    });
  });

  test.each([
    ['what only looks like days', ['2026-99-99', '2026-10-01'], ['2026-10-01', '2026-99-99']],
    ['months', ['2026-12', '2026-10'], ['2026-10', '2026-11', '2026-12']],
    [
      'days over the end of February',
      ['2028-02-28', '2028-03-01'],
      ['2028-02-28', '2028-02-29', '2028-03-01'],
    ],
    [
      'instants as they are',
      ['2026-10-25T02:30:00', '2026-10-25T01:00:00'],
      ['2026-10-25T01:00:00', '2026-10-25T02:30:00'],
    ],
    ['days of a very long span as they are', ['1999-01-01', '2026-10-25'], ['1999-01-01', '2026-10-25']],
    ['the last days there are', ['9999-12-31', '9999-12-30'], ['9999-12-30', '9999-12-31']],
  ])('know %s', (_, times, labels) => {
    const rows = times.map((time) => [time, 1]);
    expect(chartOf(named('when', 'n=COUNT'), rows)).toMatchObject({ kind: 'lines', labels });
  });

  test('step by seven days where the name says weeks', () => {
    const rows = [
      ['2026-10-05', 1],
      ['2026-10-19', 2],
    ];
    const labels = ['2026-10-05', '2026-10-12', '2026-10-19'];
    expect(chartOf(named('access_week', 'n=COUNT'), rows)).toMatchObject({ kind: 'lines', labels });
  });

  test('recognise hours by name and value', () => {
    const hours = (...rows: readonly (readonly number[])[]) => chartOf(named('access_hour', 'n=COUNT'), rows);
    expect(hours([11, 1], [9, 2])).toMatchObject({
      kind: 'lines',
      labels: ['09', '10', '11'],
      series: [{ values: [2, null, 1] }],
    });
    expect(hours([24, 1], [0, 2])).toMatchObject({ kind: 'bars' });
  });

  test('are one per group, the largest six', () => {
    const rows = Array.from({ length: 8 }, (_, i) => ['2026-10-01', `group ${i}`, i]);
    const chart = chartOf(named('date', 'group', 'n=COUNT'), rows);
    expect(chart).toMatchObject({ kind: 'lines', note: 'The 6 largest of 8 lines; the table has all.' });
    expect(chart.kind === 'lines' && chart.series.map(({ name }) => name)).toEqual(
      [7, 6, 5, 4, 3, 2].map((i) => `group ${i}`),
    );
  });

  test('name kept numbers, and never draw them as values', () => {
    const rows = [
      ['2026-10-01', 0, 5],
      ['2026-10-01', 1, 7],
    ];
    expect(chartOf(named('date', 'is_new_user', 'readers=COUNTUNIQUE'), rows)).toMatchObject({
      kind: 'lines',
      series: [
        { name: 'is_new_user 1', values: [7] },
        { name: 'is_new_user 0', values: [5] },
      ],
      note: '',
    });
  });

  test('are not drawn over a calculated time', () => {
    const rows = [['/', '2026-10-01', 3]];
    expect(chartOf(named('url', 'last=MAX', 'n=COUNT'), rows)).toMatchObject({
      kind: 'bars',
      bars: [{ label: '/', value: 3 }],
    });
  });
});

describe('rows of one time', () => {
  const rows = [
    ['2026-10-01', 1],
    ['2026-10-01', 2],
  ];

  test.each(['COUNT', 'SUM'])('are added up where that is right: %s', (calc) => {
    expect(chartOf(named('date', `n=${calc}`), rows)).toMatchObject({
      series: [{ values: [3] }],
      note: 'Rows of the same time are added up.',
    });
  });

  test.each(['AVERAGE', 'MIN', 'MAX', 'COUNTUNIQUE'])('are not drawn where it is wrong: %s', (calc) => {
    expect(chartOf(named('date', `n=${calc}`), rows)).toEqual({
      kind: 'none',
      reason:
        'Several rows have the same date, and the values of n cannot be added up. Keep the column that tells these rows apart.',
    });
  });

  test('leave out only what cannot be added, and say so', () => {
    const both = rows.map((row) => [...row, 9]);
    const chart = chartOf(named('date', 'n=COUNT', 'mean=AVERAGE'), both);
    expect(chart).toMatchObject({ kind: 'lines', series: [{ name: 'n', values: [3] }] });
    expect(chart.kind === 'lines' && chart.note).toContain('the values of mean cannot be added up');
  });
});

describe('bars', () => {
  test('are the largest thirty', () => {
    const rows = Array.from({ length: 31 }, (_, i) => [`/page/${i}`, i]);
    const chart = chartOf(named('url', 'views=COUNT'), [...rows, ['/none', null]]);
    expect(chart).toMatchObject({
      kind: 'bars',
      label: 'url',
      value: 'views',
      note: 'The 30 largest of 31; the table has all.',
    });
    expect(chart.kind === 'bars' && [chart.bars.length, chart.bars[0], chart.bars.at(-1)]).toEqual([
      30,
      { label: '/page/30', value: 30 },
      { label: '/page/1', value: 1 },
    ]);
  });

  test('are named by all kept columns, and say what is not drawn', () => {
    const rows = [
      ['iOS', null, 1, 4],
      ['iOS', 3, 2, 4],
    ];
    expect(chartOf(named('os', 'weekday', 'n=COUNT', 'most=MAX'), rows)).toMatchObject({
      label: 'os · weekday',
      value: 'n',
      bars: [{ label: 'iOS · 3' }, { label: 'iOS · (none)' }],
      note: 'Only n is drawn.',
    });
  });

  test('are one per number of a single row', () => {
    expect(chartOf(named('views=COUNT', 'readers=COUNTUNIQUE'), [[7, 3]])).toMatchObject({
      bars: [
        { label: 'views', value: 7 },
        { label: 'readers', value: 3 },
      ],
    });
  });
});

test('nothing to draw comes with a reason', () => {
  expect(chartOf(named('n=COUNT'), [])).toEqual({ kind: 'none', reason: 'There are no rows to draw.' });
  expect(chartOf(named('url', 'browse_sec'), [['/', 1]])).toEqual({
    kind: 'none',
    reason: 'There is no calculated column of numbers to draw: add one with calc.',
  });
});

describe('what the query says about the columns of its answer', () => {
  const first = {
    from: ['allpv'],
    keep: ['allpv.url', 'allpv.device_type'],
    calc: { n: 'count( allpv.pv_id )' },
  };
  const columnsOf = (make: object, use: string, names: readonly string[], more: object = {}) =>
    chartColumns(JSON.stringify({ make, result: { use, ...more } }), names);

  test.each([
    ['a calc of the view', { a: first }, 'a', named('url', 'device_type', 'n=COUNT')],
    [
      'kept beside a calc is a group',
      { a: first, b: { from: ['a'], keep: ['a.n'], calc: { pages: 'COUNT(a.url)' } } },
      'b',
      named('n', 'pages=COUNT'),
    ],
    [
      'kept without a calc is still that number',
      { a: first, b: { from: ['a'], keep: ['a.n', 'a.url'] } },
      'b',
      named('n=COUNT', 'url'),
    ],
  ])('%s', (_, make, use, expected) => {
    expect(
      columnsOf(
        make,
        use,
        expected.map(({ name }) => name),
      ),
    ).toEqual(expected);
  });

  test('a count of rows is a measure', () => {
    const answer = readQueryAnswer({ status: 200, body: { count: 3 } }, '/');
    const names = answer.kind === 'table' ? answer.columns : [];
    expect(columnsOf({ a: first }, 'a', names, { count_only: true })).toEqual(named('count=COUNT'));
  });
});
