import { nearest, typosBetween } from '../../../extension/language/names/nearest';

test.each([
  ['', '', 0],
  ['url', 'url', 0],
  ['ulr', 'url', 1],
  ['titel', 'title', 1],
  ['url', 'rul', 1],
  ['pv', 'pvs', 1],
  ['abc', '', 3],
  ['ca', 'abc', 3],
])('between %j and %j, there are %i typos', (a, b, typos) => {
  expect(typosBetween(a, b, 9)).toBe(typos);
  expect(typosBetween(b, a, 9)).toBe(typos);
});

test.each<[string, string[], string | undefined]>([
  ['ulr', ['title', 'url'], 'url'],
  ['device', ['device_type', 'devices'], 'devices'],
  ['URL', ['url'], 'url'],
  ['w', ['v'], 'v'],
  ['ttl', ['title', 'url'], 'title'],
  ['ttl', ['title', 'total'], undefined],
  ['add', ['end', 'tz'], undefined],
  ['something', ['else'], undefined],
  ['x'.repeat(65), ['x'.repeat(65)], undefined],
])('the name most similar to %j in %j is %j', (wanted, names, found) => {
  expect(nearest(wanted, names)).toBe(found);
});
