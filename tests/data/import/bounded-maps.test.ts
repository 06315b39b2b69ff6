// Bounded maps keep the most recent keys that fit within their limits.
import { occurrenceCounter, recentTexts } from '../../../extension/data/import/bounded-maps';

test.each([
  ['entries', 10, 1000],
  ['characters', 1000, 60],
])('a map of recent strings keeps those in use, within its limit on %s', (_of, entries, characters) => {
  const map = recentTexts<number>(entries, characters);
  map.set('often', 1);
  for (let i = 0; i < 100; i += 1) {
    map.set(`once ${i}`, i);
    expect(map.get('often')).toBe(1);
  }
  expect(map.get('once 90')).toBeUndefined();
  expect(map.get('once 99')).toBe(99);
});

test('occurrences of a number are counted within a window of distinct numbers', () => {
  const occurrence = occurrenceCounter(10);
  expect([7, 8, 7, 7].map(occurrence)).toEqual([1, 1, 2, 3]);
  for (let other = 100; other < 109; other += 1) expect(occurrence(other)).toBe(1);
  expect(occurrence(7)).toBe(4);
  for (let other = 200; other < 230; other += 1) expect(occurrence(other)).toBe(1);
  expect(occurrence(8)).toBe(1);
});
