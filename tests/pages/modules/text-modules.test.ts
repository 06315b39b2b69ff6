// The playground's text functions: formatting, the site of a query, and reading answers.
import { formatQuery } from '../../../extension/pages/browser/playground/format-query';
import { siteIn, withSite } from '../../../extension/pages/browser/playground/query-text';
import { readQueryAnswer, summaryOf } from '../../../extension/pages/browser/shared/query-answer';
import { NO_ANSWER } from '../../../extension/pages/browser/shared/rest-answer';

describe('layout', () => {
  test('puts short values on one line and preserves the order of keys and the notation of values', () => {
    const text =
      '{"tracking_id":"shop","materials":[{"name":"allpv"}],"make":{"2":{"from":["allpv"],"keep":["allpv.url"],"filter":{"pv":1.0}},"1":{}},"result":{"use":"\\u0032"}}';
    expect(formatQuery(text)).toBe(`{
  "tracking_id": "shop",
  "materials": [{ "name": "allpv" }],
  "make": {
    "2": {
      "from": ["allpv"],
      "keep": ["allpv.url"],
      "filter": { "pv": 1.0 }
    },
    "1": {}
  },
  "result": { "use": "\\u0032" }
}`);
  });

  test('breaks a list that does not fit on a line', () => {
    const names = Array.from({ length: 8 }, (_, i) => `allpv.column_${i}`);
    expect(formatQuery(JSON.stringify({ keep: names }))).toBe(JSON.stringify({ keep: names }, null, 2));
  });

  test('does not change text that is already formatted', () => {
    const once = formatQuery('{"a":{"b":[1,{"c":[]}]}}');
    expect(formatQuery(once)).toBe(once);
  });

  test('does not correct text that is not JSON', () => {
    expect(formatQuery('{"a":1,,"b":[1 2]}').replace(/\s/g, '')).toBe('{"a":1,,"b":[12]}');
    expect(formatQuery('')).toBe('');
  });
});

describe('the site in the text of a query', () => {
  test.each([
    ['{"tracking_id": "a", "make": {}}', 'a', '{"tracking_id": "ü\\"", "make": {}}'],
    ['{"qal": {"make": {}, "tracking_id" : 7}}', undefined, '{"qal": {"make": {}, "tracking_id" : "ü\\""}}'],
    ['{"tracking_id": "a", "make": ', 'a', '{"tracking_id": "ü\\"", "make": '],
    ['{"make": {}}', undefined, '{"make": {}}'],
    ['', undefined, ''],
  ])('%s', (text, site, changed) => {
    expect(siteIn(text)).toBe(site);
    expect(withSite(text, 'ü"')).toBe(changed);
  });
});

describe('an answer', () => {
  const answerOf = (status: number, body: unknown) => readQueryAnswer({ status, body });
  const later = (result: object, meta: object = {}) =>
    answerOf(200, { ok: true, query_time_ms: 7, result, meta });
  const words = (answer: ReturnType<typeof readQueryAnswer>) =>
    answer.kind === 'table' ? summaryOf(answer, 12.6) : undefined;

  test('under the later contract is a table', () => {
    const answer = later(
      {
        columns: ['a', 'b'],
        rows: [
          ['x', 1],
          [null, 2],
        ],
      },
      { truncated: false },
    );
    expect(answer).toMatchObject({
      columns: ['a', 'b'],
      rows: [
        ['x', 1],
        [null, 2],
      ],
      milliseconds: 7,
    });
    expect(words(answer)).toBe('2 rows, 7 ms');
  });

  test('mentions how many rows the limit left out', () => {
    const one = { columns: ['a'], rows: [[1]] };
    expect(words(later(one, { truncated: true, total_count: 1234 }))).toBe(
      'First 1 row of 1,234 (limit reached), 7 ms',
    );
    expect(words(later(one, { truncated: true }))).toBe('First 1 row (limit reached), 7 ms');
  });

  test('shows its notes', () => {
    const notes = [
      { at: 'make.v.filter.url', message: 'It is only a path.', hint: 'Write the whole URL.' },
      { at: 'materials[0].name', message: 'The site has no rows.' },
    ];
    expect(words(later({ columns: ['a'], rows: [] }, { notes }))).toBe(
      '0 rows, 7 ms. Note at make.v.filter.url: It is only a path. Write the whole URL. Note at materials[0].name: The site has no rows.',
    );
  });

  test('under the initial contract is a table', () => {
    const answer = answerOf(200, {
      data: [
        { a: 'x', b: 1 },
        { a: null, b: 2 },
      ],
      meta: { truncated: false },
    });
    expect(answer).toMatchObject({
      columns: ['a', 'b'],
      rows: [
        ['x', 1],
        [null, 2],
      ],
    });
    expect(words(answer)).toBe('2 rows, 13 ms including the network');
  });

  test.each([
    ['later', { ok: true, query_time_ms: 7, result: { view: 'v', count: 3 } }],
    ['initial', { count: 3 }],
  ])('with only a count is a table with one cell (%s contract)', (_, body) => {
    expect(answerOf(200, body)).toMatchObject({ columns: ['count'], rows: [[3]] });
  });

  test.each([
    [
      'the later contract',
      {
        ok: false,
        error: { code: 'E_X', message: 'Wrong.', at: 'make', hint: 'So.', details: { repaired: {} } },
      },
      { code: 'E_X', message: 'Wrong.', at: 'make', hint: 'So.' },
    ],
    [
      'the initial contract',
      { code: 'E_X', message: 'Wrong.', data: { status: 400, at: 'make', hint: 'So.' } },
      { code: 'E_X', message: 'Wrong.', at: 'make', hint: 'So.' },
    ],
    [
      'the host',
      { code: 'rest_no_route', message: 'No.', data: { status: 404 } },
      { code: 'rest_no_route', message: 'No.' },
    ],
    ['a proxy in between', undefined, { code: '', message: 'The server answered with status 502.' }],
  ])('with an error from %s shows the error', (_, body, error) => {
    expect(answerOf(502, body)).toEqual({ kind: 'error', error });
  });

  test.each([
    ['no body', undefined],
    ['HTML', '<html>'],
    ['an empty object', {}],
    ['a result without rows', { result: { columns: ['a'] } }],
    ['data that is not a list', { data: 'x' }],
  ])('with status 200 and %s does not come from the server', (_, body) => {
    expect(answerOf(200, body)).toEqual({ kind: 'error', error: { code: '', message: NO_ANSWER } });
  });

  test('without rows is an empty table', () => {
    expect(later({ columns: ['a'], rows: [] })).toMatchObject({ kind: 'table', rows: [] });
    expect(answerOf(200, { data: [] })).toMatchObject({ kind: 'table', rows: [] });
  });

  test('contains a link to the login page after the session has ended', () => {
    const body = { ok: false, error: { code: 'E_UNAUTHORIZED', message: 'Use Basic.', hint: 'Basic' } };
    expect(answerOf(401, body)).toEqual({
      kind: 'error',
      error: { code: '', message: 'You are no longer logged in.', remedy: 'log-in' },
    });
  });

  test('asks the user to reload a page from an earlier session', () => {
    const body = {
      code: 'rest_cookie_invalid_nonce',
      message: 'Cookie check failed.',
      data: { status: 403 },
    };
    expect(answerOf(403, body)).toMatchObject({ error: { code: '', remedy: 'reload' } });
  });
});
