import { ERRORS } from '../../../extension/language/errors/error-table';
import { queryError } from '../../../extension/language/errors/query-error';
import { certainly, remove, rename, write } from '../../../extension/language/types/repair';

test('parameters are shown as JSON, as plain text, or as a list', () => {
  const given = { function: 'SUM', column: 'url', type: 'text', types: ['id', 'int', 'num'] };
  expect(queryError('E_CALC_INVALID_EXPRESSION type', 'make.v.calc.n', given)).toMatchObject({
    code: 'E_CALC_INVALID_EXPRESSION',
    status: 400,
    at: 'make.v.calc.n',
    message: 'SUM does not work on "url", which is of type text.',
    hint: 'SUM takes columns of type id, int and num; COUNT and COUNTUNIQUE take any.',
    details: { type: 'text', types: ['id', 'int', 'num'] },
  });
});

test('long values are shortened, and missing values are not quoted', () => {
  const { message } = queryError('E_INVALID_SORT by', undefined, { received: 'x'.repeat(500) });
  expect(message).toMatch(/^sort\.by must be the name of an output column, not "x{110,120}\.\.\.\.$/);
  expect(queryError('E_INVALID_SORT by', undefined, { received: undefined }).message).toBe(
    'sort.by must be the name of an output column; it is missing.',
  );
});

test('a value that looks like a parameter is not replaced', () => {
  expect(queryError('E_INVALID_TZ', undefined, { received: '<received>' }).message).toBe(
    '"<received>" is not a full IANA time zone name.',
  );
});

test('the hint is the one that is named, else the repair, else a similar name, else the example', () => {
  const repair = certainly(rename(['result', 'limt'], 'limit'));
  const hintOf = (given: object, ...edits: [] | [typeof repair]) =>
    queryError('E_RESULT_FORBIDDEN_KEY', 'result.limt', { key: 'limt', keys: [], ...given }, ...edits).hint;
  expect(hintOf({ hint: 'skip', nearest: 'limit' }, repair)).toMatch(/^Rows cannot be skipped/);
  expect(hintOf({ nearest: 'limit' }, repair)).toBe('Rename it to "limit".');
  expect(hintOf({ nearest: 'limit' })).toBe('Did you mean "limit"?');
  expect(hintOf({})).toBeUndefined();
  expect(queryError('E_INVALID_FROM', 'make.v.from', { received: 1 }).hint).toBe('Write "from": ["allpv"].');
});

test.each([
  ['a value', [write(['make', 'v', 'from'], ['a', { b: 1 }])], 'Write "from": ["a", {"b": 1}].'],
  ['an entry in a list', [write(['make', 'v', 'keep', 0], 'a.b')], 'Write "a.b".'],
  ['a key', [remove(['make', 'v', 'as'])], 'Remove "as".'],
  [
    'an entry in the wrong place',
    [remove(['make', 'v', 'keep', 0]), write(['make', 'v', 'calc', 'n'], 'SUM(a.b)')],
    'Remove it and write "n": "SUM(a.b)" in make.v.calc.',
  ],
])('a hint for the repair of %s', (_name, edits, hint) => {
  const at = 'make.v.keep[0]';
  expect(queryError('E_INVALID_FROM', at, { received: 1 }, certainly(...edits)).hint).toBe(hint);
});

test('if the repair is too long, the hint is the example', () => {
  const repair = certainly(write(['make', 'v', 'from'], ['x'.repeat(300)]));
  expect(queryError('E_INVALID_FROM', 'make.v.from', { received: 1 }, repair).hint).toBe(
    'Write "from": ["allpv"].',
  );
});

test('the placeholders of all messages are valid', () => {
  const texts = JSON.stringify(ERRORS).match(/<[^>]*>/g) ?? [];
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.filter((text) => !/^<\w+(:(text|list|quoted|either))?>$/.test(text))).toEqual([]);
});
