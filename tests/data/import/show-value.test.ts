import { showValue } from '../../../extension/data/import/import-error';

test.each([
  ['a short string', 'a', '"a"'],
  ['a string of the maximum length', 'x'.repeat(118), `"${'x'.repeat(118)}"`],
  ['a longer string', 'x'.repeat(119), `"${'x'.repeat(116)}...`],
  ['quotes', '"'.repeat(200), `"${'\\"'.repeat(58)}...`],
  ['an emoji at the limit', `${'x'.repeat(119)}😀`, `"${'x'.repeat(116)}...`],
  ['a list', [[1]], '[...]'],
  ['nothing', undefined, 'undefined'],
])('%s', (_name, value, shown) => {
  expect(showValue(value)).toBe(shown);
});

test('a long string is truncated before it is written as JSON', () => {
  const stringify = jest.spyOn(JSON, 'stringify');
  showValue('"'.repeat(1_000_000));
  const written = stringify.mock.calls.map(([value]) => String(value).length);
  stringify.mockRestore();
  expect(Math.max(...written)).toBeLessThanOrEqual(120);
});
