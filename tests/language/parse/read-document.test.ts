import { readDocument } from '../../../extension/language/parse/read-document';

const keysOf = (text: string, key: string): readonly string[] => {
  const document = readDocument(text);
  return document.keysOf(Object(document.query?.[key]));
};

test('keys are in document order', () => {
  expect(keysOf('{"make": {"b": 1, "2026": 2, "a": 3}}', 'make')).toEqual(['b', '2026', 'a']);
});

test('the wrapper is optional', () => {
  const wrapped = readDocument('{"qal": {"make": {"v": {}}}}');
  const bare = readDocument('{"make": {"v": {}}}');
  expect(wrapped.query).toEqual(bare.query);
  expect(wrapped.offsetOf(['make', 'v'])).toBe(bare.offsetOf(['make', 'v']) + '{"qal": '.length);
});

test.each<[string, (string | number)[], number]>([
  ['a value', ['a'], 6],
  ['an entry in a list', ['b', 1], 17],
  ['a missing key: the end of its object', ['c'], 20],
  ['a position inside a string: the start of the string', ['a', 'x'], 6],
])('the offset of %s', (_name, path, offset) => {
  expect(readDocument('{"a": "", "b":[1,2]}').offsetOf(path)).toBe(offset);
});

test.each([
  ['an empty body', '', 'E_INVALID_JSON', undefined],
  ['a comment', '{} // x', 'E_INVALID_JSON', undefined],
  ['a leading zero', '{"a": 01}', 'E_INVALID_JSON', undefined],
  ['a repeated key', '{"a": {"b": 1, "b": 2}}', 'E_INVALID_JSON', 'a.b'],
  ['a repeated view', '{"qal": {"make": {"v": 1, "v": 2}}}', 'E_DUPLICATE_VIEW', 'make.v'],
  ['the key __proto__', '{"a": {"__proto__": 1}}', 'E_INVALID_JSON', 'a'],
  ['an infinite number', '{"a": [1e999]}', 'E_INVALID_JSON', 'a[0]'],
  ['an infinite number in an object', '{"qal": {"a": [{"b": [], "c": -1e999}]}}', 'E_INVALID_JSON', 'a[0].c'],
  ['an infinite number as the whole body', ' 1e999', 'E_INVALID_JSON', undefined],
  ['33 levels', '['.repeat(33) + ']'.repeat(33), 'E_QUERY_TOO_LARGE', undefined],
])('the error for %s', (_name, text, code, at) => {
  expect(readDocument(text).fault).toMatchObject({ code, at });
});

test('32 levels are valid, and brackets in strings are not counted', () => {
  expect(readDocument(`{"a": ${'['.repeat(31)}${']'.repeat(31)}}`).fault).toBeNull();
  expect(readDocument(JSON.stringify({ a: `"${'['.repeat(50)}` })).fault).toBeNull();
});
