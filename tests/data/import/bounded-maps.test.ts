// Bounded maps behave like a Map up to their limits.
import fc from 'fast-check';
import { recentTexts } from '../../../extension/data/import/bounded-maps';
import { numberTable } from '../../../extension/data/rows/number-table';

test('a number table behaves like a Map of numbers', () => {
  const key = fc.oneof(
    fc.integer({ min: 1, max: 50 }),
    fc.maxSafeInteger().map((n) => Math.abs(n) + 1),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.nat())), (entries) => {
      const table = numberTable(1000);
      const map = new Map<number, number>();
      for (const [name, value] of entries) {
        table.set(name, value);
        map.set(name, value);
      }
      for (const [name, value] of map) expect(table.get(name)).toBe(value);
      expect(table.get(4_444_444_444_444_444)).toBe(map.get(4_444_444_444_444_444));
    }),
  );
});

test('a number table grows, reports when it is full, and can be cleared', () => {
  const table = numberTable(20_000);
  for (let key = 1; key <= 20_000; key += 1) table.set(key * 4_294_967_296, key);
  for (let key = 1; key <= 20_000; key += 1) expect(table.get(key * 4_294_967_296)).toBe(key);
  expect(table.hasRoom(1)).toBe(false);
  table.clear();
  expect(table.get(4_294_967_296)).toBeUndefined();
  expect(table.hasRoom(20_000)).toBe(true);
});

test.each([
  ['entries', 10, 1000],
  ['characters', 1000, 60],
])('a map of recent strings keeps those in use, within its limit of %s', (_of, entries, characters) => {
  const map = recentTexts<number>(entries, characters);
  map.set('often', 1);
  for (let i = 0; i < 100; i += 1) {
    map.set(`once ${i}`, i);
    expect(map.get('often')).toBe(1);
  }
  expect(map.get('once 90')).toBeUndefined();
  expect(map.get('once 99')).toBe(99);
});
