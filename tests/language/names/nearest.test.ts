// The name that was probably meant: few slips of the keys, and no other word.
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
])('between %j and %j there are %i slips', (a, b, slips) => {
  expect(typosBetween(a, b, 9)).toBe(slips);
  expect(typosBetween(b, a, 9)).toBe(slips);
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
])('%j is near to one of %j: %j', (wanted, names, found) => {
  expect(nearest(wanted, names)).toBe(found);
});
